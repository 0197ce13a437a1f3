"""The simulated Guardian finds, look by look, what the rules at work find."""

from __future__ import annotations

from collections import Counter
from collections.abc import Mapping
from dataclasses import replace
from typing import get_args

import numpy as np
import pytest

from abtest.domain.guardian import rules
from abtest.domain.guardian.cases import State
from abtest.domain.guardian.evidence import (
    Arm,
    Arrivals,
    Evidence,
    Finding,
    Peaks,
    Sessions,
    ShopOrders,
    Stitching,
    WatchedGoal,
)
from abtest.domain.guardian.judgement import judge
from abtest.domain.guardian.kinds import Kind
from abtest.domain.ledger.cells import QUARTER_MS, GoalCount
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY
from abtest.kit.clock import from_milliseconds, timestamp
from abtest.services.guardian.evidence import DAYS_BACK
from tools.sim.guarding import SETTINGS
from tools.sim.seen import HOUR, Counts, Flags, Goal, Seen
from tools.sim.shop import Shop
from tools.sim.watching import RULES, confirmed

ARMS = "control", "treatment"
BEGAN_QUARTER = 20_000 * QUARTERS_A_DAY
DAYS, PATHS = 4, 6
KINDS: tuple[Kind, ...] = get_args(Kind)

HEALTHY = Shop(visitors_a_day=4_000)
SICK = replace(
    HEALTHY, kept=0.6, failed=0.01, missed=0.112, twice=0.0105, foreign=0.045, repeated=0.04, stitched=0.81, swing=0.3
)


def seen(shop: Shop) -> Seen:
    return shop.seen(np.random.default_rng(4), PATHS, DAYS)


def with_errors() -> Seen:
    """The treatment fails more often, its orders are in other currencies, and its share was to be larger."""
    found = seen(SICK)
    cart, revenue = found.goals
    excluded = np.stack([revenue.excluded[0], 4 * revenue.excluded[1]])
    failed = np.stack([found.failed[0], 3 * found.failed[1]])
    return replace(found, failed=failed, goals=[cart, replace(revenue, excluded=excluded)], share=0.525)


def with_gaps(begins: int, arms: slice) -> Seen:
    """Nobody comes to the arms from that quarter on; on later paths from a little later on."""
    found = seen(replace(HEALTHY, swing=0.3))
    arrivals, orders = found.arrivals.copy(), found.order_arrivals.copy()
    for path in range(PATHS):
        arrivals[arms, path, begins + 5 * path :] = 0
        orders[path, begins + 7 * path :] = 0
    hourly = arrivals.reshape(2, PATHS, -1, HOUR).sum(axis=-1)
    visitors = hourly.cumsum(axis=-1)
    missed, failed = np.minimum(found.missed, visitors), np.minimum(found.failed, visitors)
    return replace(found, arrivals=arrivals, order_arrivals=orders, visitors=visitors, missed=missed, failed=failed)


def without_purchases() -> Seen:
    return seen(replace(HEALTHY, kept=0.05))


WORLDS = {
    "healthy": seen(HEALTHY),
    "purchases that stop": seen(replace(HEALTHY, kept=0.02, breaks=(40, 60))),
    "fewer visitors": seen(replace(HEALTHY, kept_visitors=0.6, breaks=(40, 60))),
    "smaller orders": seen(replace(HEALTHY, kept_money=0.3, breaks=(24, 40))),
    "sick": seen(SICK),
    "errors": with_errors(),
    "no purchases": without_purchases(),
    "a treatment that stops": with_gaps(120, slice(1, 2)),
    "a treatment that never begins": with_gaps(0, slice(1, 2)),
    "a shop that stops": with_gaps(170, slice(0, 2)),
}


