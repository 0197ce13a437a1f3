"""The compiled config: which experiments, which fields, in which form."""

from typing import Any

import pytest

from abtest.domain.assignment.hash import fold
from abtest.domain.delivery.config import Runtime, Stored, compile_config, compile_shop
from abtest.domain.experiments.model import Experiment
from tests.support.storefronts import MOMENT, experiment, experiment_id, goal, shop, variation

RUNTIME = Runtime(
    shop_id="shop",
    environment="production",
    currency="EUR",
    events_url="https://e.example/events",
    events_signature="s",
)


def compiled(*experiments: Experiment) -> list[Any]:
    found: list[Any] = config(experiments=experiments)["experiments"]
    return found


def config(**stored: Any) -> Any:
    return compile_config(RUNTIME, compile_shop(shop(), Stored(**stored)), 7)


def rules(*patterns: str) -> list[dict[str, str]]:
    return [{"type": "simple", "pattern": pattern} for pattern in patterns]


def test_config__of_no_experiment__has_every_part() -> None:
    assert config() == {
        "shop_id": "shop",
        "runtime": {
            "environment": "production",
            "currency": "EUR",
            "events_url": "https://e.example/events",
            "events_signature": "s",
        },
        "signals": {},
        "profile": {},
        "delivery": {"format": 1, "revision": 7},
        "experiments": [],
    }


@pytest.mark.parametrize("status", ["draft", "qa", "ready_to_launch", "paused", "completed"])
def test_config__of_an_experiment_that_does_not_run__leaves_it_out(status: Any) -> None:
    assert compiled(experiment(status=status)) == []


def test_config__of_an_archived_experiment__leaves_it_out() -> None:
    assert compiled(experiment(archived_at=MOMENT)) == []


def test_config__of_an_experiment_on_a_landing_page__marks_it() -> None:
    ours, other = config(experiments=[experiment(1), experiment(2)], served={experiment_id(1)})["experiments"]
    assert ours == {**compiled(experiment(1))[0], "served": True}
    assert other == compiled(experiment(2))[0]


def test_config__of_several_experiments__has_the_oldest_first() -> None:
    assert [each["id"] for each in compiled(experiment(2), experiment(1))] == [experiment_id(1), experiment_id(2)]


def test_experiment__with_nothing_optional__has_no_empty_fields() -> None:
    assert compiled(experiment()) == [
        {
            "id": experiment_id(1),
            "name": "Experiment 1",
            "type": "mutation",
            "epoch": 1,
            "state": fold(experiment_id(1)),
            "variations": [
                {"id": variation(0).id, "name": "V0", "control": True, "range": [0, 5000]},
                {"id": variation(1).id, "name": "V1", "range": [5000, 10000]},
            ],
            "goals": [],
        }
    ]


def test_experiment__restarted__is_seeded_by_its_epoch() -> None:
    (found,) = compiled(experiment(assignment_epoch=3))
    assert (found["epoch"], found["state"]) == (3, fold(f"{experiment_id(1)}:3"))


def test_experiment__with_part_of_the_traffic__leaves_buckets_free() -> None:
    (found,) = compiled(experiment(traffic_allocation=0.5))
    assert [each["range"] for each in found["variations"]] == [[0, 2500], [5000, 7500]]


def test_experiment__with_an_archived_variation__does_not_deliver_it() -> None:
    gone = variation(2, archived_at=MOMENT)
    (found,) = compiled(experiment(variations=(variation(0), gone, variation(1))))
    assert [(each["name"], each["range"]) for each in found["variations"]] == [("V0", [0, 5000]), ("V1", [5000, 10000])]


def test_experiment__with_code__delivers_it() -> None:
    (found,) = compiled(experiment(experiment_css="a{}", experiment_js="x()", experiment_reset_js="y()"))
    assert (found["css"], found["js"], found["reset_js"]) == ("a{}", "x()", "y()")


def test_experiment__with_page_rules__delivers_them_compiled() -> None:
    page = {"includeRules": rules("/a"), "excludeRules": rules("/b")}
    (found,) = compiled(experiment(targeting={"pageMatchMode": "all", "pageRules": [page]}))
    include, exclude = [{"path": r"\/?a\/?"}], [{"path": r"\/?b\/?"}]
    assert found["pages"] == {"mode": "all", "in": [{"include": include, "exclude": exclude}], "out": []}


