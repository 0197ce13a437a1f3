"""What a page with, without, or with half a snippet comes to."""

import re
from dataclasses import replace
from pathlib import Path

import pytest

from abtest.domain.delivery import snippet
from abtest.domain.delivery.manifest import object_key, pointer_key, read_pointer
from abtest.domain.install.page import read_page
from abtest.domain.install.pixel import pixel_config, render_pixel
from abtest.domain.install.tags import install_tags
from abtest.domain.install.verdict import Expected, Verdict, judge
from abtest.storefront import bundle, pixel
from tests.support import storefronts
from tests.support.any_json import any_json

SHOP = "0192f3a0-0000-7000-8000-00000000000a"
OTHER = "0192f3a0-0000-7000-8000-00000000000b"
EDGE = "https://edge.example"
SRC = f"{EDGE}/s/{SHOP}.js"
PRECONNECT = f'<link rel="preconnect" href="{EDGE}">'
TAG = f'<script src="{SRC}"></script>'
EXPECTED = Expected(shop_id=SHOP, worker_base_url=EDGE, environments=("production", "staging"))


def verdict(head: str, body: str = "<h1>Hi</h1>", *, policy: str = "", url: str = "https://shop.example/") -> Verdict:
    """Of a page with this head and body."""
    html = f"<!doctype html><html><head><meta charset=utf-8>{head}</head><body>{body}</body></html>"
    return judge(read_page(html.encode(), url), policy, EXPECTED)


def test_tags__as_they_are_told__are_found_without_a_word() -> None:
    tags = install_tags(EDGE, SHOP)
    assert (tags.preconnect, tags.snippet) == (PRECONNECT, TAG)
    found = verdict(tags.preconnect + tags.snippet + '<link rel="stylesheet" href="a.css"><script src="b.js"></script>')
    assert found == Verdict(is_found=True, works=True, surface="storefront", tag="synchronous")
    assert verdict(tags.preconnect + tags.asynchronous) == Verdict(
        is_found=True, works=True, surface="storefront", tag="asynchronous", is_async=True
    )


def test_tags__as_they_are_recommended__are_found_by_their_names() -> None:
    recommended = list(install_tags(EDGE, SHOP).recommended())
    assert [name for name, _, _ in recommended] == ["bounded", "synchronous", "asynchronous"]
    for name, when, html in recommended:
        assert (verdict(html).tag, verdict(html).errors) == (name, ())
        assert len(when.split()) <= 25


DOCUMENT = Path(__file__).parents[3] / "docs" / "storefront.md"
(LIMITED,) = re.findall(r"```html\n(<script async blocking=.*?)```", DOCUMENT.read_text(), re.DOTALL)
LIMITED = LIMITED.replace("https://<snippet host>/s/<shop id>.js", SRC)
FIRST, SECOND = LIMITED.split("</script>", 1)
FIRST += "</script>"


def nonced(tag: str) -> str:
    """With a nonce on each script."""
    return tag.replace("<script", '<script nonce="n1"')


def test_tag_with_a_limit__as_it_is_documented__is_found_without_a_word() -> None:
    fine = Verdict(is_found=True, works=True, surface="storefront", tag="bounded", is_async=True)
    assert verdict(PRECONNECT + LIMITED) == fine
    assert verdict(PRECONNECT + nonced(LIMITED), policy="script-src 'nonce-n1'; connect-src *") == fine


HELD = {
    "no limit": (PRECONNECT + FIRST, "", "however long"),
    "no id": (PRECONNECT + LIMITED.replace(' id="svc-snippet"', ""), "", "however long"),
    "limit before": (PRECONNECT + SECOND + FIRST, "", "however long"),
    "limit refused": (PRECONNECT + nonced(FIRST) + SECOND, "script-src 'nonce-n1'; connect-src *", "nonce"),
    "limit delayed": (
        PRECONNECT + FIRST + SECOND.replace("<script", "<script type=pmdelayedscript"),
        "",
        "however long",
    ),
    "limit in a module": (PRECONNECT + FIRST + SECOND.replace("<script", "<script type=module"), "", "however long"),
    "nothing that holds": (PRECONNECT + LIMITED.replace(' blocking="render"', ""), "", 'blocking="render"'),
    "script before": (f"<script src=a.js></script>{PRECONNECT}{LIMITED}", "", "a.js"),
    "body": (f"<p>x</p>{PRECONNECT}{LIMITED}", "", "body"),
    "no preconnect": (LIMITED, "", "preconnect"),
}


@pytest.mark.parametrize(("head", "policy", "told"), HELD.values(), ids=HELD.keys())
def test_tag_with_a_limit__that_could_be_better__works_and_says_how(head: str, policy: str, told: str) -> None:
    found = verdict(head, policy=policy)
    assert (found.works, found.tag, found.is_async, len(found.errors)) == (True, "bounded", True, 1)
    assert told in found.errors[0]


