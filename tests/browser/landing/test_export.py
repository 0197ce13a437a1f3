"""An exported page as Chromium opens it: from a file, without any network."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, expect

from abtest.contract.page_specs import spec_of
from abtest.domain.pages.render import render
from tests.support.landing import SEO, SITE
from tests.support.landing import page as spec_with

pytestmark = pytest.mark.browser


def test_export__opened_from_a_file_without_network__is_shown_whole(browser: Browser, tmp_path: Path) -> None:
    spec = spec_of(spec_with("steps", "stats", "faq", "form"))
    seo, site = replace(SEO, og_image_asset_id=None), replace(SITE, assets_origin="data:")
    rendered = render(spec, assets={}, seo=seo, site=site, is_file=True)
    file = tmp_path / "lamp.html"
    file.write_bytes(rendered.html)
    context = browser.new_context(offline=True)
    page = context.new_page()
    messages: list[ConsoleMessage] = []
    page.on("console", lambda message: messages.append(message))
    page.goto(file.as_uri())
    expect(page.locator("h1")).to_be_visible()
    assert page.evaluate("document.querySelectorAll('main > *').length") >= 4
    # The style sheet applies, which a wrong hash in the policy would prevent.
    assert page.evaluate("getComputedStyle(document.querySelector('.skip')).position") == "absolute"
    # The snippet cannot be loaded; a violation of the policy would be another message.
    assert [message.text for message in messages if "ERR_INTERNET_DISCONNECTED" not in message.text] == []
    context.close()
