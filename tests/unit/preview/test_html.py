"""Pages as their preview: what is mapped, what goes, what stays byte by byte, and how long hostile ones take."""

import json
import re
import time
from html.parser import HTMLParser
from pathlib import Path
from urllib.parse import urljoin

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.preview.addresses import PreviewSite, proxied, requested, requested_module
from abtest.domain.preview.document import MAX_GROWTH
from abtest.domain.preview.html import rewrite_html

BARE = PreviewSite(base="https://p.test", token="T", hosts=frozenset({"shop.example", "b.example:8000"}))
SITE = PreviewSite(
    base=BARE.base,
    token=BARE.token,
    hosts=BARE.hosts,
    snippet_url="https://p.test/snip.js?a=1&b=2",
    shop_snippets=["https://edge.test/s/1.js"],
    bridge="run",
)
PAGE = "https://shop.example/shop/page?id=1"
PROXY = "https://p.test/api/preview?pst=T&amp;url=https://shop.example"
SCRIPT = "https://p.test/api/preview/m/T/https/shop.example"
GET_FORM = (
    '<form action="https://p.test/api/preview"><input type="hidden" name="pst" value="T">'
    '<input type="hidden" name="url" value="https://shop.example/shop/{}">'
)
HEAD = re.compile(r'(<meta charset="[^"]*">)?<base href="[^"]*">(<script type="importmap">.*?</script>)?', re.DOTALL)


def rewritten(html: str, site: PreviewSite = BARE) -> str:
    return rewrite_html(html.encode(), "text/html; charset=utf-8", page_url=PAGE, site=site).decode()


def body_of(html: str) -> str:
    """The preview of a part of a body, without what comes first in the head."""
    return HEAD.sub("", rewritten(html), count=1)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<a href=/x>", f'<a href="{PROXY}/x">'),
        ("<a HREF='x?a=1&amp;b=2#c' class=y>", f'<a HREF="{PROXY}/shop/x?a=1%26b=2#c" class=y>'),
        ("<a href=?a=1&section=2&copy=3>", f'<a href="{PROXY}/shop/page?a=1%26section=2%26copy=3">'),
        ("<a href=caf&eacute;>", f'<a href="{PROXY}/shop/caf%25C3%25A9">'),
        ("<a href=/x target=_top>", f'<a href="{PROXY}/x" target="_self">'),
        ("<area href=/x>", f'<area href="{PROXY}/x">'),
        ("<form method=post action=/x>", f'<form method=post action="{PROXY}/x">'),
        ("<form method=POST>", "<form method=POST>"),
        ("<form method=dialog>", "<form method=dialog>"),
        ("<form action=find?old=1>", GET_FORM.format("find")),
        ("<form>", GET_FORM.format("page")),
        ("<button formaction=/x>", f'<button formaction="{PROXY}/x">'),
        ("<input type=submit formaction=/x>", f'<input type=submit formaction="{PROXY}/x">'),
        ("<script src=/a.js?v=1 integrity=i></script>", f'<script src="{SCRIPT}/a.js?v=1" integrity=i></script>'),
        ("<script type=module src=a.js></script>", f'<script type=module src="{SCRIPT}/shop/a.js"></script>'),
        ("<link rel=stylesheet href=/a.css integrity=i>", f'<link rel=stylesheet href="{PROXY}/a.css" >'),
        ("<link rel=preload as=font href=/f>", f'<link rel=preload as=font href="{PROXY}/f">'),
        ("<link rel=preload as=script href=/f>", f'<link rel=preload as=script href="{SCRIPT}/f">'),
        ("<link rel=preload as=image href=/f>", "<link rel=preload as=image href=/f>"),
        ("<link rel=modulepreload href=/f>", f'<link rel=modulepreload href="{SCRIPT}/f">'),
        ("<link rel=manifest href=/f>", f'<link rel=manifest href="{PROXY}/f">'),
        ("<link rel=icon href=/f>", "<link rel=icon href=/f>"),
        ("<link rel=canonical href=/f>", "<link rel=canonical href=/f>"),
        ("<iframe src=/x>", f'<iframe src="{PROXY}/x">'),
        ("<object data=/x>", f'<object data="{PROXY}/x">'),
        ("<embed src=/x>", f'<embed src="{PROXY}/x">'),
        ("<track src=/x>", f'<track src="{PROXY}/x">'),
        ("<svg><use xlink:href=/s.svg#a /></svg>", f'<svg><use xlink:href="{PROXY}/s.svg#a" /></svg>'),
        ("<svg><use href='#a'/></svg>", "<svg><use href='#a'/></svg>"),
        ("<svg><a xlink:href=/x></a></svg>", f'<svg><a xlink:href="{PROXY}/x"></a></svg>'),
        ("<p><meta http-equiv=Content-Security-Policy content=x>", "<p>"),
        ("<p><meta name=referrer content=x>", "<p>"),
        (
            "<p><meta http-equiv=refresh content='5; URL=/x'>",
            f'<p><meta http-equiv=refresh content="5; url={PROXY}/x">',
        ),
        ("<p><meta http-equiv=refresh content=5>", '<p><meta http-equiv=refresh content="5">'),
        ("<img src=/x.png srcset='/y.png 2x'>", "<img src=/x.png srcset='/y.png 2x'>"),
        ("<img src=/x.png referrerpolicy=unsafe-url>", "<img src=/x.png >"),
        (
            "<img crossorigin src=/x.png srcset='/y.png 2x, /z.png'>",
            f'<img crossorigin src="{PROXY}/x.png" srcset=" {PROXY}/y.png 2x, {PROXY}/z.png,">',
        ),
        ("<b style='a:url(/x.svg)'>", f'<b style="a:url(&quot;{PROXY}/x.svg&quot;)">'),
        ("<style>a{b:url(/x.svg)}</style>", f'<style>a{{b:url("{PROXY.replace("&amp;", "&")}/x.svg")}}</style>'),
        ("<a href=/a href=/b>", f'<a href="{PROXY}/a" href=/b>'),
        ("<a href=http://b.example:8000/>", f'<a href="{PROXY[:-20]}http://b.example:8000/">'),
    ],
)
def test_element__with_an_address_of_the_shop__leads_through_the_proxy(html: str, expected: str) -> None:
    assert body_of(html) == expected