ONE_LINE = " ".join(LIMITED.split())
BOUNDED = {
    "attributes in another order": FIRST.replace('async blocking="render" id="svc-snippet"', "").replace(
        "></script>", " id=svc-snippet blocking='RENDER' data-hide-ms=500 async=async></script>"
    )
    + SECOND,
    "upper case": LIMITED.replace("<script", "<SCRIPT").replace("</script>", "</SCRIPT>"),
    "in one line": ONE_LINE,
    "environment": LIMITED.replace(".js", ".js?env=staging"),
    "attributes for optimisers": LIMITED.replace("<script", '<script data-cfasync="false" data-no-optimize="1"'),
    "stylesheet before": f"<link rel=stylesheet href=a.css>{LIMITED}",
    "other scripts between": FIRST + "<script>x = 1</script>" + SECOND,
}


@pytest.mark.parametrize("order", [[0, 1], [1, 0]], ids=["preconnect before", "preconnect after"])
@pytest.mark.parametrize("tag", BOUNDED.values(), ids=BOUNDED.keys())
def test_tag_with_a_limit__pasted_in_other_ways__is_found_by_its_name(tag: str, order: list[int]) -> None:
    assert verdict("".join([PRECONNECT, tag][place] for place in order)) == Verdict(
        is_found=True, works=True, surface="storefront", tag="bounded", is_async=True
    )


def test_tag_with_a_limit__from_the_shops_own_host__is_found_by_its_name() -> None:
    own = "https://shop.example"
    first_party = verdict(f'<link rel=preconnect href="{own}">{LIMITED.replace(EDGE, own)}')
    assert (first_party.tag, first_party.errors) == ("bounded", ())
    foreign = verdict(PRECONNECT + LIMITED.replace(EDGE, "https://cdn.example"))
    assert (foreign.tag, foreign.works) == ("bounded", True)
    assert "is loaded from https://cdn.example" in foreign.errors[0]


def published(text_from: int) -> str:
    """The snippet of a shop, as it is delivered; configs of more characters than this are texts of JSON."""
    storefront = storefronts.Storefront()
    storefront.keep(storefronts.experiment())
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(snippet, "TEXT_FROM", text_from)
        assert replace(storefront.publication, bundle=bundle).publish(storefronts.SHOP_ID).ok
    pointer = storefront.blobs.get(pointer_key(storefronts.SHOP_ID))
    assert pointer is not None
    blob = storefront.blobs.get(object_key(read_pointer(pointer.content).snippet.sha256))
    assert blob is not None
    return blob.content.decode().replace(storefronts.SHOP_ID, SHOP)


INLINED = published(1_000_000)
INLINED_FORMS = {
    "expression": INLINED,
    "text of JSON": published(0),
    "minified again": INLINED.replace(f'shop_id:"{SHOP}"', f"shop_id: '{SHOP}'"),
}


@pytest.mark.parametrize("text", INLINED_FORMS.values(), ids=INLINED_FORMS.keys())
def test_snippet__that_is_part_of_the_page__is_found_as_inlined(text: str) -> None:
    assert verdict(f"<script>{text}</script>") == Verdict(
        is_found=True, works=True, surface="storefront", tag="inlined"
    )


def test_snippet__that_is_part_of_the_page__is_judged_as_other_tags_are() -> None:
    late = verdict(f"<link rel=stylesheet href=a.css><script src=b.js></script><script>{INLINED}</script>")
    assert "a.css, https://shop.example/b.js" in late.errors[0]
    assert "body" in verdict("", f"<script>{INLINED}</script>").errors[0]
    assert verdict(f"<script>{INLINED}</script>{PRECONNECT}{TAG}").errors == (
        "The snippet is on the page 2 times: keep the first and remove the others.",
    )
    policy = "script-src 'nonce-n1'; connect-src *"
    assert verdict(f"<script nonce=n1>{INLINED}</script>", policy=policy).works
    refused = verdict(f"<script>{INLINED}</script>", policy=policy)
    assert (refused.tag, refused.works) == ("inlined", False)
    assert "inlined snippet" in refused.errors[0]
    assert not verdict(f"<script type=text/plain>{INLINED}</script>").works


def test_snippet__of_another_shop_or_the_pixel__is_not_the_inlined_one() -> None:
    assert verdict(f"<script>{INLINED.replace(SHOP, OTHER)}</script>").tag is None
    runtime = any_json({"currency": "EUR", "events_url": f"{EDGE}/events", "events_signature": "v1.k1.00"})
    tag = render_pixel(pixel_config(SHOP, runtime, "custom"), pixel())
    assert SHOP in tag
    assert verdict(tag).tag is None


