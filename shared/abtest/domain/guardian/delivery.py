"""Is the treatment delivered at all: arms that nobody gets any more, sessions in which it was given up."""

from collections.abc import Iterator
from math import log, log1p

from abtest.domain.guardian.evidence import Answer, Arm, Evidence, Finding, NotEvaluated, Peaks
from abtest.domain.guardian.settings import Settings
from abtest.domain.ledger.cells import QUARTER_MS
from abtest.domain.stats.wilson import wilson_bounds

NO_CHANCE = 1e-6
"""How improbable it must be that an arm has no visitor by chance."""

SETTLED_MS = 5 * 60 * 1000
"""An arm's first exposures of a quarter may be counted this much later than another's (a redirect's second page)."""

DRIFT_LEVEL = 0.025


def broken_delivery(evidence: Evidence, _settings: Settings, _peaks: Peaks) -> Iterator[Answer]:
    """An arm gets nobody, since the beginning or any more, while the others get (1 - w)^N <= 10^-6.

    Of an arm that had visitors, the end of its stream is one of as many moments as there were visitors; the bound is
    divided by their number, so that looking at all of them does not raise the chance of a false alarm.
    """
    for arm in evidence.arms:
        if 0 < arm.share < 1:
            yield from _silent(evidence, arm)


def _silent(evidence: Evidence, arm: Arm) -> Iterator[Answer]:
    settled = (evidence.through - SETTLED_MS) // QUARTER_MS
    others = [other for other in evidence.arms if other is not arm]
    recent = sum(_between(other, settled, None) for other in others)
    if arm.visitors == 0:
        came, moments, since = sum(other.visitors for other in others) - recent, 1, evidence.began
    else:
        last = max(arm.arrivals, default=evidence.arrivals_since - 1)
        came = sum(_between(other, last + 1, settled) for other in others)
        moments, since = max(evidence.visitors, 1), (last + 1) * QUARTER_MS
    if came > 0 and came * log1p(-arm.share) <= log(NO_CHANCE / moments):
        yield Finding(
            kind="broken_delivery",
            metric="visitors",
            observed=0,
            expected=came * arm.share / (1 - arm.share),
            threshold=NO_CHANCE,
            sample=came,
            variation_id=arm.variation_id,
            window=(since, evidence.through),
        )


def _between(arm: Arm, start: int, end: int | None) -> int:
    """Who came from the quarter `start` on, before `end`."""
    return sum(
        number for quarter, number in arm.arrivals.items() if start <= quarter and (end is None or quarter < end)
    )


def delivery_drift(evidence: Evidence, settings: Settings, _peaks: Peaks) -> Iterator[Answer]:
    """Of a treatment's sessions more are without it than the shop tolerates, by the lower bound of Wilson."""
    wanted = settings.delivery_drift
    for arm in evidence.treatments:
        if arm.sessions is None:
            yield NotEvaluated(kind="delivery_drift", reason="not_in_rollups", variation_id=arm.variation_id)
            continue
        seen, missed = arm.sessions.seen, arm.sessions.missed
        bounds = wilson_bounds(missed, seen, confidence=1 - DRIFT_LEVEL / len(evidence.treatments))
        if seen >= wanted.min_samples and bounds and bounds.lower > wanted.miss_rate_threshold:
            yield Finding(
                kind="delivery_drift",
                metric="miss_rate",
                observed=missed / seen,
                expected=0,
                threshold=wanted.miss_rate_threshold,
                sample=seen,
                variation_id=arm.variation_id,
                checks=wanted.consecutive_checks,
            )
