"""Which parts of the SDK a config calls for."""

from typing import Any

import pytest

from abtest.domain.delivery import sdk_parts
from abtest.domain.delivery.sdk_parts import parts_of
from abtest.storefront import bundle, parts

Json = Any
RUNTIME = {"currency": "EUR", "events_url": "https://edge.example/events", "events_signature": "v1.k1.00"}


def config(experiment: Json | None = None, **more: Any) -> Json:
    """A config with one experiment of two variations."""
    variations: list[Json] = [{"id": "a", "range": [0, 5000]}, {"id": "b", "range": [5000, 10000]}]
    whole = {"id": "e", "type": "mutation", "epoch": 1, "state": 1, "variations": variations, **(experiment or {})}
    return {"shop_id": "s", "runtime": RUNTIME, "signals": {}, "experiments": [whole], **more}


def variation(**fields: Any) -> Json:
    """An experiment whose only variation has these fields."""
    return {"variations": [{"id": "a", "range": [0, 10000], **fields}]}


def page_rule(**fields: Any) -> Json:
    """Page targeting by one rule."""
    return {"pages": {"mode": "any", "in": [{"include": [], "exclude": [], **fields}], "out": []}}


def test_parts__each__has_a_row() -> None:
    assert sdk_parts._CALLS.keys() == parts().keys()


def mutation(action: str, **fields: Any) -> Json:
    """An experiment whose only variation has one mutation."""
    return variation(mutations=[{"selector": "p", "action": action, **fields}])


def test_config__with_url_rules_and_goals_that_the_server_counts__calls_for_no_optional_part() -> None:
    goals = [{"id": "g", "type": "custom", "once": True, "event": "signup"}]
    pages = page_rule(include=[{"path": "\\/"}])
    assert parts_of(config({"goals": goals, **pages})) == frozenset()


CALLS: list[tuple[str, Json]] = [
    ("weekdays", config({"dark": {"days": ["monday"], "zone": "UTC"}})),
    ("weekdays", config(zones=["UTC"])),
    ("audiences", config({"audience": {"mode": "any", "in": [{"country": "DE"}], "out": []}})),
    ("audiences", config(page_rule(when={"device": "mobile"}))),
    ("audiences", config(variation(blocks=[{"rules": {"when": {"device": "mobile"}}, "css": "a{}"}]))),
    ("audiences", config({"goals": [{"id": "g", "type": "custom", "pages": {"when": {"visits": 1}}}]})),
    ("triggers", config(page_rule(trigger="dom_ready"))),
    ("triggers", config(page_rule(when={"$and": [{"data_layer.template": "product"}]}))),
    ("clicks", config({"goals": [{"id": "g", "type": "click", "once": True, "selector": "a"}]})),
    ("clicks", config({}, personalizations=[{"id": "p", "goals": [{"id": "g", "type": "click"}]}])),
    ("views", config({"goals": [{"id": "g", "type": "pageview"}]})),
    ("captures", config({"goals": [{"id": "g", "type": "click", "text": "Buy"}]})),
    ("captures", config({"goals": [{"id": "g", "type": "click", "capture": []}]})),
    ("addresses", config(page_rule(include=[{"re": "."}]))),
    ("addresses", config(page_rule(exclude=[{"path": ".", "query": [["a", "b"]]}]))),
    ("served", config({"served": True})),
    ("exclusion", config({"group": {"id": "g", "epoch": 1, "state": 1, "ranges": []}})),
    ("exclusion", config(holdout={"state": 1, "below": 1, "epoch": 1})),
    ("sharing", config({}, runtime=RUNTIME | {"domains": ["shop.example"]})),
    ("destinations", config({}, runtime=RUNTIME | {"exposures": ["ga4"]})),
    ("blocks", config(variation(blocks=[{"rules": {}}]))),
    ("mutations", config(mutation("text", text="New"))),
    ("mutations", config(variation(blocks=[{"rules": {}, "mutations": [{"selector": "p", "action": "remove"}]}]))),
    ("positions", config(mutation("remove", kind=1))),
    ("positions", config(mutation("remove", kind=7))),
    ("breadth", config(mutation("remove", kind=2))),
    ("breadth", config(mutation("remove", kind=4))),
    ("selectors", config(mutation("remove", kind=8))),
    ("text", config(mutation("text", text="New"))),
    ("html", config(mutation("html", html="New"))),
    ("removal", config(mutation("remove"))),
    ("values", config(mutation("style", styles={"color": "red"}))),
    ("values", config(mutation("attribute", attributes={"title": None}))),
    ("insertion", config(mutation("insertBefore", html="New"))),
    ("insertion", config(mutation("insertAfter", html="New"))),
    ("scripts", config({"js": 0})),
    ("scripts", config(variation(js=0))),
    ("scripts", config(personalizations=[{"id": "p", "experiences": [{"id": "x", "reset_js": 0}]}])),
    ("css", config({"css": "a{}"})),
    ("css", config(variation(blocks=[{"rules": {}, "css": {"chunk": "0"}}]))),
    ("redirect", config({"type": "redirect", **variation(redirect_url="/b")})),
    ("personalizations", config(personalizations=[])),
    ("flags", config(flags=[{"id": "f", "key": "f", "state": 1, "below": 0, "on": 1, "off": 0}])),
]


