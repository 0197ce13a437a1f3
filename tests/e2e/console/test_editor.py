"""The visual editor on the demo store: what it shows is what visitors get, and nothing is lost or forged."""

import re
from collections.abc import Iterator
from typing import Any

import pytest
from playwright.sync_api import Browser, FrameLocator, expect

from tests.e2e.story import Story
from tests.support.console_page import Console

pytestmark = [pytest.mark.browser, pytest.mark.stack]

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


@pytest.fixture
def console(story: Story, browser: Browser) -> Iterator[Console]:
    """The console of the demo shop, whose pages are the demo store's."""
    story.claim_domain()
    story.finish_running()
    page = Console(browser, story)
    page.sign_in()
    yield page
    page.close()


def draft(console: Console, changes: list[dict[str, Any]]) -> tuple[str, str]:
    """Make an experiment whose second variation has these changes; return both ids."""
    variations = [
        {"name": "Control", "weight": 0.5, "is_control": True},
        {"name": "Changed", "weight": 0.5, "is_control": False, "mutations": changes},
    ]
    goals = [{"name": "Cart", "type": "custom", "event_name": "add_to_cart", "is_primary": True}]
    store = f"{console.story.dev['store_url']}/"
    made = console.api("POST", "/experiments", 201, name="Edited", store_url=store, variations=variations, goals=goals)
    return made["id"], made["variations"][1]["id"]


def edited(console: Console, experiment_id: str, variation_id: str) -> FrameLocator:
    """Open the editor, and return the shop's page in it."""
    console.page.goto(f"{console.root}/console/{console.shop_id}/experiments/{experiment_id}/edit/{variation_id}")
    frame = console.page.frame_locator("iframe")
    expect(frame.locator("h1")).to_be_visible(timeout=20_000)
    expect(console.page.get_by_label("Page of the shop")).to_have_attribute("aria-busy", "false", timeout=20_000)
    return frame


def test_page__in_the_editor__is_what_visitors_get(console: Console, browser: Browser) -> None:
    experiment_id, variation_id = draft(console, CHANGES)
    frame = edited(console, experiment_id, variation_id)
    expect(frame.locator("h1")).to_have_text("Mornings & made <simple>")
    shown = frame.locator("main").evaluate(MARKUP)
    console.api("POST", f"/experiments/{experiment_id}/launch", override_checklist_warnings=True)
    console.story.await_delivery()
    visitor = browser.new_context().new_page()
    store = console.story.dev["store_url"]
    visitor.goto(f"{store}/?svc_force={experiment_id}:{variation_id}")
    expect(visitor.locator("h1")).to_have_text("Mornings & made <simple>")
    expect(visitor.locator("footer")).to_have_count(0)
    assert _without_addresses(shown) == _without_addresses(visitor.evaluate(MARKUP))
    visitor.context.close()


def test_element__pointed_at__is_changed_undone_and_saved(console: Console) -> None:
    experiment_id, variation_id = draft(console, [])
    page, frame = console.page, edited(console, experiment_id, variation_id)
    expect(page.get_by_role("button", name="Saved")).to_be_disabled()
    frame.locator("h1").click()
    page.get_by_label("Text", exact=True).fill("Made well")
    expect(frame.locator("h1")).to_have_text("Made well")
    page.get_by_role("button", name="Undo").click()
    expect(frame.locator("h1")).not_to_have_text("Made well")
    page.get_by_role("button", name="Redo").click()
    expect(frame.locator("h1")).to_have_text("Made well")
    page.get_by_role("button", name="Original").click()
    expect(frame.locator("h1")).not_to_have_text("Made well")
    page.get_by_role("button", name="Original").click()
    frame.locator("#banner").click()
    page.get_by_role("button", name="Remove it").click()
    expect(frame.locator("#banner")).to_have_count(0)
    page.get_by_role("button", name="Done").click()
    page.get_by_role("button", name="Save", exact=True).click()
    expect(page.get_by_role("button", name="Saved")).to_be_disabled()
    stored = console.api("GET", f"/experiments/{experiment_id}/variations/{variation_id}")["mutations"]
    assert [(each["selector"], each["action"]) for each in stored] == [("h1", "text"), ("#banner", "remove")]


def test_click__while_selecting__does_not_leave_the_page__and_does_while_using_it(console: Console) -> None:
    page, frame = console.page, edited(console, *draft(console, []))
    link = frame.locator("a[href*='product']").first
    link.click()
    expect(page.get_by_label("Address of the page")).not_to_have_value(re.compile("product"))
    page.get_by_role("button", name="Use the page").click()
    link.click()
    expect(page.get_by_label("Address of the page")).to_have_value(re.compile("product"), timeout=20_000)


def test_variation__saved_elsewhere_meanwhile__is_shown_and_chosen(console: Console) -> None:
    experiment_id, variation_id = draft(console, [])
    page, frame = console.page, edited(console, experiment_id, variation_id)
    frame.locator("h1").click()
    page.get_by_label("Text", exact=True).fill("Mine")
    path = f"/experiments/{experiment_id}/variations/{variation_id}"
    console.api("PATCH", path, mutations=[{"selector": "h1", "action": "text", "text": "Theirs"}])
    page.get_by_role("button", name="Save", exact=True).click()
    sheet = page.get_by_role("dialog", name="This variation was saved elsewhere")
    expect(sheet).to_contain_text("Theirs")
    expect(frame.locator("h1")).to_have_text("Mine")
    sheet.get_by_role("button", name="Save mine in its place").click()
    expect(sheet).to_have_count(0)
    expect(page.get_by_role("button", name="Saved")).to_be_disabled()
    assert console.api("GET", path)["mutations"][0]["text"] == "Mine"


def test_page__that_forges_messages__changes_nothing_in_the_panel(console: Console) -> None:
    frame = edited(console, *draft(console, []))
    frame.locator("h1").evaluate(
        """() => {
          const element = {tag: "evil", path: [], selectors: [{selector: "*", strength: "name"}], text: "x"};
          for (const nonce of [undefined, "", "guessed"]) {
            parent.postMessage({source: "svc-edit", nonce, type: "selected", element}, "*");
            parent.postMessage({source: "svc-edit", nonce, type: "save", mutations: []}, "*");
          }
        }"""
    )
    console.page.wait_for_timeout(300)
    expect(console.page.get_by_role("heading", name="evil")).to_have_count(0)
    expect(console.page.get_by_role("heading", name="Changes")).to_be_visible()


def _without_addresses(markup: str) -> str:
    """Links and pictures of a preview lead through the proxy."""
    return re.sub(r' (href|src|action)="[^"]*"', "", markup)
