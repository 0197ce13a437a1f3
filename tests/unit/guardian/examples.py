"""Evidence as tests of Guardian need it: two arms of a day where nothing is wrong, and small changes to it."""

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from abtest.domain.guardian.evidence import Answer, Arm, Evidence, Finding, NotEvaluated, Peaks, WatchedGoal
from abtest.domain.guardian.kinds import Kind
from abtest.domain.guardian.rules import RULES
from abtest.domain.guardian.settings import Settings, settings_of
from abtest.domain.ledger.cells import QUARTER_MS, GoalCount
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY

CONTROL, TREATMENT, SECOND = "control", "treatment", "second"
BUY, REVENUE = "buy", "revenue"

BEGAN_QUARTER = 20_000 * QUARTERS_A_DAY
BEGAN = BEGAN_QUARTER * QUARTER_MS
HOUR, DAY = 4, QUARTERS_A_DAY

OURS = settings_of()


def arm(variation_id: str, visitors: int, *, share: float = 0.5, **fields: Any) -> Arm:
    """An arm whose visitors came evenly during the first day."""
    came = {BEGAN_QUARTER + q: visitors // DAY for q in range(DAY)} if visitors >= DAY else {BEGAN_QUARTER: visitors}
    given: dict[str, Any] = {"arrivals": {quarter: number for quarter, number in came.items() if number}}
    return Arm(
        variation_id=variation_id,
        share=share,
        is_control=variation_id == CONTROL,
        visitors=visitors,
        **{**given, **fields},
    )


def clicks(control: int, treatment: int, *, second: int | None = None, **fields: Any) -> WatchedGoal:
    """A conversion goal with so many converters."""
    counts = {CONTROL: GoalCount(control, control, control, control)}
    counts[TREATMENT] = GoalCount(treatment, treatment, treatment, treatment)
    if second is not None:
        counts[SECOND] = GoalCount(second, second, second, second)
    given: dict[str, Any] = {"goal_id": BUY, "direction": "increase", "is_revenue": False, "unit": 1, "counts": counts}
    return WatchedGoal(**{**given, **fields})


def orders(control: int, treatment: int, *, cents: tuple[int, int] = (5000, 5000), **fields: Any) -> WatchedGoal:
    """A revenue goal; every order of an arm is of the same amount."""
    counts = {
        variation_id: GoalCount(number, number, number * each, number * each * each)
        for variation_id, number, each in ((CONTROL, control, cents[0]), (TREATMENT, treatment, cents[1]))
    }
    given: dict[str, Any] = {
        "goal_id": REVENUE,
        "direction": "increase",
        "is_revenue": True,
        "unit": 100,
        "counts": counts,
    }
    return WatchedGoal(**{**given, **fields})


def evidence(*goals: WatchedGoal, visitors: tuple[int, int] = (9600, 9600), **fields: Any) -> Evidence:
    """Two arms after one day, looked at a quarter of an hour later."""
    now = fields.get("now", BEGAN + (DAY + 1) * QUARTER_MS)
    given: dict[str, Any] = {
        "measurement_epoch": 1,
        "generation": 7,
        "began": BEGAN,
        "through": now - 60_000,
        "now": now,
        "counted_until": now - 5 * 60_000,
        "watched_since": BEGAN,
        "currency": "EUR",
        "arms": (arm(CONTROL, visitors[0]), arm(TREATMENT, visitors[1])),
        "goals": goals,
        "arrivals_since": BEGAN_QUARTER,
        "orders_since": BEGAN_QUARTER,
    }
    return Evidence(**{**given, **fields})


def with_arms(found: Evidence, **fields: Mapping[str, Any]) -> Evidence:
    """The evidence with arms changed, by variation."""
    return replace(found, arms=tuple(replace(each, **fields.get(each.variation_id, {})) for each in found.arms))


def answers(
    kind: Kind, found: Evidence, settings: Settings = OURS, peaks: Mapping[str, float] | None = None
) -> list[Answer]:
    """What the kind's rule answers."""
    return list(RULES[kind](found, settings, Peaks(peaks or {})))


def findings(
    kind: Kind, found: Evidence, settings: Settings = OURS, peaks: Mapping[str, float] | None = None
) -> list[Finding]:
    """What it found."""
    return [each for each in answers(kind, found, settings, peaks) if isinstance(each, Finding)]


def unknown(kind: Kind, found: Evidence, settings: Settings = OURS) -> list[str]:
    """Why it could not look."""
    return [each.reason for each in answers(kind, found, settings) if isinstance(each, NotEvaluated)]
