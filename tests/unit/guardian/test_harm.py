"""Rules of harm, each at its threshold and on either side of it: errors, conversions, revenue."""

from math import exp, log

import pytest
from scipy import special, stats

from abtest.domain.guardian.evidence import Finding, Sessions
from abtest.domain.guardian.kinds import Kind
from abtest.domain.guardian.settings import settings_of
from tests.unit.guardian.examples import (
    BUY,
    CONTROL,
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
def test_conversion_harm__evidence_of_two_hundred__is_found(share: float) -> None:
    a, b = 20 * share, 20 * (1 - share)
    first = next(x for x in range(500, 1, -1) if _log_e(400, x, share, a, b) >= log(200))
    arms = (arm(CONTROL, 8000, share=1 - share), arm(TREATMENT, int(8000 * share / (1 - share)), share=share))
    assert findings("conversion_harm", evidence(clicks(400, first + 1), arms=arms)) == []
    (found,) = findings("conversion_harm", evidence(clicks(400, first), arms=arms))
    assert (found.metric, found.threshold) == ("conversion_rate", 0.005)


def test_conversion_harm__goal_that_is_to_fall__is_harmed_by_more() -> None:
    assert findings("conversion_harm", evidence(clicks(400, 600, direction="decrease"))) != []
    assert findings("conversion_harm", evidence(clicks(600, 400, direction="decrease"))) == []
    assert findings("conversion_harm", evidence(clicks(400, 600))) == []


def test_conversion_harm__several_treatments__share_the_level() -> None:
    arms = tuple(arm(name, 3200, share=1 / 3) for name in (CONTROL, TREATMENT, SECOND))
    worst = [x for x in range(500, 1, -1) if log(200) <= _log_e(400, x, 0.5, 10, 10) < log(400)]
    assert worst
    goal = clicks(400, worst[0], second=400)
    assert findings("conversion_harm", evidence(goal, arms=arms)) == []
    enough = next(x for x in range(500, 1, -1) if _log_e(400, x, 0.5, 10, 10) >= log(400))
    (found,) = findings("conversion_harm", evidence(clicks(400, enough, second=400), arms=arms))
    assert found.threshold == 0.0025


def test_conversion_harm__proven_once__lasts_though_the_counts_recover() -> None:
    name = f"conversion_harm|{BUY}@|{TREATMENT}"
    assert findings("conversion_harm", evidence(clicks(400, 400)), peaks={name: log(200)}) != []
    assert findings("conversion_harm", evidence(clicks(400, 400)), peaks={name: log(199.9)}) == []


def test_conversion_harm__goal_that_is_defined_otherwise__begins_anew() -> None:
    before = {f"conversion_harm|{BUY}@|{TREATMENT}": log(200)}
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
