"""Can the numbers be trusted: how visitors are split, events that stay away, orders told twice, money left out."""

from collections.abc import Iterator
from math import log

from abtest.domain.goals.coverage import STITCHED_SHARE
from abtest.domain.goals.currency_residue import RESIDUE_SHARE, UNEVEN_LEVEL, is_residue
from abtest.domain.guardian.evidence import Answer, Arrivals, Evidence, Finding, NotEvaluated, Peaks, WatchedGoal
from abtest.domain.guardian.settings import Settings
from abtest.domain.ledger.cells import QUARTER_MS
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY
from abtest.domain.stats.sample_ratio import MONITORING_ALPHA, sequential_sample_ratio
from abtest.domain.stats.samples import Conversions
from abtest.domain.stats.sequential import mixture_test
from abtest.domain.stats.wilson import wilson_bounds

TWICE_SHARE, TWICE_VISITORS = 0.01, 10
EVENTS_EXPECTED, GAP_CHECKS = 30, 2
ARRIVED_AFTER_MS = 10 * 60 * 1000
"""Events of a quarter are in the ledger by then: the SDK's and the ingest worker's delays together."""

BEHIND_MS = 75 * 60 * 1000
"""The longest interval between two roll-ups, and the longest run: counts that are older show that nobody counts."""

SHIFTS = (1, 7)
"""Days: what is expected is the smaller of the day before and the same weekday of the week before."""

REPEATED_SHARE, REPEATED_ORDERS = 0.005, 10


