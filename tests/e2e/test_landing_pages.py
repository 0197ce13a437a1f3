"""A landing page with two versions, from its first draft to results that say what visitors saw."""

from __future__ import annotations

from collections import Counter
from typing import Any

import pytest
import requests
from playwright.sync_api import Browser, Page

from tests.e2e.story import Story, new_shop, until_both_met
from tests.e2e.test_stories import only_on, row
from tests.support.browser import leave
from tests.support.sizes import sized
from tools.local.testing import settle

pytestmark = [pytest.mark.browser, pytest.mark.stack]

VISITORS = sized(40, 8)
PLAIN, WARM = "A lamp for your desk", "Light that follows your day"


def spec(heading: str, domain: str) -> dict[str, Any]:
    """A page with a button and a form."""
    links = [{"label": "Order the lamp", "href": "#ask"}]
    form = {
        "type": "form",
        "id": "ask",
        "heading": "Ask us",
        "action": f"https://{domain}/ask",
        "submit": "Send",
        "fields": [{"name": "email", "label": "Email", "type": "email", "required": True}],
    }
    hero = {"type": "hero", "id": "top", "heading": heading, "links": links}
    return {"format": 1, "lang": "en", "theme": {}, "blocks": [hero, form]}


class Lamp:
    """The landing page of a shop, and its experiment."""

    first: dict[str, Any]
    """Its publish with variants."""

    def __init__(self, story: Story, domain: str) -> None:
        self.shop, self.domain = new_shop(story, domain), domain
        shop = self.shop
        shop.call("PATCH", "/settings/install-domains", additionalDomains=[f"www.{domain}"])  # claims the shop's, too
        page = shop.call("POST", "/landing-pages", 201, name="Lamp", slug="lamp", publish_path="/lamp")
        self.path = f"/landing-pages/{page['id']}"
        self.versions = [self._version(heading) for heading in (PLAIN, WARM)]

    def _version(self, heading: str) -> str:
        version = self.shop.call("POST", f"{self.path}/versions", 201, spec=spec(heading, self.domain))
        run = self.shop.call("POST", f"{self.path}/qa-runs", 202, version_id=version["id"])
        settle(self.shop.dev["directory"])  # its checks run in a worker
        self.shop.call("POST", f"{self.path}/qa-runs/{run['id']}/approve")
        return str(version["id"])

    def started(self, **fields: Any) -> dict[str, Any]:
        """Link an experiment with a version for each of its two variations, publish the page, and launch."""
        experiment: dict[str, Any] = self.shop.call("POST", "/experiments", 201, name="A warmer lamp", **fields)
        variations = [each["id"] for each in experiment["variations"]]
        link = {"experiment_id": experiment["id"], "versions": dict(zip(variations, self.versions, strict=True))}
        assert self.shop.call("PUT", f"{self.path}/experiment", **link)["experiment"] == link
        publish = self.shop.call("POST", f"{self.path}/publish", 201, version_id=self.versions[0])
        assert publish["status"] == "published"
        self.first = publish
        self.shop.call("POST", f"/experiments/{experiment['id']}/launch")
        self.shop.await_delivery()
        return experiment

    @property
    def url(self) -> str:
        """Address on this machine."""
        port = self.shop.dev["worker_base_url"].rpartition(":")[2]
        return f"http://{self.domain}:{port}/lamp"

    def visited(self, browser: Browser) -> tuple[Page, list[str]]:
        """Open the page as a new visitor, and return it with what it complained about."""
        page, complaints = browser.new_context().new_page(), list[str]()
        page.on("console", lambda message: complaints.append(message.text))
        page.goto(self.url)
        return page, complaints

    def seen_once(self, browser: Browser) -> tuple[str, list[str]]:
        """Return the heading that a new visitor sees, and the variations that are counted."""
        page, complaints = self.visited(browser)
        seen = page.locator("h1").inner_text(), page.evaluate("svc.assignments().map((one) => one.variationId)")
        assert complaints == []
        leave(page)
        return seen


def test_variants__seen_by_many__are_counted_exactly_as_served__until_they_are_taken_back(
    story: Story, browser: Browser
) -> None:
    lamp = Lamp(story, "lamps.example")
    goals: list[dict[str, Any]] = [
        {"name": "Order clicked", "type": "click", "selector": "a.button", "is_primary": True},
        {"name": "Question sent", "type": "click", "selector": "form button"},
        {"name": "Page seen", "type": "pageview", "url_pattern": "/lamp"},
    ]
    experiment = lamp.started(goals=goals, targeting={"pageRules": [only_on("/lamp")]})
    control, warm = (variation["id"] for variation in experiment["variations"])
    arms = {PLAIN: control, WARM: warm}
    click, ask, seen_goal = (goal["id"] for goal in experiment["goals"])

    seen: Counter[str] = Counter()
    clicked: Counter[str] = Counter()
    sent: Counter[str] = Counter()
    for visitor in until_both_met(seen, at_least=VISITORS):
        page, complaints = lamp.visited(browser)
        arm = arms[page.locator("h1").inner_text()]
        shown = page.evaluate("svc.assignments().map((one) => one.variationId)")
        assert shown == [arm], "what is counted is what was served"
        page.reload()
        assert arms[page.locator("h1").inner_text()] == arm
        seen[arm] += 1
        if visitor % 2:
            page.locator("a.button").first.click()
            clicked[arm] += 1
        if visitor % 3 == 0:
            page.locator("form button").click()
            sent[arm] += 1
        assert complaints == []
        leave(page)
    assert set(seen) == {control, warm}, "the visitors must meet both variants"

    results = lamp.shop.results(experiment["id"], visitors=seen.total(), conversions=clicked.total())
    for arm in (control, warm):
        assert row(results, click, arm)["visitors"] == seen[arm]
        assert row(results, click, arm)["conversions"] == clicked[arm]
        assert row(results, ask, arm)["conversions"] == sent[arm]
        assert row(results, seen_goal, arm)["conversions"] == seen[arm]

    lamp.shop.call("POST", f"/experiments/{experiment['id']}/pause")
    lamp.shop.call("DELETE", f"{lamp.path}/experiment")
    lamp.shop.call("POST", f"{lamp.path}/publish", 201, version_id=lamp.versions[1])
    lamp.shop.await_delivery()
    assert lamp.seen_once(browser) == (WARM, [])

    lamp.shop.call("POST", f"{lamp.path}/rollback", publish_id=lamp.first["id"])
    lamp.shop.call("POST", f"/experiments/{experiment['id']}/resume")
    lamp.shop.await_delivery()
    rolled_back: Counter[str] = Counter()
    for _ in until_both_met(rolled_back, at_least=2):
        heading, shown = lamp.seen_once(browser)
        assert shown == [arms[heading]], "a rollback takes the variants back, too"
        rolled_back[heading] += 1
    lamp.shop.call("POST", f"{lamp.path}/unpublish")
    lamp.shop.await_delivery()
    edge = lamp.shop.dev["worker_base_url"]
    assert requests.get(f"{edge}/lamp", headers={"Host": lamp.domain}, timeout=30).status_code == 404
