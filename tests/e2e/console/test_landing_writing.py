"""A whole landing page, written in fields as a shop owner does, and seen while it is written."""

from __future__ import annotations

import re

import pytest
import requests
from PIL import Image
from playwright.sync_api import expect

from tests.support.console_page import Console
from tests.support.media import encoded

pytestmark = [pytest.mark.browser, pytest.mark.stack]

HEADING = "Light that follows your day"


def test_landing_page__written_in_fields__is_shown_at_once_and_published_as_it_was_seen(console: Console) -> None:
    domain = console.api("GET", "/shop")["domain"]
    console.api("PATCH", "/settings/install-domains", additionalDomains=[f"www.{domain}"])
    console.api("PATCH", "/shop/defaults", require_landing_qa=False)
    page = console.open("/landing-pages/new")
    console.field("Name").fill("Desk lamp")
    console.click("Make the page")
    shown = page.frame_locator('iframe[title="The page"]')
    expect(shown.get_by_role("heading", level=1)).to_have_text("What it is, in a few words")
    console.field("Heading").fill(HEADING)
    console.click("Choose a picture: Picture")
    lamp = encoded(Image.effect_noise((1280, 720), 60), "JPEG")
    page.get_by_label("Picture to upload").set_input_files(
        {"name": "lamp.jpg", "mimeType": "image/jpeg", "buffer": lamp}
    )
    console.field("What it shows").fill("A lamp at dusk")
    expect(shown.get_by_role("img", name="A lamp at dusk")).to_have_js_property("complete", value=True)
    expect(shown.get_by_role("heading", level=1)).to_have_text(HEADING)
    assert shown.locator("script[src]").count() == 0

    console.click("Add a block")
    page.get_by_role("button", name=re.compile("^Form")).click()
    expect(page.get_by_label("Address that takes it")).to_have_value(f"https://{domain}/contact")
    console.click("Add a field")
    expect(page.get_by_label("Label", exact=True).last).to_be_focused()
    page.keyboard.type("Your town")
    up = page.get_by_label("Move block 3, Form up")
    up.focus()
    page.keyboard.press("ArrowUp")
    expect(page.get_by_label("Move block 2, Form up")).to_be_focused()
    expect(shown.get_by_label("Your town")).to_be_visible()
    page.locator("summary", has_text="Footer").click()
    footer = page.locator("details", has=page.locator("summary", has_text="Footer"))
    footer.get_by_role("button", name="Add a link").click()
    expect(footer.get_by_label("Words")).to_be_focused()
    page.keyboard.type("Imprint")
    page.locator("summary", has_text="Look").click()
    page.get_by_label("Your colour: choose").fill("#d8b400")
    weak = page.get_by_text("Your colour cannot be read well on the background")
    expect(weak).to_contain_text("the contrast is 2 to 1")
    page.get_by_label("Your colour: choose").fill("#0f6b4f")

    console.click("Write the version")
    address = footer.get_by_label("Leads to")
    expect(address).to_be_focused()
    expect(footer.locator(".message")).to_have_text("Fill this in.")
    address.fill("/imprint")
    expect(shown.get_by_role("link", name="Imprint")).to_have_attribute("target", "_blank")
    console.click("Write the version")
    expect(page.get_by_text("Version 1 is written")).to_be_visible()
    console.click("Publishing", role="link")
    console.click("Publish")
    page.get_by_role("dialog").get_by_role("button", name="Publish").click()
    expect(page.get_by_text("The page is online")).to_be_visible()

    edge = console.story.dev["worker_base_url"]
    html = requests.get(f"{edge}/desk-lamp", headers={"Host": domain, "Accept": "text/html"}, timeout=30).text
    assert html.index(HEADING) < html.index('id="form"') < html.index("A heading")
    for part in ('alt="A lamp at dusk"', 'name="your-town"', 'href="/imprint"', "#0f6b4f"):
        assert part in html, part