@pytest.mark.parametrize(
    "html",
    [
        "",
        "plain text",
        "<a href='#top'>x</a>",
        "<a href=//other.example/>x</a>",
        "<a href='javascript:void(0)'>x</a>",
        "<a href=mailto:a@shop.example>x</a>",
        "<a href='https://shop.example:8443/'>",
        "<script>document.write('<a href=/x>')</script>",
        "<textarea><a href=/x></textarea>",
        "<!-- <a href=/x> -->",
        "<script type=importmap>no json</script>",
        "<style></style>url(/x)",
        "<p\r\n a='\r\n'\r>\r\r\n\n\x00\x0c</P ><br/><unclosed a=",
        "<a href",
        "<form action=https://other.example/>",
        "<table><tr><td background=/x.png>",
        "<plaintext><a href=/x>",
    ],
)
def test_page__without_an_address_to_map__stays_byte_by_byte(html: str) -> None:
    assert body_of(html) == html


@given(st.binary(max_size=300))
def test_page__of_any_bytes__keeps_each_byte_behind_the_head(body: bytes) -> None:
    html = b"<p>" + body.replace(b"<", b"(")
    result = rewrite_html(html, "text/html; charset=utf-8", page_url=PAGE, site=BARE)
    assert result.endswith(html)


PIECES = r"""<a href= | ' | " | > | /x | <style> | </style> | url( | <script | src= | <!-- | --> | <base href= | é
<iframe srcdoc= | <form | <meta http-equiv=refresh content= | ;url= | <svg><use href= | = | type=importmap> | &#x41
{"imports":{"a":"/b"}} | </script> | style= | referrerpolicy=x | <img crossorigin srcset= | @import
&quot; | javascript: | https://shop.example/ | https://b.example:8000@other.example/ | //other.example/"""
ANY_PIECE = st.sampled_from([*re.split(r" \| |\n", PIECES), " ", "\r\n", "\x00"])