DEFERRED = {"defer": "<script defer", "module": "<script type=module"}


@pytest.mark.parametrize("start", DEFERRED.values(), ids=DEFERRED.keys())
def test_tag__that_runs_once_the_page_is_parsed__is_asynchronous_with_an_error(start: str) -> None:
    late = verdict(PRECONNECT + TAG.replace("<script", start))
    assert (late.tag, late.is_async, len(late.errors)) == ("asynchronous", False, 1)


def test_tags__of_an_address_with_quotes__are_escaped() -> None:
    assert '"https://edge.example/&lt;&quot;/s/x.js"' in install_tags('https://edge.example/<"', "x").snippet


FINE = {
    "upper case": f'{PRECONNECT}<SCRIPT SRC="{SRC}"></SCRIPT>',
    "without quotes": f"{PRECONNECT}<script src={SRC}></script>",
    "relative scheme": f'{PRECONNECT}<script src="//edge.example/s/{SHOP}.js"></script>',
    "spaces": f'{PRECONNECT}<script src=" {SRC} "></script>',
    "with a type": f'{PRECONNECT}<script type="text/javascript" src="{SRC}"></script>',
    "environment": f'{PRECONNECT}<script src="{SRC}?env=staging"></script>',
    "upper case id": f'{PRECONNECT}<script src="{EDGE}/s/{SHOP.upper()}.js"></script>',
    "inline before": f"<script>window.svc={{country:'DE'}}</script>{PRECONNECT}{TAG}",
    "async before": f'<script async src="x.js"></script><script defer src="y.js"></script>{PRECONNECT}{TAG}',
    "print style before": f"<link rel=stylesheet media=print href=p.css>{PRECONNECT}{TAG}",
    "base": f'<base href="{EDGE}/x/">{PRECONNECT}<script src="../s/{SHOP}.js"></script>',
    "entity": f'{PRECONNECT}<script src="https:&#x2F;&#x2F;edge.example/s/{SHOP}.js"></script>',
    "noscript before": f"<noscript><img src=x><link rel=stylesheet href=n.css></noscript>{PRECONNECT}{TAG}",
    "comment before": f"<!-- {TAG} -->{PRECONNECT}{TAG}",
    "policy after": f'{PRECONNECT}{TAG}<meta http-equiv="Content-Security-Policy" content="script-src \'none\'">',
}


@pytest.mark.parametrize("head", FINE.values(), ids=FINE.keys())
def test_page__with_the_snippet_as_it_should_be__needs_nothing(head: str) -> None:
    assert verdict(head) == Verdict(is_found=True, works=True, surface="storefront", tag="synchronous")


MISSING = {
    "nothing": ("", "not on the page"),
    "comment": (f"<!-- {PRECONNECT}{TAG} -->", "comment"),
    "noscript": (f"<noscript>{TAG}</noscript>", "noscript"),
    "string": (f"<script>var s=document.createElement('script');s.src='{SRC}'</script>", "another script"),
    "written": ("<script>document.write('<script src=\"" + SRC + "\"><\\/script>')</script>", "another script"),
    "delayed": (f'<script type=rocketlazyloadscript data-rocket-src="{SRC}" defer></script>', "plugin"),
    "delayed in place": (f'<script data-src="{SRC}"></script>', "plugin"),
    "tag manager": ("<script>j.src='https://www.googletagmanager.com/gtm.js?id='+i</script>", "too late"),
    "other tag manager": ('<script async src="https://tags.tiqcdn.com/utag/a/b/prod/utag.js"></script>', "too late"),
    "title": (f"<title>{TAG}</title>", "not on the page"),
    "template": (f"<template>{TAG}</template>", "not on the page"),
    "other shop": (f'<script src="{EDGE}/s/{OTHER}.js"></script>', OTHER),
    "no id": (f'<script src="{EDGE}/s/.js"></script>', "not on the page"),
    "longer path": (f'<script src="{EDGE}/x/s/{SHOP}.js"></script>', "not on the page"),
    "data": (f'<script src="data:text/javascript,/s/{SHOP}.js"></script>', "not on the page"),
    "attribute": (f"<meta name=x content='{TAG}'>", "not on the page"),
    "broken address": ('<script src="https://["></script>', "not on the page"),
}


@pytest.mark.parametrize(("head", "told"), MISSING.values(), ids=MISSING.keys())
def test_page__without_the_snippet__says_where_it_is_instead(head: str, told: str) -> None:
    found = verdict(head)
    assert (found.is_found, found.works, found.surface, len(found.errors)) == (False, False, None, 1)
    assert told in found.errors[0]


