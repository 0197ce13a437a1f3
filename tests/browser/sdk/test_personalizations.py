"""Personalizations: shown and not shown, rules, surfaces, exposure and goals; and flags."""

from typing import Any

import pytest

from tests.browser.sdk.configs import (
    audience,
    experiment,
    flag,
    goal,
    mutate,
    pages,
    personalization,
    triggered,
)
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

H1 = "document.querySelector('h1').textContent"
WELCOME: dict[str, Any] = {"mutations": [mutate("h1", "text", text="Welcome")], "value": {"columns": 4}}


def test_shown__is_delivered_counted_once_and_its_goals_count(shop: Shop, open_page: Open) -> None:
    js, reset = shop.script("(window.log = window.log || []).push('on')"), shop.script("log.push('off')")
    treatment = WELCOME | {"css": "h1{color:rgb(1,2,3)}", "js": js, "reset_js": reset}
    goals = [goal("click", selector="h1")]
    shop.config = {"personalizations": [personalization(treatment, goals=goals, pages=pages("\\/"))]}
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    assert page.inner_text("h1") == "Welcome"
    assert page.evaluate("getComputedStyle(document.querySelector('h1')).color") == "rgb(1, 2, 3)"
    assert page.evaluate("svc.personalization('key-p1')") == {"columns": 4}
    assert page.evaluate("svc.assignments()") == []
    page.click("h1")
    page.evaluate("history.pushState({}, '', '/away')")
    page.wait_for_function(f"{H1} === 'Original'")
    assert page.evaluate("log") == ["on", "off"]
    assert page.evaluate("svc.personalization('key-p1')") is None
    open_page("/", page)
    shop.wait_events("pageview", 3)
    [exposure] = shop.events("experiment_viewed")
    assert (exposure["experimentId"], exposure["variationId"]) == ("p1-default", "p1-default")
    assert exposure["assignment_epoch"] == 1
    assert [event["data"] for event in shop.events("goal")] == [{"goalId": "goal-click"}]


def test_not_shown__keeps_the_original_and_is_measured(shop: Shop, open_page: Open) -> None:
    goals = [goal("click", selector="h1")]
    shop.config = {"personalizations": [personalization(WELCOME, below=0, goals=goals)]}
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    assert page.inner_text("h1") == "Original"
    assert page.evaluate("svc.personalization('key-p1')") is None
    page.click("h1")
    [exposure] = shop.wait_events("experiment_viewed")
    assert (exposure["experimentId"], exposure["variationId"]) == ("p1-default", "p1")
    assert len(shop.wait_events("goal")) == 1


def test_not_shown__is_not_reset_when_left(shop: Shop, open_page: Open) -> None:
    treatment = WELCOME | {"reset_js": shop.script("window.wasReset = true")}
    shown = {"js": shop.script("window.log = 'on'"), "reset_js": shop.script("log = 'off'")}
    shop.config = {
        "personalizations": [
            personalization(treatment, below=0, pages=pages("\\/")),
            personalization(shown, name="p2", pages=pages("\\/")),
        ]
    }
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    page.evaluate("history.pushState({}, '', '/away')")
    page.wait_for_function("log === 'off'")
    assert page.evaluate("window.wasReset") is None


def test_rules__choose_the_experience_and_change_it(shop: Shop, open_page: Open) -> None:
    german = {"id": "p1-de", "key": "de", "name": "German", "mutations": [mutate("h1", "text", text="Willkommen")]}
    made = personalization(WELCOME, rules=[{"experience": "de", "audience": audience({"country": "DE"})}])
    made["experiences"].append(german)
    shop.config = {"personalizations": [made]}
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    assert page.inner_text("h1") == "Welcome"
    assert page.evaluate(f"svc.set({{country: 'DE'}}); {H1}") == "Willkommen"
    page.evaluate("svc.set({country: 'FR'})")
    page.wait_for_function(f"{H1} === 'Welcome'")
    exposures = shop.wait_events("experiment_viewed", 2)
    assert [event["experimentId"] for event in exposures] == ["p1-default", "p1-de"]


def test_surface__shows_one_at_a_time_by_priority(shop: Shop, open_page: Open) -> None:
    shop.config = {
        "personalizations": [
            personalization({"value": 1}, name="a", surface="cart", audience=audience({"country": "DE"})),
            personalization({"value": 2}, name="b", surface="cart"),
            personalization({"value": 3}, name="c", surface="global"),
            personalization({"value": 4}, name="d", surface="global"),
        ]
    }
    shop.page("/", html(""))
    page = open_page()
    values = "['a', 'b', 'c', 'd'].map((name) => svc.personalization('key-' + name) ?? null)"
    assert page.evaluate(values) == [None, 2, 3, 4]
    page.evaluate("svc.set({country: 'DE'})")
    assert page.evaluate(values) == [1, None, 3, 4]


def test_goal__shared_by_two__comes_once(shop: Shop, open_page: Open) -> None:
    shared = [goal("click", selector="h1", once=False)]
    shop.experiments = [experiment(goals=shared)]
    shop.config = {"personalizations": [personalization(goals=shared)]}
    shop.page("/", html("<h1>Original</h1>"))
    page = open_page()
    page.click("h1")
    page.evaluate("svc.track('end')")
    shop.wait_events("custom")
    assert len(shop.events("goal")) == 1


def test_flag__tells_its_value_or_the_fallback(shop: Shop, open_page: Open) -> None:
    shop.config = {
        "flags": [
            flag("on", on={"columns": 4}),
            flag("empty", on=None),
            flag("none", below=0),
            flag("paused", paused=True, off="off"),
            flag("german", audience=audience({"country": "DE"})),
            flag("opened", pages=triggered("event:opened")),
        ]
    }
    shop.page("/", html(""))
    page = open_page()
    names = "['on', 'empty', 'none', 'paused', 'german', 'opened', 'gone', 'toString']"
    values = f"{names}.map((name) => svc.flag(name, 'fallback'))"
    assert page.evaluate(values) == [{"columns": 4}, None, False, "off", False, False, "fallback", "fallback"]
    page.evaluate("svc.set({country: 'DE'}); svc.track('opened')")
    assert page.evaluate(values)[4:6] == [True, True]
