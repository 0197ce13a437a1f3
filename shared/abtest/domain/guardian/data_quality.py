"""Rules of data quality: the split of visitors, missing events, repeated orders, money left out."""

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import log, sqrt

from abtest.domain.goals.coverage import STITCHED_SHARE
from abtest.domain.goals.currency_residue import RESIDUE_SHARE, UNEVEN_LEVEL, is_residue
from abtest.domain.guardian.changes import Change, change_of_visitors, since
from abtest.domain.guardian.evidence import Answer, Arm, Arrivals, Evidence, Finding, NotEvaluated, Peaks, WatchedGoal
from abtest.domain.guardian.settings import Settings
from abtest.domain.ledger.cells import QUARTER_MS
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY
from abtest.domain.stats.sample_ratio import MONITORING_ALPHA, sequential_sample_ratio
from abtest.domain.stats.samples import Conversions
from abtest.domain.stats.sequential import mixture_test
from abtest.domain.stats.wilson import wilson_bounds

# Of changes of the split in 28 days, in addition to that of all visitors (ADR 58).
SPLIT_CHANGE_LEVEL = 0.01
# Both limits must be reached: a share alone would alert on a handful of visitors.
TWICE_SHARE, TWICE_VISITORS = 0.01, 10
# Where 30 independent events are expected, none at all has a chance of e^-30.
EVENTS_EXPECTED, GAP_CHECKS = 30, 2
# Events of a quarter are in the ledger by then: the SDK's and the ingest worker's delays together.
ARRIVED_AFTER_MS = 10 * 60 * 1000

# The longest interval between two roll-ups plus the longest run: older counts mean that roll-ups have stopped.
BEHIND_MS = 75 * 60 * 1000

# In days: the expectation is the smaller count of the day before and the same weekday of the week before.
SHIFTS = (1, 7)

REPEATED_SHARE, REPEATED_ORDERS = 0.005, 10


