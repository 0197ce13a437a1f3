"""Goals: what each type needs, filters by type, the one primary goal, their order."""

from typing import Any

import pytest

from abtest.domain.changes.errors import NotDeletableError
from abtest.domain.experiments import goals as experiment_goals
from abtest.domain.experiments.design import design_hash
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.definition import counted, definition_digest
from abtest.domain.goals.edits import tidy
from abtest.domain.goals.model import digested
from abtest.domain.goals.rules import check_goal
from abtest.domain.goals.shapes import GoalFields
from abtest.kit.errors import ConflictError, NotFoundError, ValidationFailedError
from tests.unit.experiments.examples import GOAL, LATER, experiment, goal, in_status

ORDER_VALUE = {"version": 1, "orderValue": [{"operator": "gt", "value": 1}]}
LINE_ITEMS = {"version": 1, "lineItems": {"match": "any", "conditions": []}}
RATIO = {"type": "revenue", "aggregation": "ratio", "numerator": "value", "denominator": "events"}


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"type": "custom"}, "event_name"),
        ({"selector": None}, "selector"),
        ({"page_id": GOAL}, "page_id"),
        ({"filter": ORDER_VALUE}, "filter.orderValue"),
        ({"type": "custom", "event_name": "x", "filter": ORDER_VALUE}, "filter.orderValue"),
        ({"type": "custom", "event_name": "x", "filter": LINE_ITEMS}, "filter.lineItems"),
        ({"type": "pageview", "filter": LINE_ITEMS}, "filter.lineItems"),
        ({"capture": ({"property": "a"}, {"property": "a"})}, "capture"),
        ({**RATIO, "numerator": None}, "numerator"),
        ({**RATIO, "denominator": None}, "denominator"),
        ({**RATIO, "numerator": "items", "denominator": "items"}, "denominator"),
        ({**RATIO, "winsorize_pct": 0.01}, "winsorize_pct"),
        ({**RATIO, "aggregation": "sum"}, "numerator"),
        ({"denominator": "events"}, "denominator"),
        ({**RATIO, "type": "click", "numerator": "items"}, "numerator"),
        ({**RATIO, "type": "custom", "event_name": "x", "denominator": "items"}, "denominator"),
        (
            {"filter": {"version": 1, "conditions": [{"property": "a", "operator": "equals"}]}},
            "filter.conditions[0].value",
        ),
        (
            {"filter": {"version": 1, "conditions": [{"property": "a", "operator": "in", "value": "x"}]}},
            "filter.conditions[0].value",
        ),
        (
            {"filter": {"version": 1, "conditions": [{"property": "a", "operator": "gt", "value": ["x"]}]}},
            "filter.conditions[0].value",
        ),
    ],
)
def test_goal__fields_that_do_not_go_together__are_refused_by_path(fields: dict[str, Any], path: str) -> None:
    with pytest.raises(ValidationFailedError) as refusal:
        check_goal(goal(**fields), "goals[2].")
    assert refusal.value.fields[0].path == f"goals[2].{path}"


@pytest.mark.parametrize(
    "fields",
    [
        {"type": "revenue", "filter": {**ORDER_VALUE, **LINE_ITEMS}},
        {"type": "custom", "event_name": "checkout_started", "filter": LINE_ITEMS},
        {"type": "custom", "event_name": "add_to_cart", "filter": LINE_ITEMS},
        RATIO,
        {**RATIO, "numerator": "items"},
        {**RATIO, "denominator": "items"},
        {**RATIO, "type": "custom", "event_name": "add_to_cart", "numerator": "items"},
        {**RATIO, "type": "custom", "event_name": "x"},
        {"type": "pageview", "selector": None},
        {"selector": None, "text_match": "Buy"},
        {"filter": {"version": 1, "conditions": [{"property": "a", "operator": "exists"}]}},
        {"filter": {"version": 1, "conditions": [{"property": "a", "operator": "not_in", "value": ["x"]}]}},
    ],
)
def test_goal__fields_that_go_together__are_accepted(fields: dict[str, Any]) -> None:
    check_goal(goal(**fields))


