"""Shared by stories of the visual editor: a console of the demo store, a draft, and how pages are compared."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, FrameLocator, expect

from tests.e2e.story import Story
from tests.support.console_page import Console

CHANGES: list[dict[str, Any]] = [
    {"selector": "h1", "action": "text", "text": "Mornings & made <simple>"},
    {"selector": "#banner", "action": "html", "html": "<b>Free</b> until Sunday"},
    {"selector": ".hero p", "action": "style", "styles": {"backgroundColor": "rgb(1, 2, 3)", "margin": "7px"}},
    {"selector": ".hero a", "action": "attribute", "attributes": {"title": "See", "href": "/#collection"}},
    {"selector": ".hero a", "action": "setText", "text": "Look"},
    {"selector": "h2", "action": "insertBefore", "html": "<p class='before'>Before</p>"},
    {"selector": "h2", "action": "insertAfter", "html": "<p class='after'>After</p>"},
    {"selector": "footer", "action": "remove"},
    {"selector": "h2", "action": "setStyle", "styles": {"color": "rgb(4, 5, 6)"}},
]
# Marks of insertions are made of the experiment's id; scripts and the store's tag are the page's own.
MARKUP = (
    """() => document.querySelector("main").outerHTML.replace(/ data-svc="[^"]*"/g, "").replace(/<!--.*?-->/g, "")"""
)


@pytest.fixture(name="console")
def shop_console(story: Story, browser: Browser) -> Iterator[Console]:
    """The console of the demo shop, whose pages are the demo store's."""
    story.claim_domain()
    story.finish_running()
    page = Console(browser, story)
    page.sign_in()
    yield page
    page.close()


def draft(console: Console, changes: list[dict[str, Any]], page: str | None = None) -> tuple[str, str]:
    """Make an experiment whose second variation has these changes, by default of the store's first page.

    Return the ids of both.
    """
    variations = [
        {"name": "Control", "weight": 0.5, "is_control": True},
        {"name": "Changed", "weight": 0.5, "is_control": False, "mutations": changes},
    ]
    goals = [{"name": "Cart", "type": "custom", "event_name": "add_to_cart", "is_primary": True}]
    store = page or f"{console.story.dev['store_url']}/"
    made = console.api("POST", "/experiments", 201, name="Edited", store_url=store, variations=variations, goals=goals)
    return made["id"], made["variations"][1]["id"]


def edited(console: Console, experiment_id: str, variation_id: str) -> FrameLocator:
    """Open the editor, and return the shop's page in it."""
    console.page.goto(f"{console.root}/console/{console.shop_id}/experiments/{experiment_id}/edit/{variation_id}")
    frame = console.page.frame_locator("iframe")
    expect(frame.locator("h1").first).to_be_visible(timeout=20_000)
    expect(console.page.get_by_label("Page of the shop")).to_have_attribute("aria-busy", "false", timeout=20_000)
    return frame


def without_addresses(markup: str) -> str:
    """Links and pictures of a preview lead through the proxy."""
    return re.sub(r' (href|src|action)="[^"]*"', "", markup)