def test_variation__with_everything__delivers_it() -> None:
    mutation = {"selector": "h1", "action": "text", "text": "Hi"}
    block = {"id": "b", "name": "B", "urlRules": rules("/x"), "mutations": [mutation], "css": "c", "js": "d"}
    full = variation(1, mutations=(mutation,), custom_css="a", custom_js="b", url_blocks=(block,))
    (found,) = compiled(experiment(variations=(variation(0), full)))
    assert found["variations"][1] == {
        "id": full.id,
        "name": "V1",
        "range": [5000, 10000],
        "mutations": [mutation],
        "css": "a",
        "js": "b",
        "blocks": [{"rules": {"include": [{"path": r"\/?x\/?"}]}, "mutations": [mutation], "css": "c", "js": "d"}],
    }


@pytest.mark.parametrize(("delivery_type", "expected"), [("redirect", "https://x.example/b"), ("mutation", None)])
def test_variation__with_a_destination__redirects_in_redirect_experiments_only(
    delivery_type: Any, expected: str | None
) -> None:
    there = variation(1, redirect_url="https://x.example/b")
    (found,) = compiled(experiment(delivery_type=delivery_type, variations=(variation(0), there)))
    assert found["variations"][1].get("redirect_url") == expected


@pytest.mark.parametrize(
    ("mutation", "expected"),
    [
        ({"action": "setText", "text": "a"}, {"action": "text", "text": "a"}),
        ({"action": "setStyle", "styles": {"a": "b"}}, {"action": "style", "styles": {"a": "b"}}),
        (
            {"action": "style", "styles": {"backgroundColor": "red", "--fontSize": "1"}},
            {"action": "style", "styles": {"background-color": "red", "--fontSize": "1"}},
        ),
        (
            {"action": "attribute", "attribute": {"name": "href", "value": None}},
            {"action": "attribute", "attributes": {"href": None}},
        ),
        (
            {"action": "attribute", "attribute": {"name": "a", "value": "1"}, "attributes": {"b": "2"}},
            {"action": "attribute", "attributes": {"a": "1", "b": "2"}},
        ),
        ({"action": "html", "html": "<b>"}, {"action": "html", "html": "<b>"}),
        ({"action": "insertBefore", "html": "<b>"}, {"action": "insertBefore", "html": "<b>"}),
        ({"action": "remove", "text": "ignored", "description": "a note"}, {"action": "remove"}),
    ],
)
def test_mutation__in_any_form__is_delivered_in_one(mutation: Any, expected: Any) -> None:
    changed = variation(1, mutations=({"selector": "p", **mutation},))
    (found,) = compiled(experiment(variations=(variation(0), changed)))
    assert found["variations"][1]["mutations"] == [{"selector": "p", **expected}]


def test_goal__is_delivered_with_what_the_browser_needs() -> None:
    capture = {"property": "sku", "source": "dataset", "attribute": "sku"}
    full = goal(
        event_name="add",
        text_match="Buy",
        url_pattern="/cart",
        count_once=False,
        capture=(capture,),
        winsorize_pct=0.01,
    )
    (found,) = compiled(experiment(goals=(full,)))
    assert found["goals"] == [
        {
            "id": full.id,
            "type": "click",
            "once": False,
            "event": "add",
            "selector": "#buy",
            "text": "Buy",
            "url": {"path": r"\/?cart\/?"},
            "capture": [capture],
        }
    ]


def test_goal__that_is_a_ratio__is_sent_at_every_hit() -> None:
    ratio = goal(aggregation="ratio", numerator="value", denominator="events")
    (config_of_one,) = compiled(experiment(goals=(ratio,)))
    assert (ratio.count_once, config_of_one["goals"][0]["once"]) == (True, False)


def test_goal__that_is_archived__is_not_delivered() -> None:
    (found,) = compiled(experiment(goals=(goal(archived_at=MOMENT),)))
    assert found["goals"] == []


def test_goal__scoped_by_a_page_rule__counts_on_its_pages() -> None:
    page = {"id": "p1", "includeRules": rules("/cart"), "excludeRules": []}
    (found,) = compiled(experiment(goals=(goal(page_id="p1"), goal(page_id="p2")), goal_page_rules=(page,)))
    scoped, unscoped = found["goals"]
    assert scoped["pages"] == {"include": [{"path": r"\/?cart\/?"}]}
    assert "pages" not in unscoped
