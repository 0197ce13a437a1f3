"""An exported page as Chromium opens it: from a file, without any network."""

from __future__ import annotations

from base64 import b64encode
from dataclasses import replace
from pathlib import Path

import pytest
from playwright.sync_api import Browser, ConsoleMessage, expect

from abtest.contract.page_specs import spec_of
from abtest.domain.pages.render import render
from tests.support.landing import LIBRARY, SEO, SITE
from tests.support.landing import page as spec_with
from tests.support.media import encoded, gradient

pytestmark = pytest.mark.browser


def test_export__opened_from_a_file_without_network__is_shown_whole(browser: Browser, tmp_path: Path) -> None:
    spec = spec_of(spec_with("hero", "stats", "product", "form"))
    seo, site = replace(SEO, og_image_asset_id=None), replace(SITE, assets_origin="data:")
    picture = f"data:image/png;base64,{b64encode(encoded(gradient(), 'PNG')).decode()}"
    assets = {name: replace(facts, url=picture, renditions=()) for name, facts in LIBRARY.items()}
    rendered = render(spec, assets=assets, seo=seo, site=site, is_file=True)
    file = tmp_path / "lamp.html"
    file.write_bytes(rendered.html)
    context = browser.new_context(offline=True)
    page = context.new_page()
    messages: list[ConsoleMessage] = []
    page.on("console", lambda message: messages.append(message))
    page.goto(file.as_uri())
    expect(page.locator("h1")).to_be_visible()
    assert page.evaluate("document.querySelectorAll('main > *').length") >= 4
    page.evaluate("for (const image of document.images) image.loading = 'eager'")
    page.wait_for_function("[...document.images].every((image) => image.naturalWidth === 64)")
    assert page.evaluate("document.images.length") >= 2
    # The style sheet applies, which a wrong hash in the policy would prevent.
    assert page.evaluate("getComputedStyle(document.querySelector('.skip')).position") == "absolute"
    # The snippet cannot be loaded; a violation of the policy would be another message.
    assert [message.text for message in messages if "ERR_INTERNET_DISCONNECTED" not in message.text] == []
    context.close()
