"""Plans: what of an experiment, its goals and a shop's holdout decides what is counted."""

from dataclasses import asdict, replace
from typing import Any

import pytest

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.hits import accepts
from abtest.domain.ledger.plans import (
    FOR_EVER_MS,
    GoalPlan,
    both_of,
    denominator_of,
    digested,
    plan_counting,
    plan_holdout,
)
from abtest.domain.settings.shop import Shop
from abtest.kit import canonical_json
from tests.support.ledgers import order

NOW = "2026-02-02T02:48:20.000Z"
PAGE = {
    "id": "page-1",
    "includeRules": [{"type": "simple", "pattern": "/checkout/*"}],
    "excludeRules": [{"type": "simple", "pattern": "/checkout/cart"}],
}
GOAL = Goal(id="g-1", experiment_id="exp-1", name="Sales", type="revenue", created_at=NOW, updated_at=NOW)


def experiment(*goals: Goal, **changes: Any) -> Experiment:
    fields: dict[str, Any] = {
        "id": "exp-1",
        "shop_id": "shop-a",
        "name": "Buttons",
        "measurement_started_at": NOW,
        "assignment_epoch": 2,
        "measurement_epoch": 3,
        "created_at": NOW,
        "updated_at": NOW,
        "goals": goals,
        "variations": (
            Variation(id="control", experiment_id="exp-1", name="A", weight=0.5, is_control=True),
            Variation(id="gone", experiment_id="exp-1", name="B", weight=0.5, is_control=False, archived_at=NOW),
        ),
    }
    return Experiment(**(fields | changes))


def planned(goal: Goal, **changes: Any) -> GoalPlan:
    plan = plan_counting(experiment(goal, **changes), "EUR")
    assert plan is not None
    return plan.goals[0]


def shop(**changes: Any) -> Shop:
    fields: dict[str, Any] = {"id": "shop-a", "name": "Garden", "domain": "garden.example", "org_id": "user-1"}
    return Shop(**(fields | {"currency": "SEK", "created_at": NOW, "updated_at": NOW} | changes))


def test_plan__of_an_experiment_that_never_measured__is_none() -> None:
    assert plan_counting(experiment(GOAL, measurement_started_at=None), "EUR") is None


def test_plan__counts_archived_variations_and_goals_too() -> None:
    plan = plan_counting(experiment(replace(GOAL, archived_at=NOW)), "EUR")
    assert plan is not None
    assert (plan.begins_at, plan.assignment_epoch, plan.measurement_epoch) == (1_770_000_500_000, 2, 3)
    assert plan.variation_ids == ("control", "gone")
    assert [goal.goal_id for goal in plan.goals] == ["g-1"]
    assert plan.goals[0].window_ms == 30 * DAY_MS


def test_plan__as_canonical_json__has_a_digest() -> None:
    plan = plan_counting(experiment(replace(GOAL, url_pattern="/a", page_id="page-1"), goal_page_rules=(PAGE,)), "EUR")
    assert plan is not None
    assert canonical_json.sha256(asdict(plan)) == canonical_json.sha256(asdict(replace(plan)))
    assert canonical_json.sha256(asdict(plan)) != canonical_json.sha256(asdict(replace(plan, currency="USD")))


@pytest.mark.parametrize(
    ("kind", "aggregation", "sums_value", "takes_first_only"),
    [
        ("custom", "conversion", False, True),
        ("custom", "count", False, True),
        ("custom", "sum", True, False),
        ("click", "mean", True, False),
        ("pageview", "sum", True, False),
        ("revenue", "sum", False, False),
        ("revenue", "conversion", False, False),
    ],
)
def test_goal_plan__of_an_aggregation__says_what_is_summed(
    kind: Any, aggregation: Any, sums_value: bool, takes_first_only: bool
) -> None:
    found = planned(replace(GOAL, type=kind, event_name="e", aggregation=aggregation))
    assert (found.sums_value, found.takes_first_only) == (sums_value, takes_first_only)
    assert found.is_judged is sums_value


def test_goal_plan__of_a_ratio__is_of_numerator_denominator_and_both() -> None:
    ratio = replace(GOAL, type="revenue", aggregation="ratio", numerator="value", denominator="items")
    plan = plan_counting(experiment(ratio, assignment_epoch=1, measurement_epoch=1), "EUR")
    assert plan is not None
    assert [(goal.goal_id, goal.adds) for goal in plan.goals] == [
        ("g-1", ("value",)),
        (denominator_of("g-1"), ("items",)),
        (both_of("g-1"), ("value", "items")),
    ]
    assert {goal.event_goal_id for goal in plan.goals} == {"g-1"}
    assert [goal.lists_money for goal in plan.goals] == [True, False, False]
    assert [(goal.takes_minor, goal.takes_worth) for goal in plan.goals] == [(True, False), (False, True), (True, True)]
    assert not any(goal.looks_back or goal.takes_first_only for goal in plan.goals)
    assert all(goal.needs_items and goal.is_judged for goal in plan.goals)


def test_digest__of_a_plan_without_ratios__has_none_of_their_fields() -> None:
    plan = plan_counting(experiment(GOAL), "EUR")
    assert plan is not None
    document = digested(plan)
    assert not {"hits_of", "adds", "needs_items", "needs_money"} & document["goals"][0].keys()
    assert document.keys() == asdict(plan).keys()


