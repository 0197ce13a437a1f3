"""Stores profiled through a running stack: the demo store, django-oscar, and one that does not want to be read."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256
from typing import Any
from urllib.parse import urljoin

import pytest
import requests

from tests.e2e.oscar.server import running_shop
from tests.e2e.story import Story, new_shop
from tests.support.sites import Answer, site
from tools.local.testing import settle

pytestmark = pytest.mark.stack

PLATFORMS = {"Shopify", "WooCommerce", "Shopware", "Magento", "PrestaShop", "BigCommerce"}

Json = dict[str, Any]


@dataclass(frozen=True)
class Store:
    """Store at an address, with the shop whose snippet its pages have."""

    story: Story
    url: str

    def profiled(self) -> tuple[Json, Json]:
        """Carry out a run by the stack's own queue and worker. Return the run, and the profile after it."""
        started = self.story.call("POST", "/store-profile/runs", 202, url=self.url)
        assert started["status"] == "queued"
        settle(self.story.dev["directory"])
        return self.story.call("GET", f"/store-profile/runs/{started['id']}"), self.profile()

    def profile(self) -> Json:
        """Return the profile as it is now."""
        profile: Json = self.story.call("GET", "/store-profile")
        return profile


@pytest.fixture
def demo(story: Story) -> Store:
    """The demo store of the stack."""
    return Store(story, f"{story.dev['store_url']}/")


@pytest.fixture(scope="module")
def oscar(stack: Json, tmp_path_factory: pytest.TempPathFactory) -> Iterator[Store]:
    """A shop of django-oscar, with the snippet of a shop of its own."""
    story = new_shop(Story(stack), "paper.example")
    snippet = f"{stack['worker_base_url']}/s/{story.dev['shop_id']}.js"
    with running_shop(tmp_path_factory.mktemp("profiled"), snippet) as product:
        yield Store(story, urljoin(product, "/"))


def facts_of(profile: Json) -> set[tuple[str, str]]:
    """Return key and value of each fact."""
    return {(fact["key"], fact["value"]) for fact in profile["facts"]}


def assert_consistent(profile: Json) -> None:
    """Hold a profile to its promises: counts are those of the lists, and every statement has evidence that is there."""
    statuses = [fact["status"] for fact in profile["facts"]]
    is_open = [finding["status"] for finding in profile["findings"]].count("open")
    assert profile["suggestedFactsCount"] == statuses.count("suggested")
    assert profile["confirmedFactsCount"] == statuses.count("confirmed")
    assert profile["rejectedFactsCount"] == statuses.count("rejected")
    assert profile["openReviewCount"] == is_open
    assert profile["unreviewedCount"] == statuses.count("suggested") + is_open
    evidence = {each["id"]: each for each in profile["evidence"]}
    for statement in (*profile["facts"], *profile["findings"], *profile["technicalProfile"]["frameworks"]):
        assert statement["evidence_ids"], statement
        assert set(statement["evidence_ids"]) <= evidence.keys()
    for fact in profile["facts"]:
        assert evidence[fact["evidence_ids"][0]]["url"] == fact["source_url"]


def assert_no_guess(profile: Json) -> None:
    """A store on none of the six platforms has no platform, no theme, and no finding about them."""
    assert (profile["technicalProfile"]["platform"], profile["technicalProfile"]["theme"]) == (None, None)
    assert not {key for key, _ in facts_of(profile)} & {"platform", "theme"}
    assert not {value for _, value in facts_of(profile)} & PLATFORMS
    assert "platform_ambiguous" not in {finding["kind"] for finding in profile["findings"]}


def test_demo_store__profiled__is_what_its_pages_show(demo: Store) -> None:
    run, profile = demo.profiled()
    assert (run["status"], run["error"]) == ("completed", None)
    assert [(page["kind"], page["status"]) for page in run["pages"]] == [("home", 200), ("content", 200)]
    assert run["progress"] == {"done": 2, "of": 2, "url": None}
    assert_consistent(profile)
    assert_no_guess(profile)
    assert facts_of(profile) == {
        ("brand_name", "Harbour Lane"),
        ("language", "en"),
        ("background_colour", "#faf8f5"),
        ("text_colour", "#23262b"),
        ("accent_colour", "#1f5d57"),
        ("font", "Georgia"),
        ("call_to_action", "See the collection"),
        ("call_to_action", "Add to cart"),
    }
    assert [finding["kind"] for finding in profile["findings"] if finding["status"] == "open"] == []
    technical = profile["technicalProfile"]
    assert technical["snippet"] == {
        "pages": 2,
        "present_on": 2,
        "is_first": True,
        "is_synchronous": True,
        "problems": [],
    }
    assert (technical["languages"], technical["currencies"], technical["has_data_layer"]) == (["en"], [], False)
    assert profile["brandProfile"]["tone"]["calls_to_action"] == ["See the collection", "Add to cart"]
    for each in profile["evidence"]:
        assert each["sha256"] == sha256(requests.get(each["url"], timeout=30).content).hexdigest(), each["url"]


