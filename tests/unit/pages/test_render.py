"""The rendering of a page: head, headings, images, styles, policy, and bytes that never change by themselves."""

from __future__ import annotations

import json
import re
from base64 import b64encode
from hashlib import sha256
from itertools import pairwise
from typing import Any

import pytest

from abtest.contract.page_specs import spec_of
from abtest.domain.pages.render import RENDERER_VERSION, RenderedPage, render
from abtest.domain.pages.spec import Seo
from tests.support.landing import BLOCKS, FONT, FOOTER, LIBRARY, PHOTO, SEO, SITE, TONES, VIDEO, WIDE, block, page
from tests.unit.kit.test_markup import Reader
from tools.golden_pages import FOLDER, files

MARK = "1000000001:1000000002"


def shown(document: dict[str, Any], seo: Seo = SEO, mark: str | None = None) -> RenderedPage:
    """Return the page of a spec as JSON."""
    return render(spec_of(document), assets=LIBRARY, seo=seo, site=SITE, mark=mark)


def text_of(document: dict[str, Any], **more: Any) -> str:
    """Return the HTML of a spec."""
    return shown(document, **more).html.decode()


def tags_of(html: str, name: str) -> list[dict[str, str | None]]:
    """Return the attributes of each element of this name."""
    return [attributes for tag, attributes in Reader(html).tags if tag == name]


def test_golden_files__of_each_block_in_each_tone__are_what_is_rendered() -> None:
    """`make golden` writes them; look at a difference in a browser before it is committed."""
    assert {path.name: path.read_text(encoding="utf-8") for path in FOLDER.iterdir()} == files()


def test_page__rendered_twice__is_the_same_byte_for_byte() -> None:
    document = page(footer=FOOTER)
    first, second = shown(document), shown(json.loads(json.dumps(document)))
    assert first == second
    assert first.renderer_version == RENDERER_VERSION


def test_head__begins_with_charset_mark_and_snippet() -> None:
    html = text_of(page("hero", "steps"), mark=MARK)
    begin = (
        '<!doctype html>\n<html lang="en"><head><meta charset="utf-8">'
        f'<meta name="svc-served" content="{MARK}"><script src="{SITE.snippet_address}"></script>'
    )
    assert html.startswith(begin)
    # Browsers look for the encoding in the first 1,024 bytes.
    assert len(begin) < 1024


def test_page__without_a_mark__has_none() -> None:
    assert "svc-served" not in text_of(page("hero", "steps"))


def test_head__has_what_search_engines_and_previews_show() -> None:
    seo = Seo(title="A & B", description="<c>", canonical="https://shop.example/x?a=1&b=2", robots="noindex,follow")
    html = text_of(page("stats"), seo=seo)
    metas = {each.get("name") or each.get("property"): each.get("content") for each in tags_of(html, "meta")}
    assert "<title>A &amp; B</title>" in html
    assert metas["description"] == metas["og:description"] == "<c>"
    assert metas["robots"] == "noindex,follow"
    assert metas["og:url"] == "https://shop.example/x?a=1&b=2"
    assert metas["twitter:card"] == "summary"
    assert "og:image" not in metas
    assert {"rel": "canonical", "href": "https://shop.example/x?a=1&b=2"} in tags_of(html, "link")


def test_head__without_seo_of_its_own__has_the_page_address_and_the_image() -> None:
    html = text_of(page("stats"))
    metas = {each.get("property"): each.get("content") for each in tags_of(html, "meta")}
    assert metas["og:image"] == WIDE.url
    assert (metas["og:image:width"], metas["og:image:height"]) == ("1920", "820")
    assert {"rel": "canonical", "href": SITE.canonical_address} in tags_of(html, "link")


@pytest.mark.parametrize(
    ("blocks", "heading"),
    [
        ([block("hero", links=[]), block("faq")], "Light that follows your day"),
        ([block("stats"), block("product"), block("hero", links=[])], "Aurora desk lamp"),
        ([block("hero", links=[], hide_on="phone"), block("faq")], "Questions before you buy"),
        ([block("stats"), block("testimonials")], "The lamp that follows the sun"),
        ([block("text", heading="Why", id="a"), block("text", heading="How", id="b")], "Why"),
    ],
)
def test_page__has_one_h1_that_every_visitor_gets(blocks: list[dict[str, Any]], heading: str) -> None:
    html = text_of(page() | {"blocks": blocks})
    assert re.findall("<h1[^>]*>(.*?)</h1>", html) == [heading]


def test_headings__descend_without_a_gap() -> None:
    html = text_of(page("features", "steps") | {"footer": FOOTER})
    levels = [int(level) for level in re.findall(r"<h(\d)", html)]
    assert levels[0] == 1
    assert all(after - before <= 1 for before, after in pairwise(levels))


