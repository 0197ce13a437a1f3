"""The main job from end to end: over HTTP, and in a real browser on the demo store."""

import re
from collections import Counter
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from tests.e2e.story import Story, until_both_met
from tests.support.browser import leave
from tests.support.sizes import sized

VISITORS = sized(40, 8)
HEADLINE = "Good things for slow mornings"

pytestmark = [pytest.mark.browser, pytest.mark.stack]


def visit(browser: Browser, url: str) -> Page:
    """A new visitor: a context of its own has no cookies."""
    page = browser.new_context().new_page()
    page.goto(url)
    return page


def only_on(pattern: str) -> dict[str, Any]:
    """A page rule that matches one simple pattern."""
    return {
        "id": "0192f2a0-0000-7000-8000-000000000001",
        "includeRules": [{"type": "simple", "pattern": pattern}],
        "excludeRules": [],
    }


def row(results: dict[str, Any], goal_id: str, variation_id: str) -> dict[str, Any]:
    """The row of one variation in the results of one goal."""
    goal = next(goal for goal in results["goals"] if goal["goal_id"] == goal_id)
    return next(row for row in goal["rows"] if row["variation_id"] == variation_id)


def test_experiment__created_approved_launched_and_visited_by_many__is_counted_exactly(
    story: Story, browser: Browser
) -> None:
    story.finish_running()
    store = story.dev["store_url"]
    experiment = story.call(
        "POST",
        "/experiments",
        201,
        name="A warmer headline",
        store_url=store,
        variations=[
            {"name": "Control", "weight": 0.5, "is_control": True},
            {
                "name": "Warm",
                "weight": 0.5,
                "is_control": False,
                "mutations": [{"selector": "h1", "action": "text", "text": HEADLINE}],
            },
        ],
        goals=[{"name": "Product opened", "type": "click", "selector": "a[href*='product']", "is_primary": True}],
    )
    experiment_id, goal_id = experiment["id"], experiment["goals"][0]["id"]
    control, warm = (variation["id"] for variation in experiment["variations"])
    story.call("POST", f"/experiments/{experiment_id}/request-approval")
    approved = story.call("POST", f"/experiments/{experiment_id}/approve")
    assert approved["approval_state"]["status"] == "approved"
    launched = story.call("POST", f"/experiments/{experiment_id}/launch")
    assert launched["status"] == "running"
    assert launched["started_at"] is not None
    story.await_delivery()

    seen: Counter[str] = Counter()
    clicked: Counter[str] = Counter()
    for visitor in until_both_met(seen, at_least=VISITORS):
        page = visit(browser, store)
        arm = warm if page.locator("h1").inner_text() == HEADLINE else control
        seen[arm] += 1
        if visitor % 2:
            page.locator("a[href*='product']").first.click()
            page.wait_for_url("**/#products")
            clicked[arm] += 1
        leave(page)
    assert set(seen) == {control, warm}, "the visitors must meet both variations"

    results = story.results(experiment_id, visitors=seen.total(), conversions=clicked.total())

    for arm in (control, warm):
        assert row(results, goal_id, arm)["visitors"] == seen[arm]
        assert row(results, goal_id, arm)["conversions"] == clicked[arm]
    assert results["srm"]["p_value"] is not None
    assert row(results, goal_id, warm)["p_value"] is not None


def test_redirect_experiment__visited_by_many__sends_the_treatment_and_counts_both(
    story: Story, browser: Browser
) -> None:
    story.finish_running()
    store = story.dev["store_url"].rstrip("/")
    experiment = story.call(
        "POST",
        "/experiments",
        201,
        name="Another product page",
        delivery_type="redirect",
        targeting={"pageRules": [only_on(f"{store}/product")]},
        variations=[
            {"name": "Control", "weight": 0.5, "is_control": True},
            {"name": "Page B", "weight": 0.5, "is_control": False, "redirect_url": f"{store}/product-b"},
        ],
        goals=[{"name": "Add to cart", "type": "custom", "event_name": "add_to_cart", "is_primary": True}],
    )
    experiment_id, goal_id = experiment["id"], experiment["goals"][0]["id"]
    control, page_b = (variation["id"] for variation in experiment["variations"])
    story.call("POST", f"/experiments/{experiment_id}/launch")
    story.await_delivery()

    seen: Counter[str] = Counter()
    for _ in until_both_met(seen, at_least=VISITORS):
        page = visit(browser, f"{store}/product?utm_source=story#details")
        page.wait_for_function("document.readyState === 'complete' && window.svc")
        arm = page_b if "/product-b" in page.url else control
        if arm == page_b:
            assert page.url.endswith("?utm_source=story#details"), "query and hash travel along"
        button = page.get_by_role("button", name=re.compile("Add to cart|Reserve yours"))
        expect(button).to_be_visible()
        button.click()
        seen[arm] += 1
        leave(page)
    assert set(seen) == {control, page_b}

    results = story.results(experiment_id, visitors=seen.total(), conversions=seen.total())
    for arm in (control, page_b):
        assert row(results, goal_id, arm)["visitors"] == seen[arm]
        assert row(results, goal_id, arm)["conversions"] == seen[arm]

    completed = story.call("POST", f"/experiments/{experiment_id}/complete", winning_variation_id=page_b, outcome="won")
    assert completed["status"] == "completed"
    story.await_delivery()
    page = visit(browser, f"{store}/product")
    page.wait_for_function("window.svc")
    assert "/product-b" not in page.url, "a completed experiment redirects nobody"
    leave(page)
