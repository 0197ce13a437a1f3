"""Each rule at its threshold and on either side of it."""

from math import exp, log

import pytest
from scipy import special, stats

from abtest.domain.guardian.evidence import Finding, NotEvaluated, Peaks, Sessions, ShopOrders, Stitching
from abtest.domain.guardian.kinds import KINDS, Kind
from abtest.domain.guardian.rules import RULES, look
from abtest.domain.guardian.settings import settings_of
from abtest.domain.ledger.cells import QUARTER_MS
from tests.unit.guardian.examples import (
    BEGAN,
    BEGAN_QUARTER,
    BUY,
    CONTROL,
    DAY,
    OURS,
    REVENUE,
    SECOND,
    TREATMENT,
    arm,
    clicks,
    evidence,
    findings,
    orders,
    unknown,
    with_arms,
)


def _log_e(x_c: int, x_t: int, w: float, a: float, b: float) -> float:
    """Formula 7 of the design, written once more."""
    return float(
        special.betaln(a + x_t, b + x_c)
        + log(special.betainc(a + x_t, b + x_c, w))
        - special.betaln(a, b)
        - log(special.betainc(a, b, w))
        - x_t * log(w)
        - x_c * log(1 - w)
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


@pytest.mark.parametrize("kind", ["delivery_drift", "broken_runtime"])
def test_sessions_that_the_roll_up_lacks__are_said_to_be_missing(kind: Kind) -> None:
    assert unknown(kind, evidence()) == ["not_in_rollups"]


def _runtime(control: int, treatment: int, seen: int = 500) -> list[Finding]:
    return findings(
        "broken_runtime",
        with_arms(
            evidence(),
            control={"sessions": Sessions(seen, control, 0)},
            treatment={"sessions": Sessions(seen, treatment, 0)},
        ),
    )


def test_broken_runtime__evidence_of_a_thousand__is_found() -> None:
    first = next(failed for failed in range(100) if _log_e(failed, 2, 0.5, 1, 1) >= log(1000))
    assert _runtime(2, first - 1) == []
    (found,) = _runtime(2, first)
    assert (found.metric, found.observed, found.expected) == ("error_rate", first / 500, 2 / 500)


def test_broken_runtime__fewer_than_ten_sessions_or_one_percent_or_twice_the_control__is_none() -> None:
    assert _runtime(0, 9) == []
    assert _runtime(0, 14) != []
    assert _runtime(0, 14, seen=1500) == []
    assert _runtime(400, 799, seen=1000) == []
    assert _runtime(400, 800, seen=1000) != []


def test_broken_conversion__quarter_of_the_controls_rate_and_evidence__is_found() -> None:
    first = next(x for x in range(100) if _log_e(x, 0, 0.5, 1, 1) >= log(1000))
    assert findings("broken_conversion", evidence(clicks(first - 1, 0))) == []
    (found,) = findings("broken_conversion", evidence(clicks(first, 0)))
    assert (found.variation_id, found.goal_id, found.observed, found.expected) == (TREATMENT, BUY, 0, first / 9600)
    assert findings("broken_conversion", evidence(clicks(400, 101))) == []
    assert findings("broken_conversion", evidence(clicks(400, 100))) != []


@pytest.mark.parametrize("kind", ["broken_conversion", "conversion_harm"])
def test_conversions__arm_without_a_visitor__are_not_compared(kind: Kind) -> None:
    """Nobody can convert where nobody comes: it is the delivery that is broken."""
    assert findings(kind, evidence(clicks(400, 0), visitors=(9600, 1))) != []
    assert findings(kind, evidence(clicks(400, 0), visitors=(9600, 0))) == []
    assert findings("broken_delivery", evidence(clicks(400, 0), visitors=(9600, 0))) != []


def test_broken_conversion__goal_that_is_defined_otherwise__begins_anew() -> None:
    before = {f"broken_conversion|{BUY}@|{TREATMENT}": log(1000)}
    assert findings("broken_conversion", evidence(clicks(8, 0)), peaks=before) != []
    assert findings("broken_conversion", evidence(clicks(8, 0, source="other")), peaks=before) == []


def test_broken_conversion__goal_that_is_to_fall__may_fall() -> None:
    assert findings("broken_conversion", evidence(clicks(400, 0, direction="decrease"))) == []


@pytest.mark.parametrize("share", [0.5, 0.2])
def test_conversion_harm__evidence_of_a_hundred__is_found(share: float) -> None:
    a, b = 20 * share, 20 * (1 - share)
    first = next(x for x in range(500, 1, -1) if _log_e(400, x, share, a, b) >= log(100))
    arms = (arm(CONTROL, 8000, share=1 - share), arm(TREATMENT, int(8000 * share / (1 - share)), share=share))
    assert findings("conversion_harm", evidence(clicks(400, first + 1), arms=arms)) == []
    (found,) = findings("conversion_harm", evidence(clicks(400, first), arms=arms))
    assert (found.metric, found.threshold) == ("conversion_rate", 0.01)


def test_conversion_harm__goal_that_is_to_fall__is_harmed_by_more() -> None:
    assert findings("conversion_harm", evidence(clicks(400, 600, direction="decrease"))) != []
    assert findings("conversion_harm", evidence(clicks(600, 400, direction="decrease"))) == []
    assert findings("conversion_harm", evidence(clicks(400, 600))) == []


def test_conversion_harm__several_treatments__share_the_level() -> None:
    arms = tuple(arm(name, 3200, share=1 / 3) for name in (CONTROL, TREATMENT, SECOND))
    worst = [x for x in range(500, 1, -1) if log(100) <= _log_e(400, x, 0.5, 10, 10) < log(200)]
    assert worst
    goal = clicks(400, worst[0], second=400)
    assert findings("conversion_harm", evidence(goal, arms=arms)) == []
    enough = next(x for x in range(500, 1, -1) if _log_e(400, x, 0.5, 10, 10) >= log(200))
    (found,) = findings("conversion_harm", evidence(clicks(400, enough, second=400), arms=arms))
    assert found.threshold == 0.005


def test_conversion_harm__proven_once__lasts_though_the_counts_recover() -> None:
    name = f"conversion_harm|{BUY}@|{TREATMENT}"
    assert findings("conversion_harm", evidence(clicks(400, 400)), peaks={name: log(100)}) != []
    assert findings("conversion_harm", evidence(clicks(400, 400)), peaks={name: log(99.9)}) == []


def test_conversion_harm__goal_that_is_defined_otherwise__begins_anew() -> None:
    before = {f"conversion_harm|{BUY}@|{TREATMENT}": log(100)}
    assert findings("conversion_harm", evidence(clicks(400, 400, source="other")), peaks=before) == []


def _one_sided(control: int, treatment: int, n: int = 9600) -> float:
    """Formula 5, one-sided, of orders of 50 each."""
    (m_c, m_t) = (50 * x / n for x in (control, treatment))
    variance = sum((2500 * x - n * (50 * x / n) ** 2) / (n - 1) / n for x in (control, treatment))
    tau, z = 0.2 * m_c, (m_c - m_t) / variance**0.5
    r = tau**2 / variance
    return float(log(2) - log(1 + r) / 2 + z**2 * r / (2 * (1 + r)) + stats.norm.logcdf(z * (r / (1 + r)) ** 0.5))


def test_revenue_harm__evidence_at_one_percent__is_found() -> None:
    first = next(x for x in range(480, 1, -1) if _one_sided(480, x) >= log(100))
    assert findings("revenue_harm", evidence(orders(480, first + 1))) == []
    (found,) = findings("revenue_harm", evidence(orders(480, first)))
    assert (found.goal_id, found.metric) == (REVENUE, "revenue_per_visitor")
    assert found.observed == pytest.approx(50 * first / 9600)
    assert found.expected == pytest.approx(2.5)


def test_revenue_harm__fewer_than_25_orders_in_an_arm__is_not_looked_at() -> None:
    assert findings("revenue_harm", evidence(orders(480, 24))) == []
    assert findings("revenue_harm", evidence(orders(480, 25))) != []


def _loss(amount: float | None, currency: str | None = None, *, treatment: int = 380) -> list[Finding]:
    loss = {"threshold_amount": amount, "currency": currency}
    return findings("revenue_loss", evidence(orders(480, treatment)), settings_of({"revenue_loss": loss}))


def test_revenue_loss__amount_reached_and_no_chance__is_found() -> None:
    assert exp(-_one_sided(480, 380)) <= 0.05
    assert _loss(5000.01) == []
    (found,) = _loss(5000)
    assert found.observed == pytest.approx(5000)
    assert found.threshold == 5000
    assert _loss(5000, "eur") != []


def test_revenue_loss__amount_alone__is_none() -> None:
    assert exp(-_one_sided(480, 460)) > 0.05
    assert _loss(1, treatment=460) == []


def test_revenue_loss__without_amount_or_in_a_currency_without_rate__is_not_evaluated() -> None:
    found = evidence(orders(480, 380))
    assert unknown("revenue_loss", found) == ["no_threshold"]
    dollars = settings_of({"revenue_loss": {"threshold_amount": 1, "currency": "USD"}})
    assert unknown("revenue_loss", found, dollars) == ["currency_not_convertible"]
    assert _loss(1, "USD") == []


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
