"""All rules together: what every kind has in common."""

import pytest

from abtest.domain.guardian.evidence import Finding, NotEvaluated, Peaks, Sessions, ShopOrders
from abtest.domain.guardian.kinds import KINDS, Kind
from abtest.domain.guardian.rules import RULES, look
from abtest.domain.guardian.settings import settings_of
from tests.unit.guardian.examples import (
    BEGAN_QUARTER,
    CONTROL,
    DAY,
    OURS,
    arm,
    clicks,
    evidence,
    orders,
    unknown,
    with_arms,
)


def test_rules__healthy_experiment__find_nothing() -> None:
    healthy = with_arms(
        evidence(
            clicks(480, 480), orders(480, 480), orders=ShopOrders(960, 0), order_arrivals={BEGAN_QUARTER + DAY: 9}
        ),
        control={"sessions": Sessions(12_000, 3, 0)},
        treatment={"sessions": Sessions(12_000, 4, 60)},
    )
    found = list(look(healthy, OURS, Peaks({})))
    assert [each for each in found if isinstance(each, Finding)] == []
    assert [(each.kind, each.reason) for each in found if isinstance(each, NotEvaluated)] == [
        ("revenue_loss", "no_threshold")
    ]


def test_rules__are_there_for_every_kind_in_the_order_of_the_table() -> None:
    assert list(RULES) == list(KINDS)
    assert len(KINDS) == 13


@pytest.mark.parametrize("kind", ["delivery_drift", "broken_runtime"])
def test_sessions_that_the_roll_up_lacks__are_said_to_be_missing(kind: Kind) -> None:
    assert unknown(kind, evidence()) == ["not_in_rollups"]


@pytest.mark.parametrize("kind", ["revenue_harm", "revenue_loss", "currency_residue"])
def test_money__of_an_experiment_without_revenue_goal__is_not_evaluated(kind: Kind) -> None:
    loss = settings_of({"revenue_loss": {"threshold_amount": 1}})
    assert unknown(kind, evidence(clicks(1, 1)), loss) == ["no_goal"]


def test_goal_that_is_newer_than_the_counts__is_not_evaluated() -> None:
    assert unknown("conversion_harm", evidence(clicks(1, 1, counts={}))) == ["not_counted_yet"]


def test_experiment_without_treatment__has_nothing_to_compare() -> None:
    alone = evidence(clicks(400, 0), arms=(arm(CONTROL, 100, share=1.0),))
    found = {each.kind: each.reason for each in look(alone, OURS, Peaks({})) if isinstance(each, NotEvaluated)}
    assert found["conversion_harm"] == found["broken_runtime"] == found["revenue_harm"] == "no_comparison"
    assert "sample_ratio_mismatch" not in found


def test_look__switched_off_or_not_counted__says_so_of_every_kind() -> None:
    off = list(look(evidence(clicks(400, 0)), settings_of({"enabled": False}), Peaks({})))
    assert {(each.kind, each.reason) for each in off if isinstance(each, NotEvaluated)} == {
        (kind, "switched_off") for kind in KINDS
    }
    assert len(off) == 13
    none = list(look(None, OURS, Peaks({})))
    assert {each.reason for each in none if isinstance(each, NotEvaluated)} == {"not_counted_yet"}


def test_look__alert_on_data_quality_off__leaves_safety_on() -> None:
    found = list(look(evidence(clicks(400, 0)), settings_of({"alert_on_data_quality": False}), Peaks({})))
    off = {each.kind for each in found if isinstance(each, NotEvaluated) and each.reason == "switched_off"}
    assert off == {kind for kind, row in KINDS.items() if row.switch == "alert_on_data_quality"}
    assert "conversion_harm" in {each.kind for each in found if isinstance(each, Finding)}


def test_evidence_that_is_infinite__is_kept_finite() -> None:
    peaks = Peaks({})
    assert peaks.at_least(float("inf"), "x") == peaks.all["x"] == 1e6
    assert peaks.at_least(-3.0, "y") == 0.0