def sample_ratio_mismatch(evidence: Evidence, _settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """Visitors are not split as the weights say; an arm of weight zero with visitors is a mismatch in itself."""
    visitors = [arm.visitors for arm in evidence.arms]
    found = sequential_sample_ratio(visitors, [arm.share for arm in evidence.arms])
    if found is None:
        return
    peak = peaks.at_least(found.log_bayes_factor, "sample_ratio_mismatch")
    if peak < -log(MONITORING_ALPHA):
        return
    total = sum(visitors)
    worst = max(evidence.arms, key=lambda arm: abs(arm.visitors - arm.share * total) / (arm.share or 1 / total) ** 0.5)
    yield Finding(
        kind="sample_ratio_mismatch",
        metric="share_of_visitors",
        observed=worst.visitors / total,
        expected=worst.share,
        threshold=MONITORING_ALPHA,
        sample=total,
        variation_id=worst.variation_id,
    )


def multiple_exposure(evidence: Evidence, _settings: Settings, _peaks: Peaks) -> Iterator[Answer]:
    """Visitors who saw two variations are not few any more."""
    twice, seen = evidence.multiple_exposure, evidence.multiple_exposure + evidence.visitors
    if twice >= TWICE_VISITORS and twice >= TWICE_SHARE * seen:
        yield Finding(
            kind="multiple_exposure",
            metric="share_of_visitors",
            observed=twice / seen,
            expected=0,
            threshold=TWICE_SHARE,
            sample=seen,
        )


def event_gap(evidence: Evidence, _settings: Settings, _peaks: Peaks) -> Iterator[Answer]:
    """New visitors of the experiment, or orders of the shop, stay away where they used to come.

    Only in time that was counted: where roll-ups stand still nothing came, and nobody knows what would have.
    """
    if evidence.now - evidence.counted_until > BEHIND_MS:
        yield NotEvaluated(kind="event_gap", reason="counts_are_old")
        return
    came: dict[int, int] = {}
    for arm in evidence.arms:
        for quarter, number in arm.arrivals.items():
            came[quarter] = came.get(quarter, 0) + number
    yield from _gap(evidence, "visitors", came, evidence.arrivals_since, None)
    goal = next((goal for goal in evidence.goals if goal.is_revenue), None)
    if goal is not None:
        yield from _gap(evidence, "orders", evidence.order_arrivals, evidence.orders_since, goal.goal_id)


def _gap(evidence: Evidence, metric: str, came: Arrivals, known_since: int, goal_id: str | None) -> Iterator[Answer]:
    watched = -(-evidence.watched_since // QUARTER_MS)
    start = max(watched, max(came, default=known_since - 1) + 1)
    end = min((evidence.counted_until - ARRIVED_AFTER_MS) // QUARTER_MS, start + QUARTERS_A_DAY)
    befores = [start - days * QUARTERS_A_DAY for days in SHIFTS]
    expected = [_sum(came, before, before + end - start) for before in befores if before >= known_since]
    if not expected:
        yield NotEvaluated(kind="event_gap", reason="too_early", goal_id=goal_id)
    elif min(expected) >= EVENTS_EXPECTED:
        yield Finding(
            kind="event_gap",
            metric=metric,
            observed=0,
            expected=min(expected),
            threshold=EVENTS_EXPECTED,
            sample=0,
            goal_id=goal_id,
            checks=GAP_CHECKS,
            window=(start * QUARTER_MS, end * QUARTER_MS),
        )


def _sum(came: Arrivals, start: int, end: int) -> int:
    return sum(came.get(quarter, 0) for quarter in range(start, end))


def duplicate_orders(evidence: Evidence, _settings: Settings, _peaks: Peaks) -> Iterator[Answer]:
    """Orders of the shop that were told by more than one event."""
    orders, repeated = evidence.orders
    if repeated is None:
        yield NotEvaluated(kind="duplicate_orders", reason="not_in_rollups")
        return
    bounds = wilson_bounds(min(repeated, orders), orders)
    if repeated >= REPEATED_ORDERS and bounds and bounds.lower > REPEATED_SHARE:
        yield Finding(
            kind="duplicate_orders",
            metric="share_of_orders",
            observed=repeated / orders,
            expected=0,
            threshold=REPEATED_SHARE,
            sample=orders,
        )


def currency_residue(evidence: Evidence, _settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """Orders left out for their currency are many, or more of one arm than of another.

    What they are worth in the shop's currency nobody knows, so their part of revenue is their part of the orders.
    """
    goals = [goal for goal in evidence.goals if goal.is_revenue and goal.counts]
    if not goals:
        yield NotEvaluated(kind="currency_residue", reason="no_goal")
    for goal in goals:
        yield from _residue(evidence, goal)
        yield from _uneven_residue(evidence, goal, peaks)


def _residue(evidence: Evidence, goal: WatchedGoal) -> Iterator[Answer]:
    arms = [left_out(goal, arm.variation_id) for arm in evidence.arms]
    orders, excluded = sum(arm.visitors for arm in arms), sum(arm.conversions for arm in arms)
    if is_residue(excluded, orders):
        yield Finding(
            kind="currency_residue",
            metric="share_of_orders",
            observed=excluded / orders,
            expected=0,
            threshold=RESIDUE_SHARE,
            sample=orders,
            goal_id=goal.goal_id,
        )


def _uneven_residue(evidence: Evidence, goal: WatchedGoal, peaks: Peaks) -> Iterator[Answer]:
    """By the test that holds at every look: this one tells people, and looks every quarter of an hour."""
    for pair in evidence.pairs():
        control = left_out(goal, pair.control.variation_id)
        treatment = left_out(goal, pair.treatment.variation_id)
        level = UNEVEN_LEVEL / pair.treatments
        found = mixture_test(control, treatment, alpha=level)
        if found is None:
            continue
        peak = peaks.at_least(found.log_lambda, "currency_residue", goal.identity, pair.treatment.variation_id)
        if peak >= -log(level):
            yield Finding(
                kind="currency_residue",
                metric="share_of_orders",
                observed=treatment.rate,
                expected=control.rate,
                threshold=level,
                sample=control.visitors + treatment.visitors,
                variation_id=pair.treatment.variation_id,
                goal_id=goal.goal_id,
            )


def left_out(goal: WatchedGoal, variation_id: str) -> Conversions:
    """Of a variation's orders those whose money is in no currency that counts."""
    excluded = goal.excluded.get(variation_id, 0)
    counted = goal.counts[variation_id].hits if variation_id in goal.counts else 0
    return Conversions(visitors=counted + excluded, conversions=excluded)


def measurement_coverage(evidence: Evidence, _settings: Settings, _peaks: Peaks) -> Iterator[Answer]:
    """Visitors are missing who do not consent, or orders come from visitors who were never seen."""
    found = evidence.stitching
    if found.asks_consent:
        yield _coverage("consent_gated_sdk", None, None, None)
    if found.is_low:
        yield _coverage("low_order_stitch_rate", found.stitched / found.orders, STITCHED_SHARE, found.orders)


def _coverage(metric: str, observed: float | None, threshold: float | None, sample: int | None) -> Finding:
    return Finding(
        kind="measurement_coverage",
        metric=metric,
        observed=observed,
        expected=None if observed is None else 1,
        threshold=threshold,
        sample=sample,
    )
