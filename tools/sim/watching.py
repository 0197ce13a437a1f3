"""Findings of Guardian's rules at each hourly look, for arrays: its own limits, the batched statistics.

`tests/unit/sim` holds every rule to the one of `domain.guardian`, look by look. Arrays are (paths, looks) of counts so
far, unless noted otherwise. There is one treatment.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import inf, log, log1p

import numpy as np

from abtest.domain.goals.coverage import STITCHED_ORDERS, STITCHED_SHARE
from abtest.domain.goals.currency_residue import RESIDUE_ORDERS, RESIDUE_SHARE, UNEVEN_LEVEL
from abtest.domain.guardian import changes, delivery, harm
from abtest.domain.guardian import data_quality as quality
from abtest.domain.guardian.kinds import Kind
from abtest.domain.guardian.settings import Settings
from abtest.domain.ledger.cells import QUARTER_MS
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY
from abtest.domain.stats.restarting import Factors
from abtest.domain.stats.sample_ratio import MONITORING_ALPHA
from tools.sim.changing import change_of_money, hourly, log_e_of_counts, start_of_counts, sums_since
from tools.sim.seen import HOUR, Counts, Flags, Goal, Numbers, Seen, is_ready, peaks
from tools.stats import batched


def broken_delivery(seen: Seen, _settings: Settings) -> Flags:
    """Either arm gets no visitors any longer."""
    answer: Flags = _silent(seen, 0, 1 - seen.share) | _silent(seen, 1, seen.share)
    return answer


def _silent(seen: Seen, arm: int, part: float) -> Flags:
    settled = (np.arange(1, seen.looks + 1) * HOUR * QUARTER_MS - delivery.SETTLED_MS) // QUARTER_MS
    last = _last(seen.arrivals[arm], settled)
    came = _between(seen.arrivals[1 - arm], last + 1, np.maximum(settled, last + 1))
    moments = np.where(seen.visitors[arm] == 0, 1, np.maximum(seen.visitors.sum(axis=0), 1))
    answer: Flags = (came > 0) & (came * log1p(-part) <= np.log(delivery.NO_CHANCE / moments))
    return answer


def _last(arrivals: Counts, ends: Counts) -> Counts:
    """The newest quarter, up to each end, with visitors; -1 before the first one."""
    answer: Counts = np.maximum.accumulate(np.where(arrivals > 0, np.arange(arrivals.shape[-1]), -1), axis=-1)[:, ends]
    return answer


def _between(arrivals: Counts, start: Counts, end: Counts) -> Counts:
    """Visitors from the quarter `start` on, before `end`."""
    so_far = np.concatenate([np.zeros((len(arrivals), 1), np.int64), arrivals.cumsum(axis=-1)], axis=-1)
    shape = np.broadcast_shapes(start.shape, end.shape)
    counts = [np.take_along_axis(so_far, np.broadcast_to(place, shape), axis=-1) for place in (end, start)]
    answer: Counts = counts[0] - counts[1]
    return answer


def broken_runtime(seen: Seen, _settings: Settings) -> Flags:
    """Sessions with errors; every visitor has one session."""
    found = batched.excess_evidence(seen.failed[0], seen.failed[1], share=seen.share)
    usual, rate = _rates(seen.failed, seen.visitors)
    limit = np.maximum(harm.RUNTIME_FACTOR * usual, harm.RUNTIME_RATE)
    is_much = (seen.failed[1] >= harm.RUNTIME_SESSIONS) & (rate >= limit)
    answer: Flags = is_much & (peaks(found.log_e) >= -log(harm.BROKEN_LEVEL))
    return answer


def broken_conversion(seen: Seen, _settings: Settings) -> Flags:
    """Any goal."""
    return _any(_broken_conversion(seen, goal) for goal in seen.goals)


def _broken_conversion(seen: Seen, goal: Goal) -> Flags:
    found = batched.harm_evidence(*goal.converters, share=seen.share)
    usual, rate = _rates(goal.converters, seen.visitors)
    answer: Flags = (rate <= harm.CONVERSION_FACTOR * usual) & (peaks(found.log_e) >= -log(harm.BROKEN_LEVEL))
    return answer | _fell(seen, goal, changes.BROKEN_FACTORS, harm.BROKEN_CHANGE_LEVEL, below=harm.CONVERSION_FACTOR)


def _fell(seen: Seen, goal: Goal, factors: Factors, level: float, *, below: float) -> Flags:
    """Conversions that have come below this part of the control's rate."""
    control, treatment = hourly(goal.converters)
    fell = log_e_of_counts(control, treatment, seen.share, factors) >= -log(level)
    for path, look in np.argwhere(fell):
        start = start_of_counts(control[path], treatment[path], look, seen.share, factors)
        orders, visitors = (sums_since(each[:, path], start, look) for each in (goal.converters, seen.visitors))
        usual, rate = (number / max(of, 1) for number, of in zip(orders, visitors, strict=True))
        fell[path, look] = rate <= below * usual if below < 1 else rate < usual
    return fell


