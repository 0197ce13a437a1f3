"""Rules of the data's quality, each at its threshold and on either side of it."""

from typing import Any

import pytest

from abtest.domain.guardian.evidence import Finding, ShopOrders, Stitching
from abtest.domain.ledger.cells import QUARTER_MS
from tests.unit.guardian.examples import (
    BEGAN,
    BEGAN_QUARTER,
    CONTROL,
    DAY,
    HOUR,
    REVENUE,
    SECOND,
    TREATMENT,
    arm,
    evidence,
    findings,
    orders,
    unknown,
)


def test_sample_ratio__bayes_factor_of_a_hundred__is_found_and_names_the_arm() -> None:
    assert findings("sample_ratio_mismatch", evidence(visitors=(9600, 9400))) == []
    (found,) = findings("sample_ratio_mismatch", evidence(visitors=(9600, 8600)))
    assert (found.sample, found.expected, found.threshold) == (18_200, 0.5, 0.01)
    assert found.observed in (9600 / 18_200, 8600 / 18_200)


def test_sample_ratio__visitors_of_an_arm_without_weight__are_a_finding_in_themselves() -> None:
    arms = (arm(CONTROL, 50, share=0.5), arm(TREATMENT, 50, share=0.5), arm(SECOND, 1, share=0.0))
    (found,) = findings("sample_ratio_mismatch", evidence(arms=arms))
    assert (found.variation_id, found.expected) == (SECOND, 0.0)


