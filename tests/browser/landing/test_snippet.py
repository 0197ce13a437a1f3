"""The real snippet on a landing page: what it does there works under the page's policy, and is counted once.

`conftest.serve` refuses console errors and violations of the policy.
"""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import Page, Route, expect

from tests.browser.landing.conftest import Open, rendered
from tests.browser.sdk.configs import experiment, flag, goal, mutate, personalization, triggered
from tests.browser.sdk.shop import Shop, chunk_source
from tests.support.landing import EDGE
from tests.support.landing import page as spec_with

pytestmark = pytest.mark.browser

Json = Any
SPEC = spec_with("hero", "steps", "form", "faq")
MARK = "e1:e1-treatment"
H1 = "document.querySelector('h1')"


class Edge(Shop):
    """The edge of a landing page: its snippet, its files, and its events."""

    def __init__(self) -> None:
        super().__init__()
        self.runtime = {"events_url": f"{EDGE}/events", "assets_url": f"{EDGE}/s/assets/"}
        self.chunks: dict[str, str] = {}

    def __call__(self, route: Route) -> None:
        """Answer a request of the page."""
        request, name = route.request, Path(urlsplit(route.request.url).path).name
        open_to_all = {"access-control-allow-origin": "*", "access-control-allow-headers": "*"}
        if request.method == "POST":
            status, _ = self.answer(request.post_data_buffer or b"", "POST")
            route.fulfill(status=status, json={}, headers=open_to_all)
        elif name in self.chunks:
            kind = "text/css" if name.endswith(".css") else "text/javascript"
            route.fulfill(body=self.chunks[name], content_type=kind, headers=open_to_all)
        else:
            route.fulfill(body=self.snippet(), content_type="text/javascript")

    def count(self, page: Page, kind: str, least: int) -> list[Json]:
        """Return the events of a type, once there are so many. Playwright answers requests while it waits."""
        for _ in range(400):
            if len(self.events(kind)) >= least:
                break
            page.wait_for_timeout(25)
        return self.events(kind)


@pytest.fixture
def edge() -> Edge:
    """The edge that answers the page."""
    return Edge()


def test_plain_page__with_its_experiment__is_counted_once_and_breaks_no_policy(serve: Open, edge: Edge) -> None:
    goals = [
        goal("click", selector="a.button"),
        goal("click", selector="form button") | {"id": "goal-form"},
        goal("pageview", url={"path": "\\/?lamp\\/?"}),
    ]
    edge.experiments = [experiment(control=True, served=True, goals=goals)]
    page = serve(rendered(SPEC, mark=MARK), edge=edge)
    assert page.evaluate("svc.assignments().map((one) => one.variationId)") == ["e1-treatment"]
    page.evaluate("document.querySelector('a.button').addEventListener('click', (event) => event.preventDefault())")
    page.locator("a.button").first.click()
    page.locator("form button").click()
    goals_seen = {event["data"]["goalId"] for event in edge.count(page, "goal", 3)}
    assert goals_seen == {"goal-click", "goal-form", "goal-pageview"}
    page.reload()
    edge.count(page, "pageview", 2)
    visitor = page.evaluate("svc.visitorId()")
    exposures = [(event["variationId"], event["visitorId"]) for event in edge.events("experiment_viewed")]
    assert exposures == [("e1-treatment", visitor)]
    assert len(edge.events("goal")) == 3
    assert edge.events("sdk_error") == []


def _mutations(edge: Edge) -> tuple[Json, str]:
    return {
        "mutations": [
            mutate("h1", "html", html="<b>New</b>"),
            mutate("h1", "style", styles={"margin-top": "3px"}),
            mutate("h1", "attribute", attributes={"style": "padding-top: 3px", "lang": "de"}),
            mutate("a.button", "remove"),
            mutate("h1", "insertAfter", html="<p class='more'>More</p>"),
        ]
    }, f"{H1}.innerHTML === '<b>New</b>' && {H1}.lang === 'de' && !!document.querySelector('.more')"


def _styles(edge: Edge) -> tuple[Json, str]:
    return {"css": "h1{color:rgb(1,2,3)}"}, f"getComputedStyle({H1}).color === 'rgb(1, 2, 3)'"


