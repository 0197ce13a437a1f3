"""Guardrails as results show them: which goals are tested, and the sentences about those that are not."""

from __future__ import annotations

from dataclasses import replace
from types import SimpleNamespace
from typing import Any

import pytest

from abtest.domain.autostop.settings import AutoStop
from abtest.services.results.guardrails import deciding_goal, guardrails_of
from tests.support.autostopping import plan, running
from tests.support.storefronts import goal

FIXED = AutoStop(mode="fixed_horizon_planned_end")
ORDERS = goal(id="0192a3b4-0000-7000-8000-000000000301", name="Orders", role="guardrail")
MONEY = goal(id="0192a3b4-0000-7000-8000-000000000303", name="Revenue", type="revenue", selector=None)
CART = goal(is_primary=True, role="primary")


@pytest.mark.parametrize(
    ("goals", "settings", "expected"),
    [
        pytest.param((ORDERS, CART), AutoStop(), CART, id="primary"),
        pytest.param((ORDERS, MONEY), AutoStop(), ORDERS, id="first in use"),
        pytest.param(
            (replace(ORDERS, archived_at="2026-10-05T08:30:00.000Z"), MONEY), AutoStop(), MONEY, id="first was archived"
        ),
        pytest.param((MONEY, ORDERS), FIXED, MONEY, id="fixed, and no plan"),
        pytest.param((), AutoStop(), None, id="no goal"),
    ],
)
def test_deciding_goal__without_a_plan__is_the_one_that_results_decide_by(
    goals: Any, settings: AutoStop, expected: Any
) -> None:
    assert deciding_goal(running(goals=goals), settings) == (expected and expected.id)


def test_deciding_goal__of_a_plan__leaves_its_money_a_guardrail() -> None:
    goals = (CART, ORDERS, MONEY)
    planned = {one.id: running(goals=goals, planned_test=plan(goal_id=one.id)) for one in (ORDERS, MONEY)}
    assert [deciding_goal(one, FIXED) for one in planned.values()] == [ORDERS.id, None]


@pytest.mark.parametrize(
    ("fields", "has_control", "totals", "words"),
    [
        pytest.param(
            {"measurement_started_at": None}, True, None, "as soon as the experiment has started.", id="draft"
        ),
        pytest.param({}, True, None, "yet: nothing of this measurement has been counted.", id="no count"),
        pytest.param({}, False, {"generation": 1}, "there is no control in use.", id="no control"),
    ],
)
def test_guardrails__of_a_measurement_without_evidence__have_a_sentence_of_their_own(
    fields: Any, has_control: bool, totals: Any, words: str
) -> None:
    experiment = running(goals=(CART, ORDERS), **fields)
    control = experiment.variations[0] if has_control else None
    rules: Any = SimpleNamespace(auto_stop=lambda _: FIXED, question=lambda *_: SimpleNamespace(control=control))
    snapshot: Any = SimpleNamespace(totals=totals)
    (shown,) = guardrails_of(experiment, rules, snapshot, None, is_covered=True)
    assert (shown.goal_id, shown.status) == (ORDERS.id, "not_counted")
    assert shown.message.startswith("“Orders” is ")
    assert shown.message.endswith(words)
