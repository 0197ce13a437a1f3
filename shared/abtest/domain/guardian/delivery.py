"""Rules of delivery: arms without visitors, and sessions in which a variation failed or was not applied."""

from collections.abc import Iterator
from math import log, log1p

from abtest.domain.guardian.evidence import Answer, Arm, Evidence, Finding, NotEvaluated, Peaks
from abtest.domain.guardian.settings import Settings
from abtest.domain.ledger.cells import QUARTER_MS
from abtest.domain.stats.exact_counts import excess_evidence
from abtest.domain.stats.wilson import wilson_bounds

# Largest probability that an arm is reported although it has no visitor by chance.
NO_CHANCE = 1e-6

# An arm's first exposures of a quarter may be counted this much later than another's (a redirect's second page).
SETTLED_MS = 5 * 60 * 1000

DRIFT_LEVEL = 0.025

# Most sessions of an arm: a share of them, in at least so many. The level is divided by the number of arms.
MOST_SHARE, MOST_SESSIONS, MOST_LEVEL = 0.5, 30, 0.001
FAILED, UNMATCHED = "failed_sessions", "unmatched_sessions"


def broken_delivery(evidence: Evidence, _settings: Settings, peaks: Peaks) -> Iterator[Answer]:
    """Report an arm without visitors, from the start or since some time, while (1 - w)^N <= 10^-6 of the others' N.

    And an arm that fails, or whose selectors match nothing, in most of its sessions.
    """
    for arm in evidence.arms:
        # An arm with all the traffic has none to compare with, and log1p(-1) would raise.
        if 0 < arm.share < 1:
            yield from silent_arm(evidence, arm)
        if arm.sessions is not None:
            yield from _mostly(FAILED, arm.sessions.failed, evidence, arm, peaks)
            yield from _mostly(UNMATCHED, arm.sessions.unmatched, evidence, arm, peaks)


def _mostly(metric: str, count: int, evidence: Evidence, arm: Arm, peaks: Peaks) -> Iterator[Finding]:
    """Report that `count` is more than half of the arm's sessions, by a test that is valid at every look.

    It needs no control: where all variations fail alike, there is none that works. Selectors that match nothing only
    alert, because one session may see pages with the element and pages without it.
    """
    seen = arm.sessions.seen if arm.sessions else 0
    test = excess_evidence(max(0, seen - count), count, share=MOST_SHARE)
    peak = peaks.at_least(test.log_e, "broken_delivery", metric, arm.variation_id)
    is_most = seen >= MOST_SESSIONS and count > MOST_SHARE * seen
    if is_most and peak >= log(len(evidence.arms) / MOST_LEVEL):
        yield Finding(
            kind="broken_delivery",
            metric=metric,
            observed=count / seen,
            expected=0,
            threshold=MOST_SHARE,
            sample=seen,
            variation_id=arm.variation_id,
            only_alerts=metric == UNMATCHED,
        )


def silent_arm(evidence: Evidence, arm: Arm) -> Iterator[Answer]:
    """Report one arm of share w that has no visitors, from the start or since its last one.

    An arm that had visitors can fall silent after any of them, so the bound is divided by their number: looking at all
    these moments does not raise the chance of a false alarm.
    """
    settled = (evidence.through - SETTLED_MS) // QUARTER_MS
    others = [other for other in evidence.arms if other is not arm]
    # The newest arrivals of other arms do not count yet, because this arm's may still be on their way.
    recent = sum(other.arrived(settled) for other in others)
    if arm.visitors == 0:
        came, moments, since = sum(other.visitors for other in others) - recent, 1, evidence.began
    else:
        last = max(arm.arrivals, default=evidence.arrivals_since - 1)
        came = sum(other.arrived(last + 1, settled) for other in others)
        moments, since = max(evidence.visitors, 1), (last + 1) * QUARTER_MS
    # (1 - w)^N in logarithms, because the power underflows at some thousand visitors.
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


def delivery_drift(evidence: Evidence, settings: Settings, _peaks: Peaks) -> Iterator[Answer]:
    """Report a treatment that is missing in more sessions than the shop tolerates, by Wilson's lower bound."""
    drift = settings.delivery_drift
    for arm in evidence.treatments:
        if arm.sessions is None:
            yield NotEvaluated(kind="delivery_drift", reason="not_in_rollups", variation_id=arm.variation_id)
            continue
        seen, missed = arm.sessions.seen, arm.sessions.missed
        bounds = wilson_bounds(missed, seen, confidence=1 - DRIFT_LEVEL / len(evidence.treatments))
        if seen >= drift.min_samples and bounds and bounds.lower > drift.miss_rate_threshold:
            yield Finding(
                kind="delivery_drift",
                metric="miss_rate",
                observed=missed / seen,
                expected=0,
                threshold=drift.miss_rate_threshold,
                sample=seen,
                variation_id=arm.variation_id,
                checks=drift.consecutive_checks,
            )
