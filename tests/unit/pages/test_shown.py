"""A page while it is written: what its document and its policy have."""

from __future__ import annotations

import re

from abtest.contract.page_specs import spec_of
from abtest.domain.pages.render import RenderedPage, render
from abtest.domain.pages.shown import shown
from abtest.domain.preview.landing import ShownPage, read_page, write_page
from tests.support.landing import ASSETS, BLOCKS, LIBRARY, SEO, SITE, page


def rendered(*types: str) -> RenderedPage:
    """Return the page with these blocks, or with all."""
    return render(spec_of(page(*types or BLOCKS)), assets=LIBRARY, seo=SEO, site=SITE)


def test_shown__page_with_every_block__differs_in_its_snippet_and_in_links_that_leave_it_alone() -> None:
    document = rendered()
    html = shown(document, SITE).html
    assert SITE.snippet_address not in html
    assert html.replace(' target="_blank" rel="noreferrer"', "") == document.html.decode().replace(
        f'<script src="{SITE.snippet_address}"></script>', ""
    )


def test_shown__links__open_windows_unless_they_lead_to_a_block() -> None:
    links = re.findall("<a [^>]*>", shown(rendered(), SITE).html)
    assert any('href="#' in link for link in links)
    assert any('href="/' in link for link in links)
    assert any('href="mailto:' in link for link in links)
    for link in links:
        assert ('target="_blank"' in link) == ('href="#' not in link), link


def test_shown__text_that_looks_like_a_link__stays_text() -> None:
    spec = page("text")
    spec["blocks"][0]["body"] = '<a href="/x"> [words](/y?a=<a%20)'
    html = shown(render(spec_of(spec), assets=LIBRARY, seo=SEO, site=SITE), SITE).html
    assert "&lt;a href=&quot;/x&quot;&gt;" in html
    assert html.count('target="_blank"') == html.count("<a ") - html.count('href="#')


def test_shown__policy__runs_and_sends_nothing_and_may_be_framed() -> None:
    policy = shown(rendered("form"), SITE).policy
    rules = dict(rule.partition(" ")[::2] for rule in policy.split("; "))
    assert {rules[name] for name in ("script-src", "connect-src", "form-action", "default-src")} == {"'none'"}
    assert rules["img-src"] == ASSETS
    assert rules["style-src"].startswith("'sha256-")
    assert rules["sandbox"] == "allow-popups allow-popups-to-escape-sandbox"
    assert "frame-ancestors" not in rules


def test_page__written_and_read__is_the_same() -> None:
    kept = ShownPage(html="<!doctype html>é", policy="default-src 'none'")
    assert read_page(write_page(kept)) == kept