@pytest.mark.parametrize(("name", "asked"), CALLS)
def test_config__that_asks_for_something__has_its_part(name: str, asked: Json) -> None:
    assert name in parts_of(asked)


def test_goals__that_only_click__need_no_part_of_the_others() -> None:
    assert parts_of(config({"goals": [{"id": "g", "type": "click", "selector": "a"}]})) == {"clicks"}


def test_mutations__that_need_no_part_of_the_others__have_their_own_only() -> None:
    assert parts_of(config(mutation("style", styles={}))) == {"mutations", "values"}
    assert parts_of(config(mutation("text", text="New"))) == {"mutations", "text"}
    assert parts_of(config(mutation("remove", kind=4))) == {"mutations", "breadth", "removal"}
    assert parts_of(config(mutation("insertAfter", html=""))) == {"mutations", "insertion"}


@pytest.mark.parametrize("told", [{"kind": "promo"}, {"kind": None}, {"action": {}}, {"action": "text"}])
def test_value_of_a_flag__that_looks_like_a_mutation__is_none(told: Json) -> None:
    value = {"mutations": [told]}
    flag = {"id": "f", "key": "f", "state": 1, "below": 0, "on": value, "off": value}
    assert parts_of(config(flags=[flag])) == {"flags", "mutations"}, "a name is enough for the part itself"


UNKNOWN = [
    config(novelty={}),
    config({"novelty": 1}),
    config(variation(novelty=1)),
    config({"goals": [{"id": "g", "novelty": 1}]}),
    config({"goals": ["none of ours"]}),
    config(variation(blocks=[{"rules": {}, "novelty": 1}])),
    config(mutation("text", novelty=1)),
    config(runtime=RUNTIME | {"novelty": True}),
    config(signals={"novelty": []}),
    config(experiments=["none of ours"]),
    config(flags=[{"novelty": 1}]),
    config(personalizations=[{"experiences": [{"novelty": 1}]}]),
]


@pytest.mark.parametrize("asked", UNKNOWN)
def test_config__with_what_is_not_known__has_everything(asked: Json) -> None:
    assert parts_of(asked) == parts().keys()


def test_bundle__of_a_part__has_what_the_part_requires() -> None:
    requiring = {name: required for name, required in parts().items() if required}
    assert requiring
    for name, required in requiring.items():
        assert bundle([name]) == bundle([name, *required])


def test_bundle__of_all_parts_or_untold__is_the_whole_one() -> None:
    assert bundle() == bundle(parts()) == bundle([*parts(), "unknown"])