@pytest.mark.parametrize(
    ("twice", "visitors", "is_found"), [(9, 100, False), (10, 100, True), (10, 990, True), (10, 992, False)]
)
def test_multiple_exposure__one_percent_and_ten_visitors__is_found(twice: int, visitors: int, is_found: bool) -> None:
    found = findings("multiple_exposure", evidence(visitors=(visitors // 2, visitors // 2), multiple_exposure=twice))
    assert bool(found) is is_found


def _silence(quarters: int, *, per_quarter: int = 5, days: int = 1, watched: int = 0) -> list[Finding]:
    """Visitors came evenly for some days and then nobody for some quarters (of which one is not yet counted)."""
    came = {BEGAN_QUARTER + quarter: per_quarter for quarter in range(days * DAY)}
    end = BEGAN_QUARTER + days * DAY
    gap = evidence(
        arms=(arm(CONTROL, 500, arrivals=came), arm(TREATMENT, 0, arrivals={})),
        now=(end + quarters + 1) * QUARTER_MS,
        watched_since=(end - 1 + watched) * QUARTER_MS,
    )
    return findings("event_gap", gap)


def test_event_gap__thirty_expected_and_none_seen__is_found_on_the_second_check() -> None:
    assert _silence(5) == []
    (found,) = _silence(6)
    assert (found.expected, found.observed, found.checks, found.metric) == (30, 0, 2, "visitors")
    assert found.window == ((BEGAN_QUARTER + DAY) * QUARTER_MS, (BEGAN_QUARTER + DAY + 6) * QUARTER_MS)


def test_event_gap__before_there_is_a_day_to_compare_with__is_not_evaluated() -> None:
    young = evidence(now=BEGAN + 8 * QUARTER_MS, arms=(arm(CONTROL, 90, arrivals={BEGAN_QUARTER: 90}),))
    assert unknown("event_gap", young) == ["too_early"]


def test_event_gap__time_in_which_nobody_watched__does_not_count() -> None:
    """The experiment was paused meanwhile."""
    assert _silence(8, watched=4) == []
    assert _silence(12, watched=4) != []


def test_event_gap__days_long__stays_found() -> None:
    (found,) = _silence(3 * DAY, days=4)
    assert found.expected == 5 * DAY


def test_event_gap__weekday_on_which_nobody_ever_comes__is_none() -> None:
    """Monday to Saturday busy, nobody on Sundays: on the second Sunday the week before says so."""
    came = {BEGAN_QUARTER + day * DAY + quarter: 5 for day in range(13) if day != 6 for quarter in range(DAY)}
    end = BEGAN_QUARTER + 13 * DAY
    sunday = evidence(
        arms=(arm(CONTROL, 500, arrivals=came),), now=(end + 41) * QUARTER_MS, watched_since=end * QUARTER_MS
    )
    assert findings("event_gap", sunday) == []


def test_event_gap__roll_ups_stand_still__the_shop_is_not_accused() -> None:
    """Nobody counted since the last visitor came; what came since is in the ledger alone."""
    came = {BEGAN_QUARTER + quarter: 5 for quarter in range(DAY)}
    end = (BEGAN_QUARTER + DAY) * QUARTER_MS
    arms = (arm(CONTROL, 480, arrivals=came), arm(TREATMENT, 0, share=0.0))
    busy: dict[str, Any] = {"watched_since": end - QUARTER_MS}
    for quarters in (4, 8, 40):
        now = end + quarters * QUARTER_MS
        assert findings("event_gap", evidence(arms=arms, now=now, counted_until=end, **busy)) == []
    late = evidence(arms=arms, now=end + 4 * HOUR * QUARTER_MS, counted_until=end, **busy)
    assert unknown("event_gap", late) == ["counts_are_old"]
    assert unknown("event_gap", evidence(arms=arms, counted_until=0, **busy)) == ["counts_are_old"]


@pytest.mark.parametrize(("minutes", "is_told"), [(75, False), (76, True)])
def test_event_gap__counts_older_than_the_longest_interval_and_run__is_not_evaluated(
    minutes: int, is_told: bool
) -> None:
    """Roll-ups may be an hour apart by the operator's choice: that is no fault, and no gap either."""
    came = {BEGAN_QUARTER + quarter: 5 for quarter in range(DAY)}
    end = (BEGAN_QUARTER + DAY) * QUARTER_MS
    found = evidence(
        arms=(arm(CONTROL, 480, arrivals=came),),
        now=end + minutes * 60_000,
        counted_until=end,
        watched_since=end - QUARTER_MS,
    )
    assert findings("event_gap", found) == []
    assert ("counts_are_old" in unknown("event_gap", found)) is is_told


def test_event_gap__before_roll_ups_stood_still__is_found_in_what_was_counted() -> None:
    came = {BEGAN_QUARTER + quarter: 5 for quarter in range(DAY)}
    end = (BEGAN_QUARTER + DAY) * QUARTER_MS
    found = evidence(
        arms=(arm(CONTROL, 480, arrivals=came),),
        now=end + 11 * QUARTER_MS,
        counted_until=end + 7 * QUARTER_MS,
        watched_since=end - QUARTER_MS,
    )
    (gap,) = findings("event_gap", found)
    assert gap.window == (end, end + 6 * QUARTER_MS)


def test_event_gap__orders_of_the_shop_stay_away__names_the_revenue_goal() -> None:
    came = {BEGAN_QUARTER + quarter: 5 for quarter in range(DAY)}
    found = evidence(
        orders(40, 40),
        order_arrivals=came,
        now=(BEGAN_QUARTER + DAY + 7) * QUARTER_MS,
        watched_since=(BEGAN_QUARTER + DAY) * QUARTER_MS,
        arms=(arm(CONTROL, 9600, arrivals={BEGAN_QUARTER + DAY + 7: 1}),),
    )
    (gap,) = findings("event_gap", found)
    assert (gap.metric, gap.goal_id, gap.expected) == ("orders", REVENUE, 30)


@pytest.mark.parametrize(("repeated", "total", "is_found"), [(9, 100, False), (10, 100, True), (10, 1200, False)])
def test_duplicate_orders__ten_and_a_lower_bound_above_half_a_percent__is_found(
    repeated: int, total: int, is_found: bool
) -> None:
    assert bool(findings("duplicate_orders", evidence(orders=ShopOrders(total, repeated)))) is is_found


def test_duplicate_orders__days_that_do_not_tell__are_not_evaluated() -> None:
    assert unknown("duplicate_orders", evidence()) == ["not_in_rollups"]


def _residue(control: int, treatment: int, counted: int = 95) -> list[Finding]:
    excluded = {CONTROL: control, TREATMENT: treatment}
    return findings("currency_residue", evidence(orders(counted, counted, excluded=excluded)))


def test_currency_residue__surely_more_than_five_percent_of_the_orders__is_found() -> None:
    assert _residue(8, 8) == []
    (found,) = _residue(8, 9)
    assert (found.variation_id, found.sample, found.threshold) == (None, 207, 0.05)
    assert _residue(1, 2, counted=8) == []
    assert _residue(2, 2, counted=8) != []


def test_currency_residue__arms_that_differ__is_found_below_five_percent_too() -> None:
    (found,) = _residue(0, 60, counted=1000)
    assert (found.variation_id, found.threshold, found.observed) == (TREATMENT, 0.001, 60 / 1060)


def test_measurement_coverage__each_reason__is_a_finding() -> None:
    low = evidence(stitching=Stitching(100, 79, asks_consent=True))
    consent, stitched = findings("measurement_coverage", low)
    assert (consent.metric, stitched.metric) == ("consent_gated_sdk", "low_order_stitch_rate")
    assert (stitched.observed, stitched.sample) == (0.79, 100)
    assert findings("measurement_coverage", evidence()) == []