def test_images__are_in_all_widths_and_the_first_is_loaded_at_once() -> None:
    first, *others = tags_of(text_of(page("hero", "image", "product", "steps")), "img")
    assert first["fetchpriority"] == "high"
    assert "loading" not in first
    assert first["srcset"] == ", ".join(f"{url} {width}w" for width, url in PHOTO.renditions)
    assert (first["width"], first["height"]) == ("1920", "1440")
    assert len(others) == 2
    assert all(each["loading"] == "lazy" and "fetchpriority" not in each for each in others)
    assert all(each["width"] and each["height"] and each["sizes"] for each in others)


def test_image__that_is_decorative__has_an_empty_text() -> None:
    assert {each["alt"] for each in tags_of(text_of(page("features", "faq")), "img")} == {""}


def test_style_sheet__has_rules_of_the_blocks_in_use_only() -> None:
    style = text_of(page("text")).partition("<style>")[2].partition("</style>")[0]
    for other in (".dark{color-scheme", "summary{", "table{", ".button{", ".grid{", ".field{", "footer ul{", ".stats"):
        assert other not in style, other
    assert len(style) < 6_000


def test_policy__allows_the_snippet_the_style_sheet_and_assets_only() -> None:
    result = shown(page("hero", "steps"))
    style = result.html.decode().partition("<style>")[2].partition("</style>")[0]
    digest = b64encode(sha256(style.encode()).digest()).decode()
    assert result.policy == (
        "default-src 'none'; script-src https://edge.shop.example; "
        f"style-src 'sha256-{digest}' https://edge.shop.example; img-src https://assets.shop.example; "
        "font-src https://assets.shop.example; "
        "media-src https://assets.shop.example; connect-src https://edge.shop.example; form-action 'none'; "
        "base-uri 'none'; frame-ancestors 'self'"
    )


def test_policy__of_a_page_with_a_form__allows_the_shops_hosts() -> None:
    assert "; form-action https://shop.example; " in shown(page("form")).policy


def test_result__names_the_assets_and_counts_the_elements() -> None:
    result = shown(page(theme={"font": {"asset_id": FONT.id}}))
    assert set(result.assets) == set(LIBRARY)
    assert len(result.assets) == len(set(result.assets))
    assert result.nodes == len(Reader(result.html.decode()).tags)


def test_font__of_the_shop__is_preloaded_and_moves_nothing() -> None:
    html = text_of(page("stats", theme={"font": {"asset_id": FONT.id}}))
    preload = {"rel": "preload", "href": FONT.url, "as": "font", "type": "font/woff2", "crossorigin": ""}
    assert preload in tags_of(html, "link")
    assert f'src:url("{FONT.url}") format("woff2");font-display:optional' in html


def test_video__is_loaded_when_it_is_started_and_has_its_place() -> None:
    (video,) = tags_of(text_of(page("video")), "video")
    assert (video["src"], video["preload"], video["width"], video["height"]) == (VIDEO.url, "none", "1920", "1080")


def test_evidence__is_not_shown() -> None:
    html = text_of(page("testimonials", "stats"))
    assert "review-1" not in html
    assert "evidence" not in html


@pytest.mark.parametrize(
    ("lang", "skip", "marked"),
    [("de-AT", "Zum Inhalt springen", None), ("fr", "Aller au contenu", None), ("fi", "Skip to content", "en")],
)
def test_words__are_in_the_language_of_the_page(lang: str, skip: str, marked: str | None) -> None:
    html = text_of(page("stats") | {"lang": lang})
    assert f">{skip}</a>" in html
    assert tags_of(html, "html") == [{"lang": lang}]
    assert tags_of(html, "a")[0].get("lang") == marked


def test_page__in_a_language_from_right_to_left__has_its_direction() -> None:
    html = text_of(page("stats") | {"lang": "he"})
    assert tags_of(html, "html") == [{"lang": "he", "dir": "rtl"}]
    assert "letter-spacing:0!important" in html


@pytest.mark.parametrize("tone", TONES)
def test_page__with_every_block__is_within_its_budget(tone: str) -> None:
    result = shown(page(tone=tone, footer=FOOTER))
    assert len(result.html) < 40_000
    assert result.nodes <= 1_500
    assert result.html.count(b"<section") == len(BLOCKS)


def test_product__is_described_for_search_engines() -> None:
    name = '</script><script>alert("1")</script>'
    html = text_of(page() | {"blocks": [block("product", name=name)]})
    (data,) = re.findall('<script type="application/ld[+]json">(.*?)</script>', html)
    facts = json.loads(data)
    assert facts["name"] == name
    assert facts["offers"] == {"@type": "Offer", "price": "189.00", "priceCurrency": "EUR"}