INERT = {
    "type": (f'<script type="text/plain" src="{SRC}"></script>', "type='text/plain'"),
    "nomodule": (f'<script nomodule src="{SRC}"></script>', "nomodule"),
    "integrity": (f'<script integrity="sha256-x" src="{SRC}"></script>', "integrity"),
    "http": (f'<script src="{SRC.replace("https", "http")}"></script>', "write https"),
    "environment": (f'<script src="{SRC}?env=nowhere"></script>', "'nowhere'"),
    "policy": (f"<meta http-equiv=content-security-policy content=\"script-src 'self'\">{TAG}", "script-src"),
    "events": (f"{TAG}<meta http-equiv=content-security-policy content=\"connect-src 'self'\">", "connect-src"),
}


@pytest.mark.parametrize(("head", "told"), INERT.values(), ids=INERT.keys())
def test_page__with_a_snippet_that_cannot_run__does_not_work(head: str, told: str) -> None:
    found = verdict(PRECONNECT + head)
    assert (found.is_found, found.works) == (True, False)
    assert told in found.errors[0]


WEAK = {
    "no preconnect": (TAG, "No preconnect"),
    "preconnect after": (TAG + PRECONNECT, "No preconnect"),
    "preconnect elsewhere": ('<link rel=preconnect href="https://cdn.example">' + TAG, "No preconnect"),
    "defer": (f'{PRECONNECT}<script defer src="{SRC}"></script>', "defer"),
    "module": (f'{PRECONNECT}<script type="module" src="{SRC}"></script>', "module"),
    "stylesheet before": (f'<link rel="stylesheet" href="/a.css">{PRECONNECT}{TAG}', "https://shop.example/a.css"),
    "script before": (f'<script src="jquery.js"></script>{PRECONNECT}{TAG}', "jquery.js"),
    "twice": (PRECONNECT + TAG + TAG, "2 times"),
    "surface": (f'{PRECONNECT}<script data-surface="basket" src="{SRC}"></script>', "data-surface='basket'"),
    "head that ended": (f"<h1>x</h1>{PRECONNECT}{TAG}", "body"),
}


@pytest.mark.parametrize(("head", "told"), WEAK.values(), ids=WEAK.keys())
def test_page__with_a_snippet_that_could_be_better__works_and_says_how(head: str, told: str) -> None:
    found = verdict(head)
    assert (found.is_found, found.works, len(found.errors)) == (True, True, 1)
    assert told in found.errors[0]


def test_page__with_the_snippet_at_its_end__is_told_so() -> None:
    found = verdict("", PRECONNECT + TAG)
    assert found.works
    assert "body" in found.errors[0]


def test_page__served_by_the_shops_own_host__is_fine() -> None:
    head = f'<link rel=preconnect href="https://shop.example"><script src="/s/{SHOP}.js"></script>'
    assert verdict(head).errors == ()
    assert "is loaded from" in verdict(f'{PRECONNECT}<script src="https://cdn.example/s/{SHOP}.js"></script>').errors[0]


def test_page__of_a_checkout__says_its_surface() -> None:
    assert verdict(f'{PRECONNECT}<script data-surface="Checkout" src="{SRC}"></script>').surface == "checkout"


def test_page__with_policies_in_headers__needs_the_leave_of_all_of_them() -> None:
    assert verdict(PRECONNECT + TAG, policy="script-src https:").works
    assert not verdict(PRECONNECT + TAG, policy="script-src https:, script-src 'self'").works


def test_page__larger_than_is_looked_at__is_read_as_far_as_it_is() -> None:
    assert verdict(PRECONNECT + TAG, "x" * 3_000_000).errors == ()
    assert verdict("<!--" + "x" * 600_000 + "-->" + TAG).is_found is False


@pytest.mark.parametrize(
    "piece", ["<div>", "<!--", "<a b='", "<ul><li>", "<svg><a>", "<table>", "<script src=a></script>", "<?"]
)
def test_page__made_to_hurt_a_parser__is_read_in_time(piece: str) -> None:
    assert verdict(TAG + piece * 100_000).is_found


@pytest.mark.parametrize("content", [b"", b"\x00" * 100, b"\xff\xfe<\x00s\x00", b"plain text", b"<" * 1000])
def test_page__that_is_none__has_no_snippet(content: bytes) -> None:
    assert judge(read_page(content, "https://shop.example/"), "", EXPECTED).is_found is False


def test_page__in_utf_16__is_read_by_its_mark() -> None:
    content = b"\xff\xfe" + f"<head>{PRECONNECT}{TAG}".encode("utf-16-le")
    assert judge(read_page(content, "https://shop.example/"), "", EXPECTED).works