def evidence(world: Seen, path: int, look: int) -> Evidence:
    end = (look + 1) * HOUR
    now = (BEGAN_QUARTER + end) * QUARTER_MS
    at = (path, look)
    orders, stitched = int(world.orders[at]), int(world.stitched[at])
    return Evidence(
        measurement_epoch=1,
        generation=look,
        began=BEGAN_QUARTER * QUARTER_MS,
        through=now,
        now=now,
        counted_until=now,
        watched_since=BEGAN_QUARTER * QUARTER_MS,
        currency="EUR",
        arms=[
            Arm(
                variation_id=arm,
                share=(1 - world.share, world.share)[number],
                is_control=number == 0,
                visitors=int(world.visitors[number][at]),
                sessions=Sessions(*(int(each[number][at]) for each in (world.visitors, world.failed, world.missed))),
                arrivals=_arrivals(world.arrivals[number, path, :end]),
            )
            for number, arm in enumerate(ARMS)
        ],
        goals=[_goal(goal, number, at) for number, goal in enumerate(world.goals)],
        multiple_exposure=int(world.twice[at]),
        arrivals_since=BEGAN_QUARTER + max(0, end // QUARTERS_A_DAY - DAYS_BACK) * QUARTERS_A_DAY,
        order_arrivals=_arrivals(world.order_arrivals[path, :end]),
        orders_since=BEGAN_QUARTER,
        orders=ShopOrders(orders, int(world.repeated[at])),
        stitching=Stitching(orders, stitched, asks_consent=False),
    )


def _arrivals(came: Counts) -> Arrivals:
    return {BEGAN_QUARTER + quarter: int(number) for quarter, number in enumerate(came) if number}


def _goal(goal: Goal, number: int, at: tuple[int, int]) -> WatchedGoal:
    def count(arm: int) -> GoalCount:
        hits = int(goal.hits[arm][at])
        if goal.total is None or goal.squares is None:
            return GoalCount(int(goal.converters[arm][at]), hits, hits, hits)
        return GoalCount(int(goal.converters[arm][at]), hits, int(goal.total[arm][at]), int(goal.squares[arm][at]))

    return WatchedGoal(
        goal_id=f"goal {number}",
        direction="increase",
        is_revenue=goal.total is not None,
        unit=1 if goal.total is None else 100,
        counts={arm: count(place) for place, arm in enumerate(ARMS)},
        excluded={arm: int(goal.excluded[place][at]) for place, arm in enumerate(ARMS)},
        recent={arm: _recent(goal, place, at) for place, arm in enumerate(ARMS)},
    )


def _recent(goal: Goal, arm: int, at: tuple[int, int]) -> Mapping[int, GoalCount]:
    path, look = at
    if goal.quarters is None:
        hourly = np.diff(goal.converters[arm, path, : look + 1], prepend=0).tolist()
        return {BEGAN_QUARTER + hour * HOUR: GoalCount(n, n, n, n) for hour, n in enumerate(hourly) if n}
    end = (look + 1) * HOUR
    buyers, total, squares = (each[arm, path, :end].tolist() for each in goal.quarters)
    return {
        BEGAN_QUARTER + quarter: GoalCount(n, n, money, square)
        for quarter, (n, money, square) in enumerate(zip(buyers, total, squares, strict=True))
        if n
    }


@pytest.mark.parametrize("world", WORLDS.values(), ids=list(WORLDS))
def test_rules__of_arrays__find_what_guardian_finds(world: Seen) -> None:
    found = {kind: RULES[kind](world, SETTINGS) for kind in KINDS}
    for path in range(PATHS):
        peaks = Peaks({})
        for look in range(world.looks):
            answers = list(rules.look(evidence(world, path, look), SETTINGS, peaks))
            expected = {answer.kind for answer in answers if isinstance(answer, Finding)}
            assert {kind for kind in KINDS if found[kind][path, look]} == expected, (path, look)


@pytest.mark.parametrize("name", ["sick", "a shop that stops"])
def test_alarms__of_arrays__are_told_when_guardian_tells_them(name: str) -> None:
    world = WORLDS[name]
    alarms = {kind: confirmed(kind, RULES[kind](world, SETTINGS), SETTINGS) for kind in KINDS}
    for path in range(2):
        assert {kind: _first(flags[path]) for kind, flags in alarms.items() if flags[path].any()} == _told(world, path)


def _first(flags: Flags) -> int:
    return int(flags.argmax())


def _told(world: Seen, path: int) -> dict[Kind, int]:
    """At which look Guardian first tells of each kind."""
    state: State | None = None
    first: dict[Kind, int] = {}
    for look in range(world.looks):
        now = timestamp(from_milliseconds((BEGAN_QUARTER + (look + 1) * HOUR) * QUARTER_MS))
        judged = judge(state, evidence(world, path, look), SETTINGS, measurement_epoch=1, now=now)
        # Here looks follow each other by the hour; for Guardian that is a break, after which its watch begins anew.
        state = replace(judged.state, watched_since=timestamp(from_milliseconds(BEGAN_QUARTER * QUARTER_MS)))
        for case in (*judged.pauses, *judged.alerts):
            first.setdefault(case.kind, look)
    return first


def test_worlds__of_these_tests__let_every_rule_find_something_and_nothing() -> None:
    seen_by = Counter[tuple[Kind, bool]]()
    for world in WORLDS.values():
        for kind in KINDS:
            seen_by.update((kind, bool(flag)) for flag in RULES[kind](world, SETTINGS).ravel())
    assert set(seen_by) == {(kind, flag) for kind in KINDS for flag in (True, False)}


def test_checks_in_a_row__one_fewer_than_wanted__tell_nothing() -> None:
    found = np.array([[True, True, False, True, True, True, True, False]])
    alarms = confirmed("delivery_drift", found, SETTINGS)
    assert alarms.tolist() == [[False, False, False, False, False, True, True, False]]
    assert (confirmed("multiple_exposure", found, SETTINGS) == found).all()


def test_money__of_the_simulated_shop__has_the_mean_and_spread_it_was_given() -> None:
    world = Shop(visitors_a_day=20_000, mean_order=60, spread=0.5, swing=0).seen(np.random.default_rng(2), 20, 10)
    revenue = world.goals[1]
    assert revenue.total is not None
    assert revenue.squares is not None
    orders, total = revenue.hits[..., -1].sum(), revenue.total[..., -1].sum()
    mean = total / orders / 100
    assert mean == pytest.approx(60, rel=0.01)
    variation = np.sqrt(revenue.squares[..., -1].sum() / orders / 10_000 - mean**2) / mean
    assert variation == pytest.approx(np.sqrt(np.exp(0.25) - 1), rel=0.02)
    assert revenue.hits[:, :, -1].mean() == pytest.approx(10_000 * 10 * 0.03 * 0.99, rel=0.01)