def test_review__of_facts__survives_the_next_run(demo: Store) -> None:
    _, before = demo.profiled()
    ids = {fact["value"]: fact["id"] for fact in before["facts"]}
    named = demo.story.call("PATCH", f"/store-profile/facts/{ids['Harbour Lane']}", status="confirmed")
    demo.story.call("PATCH", f"/store-profile/facts/{ids['Georgia']}", status="rejected")
    _, after = demo.profiled()
    assert_consistent(after)
    assert {fact["value"]: fact["id"] for fact in after["facts"]} == ids
    statuses = {fact["value"]: fact["status"] for fact in after["facts"]}
    assert statuses == dict.fromkeys(ids, "suggested") | {"Harbour Lane": "confirmed", "Georgia": "rejected"}
    assert named["updated_by"]
    assert next(fact for fact in after["facts"] if fact["id"] == named["id"]) == named
    assert after["storeProfileContext"] == {"brand_name": ["Harbour Lane"]}
    assert after["brandPromptBlock"].endswith("- Name: Harbour Lane")
    assert (after["confirmedFactsCount"], after["rejectedFactsCount"]) == (1, 1)


def test_oscar__profiled__is_what_its_pages_show(oscar: Store) -> None:
    run, profile = oscar.profiled()
    assert (run["status"], run["error"]) == ("completed", None)
    pages = {(page["kind"], page["url"].removeprefix(oscar.url)): page for page in run["pages"]}
    assert pages.keys() == {
        ("home", "catalogue/"),
        ("product", "catalogue/notebook-with-dotted-pages_1/"),
        ("collection", "catalogue/category/notebooks_1/"),
        ("cart", "basket/"),
        ("content", "offers/"),
    }
    assert [page["problem"] for page in run["pages"] if page["status"] != 200] == [
        "the robots.txt of 127.0.0.1 forbids it"
    ]
    assert_consistent(profile)
    assert_no_guess(profile)
    assert {
        ("brand_name", "Paper and Ink"),
        ("language", "en"),
        ("framework", "jQuery"),
        ("background_colour", "#e9ecef"),
        ("text_colour", "#212529"),
        ("accent_colour", "#007bff"),
    } <= facts_of(profile)
    assert profile["brandProfile"]["name"] == "Paper and Ink"
    technical = profile["technicalProfile"]
    assert (technical["snippet"]["pages"], technical["snippet"]["present_on"]) == (4, 4)
    assert technical["snippet"]["is_first"]
    assert [weight["kind"] for weight in technical["page_weights"]] == ["home", "product", "collection", "content"]
    assert profile["latestLearningRun"]["lessons"] == []
    (finding,) = profile["findings"]
    assert (finding["kind"], finding["status"]) == ("consent_missing", "open")
    visitor = requests.Session()
    for page in run["pages"]:
        if page["status"]:
            visitor.get(page["url"], timeout=30)
    assert f"({', '.join(sorted(visitor.cookies.keys()))})" in finding["message"]


def test_store__that_wants_no_visit__learns_from_the_user_agent_how_to_stop_them(story: Story) -> None:
    with site() as shop:
        shop.page("<html lang=en><title>Lamps</title>")
        store = Store(new_shop(story, "lamps.example"), shop.url())
        assert store.profiled()[0]["status"] == "completed"
        (agent,) = set(shop.agents)
        (address,) = re.findall(r"^Mozilla/5\.0 \(compatible; abtest-store-profile/1\.0; \+(http\S+)\)$", agent)
        page = requests.get(address, timeout=30)
        assert (page.status_code, "text/html" in page.headers["content-type"]) == (200, True)
        slug = address.partition("?api=")[2]
        assert f'"slug": "{slug}"' in page.text
        guide = requests.get(f"{address.partition('?')[0]}/{slug}.json", timeout=30).json()["info"]["description"]
        (rules,) = re.findall(r"## Visits in your logs\n.*?```\n(.*?)```", guide, re.DOTALL)

        shop.pages["/robots.txt"] = lambda: Answer(rules.encode(), content_type="text/plain")
        shop.paths.clear()
        run, _ = store.profiled()
        assert (run["status"], shop.paths) == ("failed", ["/robots.txt"])
        assert "robots.txt of 127.0.0.1 forbids it" in run["error"]