@settings(max_examples=300)
@given(
    st.lists(ANY_PIECE, max_size=25), st.sampled_from(["utf-8", "windows-1252", "utf-16", "iso-2022-jp", "nonsense"])
)
def test_page__of_any_pieces__is_rewritten_without_addresses_of_other_hosts(pieces: list[str], charset: str) -> None:
    html = "".join(pieces).encode("utf-8", "replace")
    result = rewrite_html(html, f"text/html; charset={charset}", page_url=PAGE, site=SITE)
    for url in re.findall(rb"api/preview\?pst=T&(?:amp;)?url=([^\"'#&<> ]*)", result):
        address = requested("url=" + url.decode("ascii", "replace")).url or ""
        assert address.startswith(("https://shop.example/", "http://shop.example/", "http://b.example:8000/")), address


@given(st.lists(st.sampled_from(["/a", "b?c=d&amp;e", "//shop.example/ü", "https://b.example/", "#x"]), max_size=8))
def test_addresses__rewritten_twice__are_those_of_the_first_time(addresses: list[str]) -> None:
    once = body_of("<p>" + "".join(f'<a href="{address}"></a><iframe src="{address}">' for address in addresses))
    assert body_of(once) == once


@pytest.mark.parametrize(
    ("html", "before", "after"),
    [
        ("<!doctype html><html><head><title>x</title>", "<!doctype html><html><head>", "<title>x</title>"),
        ("<!doctype html>\n<!-- c --><title>x</title>", "<!doctype html>\n<!-- c -->", "<title>x</title>"),
        ("<!doctype html>text", "<!doctype html>", "text"),
        ("<!doctype html><body><head>", "<!doctype html>", "<body><head>"),
        ("\ufeff<!doctype html><p>", "\ufeff<!doctype html>", "<p>"),
        ("", "", ""),
    ],
)
def test_head__of_each_form_of_page__begins_with_the_bridge_and_our_snippet(html: str, before: str, after: str) -> None:
    result = rewritten(html, SITE)
    assert result.startswith(f'{before}<meta charset="utf-8"><base href="{PAGE}"><script>(run)({{')
    assert result.endswith(f'</script><script src="https://p.test/snip.js?a=1&amp;b=2"></script>{after}')


def test_snippet__of_the_shop__becomes_ours_in_its_place() -> None:
    result = rewritten(
        "<head><title>x</title><script async src='https://edge.test/s/1.js?b=2' integrity=i></script>", SITE
    )
    assert result.endswith('<title>x</title><script async src="https://p.test/snip.js?a=1&amp;b=2" ></script>')
    assert result.count("snip.js") == 1


def test_bridge__hostile_state__cannot_end_its_script() -> None:
    cookie = "a=</script><!--&\u2028\u2029é"
    html = rewrite_html(b"<p>", "", page_url="https://shop.example/</script>", site=SITE, cookie=cookie).decode("ascii")
    script = html.partition("<script>(run)(")[2].partition(")</script>")[0]
    assert not re.search("[<>&\u2028\u2029]", script)
    assert json.loads(script) == {
        "base": "https://p.test",
        "token": "T",
        "hosts": ["b.example:8000", "shop.example"],
        "page": "https://shop.example/</script>",
        "cookie": cookie,
    }


def test_base__of_the_page__counts_for_the_links_behind_it_and_for_scripts() -> None:
    result = rewritten("<head><a href=a></a><base href='/other/' target=_top><a href=a></a><base href=/third/>")
    assert '<base href="https://shop.example/other/">' in result
    assert f'<a href="{PROXY}/shop/a">' in result
    assert f'<base href=\'/other/\' target="_self"><a href="{PROXY}/other/a">' in result


def test_frame__with_its_own_document__has_a_bridge_of_its_own() -> None:
    result = rewritten('<iframe srcdoc="<a href=/x>caf&eacute;</a>"></iframe>', SITE)
    assert result.count("(run)(") == 2
    assert (
        "&lt;a href=&quot;https://p.test/api/preview?pst=T&amp;amp;url=https://shop.example/x&quot;&gt;caf&#233;"
        in result
    )


