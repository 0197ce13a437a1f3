"""Rules of delivery, each at its threshold and on either side of it: an arm that nobody sees, changes that miss."""

from collections.abc import Mapping

import numpy as np
import pytest
from scipy import stats

from abtest.domain.guardian.evidence import Finding, Sessions
from abtest.domain.guardian.settings import settings_of
from abtest.domain.ledger.cells import QUARTER_MS
from tests.unit.guardian.examples import (
    BEGAN,
    BEGAN_QUARTER,
    CONTROL,
    DAY,
    TREATMENT,
    arm,
    evidence,
    findings,
    with_arms,
)


def _young(control: int, treatment: int, *, share: float = 0.5, settled: bool = True) -> list[Finding]:
    through = BEGAN + (QUARTER_MS + 5 * 60_000 if settled else QUARTER_MS)
    arms = tuple(
        arm(name, number, share=part, arrivals={BEGAN_QUARTER: number} if number else {})
        for name, number, part in ((CONTROL, control, 1 - share), (TREATMENT, treatment, share))
    )
    return findings("broken_delivery", evidence(arms=arms, through=through))


@pytest.mark.parametrize(("share", "needed"), [(0.5, 20), (0.1, 132), (0.9, 6)])
def test_broken_delivery__nobody_yet__is_found_when_chance_is_below_a_millionth(share: float, needed: int) -> None:
    assert (1 - share) ** needed <= 1e-6 < (1 - share) ** (needed - 1)
    assert _young(needed - 1, 0, share=share) == []
    (found,) = _young(needed, 0, share=share)
    assert (found.variation_id, found.observed, found.sample) == (TREATMENT, 0, needed)
    assert found.expected == pytest.approx(needed * share / (1 - share))


def test_broken_delivery__one_visitor__is_none() -> None:
    assert _young(1000, 1) == []


def test_broken_delivery__of_the_control__is_found_too() -> None:
    assert [each.variation_id for each in _young(0, 20)] == [CONTROL]


def test_broken_delivery__quarter_that_is_not_over_long_enough__does_not_count() -> None:
    assert _young(1000, 0, settled=False) == []


def _ceased(after: int, *, visitors: int = 9600) -> list[Finding]:
    """The treatment's stream ends in the middle of the day; then so many get the control."""
    half = DAY // 2
    before = {BEGAN_QUARTER + quarter: visitors // 2 // half for quarter in range(half)}
    control = arm(CONTROL, visitors // 2 + after, arrivals={**before, BEGAN_QUARTER + half: after})
    treatment = arm(TREATMENT, visitors // 2, arrivals=before)
    return findings("broken_delivery", evidence(arms=(control, treatment)))


def test_broken_delivery__stream_that_ended__takes_a_bound_divided_by_the_visitors() -> None:
    needed = next(number for number in range(100) if 0.5**number <= 1e-6 / (9600 + number))
    assert _ceased(needed - 1) == []
    (found,) = _ceased(needed)
    assert found.window is not None
    assert found.window[0] == (BEGAN_QUARTER + DAY // 2) * QUARTER_MS


def test_broken_delivery__arm_without_weight__is_to_have_nobody() -> None:
    assert _young(5000, 0, share=0.0) == []


def _mostly(sessions: Sessions, peaks: Mapping[str, float] | None = None) -> list[Finding]:
    """Findings of a treatment with these sessions."""
    changed = with_arms(evidence(), treatment={"sessions": sessions})
    return findings("broken_delivery", changed, peaks=peaks)


@pytest.mark.parametrize(("metric", "only_alerts"), [("failed_sessions", False), ("unmatched_sessions", True)])
def test_broken_delivery__most_sessions__are_found_beyond_chance(metric: str, only_alerts: bool) -> None:
    def of(count: int, seen: int) -> list[Finding]:
        return _mostly(Sessions(seen, count, 0) if metric == "failed_sessions" else Sessions(seen, 0, 0, count))

    # Independent of the product: E against a share of one half, by numerical integration.
    def e(count: int, seen: int) -> float:
        part = np.linspace(0.5, 1, 20_001)
        ratio = np.exp(stats.binom.logpmf(count, seen, part) - stats.binom.logpmf(count, seen, 0.5))
        return float(np.trapezoid(ratio, part) / 0.5)

    first = next(count for count in range(51, 101) if e(count, 100) >= 2 / 0.001)
    assert of(first - 1, 100) == []
    (finding,) = of(first, 100)
    assert (finding.metric, finding.variation_id, finding.only_alerts) == (metric, TREATMENT, only_alerts)
    assert (finding.observed, finding.threshold, finding.sample) == (first / 100, 0.5, 100)
    assert of(29, 29) == [], "too few sessions"
    assert of(30, 30) != []
    assert of(5_000, 10_000) == []
    assert of(2_000, 10_000) == [], "the element is on some pages only"


def test_broken_delivery__evidence_of_earlier_looks__counts_while_most_sessions_fail() -> None:
    peaks = {f"broken_delivery|failed_sessions|{TREATMENT}": 20.0}
    assert len(_mostly(Sessions(1000, 501, 0), peaks)) == 1
    assert _mostly(Sessions(1000, 500, 0), peaks) == []


def test_broken_delivery__of_all_variations_alike__is_found_without_visitors() -> None:
    failing = {"sessions": Sessions(400, 400, 0), "visitors": 0, "arrivals": {}}
    alike = with_arms(evidence(), control=failing, treatment=failing)
    assert [(each.metric, each.variation_id) for each in findings("broken_delivery", alike)] == [
        ("failed_sessions", CONTROL),
        ("failed_sessions", TREATMENT),
    ]


def test_broken_delivery__selectors_that_match_nothing__are_not_errors() -> None:
    missing = with_arms(
        evidence(), control={"sessions": Sessions(9000, 0, 0)}, treatment={"sessions": Sessions(9000, 0, 0, 9000)}
    )
    assert findings("broken_runtime", missing) == []


def _drift(missed: int, seen: int = 1000, **drift: object) -> list[Finding]:
    found = with_arms(evidence(), treatment={"sessions": Sessions(seen, 0, missed)})
    return findings("delivery_drift", found, settings_of({"delivery_drift": drift}))


def test_delivery_drift__lower_bound_above_the_threshold__is_found_on_the_third_check() -> None:
    bound = {m: stats.binomtest(m, 1000).proportion_ci(0.95, "wilson").low for m in (119, 120, 121)}
    first = next(missed for missed in bound if bound[missed] > 0.10)
    assert _drift(first - 1) == []
    (found,) = _drift(first)
    assert (found.checks, found.threshold, found.observed, found.sample) == (3, 0.10, first / 1000, 1000)


def test_delivery_drift__settings__set_threshold_samples_and_checks() -> None:
    assert _drift(199, 199) == []
    assert _drift(200, 200)[0].checks == 3
    assert _drift(199, 199, minSamples=199, consecutiveChecks=1)[0].checks == 1
    assert _drift(500, missRateThreshold=0.5) == []
    assert _drift(1000, missRateThreshold=1) == []
    assert _drift(20, missRateThreshold=0)[0].threshold == 0