def delivery_drift(seen: Seen, settings: Settings) -> Flags:
    """Of the treatment."""
    wanted = settings.delivery_drift
    sessions, missed = seen.visitors[1], seen.missed[1]
    lower = batched.wilson_bounds(missed, sessions, confidence=1 - delivery.DRIFT_LEVEL).lower
    answer: Flags = (sessions >= wanted.min_samples) & (lower > wanted.miss_rate_threshold)
    return answer


def conversion_harm(seen: Seen, _settings: Settings) -> Flags:
    """Any goal."""
    a, b = harm.PRIOR_COUNTS * seen.share, harm.PRIOR_COUNTS * (1 - seen.share)
    found = [batched.harm_evidence(*goal.converters, share=seen.share, a=a, b=b) for goal in seen.goals]
    changed = [_fell(seen, goal, changes.HARM_FACTORS, harm.HARM_CHANGE_LEVEL, below=1) for goal in seen.goals]
    return _any(peaks(each.log_e) >= -log(harm.CONVERSION_HARM_LEVEL) for each in found) | _any(changed)


def revenue_harm(seen: Seen, _settings: Settings) -> Flags:
    """Any goal of money."""
    return _any(
        is_ready(goal) & ((seen.harm_of_money(goal) >= -log(harm.HARM_LEVEL)) | _cheaper(seen, goal))
        for goal in _of_money(seen)
    )


def _cheaper(seen: Seen, goal: Goal) -> Flags:
    """Buyers have come to spend less."""
    if goal.quarters is None or goal.total is None:
        raise ValueError("the goal counts no money")
    cheaper = np.zeros(seen.visitors.shape[1:], dtype=bool)
    mean, _ = seen.money(goal)
    for path in range(len(cheaper)):
        log_e, starts = change_of_money(*(each[:, path] for each in goal.quarters))
        for look in np.flatnonzero((log_e >= -log(harm.MONEY_CHANGE_LEVEL)) & (mean[0, path] > 0)):
            orders, money, visitors = (
                sums_since(each[:, path], starts[look], look) for each in (goal.hits, goal.total, seen.visitors)
            )
            usual, rate = (number / max(of, 1) for number, of in zip(money, visitors, strict=True))
            cheaper[path, look] = min(orders) >= harm.ORDERS_AT_LEAST and rate < usual
    return cheaper


def revenue_loss(seen: Seen, settings: Settings) -> Flags:
    """Any goal of money."""
    level = -log(harm.LOSS_LEVEL)
    return _any(
        is_ready(goal) & (seen.harm_of_money(goal) >= level) & loss_by_amount(seen, goal, settings)
        for goal in _of_money(seen)
    )


def loss_by_amount(seen: Seen, goal: Goal, settings: Settings) -> Flags:
    """Return whether the treatment's visitors brought less by the shop's amount, be it by chance."""
    mean, _ = seen.money(goal)
    with np.errstate(invalid="ignore"):
        answer: Flags = seen.visitors[1] * (mean[0] - mean[1]) >= (settings.revenue_loss.threshold_amount or inf)
    return answer


def sample_ratio_mismatch(seen: Seen, _settings: Settings) -> Flags:
    """Of both arms."""
    found = batched.sequential_sample_ratio(np.moveaxis(seen.visitors, 0, -1), [1 - seen.share, seen.share])
    visitors = hourly(seen.visitors)
    shares = 1 - seen.share, seen.share
    changed = [
        log_e_of_counts(visitors[1 - arm], visitors[arm], share, changes.SPLIT_FACTORS)
        for arm, share in enumerate(shares)
    ]
    level = quality.SPLIT_CHANGE_LEVEL / len(shares)
    answer: Flags = (peaks(found.log_bayes_factor) >= -log(MONITORING_ALPHA)) | (np.max(changed, axis=0) >= -log(level))
    return answer


