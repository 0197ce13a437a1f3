"""A draft on the shop's own pages, by its preview link, from the first look to the launch: django-oscar."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.oscar.server import running_shop
from tests.e2e.story import Story
from tools.local.testing import settle

pytestmark = [pytest.mark.browser, pytest.mark.stack]
NOTEBOOK = "Notebook with dotted pages"
PROMISE = "The notebook for long days"
PHONE = (
    "Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) "
    "Version/18.0 Mobile/15E148 Safari/604.1"
)
BAR = "#svc-bar"


@pytest.fixture(scope="module")
def oscar(stack: dict[str, Any], tmp_path_factory: pytest.TempPathFactory) -> Iterator[str]:
    """Address of a product, with the snippet in every page of its shop."""
    snippet = f"{stack['worker_base_url']}/s/{stack['shop_id']}.js"
    with running_shop(tmp_path_factory.mktemp("linked"), snippet) as product:
        yield product


def drafted(story: Story) -> Any:
    """Create a draft for computers that changes the name of each product."""
    story.claim_domain()
    story.finish_running()
    desktops = {"operator": "and", "conditions": [{"attribute": "device", "operator": "equals", "value": "desktop"}]}
    rule = {"id": "0192f3a0-0000-7000-8000-00000000d001", "name": "Computers", "rules": desktops, "include": True}
    mutation = {"selector": ".product_main h1", "action": "text", "text": PROMISE}
    return story.call(
        "POST",
        "/experiments",
        201,
        name="A name with a promise",
        targeting={"pageRules": [], "segmentRules": [rule]},
        goals=[{"name": "Baskets", "type": "custom", "event_name": "add_to_cart", "is_primary": True}],
        variations=[
            {"name": "Control", "weight": 0, "is_control": True},
            {"name": "Promise", "weight": 1, "is_control": False, "mutations": [mutation]},
        ],
    )


def link_to(story: Story, draft: Any, url: str) -> str:
    """The address of a page of the shop that shows the second variation."""
    variation = draft["variations"][1]["id"]
    made = story.call("POST", f"/experiments/{draft['id']}/variations/{variation}/preview-link", 201, url=url)
    assert made["url"] == f"{url}?svc_preview={made['token']}", "the shop's own page, no proxy"
    return str(made["url"])


def open_bar(page: Page) -> str:
    """The text of the bar's first card, once it is there."""
    details = page.locator(f"{BAR} >> text=Details")
    details.wait_for()
    if page.locator(f"{BAR} .panel").is_hidden():
        details.click()
    return page.locator(f"{BAR} .card").first.inner_text()


def test_draft__is_seen_on_three_pages_explained_switched_left_launched_and_not_counted(
    story: Story, oscar: str, browser: Browser
) -> None:
    draft = drafted(story)
    title = ".product_main h1"
    phone = browser.new_context(user_agent=PHONE, viewport={"width": 390, "height": 780})
    page = phone.new_page()
    page.goto(link_to(story, draft, oscar))
    expect(page.locator(title)).to_have_text(PROMISE)
    assert page.url == oscar, "the address that may be copied does not carry the preview"
    card = open_bar(page)
    assert "A name with a promise (draft)" in card
    assert 'As a visitor: not in. Not in the audience, rule 1: device is "mobile"' in card

    # Through the search to another view of the shop, and back to a product: three pages, one session.
    origin = "{0.scheme}://{0.netloc}".format(urlsplit(oscar))
    page.goto(f"{origin}/search/?q=notebook")
    assert "Preview" in page.locator(f"{BAR} .bar").inner_text()
    page.locator(f"{BAR} >> text=Details").click()  # it was open on the page before, and closes
    with page.expect_navigation():
        page.locator(".product_pod h3 a").first.click()
    expect(page.locator(title)).to_have_text(PROMISE)
    page.evaluate("svc.track('add_to_cart')")
    open_bar(page)
    page.locator(f"{BAR} select").first.select_option(label="Control")
    expect(page.locator(title)).to_have_text(NOTEBOOK)
    page.wait_for_function("svc.debug().then(({ events }) => events.every((e) => e.delivery.state === 'answered'))")
    with page.expect_navigation():
        page.locator(f"{BAR} >> text=Leave").click()
    expect(page.locator(title)).to_have_text(NOTEBOOK)
    expect(page.locator(BAR)).to_have_count(0)

    phone.close()

    story.call("POST", f"/experiments/{draft['id']}/launch", override_checklist_warnings=True)
    story.await_delivery()
    phone = browser.new_context(user_agent=PHONE)  # without the snippet that the first one keeps for a minute
    page = phone.new_page()
    page.goto(oscar)
    expect(page.locator(title)).to_have_text(NOTEBOOK)
    [entry] = page.evaluate("svc.explain().then(({ experiments }) => experiments)")
    assert (entry["step"], entry["applied"], entry["detail"]["value"]) == ("audience", False, "mobile")
    phone.close()
    computer = browser.new_context()
    shopper = computer.new_page()
    with shopper.expect_response(lambda answer: answer.url.endswith("/events")):
        shopper.goto(oscar)
    expect(shopper.locator(title)).to_have_text(PROMISE)
    computer.close()
    settle(story.dev["directory"])
    rows = story.call("GET", f"/experiments/{draft['id']}/results")["goals"][0]["rows"]
    assert [(row["visitors"], row["conversions"]) for row in rows] == [(0, 0), (1, 0)], "the shopper, and no preview"
    story.finish_running()


def test_link_of_another_day__shows_the_page_as_shoppers_see_it_with_the_reason(
    story: Story, oscar: str, browser: Browser
) -> None:
    draft = drafted(story)
    url = link_to(story, draft, oscar)
    context = browser.new_context()
    page = context.new_page()
    page.goto(url[:-4])
    expect(page.locator(".product_main h1")).to_have_text(NOTEBOOK)
    expect(page.locator(f"{BAR} .panel")).to_contain_text("This is not a preview link of this shop")
    page.goto(f"{oscar}?svc_preview={'a' * 10_000}")
    expect(page.locator(".product_main h1")).to_have_text(NOTEBOOK)
    expect(page.locator(f"{BAR} .panel")).to_contain_text("This is not a preview link of this shop")
    context.close()