def test_import_map__of_the_page__is_joined_with_ours() -> None:
    given_map = {
        "imports": {
            "lib": "/lib.js",
            "/deep/": "/v2/deep/",
            "ext": "https://other.example/x.js",
            "off": None,
            "bare": "x",
        },
        "scopes": {"/admin/": {"lib": "./lib2.js"}},
        "integrity": {"/lib.js": "sha384-x"},
    }
    result = rewritten(f"<script type=importmap>{json.dumps(given_map)}</script>")
    assert result.count("<script type=") == 1
    merged = json.loads(result.partition("<script type=importmap>")[2].removesuffix("</script>"))
    assert merged["imports"] == {
        "https://p.test/api/preview/m/": "https://p.test/api/preview/m/",
        "https://p.test/": f"{SCRIPT}/",
        "https://shop.example/": f"{SCRIPT}/",
        "http://shop.example/": SCRIPT.replace("https/", "http/") + "/",
        "https://b.example:8000/": "https://p.test/api/preview/m/T/https/b.example:8000/",
        "http://b.example:8000/": "https://p.test/api/preview/m/T/http/b.example:8000/",
        "lib": f"{SCRIPT}/lib.js",
        "https://shop.example/deep/": f"{SCRIPT}/v2/deep/",
        f"{SCRIPT}/deep/": f"{SCRIPT}/v2/deep/",
        "https://p.test/deep/": f"{SCRIPT}/v2/deep/",
        "ext": "https://other.example/x.js",
        "off": None,
        "bare": "x",
    }
    assert merged["scopes"][f"{SCRIPT}/admin/"] == {"lib": f"{SCRIPT}/shop/lib2.js"}
    assert merged["scopes"][f"{SCRIPT}/"]["https://p.test/"] == f"{SCRIPT}/"
    assert merged["integrity"][f"{SCRIPT}/lib.js"] == "sha384-x"


@pytest.mark.parametrize(
    ("html", "content_type", "label", "link"),
    [
        ("<a href='?q=é'>".encode("latin-1"), "text/html; charset=ISO-8859-1", "iso-8859-1", "?q=%25E9"),
        ("<a href='/é'>".encode("latin-1"), "text/html; charset=ISO-8859-1", "iso-8859-1", "/%25C3%25A9"),
        ("<meta charset=windows-1251><a href='/я'>".encode("cp1251"), "text/html", "windows-1251", "/%25D1%258F"),
        ("<a href='/é'>".encode(), "text/html; charset=utf-8", "utf-8", "/%25C3%25A9"),
        ("\ufeff<a href='/é'>".encode(), "text/html; charset=latin1", "utf-8", "/%25C3%25A9"),
        ("<meta charset=utf-16><a href='/é'>".encode(), "text/html", "utf-8", "/%25C3%25A9"),
        ("\ufeff<a href='/é'>".encode("utf-16-le"), "text/html", "utf-16", "/%25C3%25A9"),
        ("<a href='/表'>".encode("cp932"), "text/html; charset=Shift_JIS", "shift_jis", "/%25E8%25A1%25A8"),
        ("<a href='/表'>".encode("iso-2022-jp"), "text/html; charset=iso-2022-jp", "iso-2022-jp", "/%25E8%25A1%25A8"),
        (b"<a href='/\xff'>", "text/html; charset=utf-8", "utf-8", "/%25EF%25BF%25BD"),
        (b"<a href='/\xe9'>", "text/html; charset=zip_codec", None, "/%25C3%25A9"),
    ],
)
def test_encoding__declared_anywhere__is_that_of_the_addresses(
    html: bytes, content_type: str, label: str | None, link: str
) -> None:
    result = rewrite_html(html, content_type, page_url="https://shop.example/", site=BARE)
    text = result.decode("utf-16-le" if label == "utf-16" else "latin-1")
    assert (f'<meta charset="{label}"><base' in text) is (label is not None)
    assert f'url=https://shop.example/{link.removeprefix("/")}"' in text