def sample_ratio_mismatch(evidence: Evidence, _settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """Report a split of visitors that differs, or has come to differ, from the weights.

    Visitors in an arm of weight zero always do.
    """
    visitors = [arm.visitors for arm in evidence.arms]
    test = sequential_sample_ratio(visitors, [arm.share for arm in evidence.arms])
    if test is None:
        return
    peak = peaks.at_least(test.log_bayes_factor, "sample_ratio_mismatch")
    # E >= 1 / level, in logarithms.
    if peak >= -log(MONITORING_ALPHA):
        yield _split_finding(evidence.arms, visitors)
        return
    change = changed_split(evidence)
    if change is not None and change.log_e >= -log(SPLIT_CHANGE_LEVEL):
        finding = _split_finding(evidence.arms, [change.visitors(arm) for arm in evidence.arms])
        yield replace(finding, threshold=SPLIT_CHANGE_LEVEL, **since(change, evidence))


def changed_split(evidence: Evidence) -> Change | None:
    """Return the change in which an arm loses visitors: the best of the arms, each with an equal part of the level."""
    arms = [arm for arm in evidence.arms if 0 < arm.share < 1]
    changes = [change for arm in arms if (change := change_of_visitors(evidence, arm)) is not None]
    best = max(changes, key=lambda change: change.log_e, default=None)
    return None if best is None else replace(best, log_e=best.log_e - log(len(arms)))


def _split_finding(arms: Sequence[Arm], visitors: Sequence[int]) -> Finding:
    total = sum(visitors)
    # By the term of chi-squared. An arm of weight zero counts as one expected visitor: its term would divide by zero.
    terms = [
        abs(seen - arm.share * total) / sqrt(arm.share or 1 / total) for arm, seen in zip(arms, visitors, strict=True)
    ]
    worst = terms.index(max(terms))
    return Finding(
        kind="sample_ratio_mismatch",
        metric="share_of_visitors",
        observed=visitors[worst] / total,
        expected=arms[worst].share,
        threshold=MONITORING_ALPHA,
        sample=total,
        variation_id=arms[worst].variation_id,
    )


def multiple_exposure(evidence: Evidence, _settings: Settings, _peaks: Peaks) -> Iterator[Answer]:
    """Report visitors who saw two variations, when they are many."""
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
    """Report that new visitors of the experiment, or orders of the shop, have stopped.

    Only counted time is judged: while roll-ups are behind, the number of new events is unknown.
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
    # Quarters round up: a quarter in which the experiment was paused in part does not count.
    watched = -(-evidence.watched_since // QUARTER_MS)
    start = max(watched, max(came, default=known_since - 1) + 1)
    # At most a day, because the gap is compared with the same hours of earlier days. Where `end` is not behind `start`,
    # the sums below are 0 and nothing is reported.
    end = min((evidence.counted_until - ARRIVED_AFTER_MS) // QUARTER_MS, start + QUARTERS_A_DAY)
    earlier = [start - days * QUARTERS_A_DAY for days in SHIFTS]
    expected = [
        sum(came.get(quarter, 0) for quarter in range(first, first + end - start))
        for first in earlier
        # Quarters before that were not recorded; they are not known to be empty.
        if first >= known_since
    ]
    if not expected:
        yield NotEvaluated(kind="event_gap", reason="too_early", goal_id=goal_id)
    # The smaller count, so that a sale on one of the days does not make a usual day look silent.
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


def duplicate_orders(evidence: Evidence, _settings: Settings, _peaks: Peaks) -> Iterator[Answer]:
    """Report orders of the shop that several events name."""
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
    """Report orders left out for their currency that are many, or more in one arm than in another.

    Their worth in the shop's currency is unknown, so their share of revenue is taken to be their share of orders.
    """
    goals = [goal for goal in evidence.goals if goal.is_revenue and goal.counts]
    if not goals:
        yield NotEvaluated(kind="currency_residue", reason="no_goal")
    for goal in goals:
        yield from high_residue(evidence, goal)
        yield from uneven_residue(evidence, goal, peaks)


def high_residue(evidence: Evidence, goal: WatchedGoal) -> Iterator[Answer]:
    """Report that too many of a goal's orders are left out in all arms together."""
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


def uneven_residue(evidence: Evidence, goal: WatchedGoal, peaks: Peaks) -> Iterator[Answer]:
    """Report that more of a treatment's orders are left out than of the control's."""
    for pair in evidence.pairs():
        control = left_out(goal, pair.control.variation_id)
        treatment = left_out(goal, pair.treatment.variation_id)
        level = UNEVEN_LEVEL / pair.treatments
        # An always-valid test: the rule looks every quarter of an hour, and alerts people.
        test = mixture_test(control, treatment, alpha=level)
        if test is None:
            continue
        peak = peaks.at_least(test.log_lambda, "currency_residue", goal.identity, pair.treatment.variation_id)
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
    """Return a variation's orders, and those left out for their currency as conversions."""
    excluded = goal.excluded.get(variation_id, 0)
    counted = goal.counts[variation_id].hits if variation_id in goal.counts else 0
    return Conversions(visitors=counted + excluded, conversions=excluded)


def measurement_coverage(evidence: Evidence, _settings: Settings, _peaks: Peaks) -> Iterator[Answer]:
    """Report missing visitors: those without consent, or those of orders whose visitor was never seen."""
    stitching = evidence.stitching
    if stitching.asks_consent:
        yield _coverage("consent_gated_sdk", None, None, None)
    if stitching.is_low:
        rate = stitching.stitched / stitching.orders
        yield _coverage("low_order_stitch_rate", rate, STITCHED_SHARE, stitching.orders)


def _coverage(metric: str, observed: float | None, threshold: float | None, sample: int | None) -> Finding:
    return Finding(
        kind="measurement_coverage",
        metric=metric,
        observed=observed,
        expected=None if observed is None else 1,
        threshold=threshold,
        sample=sample,
    )