def _long_styles(edge: Edge) -> tuple[Json, str]:
    edge.chunks["long.css"] = "h1{color:rgb(4,5,6)}"
    return {"css": {"chunk": "long"}}, f"getComputedStyle({H1}).color === 'rgb(4, 5, 6)'"


def _scripts(edge: Edge) -> tuple[Json, str]:
    return {"js": edge.script(f"{H1}.title = 'ran'")}, f"{H1}.title === 'ran'"


def _long_script(edge: Edge) -> tuple[Json, str]:
    edge.chunks["long.js"] = chunk_source("long", f"{H1}.title = 'fetched'")
    edge.scripts.append(json.dumps("long"))
    return {"js": len(edge.scripts) - 1, "hide": ["h1"]}, f"{H1}.title === 'fetched'"


def _hidden(edge: Edge) -> tuple[Json, str]:
    return {"js": edge.script(f"{H1}.title = getComputedStyle({H1}).opacity"), "hide": ["h1", "bad["]}, (
        f"{H1}.title === '0' && getComputedStyle({H1}).opacity === '1'"
    )


def _blocks(edge: Edge) -> tuple[Json, str]:
    block = {"rules": {"include": [{"path": "\\/?lamp\\/?"}]}, "mutations": [mutate("h1", "text", text="Block")]}
    return {"blocks": [block]}, f"{H1}.textContent === 'Block'"


KINDS: dict[str, Callable[[Edge], tuple[Json, str]]] = {
    "mutations": _mutations,
    "styles": _styles,
    "long styles": _long_styles,
    "scripts": _scripts,
    "long scripts": _long_script,
    "hidden until the script has run": _hidden,
    "blocks": _blocks,
}


@pytest.mark.parametrize("kind", KINDS)
def test_content__of_a_variation__works_under_the_policy(serve: Open, edge: Edge, kind: str) -> None:
    content, holds = KINDS[kind](edge)
    edge.experiments = [experiment(content, served=True)]
    _shows(serve(rendered(SPEC, mark=MARK), edge=edge), edge, holds)


@pytest.mark.parametrize("kind", sorted(KINDS.keys() - {"blocks"}))
def test_content__of_an_experience__works_under_the_policy(serve: Open, edge: Edge, kind: str) -> None:
    content, holds = KINDS[kind](edge)
    edge.config = {"personalizations": [personalization(content)]}
    _shows(serve(rendered(SPEC), edge=edge), edge, holds)


def _shows(page: Page, edge: Edge, holds: str) -> None:
    page.wait_for_function(f"() => {holds}")
    expect(page.locator("h1")).to_be_visible()
    assert edge.events("sdk_error") == []


@pytest.mark.parametrize("trigger", ["dom_ready", "element:#faq", "delay:20", "event:opened"])
def test_triggers_of_others__fire_on_a_landing_page(serve: Open, edge: Edge, trigger: str) -> None:
    text = {"mutations": [mutate("h1", "text", text="Fired")]}
    edge.experiments = [experiment(text, pages=triggered(trigger))]
    page = serve(rendered(SPEC), edge=edge)
    page.evaluate("svc.track('opened')")
    expect(page.locator("h1")).to_have_text("Fired")
    assert len(edge.count(page, "experiment_viewed", 1)) == 1


def test_settings_of_a_shop__work_under_the_policy(serve: Open, edge: Edge) -> None:
    edge.is_long = True
    edge.runtime |= {
        "environments": [{"key": "staging", "domains": ["stage.shop.example"]}],
        "domains": ["shop.example"],
    }
    edge.config = {
        "flags": [flag("banner")],
        "zones": ["Europe/Berlin"],
        "holdout": {"state": 1, "below": 0, "epoch": 1},
    }
    page = serve(rendered(SPEC), edge=edge)
    assert page.evaluate("svc.flag('banner')") is True
    assert len(edge.count(page, "pageview", 1)) == 1


def test_environment__of_the_page_s_host__loads_its_own_snippet(serve: Open, edge: Edge) -> None:
    edge.runtime["environments"] = [{"key": "staging", "domains": ["shop.example"]}]
    queries: list[str] = []

    def answer(route: Route) -> None:
        queries.append(urlsplit(route.request.url).query)
        if queries[-1]:
            edge.runtime["environments"] = []
        edge(route)

    page = serve(rendered(SPEC), edge=answer)
    assert len(edge.count(page, "pageview", 1)) == 1
    assert queries[:2] == ["", "env=staging"]