def multiple_exposure(seen: Seen, _settings: Settings) -> Flags:
    """Of all visitors."""
    whole = seen.twice + seen.visitors.sum(axis=0)
    answer: Flags = (seen.twice >= quality.TWICE_VISITORS) & (seen.twice >= quality.TWICE_SHARE * whole)
    return answer


def event_gap(seen: Seen, _settings: Settings) -> Flags:
    """Of visitors or of orders."""
    answer: Flags = _gap(seen, seen.arrivals.sum(axis=0)) | _gap(seen, seen.order_arrivals)
    return answer


def _gap(seen: Seen, came: Counts) -> Flags:
    now = np.arange(1, seen.looks + 1) * HOUR
    start = _last(came, now - 1) + 1
    end = np.minimum((now * QUARTER_MS - quality.ARRIVED_AFTER_MS) // QUARTER_MS, start + QUARTERS_A_DAY)
    expected = np.full(start.shape, inf)
    for days in quality.SHIFTS:
        before = start - days * QUARTERS_A_DAY
        known = np.maximum(before, 0)
        there = _between(came, known, known + np.maximum(end - start, 0))
        expected = np.where(before >= 0, np.minimum(expected, there), expected)
    answer: Flags = np.isfinite(expected) & (expected >= quality.EVENTS_EXPECTED)
    return answer


def duplicate_orders(seen: Seen, _settings: Settings) -> Flags:
    """Of the shop's orders."""
    lower = batched.wilson_bounds(seen.repeated, seen.orders).lower
    answer: Flags = (seen.repeated >= quality.REPEATED_ORDERS) & (lower > quality.REPEATED_SHARE)
    return answer


def currency_residue(seen: Seen, _settings: Settings) -> Flags:
    """Any goal of money: too much of all, or more of one arm."""
    return _any(_residue(goal) for goal in _of_money(seen))


def _residue(goal: Goal) -> Flags:
    orders, excluded = goal.hits + goal.excluded, goal.excluded.sum(axis=0)
    whole = orders.sum(axis=0)
    lower = batched.wilson_bounds(excluded, whole).lower
    is_much = (whole >= RESIDUE_ORDERS) & (lower > RESIDUE_SHARE)
    arms = (goal.excluded[0], orders[0], goal.excluded[1], orders[1])
    test = batched.mixture_test(batched.differences_of_rates(*arms), alpha=UNEVEN_LEVEL)
    answer: Flags = is_much | (peaks(test.log_lambda) >= -log(UNEVEN_LEVEL))
    return answer


def measurement_coverage(seen: Seen, _settings: Settings) -> Flags:
    """Of the shop's orders those whose visitors were never seen are too many."""
    answer: Flags = (seen.orders >= STITCHED_ORDERS) & (seen.stitched < STITCHED_SHARE * seen.orders)
    return answer


RULES: Mapping[Kind, Callable[[Seen, Settings], Flags]] = {
    "broken_delivery": broken_delivery,
    "broken_runtime": broken_runtime,
    "broken_conversion": broken_conversion,
    "delivery_drift": delivery_drift,
    "conversion_harm": conversion_harm,
    "revenue_harm": revenue_harm,
    "revenue_loss": revenue_loss,
    "sample_ratio_mismatch": sample_ratio_mismatch,
    "multiple_exposure": multiple_exposure,
    "event_gap": event_gap,
    "duplicate_orders": duplicate_orders,
    "currency_residue": currency_residue,
    "measurement_coverage": measurement_coverage,
}


def confirmed(kind: Kind, found: Flags, settings: Settings) -> Flags:
    """Where the finding has been there in as many consecutive checks as it takes."""
    checks = {"delivery_drift": settings.delivery_drift.consecutive_checks, "event_gap": quality.GAP_CHECKS}
    answer = found.copy()
    for back in range(1, checks.get(kind, 1)):
        answer[:, back:] &= found[:, :-back]
        answer[:, :back] = False
    return answer


def _of_money(seen: Seen) -> list[Goal]:
    return [goal for goal in seen.goals if goal.total is not None]


def _rates(counts: Counts, whole: Counts) -> tuple[Numbers, Numbers]:
    rates = counts / np.maximum(whole, 1)
    return rates[0], rates[1]


def _any(flags: object) -> Flags:
    answer: Flags = np.logical_or.reduce(list(flags))  # type: ignore[call-overload]
    return answer