def test_definition__of_a_goal_that_is_not_a_ratio__is_that_of_older_releases() -> None:
    assert not {"numerator", "denominator"} & (counted(goal()).keys() | digested(goal()).keys())
    plain = design_hash(experiment(goals=(goal(),)))
    assert plain != design_hash(experiment(goals=(goal(**RATIO),)))
    ratios = [definition_digest(goal(**{**RATIO, "numerator": part}), "EUR") for part in ("value", "items")]
    assert len(set(ratios)) == 2


def primaries(subject: Experiment) -> list[str]:
    assert all(item.is_primary == (item.role == "primary") for item in subject.goals)
    return [item.id for item in subject.goals if item.is_primary]


def test_join__first_goal__is_primary() -> None:
    assert primaries(experiment_goals.join(experiment(goals=()), goal(id="a"), {})) == ["a"]


def test_join__second_goal__is_not() -> None:
    assert primaries(experiment_goals.join(experiment(), goal(id="a"), {})) == [GOAL]


def test_join__states_primary__takes_it_over() -> None:
    stated: GoalFields = {"is_primary": True}
    assert primaries(experiment_goals.join(experiment(), goal(id="a", is_primary=True, role="primary"), stated)) == [
        "a"
    ]


def test_join__guardrail_as_first__stays_one() -> None:
    assert (
        primaries(experiment_goals.join(experiment(goals=()), goal(id="a", role="guardrail"), {"role": "guardrail"}))
        == []
    )


def test_join__same_goal_again__is_a_conflict() -> None:
    with pytest.raises(ConflictError):
        experiment_goals.join(experiment(), goal(), {})


def test_tidy__role_and_primary_differ__is_refused() -> None:
    with pytest.raises(ValidationFailedError):
        tidy({"role": "secondary", "is_primary": True})


def test_initial__two_primaries__is_refused() -> None:
    twice = [goal(id="a", is_primary=True, role="primary"), goal(id="b", is_primary=True, role="primary")]
    with pytest.raises(ValidationFailedError):
        experiment_goals.initial(twice, [{}, {}])


def test_edit__made_primary__demotes_the_other() -> None:
    before = experiment_goals.join(experiment(), goal(id="a"), {})
    assert primaries(experiment_goals.edit(before, "a", {"role": "primary"}, LATER)) == ["a"]


def test_archive__primary__is_primary_no_longer() -> None:
    after = experiment_goals.set_archived(experiment(), GOAL, LATER, LATER)
    assert primaries(after) == []
    assert experiment_goals.set_archived(after, GOAL, LATER, LATER) == after
    assert experiment_goals.find(experiment_goals.set_archived(after, GOAL, None, LATER), GOAL).archived_at is None


def test_order__new_order__first_is_primary_and_archived_ones_follow() -> None:
    before = experiment_goals.join(experiment_goals.join(experiment(), goal(id="a"), {}), goal(id="b"), {})
    before = experiment_goals.set_archived(before, "a", LATER, LATER)
    after = experiment_goals.order(before, ["b", GOAL])
    assert [item.id for item in after.goals] == ["b", GOAL, "a"]
    assert primaries(after) == ["b"]


@pytest.mark.parametrize("ids", [[], ["x", GOAL], [GOAL, GOAL], ["a"]])
def test_order__not_each_goal_once__is_refused(ids: list[str]) -> None:
    before = experiment_goals.join(experiment(), goal(id="a"), {})
    with pytest.raises(ValidationFailedError):
        experiment_goals.order(before, ids)


def test_delete__started_experiment__is_refused() -> None:
    with pytest.raises(NotDeletableError):
        experiment_goals.delete(in_status("paused"), GOAL)
    assert experiment_goals.delete(experiment(), GOAL).goals == ()


def test_find__unknown__is_not_found() -> None:
    with pytest.raises(NotFoundError):
        experiment_goals.find(experiment(), "x")