def test_goal_plan__of_items_per_order__does_not_need_money() -> None:
    ratio = replace(GOAL, type="revenue", aggregation="ratio", numerator="items", denominator="events")
    plan = plan_counting(experiment(ratio), "EUR")
    assert plan is not None
    assert not any(goal.needs_money or goal.lists_money or goal.takes_minor for goal in plan.goals)


@pytest.mark.parametrize(
    ("changes", "looks_back"),
    [
        ({"type": "revenue"}, True),
        ({"type": "custom", "aggregation": "sum"}, True),
        ({"type": "click", "aggregation": "mean"}, True),
        ({"type": "click", "aggregation": "count", "count_once": False}, True),
        ({"type": "click", "aggregation": "count", "count_once": True}, False),
        ({"type": "click", "aggregation": "conversion", "count_once": False}, False),
    ],
)
def test_goal_plan__that_compares_means__looks_back(changes: dict[str, Any], looks_back: bool) -> None:
    assert planned(replace(GOAL, event_name="e", **changes), measurement_epoch=2).looks_back is looks_back


@pytest.mark.parametrize(
    ("changes", "adjustment", "looks_back"),
    [
        ({"type": "click", "aggregation": "conversion"}, "cuped", True),
        ({"type": "click", "aggregation": "conversion"}, "none", False),
        ({"type": "click", "aggregation": "conversion", "count_once": False}, "cuped", False),
        ({"type": "revenue"}, "none", True),
    ],
)
def test_goal_plan__of_a_test_that_adjusts__looks_back_for_visitors_who_converted(
    changes: dict[str, Any], adjustment: Any, looks_back: bool
) -> None:
    counting = plan_counting(
        experiment(
            replace(GOAL, **changes),
            assignment_epoch=2,
            measurement_epoch=2,
            planned_test={"covariate_adjustment": adjustment},
        ),
        "EUR",
    )
    assert counting is not None
    assert counting.goals[0].looks_back is looks_back


@pytest.mark.parametrize(("assignment", "measurement", "days"), [(1, 1, 14), (2, 2, 14), (1, 2, 0), (2, 3, 0)])
def test_plan__of_a_measurement_in_which_somebody_was_treated_before__does_not_look_back(
    assignment: int, measurement: int, days: int
) -> None:
    """What they did before this measurement may have come of the variation."""
    plan = plan_counting(experiment(GOAL, assignment_epoch=assignment, measurement_epoch=measurement), "EUR")
    assert plan is not None
    assert plan.begins_at - plan.since == days * DAY_MS


@pytest.mark.parametrize(
    ("url", "on_the_page", "on_pattern"),
    [
        ("https://shop.example/checkout/thanks", True, True),
        ("https://shop.example/checkout/cart", False, False),
        ("https://shop.example/checkout/pay", True, False),
        ("https://shop.example/thanks", False, False),
    ],
)
def test_goal_plan__scoped_to_a_page_and_a_pattern__counts_where_both_match(
    url: str, on_the_page: bool, on_pattern: bool
) -> None:
    paged = replace(GOAL, page_id="page-1")
    row = order("v-1", 5, url=url)
    assert accepts(planned(paged, goal_page_rules=(PAGE,)), row) is on_the_page
    assert accepts(planned(replace(paged, url_pattern="*/thanks"), goal_page_rules=(PAGE,)), row) is on_pattern


def test_goal_plan__of_a_page_with_conditions__is_scoped_by_addresses_alone() -> None:
    told = {"advancedCondition": {"device": "mobile"}, "trigger": {"type": "dom_ready"}}
    scope = planned(replace(GOAL, page_id="page-1"), goal_page_rules=(PAGE | told,)).scope
    assert scope is not None
    assert scope["pages"].keys() == {"include", "exclude"}
    nowhere = PAGE | told | {"includeRules": [], "excludeRules": []}
    assert planned(replace(GOAL, page_id="page-1"), goal_page_rules=(nowhere,)).scope is None


def test_goal_plan__of_an_excluding_page__counts_everywhere_else() -> None:
    found = planned(replace(GOAL, page_id="page-1"), goal_page_rules=(PAGE | {"include": False},))
    assert not accepts(found, order("v-1", 5, url="https://shop.example/checkout/thanks"))
    assert accepts(found, order("v-1", 5, url="https://shop.example/"))


@pytest.mark.parametrize("kind", ["click", "pageview"])
def test_goal_plan__of_what_browsers_judge__has_no_scope(kind: Any) -> None:
    found = planned(replace(GOAL, type=kind, page_id="page-1", url_pattern="/a"), goal_page_rules=(PAGE,))
    assert found.scope is None
    assert not found.is_judged


def test_holdout__that_is_off__is_not_planned() -> None:
    assert plan_holdout(shop(holdout_pct=5.0)) is None


def test_holdout__is_planned_from_its_configuration() -> None:
    plan = plan_holdout(shop(holdout_v1_enabled=True, holdout_config_epoch=1_770_000_000_000))
    assert plan is not None
    assert (plan.experiment_id, plan.shop_id, plan.currency, plan.exposure) == ("shop-a", "shop-a", "SEK", "cohort")
    assert plan.assignment_epoch == plan.measurement_epoch == plan.begins_at == 1_770_000_000_000
    assert plan.variation_ids == ("holdout", "active")
    assert [(goal.goal_id, goal.counts_money, goal.window_ms) for goal in plan.goals] == [
        ("__revenue__", True, FOR_EVER_MS)
    ]
