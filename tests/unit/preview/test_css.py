"""Addresses in styles: fonts and imports through the proxy, pictures from the shop, all else as it was."""

import time

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.preview.addresses import PreviewSite
from abtest.domain.preview.css import rewrite_css, rewrite_stylesheet

SITE = PreviewSite(base="https://p.test", token="T", hosts=frozenset({"shop.example"}))
FILE = "https://shop.example/css/a.css"
PROXY = "https://p.test/api/preview?pst=T&url=https://shop.example"


@pytest.mark.parametrize(
    ("css", "expected"),
    [
        ("a{b:url(../f.woff2)}", f'a{{b:url("{PROXY}/f.woff2")}}'),
        ("a{b:URL( 'f.svg#x' )}", f'a{{b:url("{PROXY}/css/f.svg#x")}}'),
        ('a{b:url("f\\.woff")}', f'a{{b:url("{PROXY}/css/f.woff")}}'),
        ("a{b:url(f\\20 g)}", f'a{{b:url("{PROXY}/css/f%2520g")}}'),
        ("a{b:url(x.png?v=1)}", 'a{b:url("https://shop.example/css/x.png?v=1")}'),
        ("a{mask-image:url(x.png)}", f'a{{mask-image:url("{PROXY}/css/x.png")}}'),
        ("@import 'b.css' screen;", f'@import "{PROXY}/css/b.css" screen;'),
        ("@IMPORT url(b.css);", f'@IMPORT url("{PROXY}/css/b.css");'),
        ("a{b:image-set('x.png' 1x)}", 'a{b:image-set("https://shop.example/css/x.png" 1x)}'),
        ("a{b:url(/x.svg),url(//other.example/y)}", f'a{{b:url("{PROXY}/x.svg"),url(//other.example/y)}}'),
        ("a{content:'url(x)'}/* url(x) */", None),
        ("a{b:url(#id);c:url(data:a/b,x);d:url()}", None),
        ("a{content:'it\\'s url(x)'}", None),
        ("@charset 'utf-8';a::before{content:'x'}", None),
        ("a{b:url(x y)}", None),
        ("/* url(x", None),
    ],
)
def test_style__of_a_file__has_each_address_where_it_loads(css: str, expected: str | None) -> None:
    assert rewrite_css(css, page_url=FILE, site=SITE) == (expected or css)


def test_style__of_a_document__leaves_pictures_to_its_base() -> None:
    css = "a{b:url(x.png);c:url(x.woff)}"
    assert rewrite_css(css, page_url=FILE, site=SITE, is_file=False) == f'a{{b:url(x.png);c:url("{PROXY}/css/x.woff")}}'


@pytest.mark.parametrize(
    ("css", "content_type", "expected"),
    [
        (b"a{b:url(\xc3\xa9.woff)}\xff", "text/css", b"%25C3%25A9.woff"),
        (b'@charset "windows-1252";a{b:url(\xe9.woff)}', "text/css", b"%25C3%25A9.woff"),
        (b"a{b:url(\xe9.woff)}", "text/css; charset=iso-8859-1", b"%25C3%25A9.woff"),
        ("\ufeffa{b:url(é.woff)}".encode("utf-16-le"), "text/css", "%25C3%25A9.woff".encode("utf-16-le")),
    ],
)
def test_stylesheet__in_its_encoding__keeps_it(css: bytes, content_type: str, expected: bytes) -> None:
    result = rewrite_stylesheet(css, content_type, page_url=FILE, site=SITE)
    assert expected in result
    assert result[-1] == css[-1]


@given(st.text(st.sampled_from("url(\"') \\/*@import;{}a#\n:"), max_size=60))
def test_style__of_any_text__is_rewritten_once(css: str) -> None:
    once = rewrite_css(css, page_url=FILE, site=SITE)
    assert rewrite_css(once, page_url=FILE, site=SITE) == once


@given(st.binary(max_size=100))
def test_stylesheet__without_addresses__keeps_each_byte(css: bytes) -> None:
    css = b"a" + css.replace(b"(", b"[").replace(b"@", b"a")
    assert rewrite_stylesheet(css, "text/css; charset=utf-8", page_url=FILE, site=SITE) == css


M = 5 * 1024 * 1024


PIECES = ["url(", 'url("', "url('a\\", "url( ", "/*", "*/", "@import ", "@import '", '"', "'\n", "\\", "a:url(b);"]


@pytest.mark.parametrize("piece", [*PIECES, "image-set('a'"])
def test_bomb__of_5_mib__takes_seconds(piece: str) -> None:
    started = time.process_time()
    rewrite_css(piece * (M // len(piece)), page_url=FILE, site=SITE)
    assert time.process_time() - started < 4