M = 5 * 1024 * 1024
BOMBS = {
    "deep": b"<div>" * (M // 5),
    "attributes": b"<a href=/x " + b" ".join(b"a%d=1" % number for number in range(200_000)) + b">",
    "lines": b"\n" * M,
    "links": b"".join(b"<a href=%d>" % number for number in range(M // 15)),
    "foreign links": b"".join(b"<a href=//%d/>" % number for number in range(M // 15)),
    "references": b'<a href="' + b"&amp;" * (M // 5) + b'">',
    "unclosed": b'<a href="' * (M // 9),
    "styles": b"<style></style>" * (M // 15),
    "frames": b"<iframe srcdoc=x>" * (M // 17),
    "deep frames": b'<iframe srcdoc="' + b"&lt;iframe srcdoc=&quot;x&quot;&gt;" * (M // 32) + b'">',
    "forms": b"<form>" * (M // 6),
    "style attribute": b'<p style="' + b"url(x)" * (M // 6) + b'">',
    "css addresses": b"<style>" + b"a:url(x);" * (M // 9),
    "css strings": b"<style>" + b'url("a\\' * (M // 7),
    "css open": b"<style>" + b"url(" * (M // 4),
    "import map": b'<script type=importmap>{"imports":' + b'{"a":' * (M // 5),
    "refresh": b'<meta http-equiv=refresh content="' + b";url=" * (M // 5) + b'">',
    "pictures": b'<img crossorigin srcset="' + b"a," * (M // 2) + b'">',
    "wide": b"\xff\xfe" + ("<a href=x>" * (M // 20)).encode("utf-16-le"),
}


@pytest.mark.parametrize("name", BOMBS)
def test_bomb__of_5_mib__takes_seconds_and_grows_by_a_limit(name: str) -> None:
    started = time.process_time()
    result = rewrite_html(BOMBS[name], "text/html", page_url=PAGE, site=SITE)
    assert time.process_time() - started < 6
    assert len(result) < len(BOMBS[name]) + 2 * MAX_GROWTH + 20_000


REAL_PAGES = [
    *sorted(Path("tests/browser/pages/node_modules").glob("startbootstrap-*/**/*.html")),
    *sorted(Path("tests/data/landing_pages").glob("*.html")),
]


class Events(HTMLParser):
    """Tags, attributes and texts of a page; addresses at the proxy as the addresses that they lead to."""

    def __init__(self, html: str) -> None:
        super().__init__(convert_charrefs=False)
        self.events: list[tuple[str, object]] = []
        self.feed(html)

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        if dict(attrs).get("name") not in ("pst", "url"):
            self.events.append((tag, {name: _led_to(value or "") for name, value in attrs if name != "integrity"}))

    def handle_endtag(self, tag: str) -> None:
        self.events.append(("/", tag))

    def handle_data(self, data: str) -> None:
        self.events.append(("text", data))

    def handle_comment(self, data: str) -> None:
        self.events.append(("comment", data))


def _led_to(value: str) -> str:
    if value.startswith("https://p.test/api/preview/m/"):
        value = requested_module(value.removeprefix("https://p.test"), "").url or ""
    elif value.startswith("https://p.test/api/preview?"):
        query, mark, fragment = value.partition("?")[2].partition("#")
        value = (requested(query).url or "") + mark + fragment
    return "" if value == "https://p.test/api/preview" else urljoin(PAGE, value)


@pytest.mark.parametrize("path", REAL_PAGES, ids=lambda path: path.stem)
def test_real_page__with_its_addresses_mapped_back__is_the_page(path: Path) -> None:
    page = path.read_text()
    result = HEAD.sub("", rewritten(page), count=1)
    ours, theirs = Events(result).events, Events(page).events
    for our_event, their_event in zip(ours, theirs, strict=True):
        if their_event[0] == "form" and isinstance(our_event[1], dict) and isinstance(their_event[1], dict):
            assert {**our_event[1], "action": ""} == {**their_event[1], "action": ""}
        else:
            assert our_event == their_event


def test_proxied__of_the_page_itself__is_what_its_links_lead_to() -> None:
    assert proxied(BARE, PAGE).replace("&", "&amp;") in rewritten(f"<a href='{PAGE}'>")
