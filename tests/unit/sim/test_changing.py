"""Evidence of changes for arrays is that of the rules, also behind the window of recent days."""

from __future__ import annotations

import numpy as np
import pytest

from abtest.domain.guardian.changes import HARM_FACTORS, MONEY_FACTORS
from abtest.domain.stats.restarting import restarting_counts, restarting_values
from tools.sim.changing import change_of_money, first_hour, log_e_of_counts, start_of_counts
from tools.sim.seen import Counts, Numbers
from tools.sim.shop import Shop

LOOKS = 20 * 24


def test_counts__of_twenty_days__have_the_evidence_of_the_recent_ones() -> None:
    rng = np.random.default_rng(5)
    control = rng.poisson(4, size=(2, LOOKS))
    treatment = rng.poisson(np.where(np.arange(LOOKS) < 380, 4, 2), size=(2, LOOKS))
    log_e = log_e_of_counts(control, treatment, 0.4, HARM_FACTORS)
    for look in (0, 22, 23, 335, 358, 359, 400, LOOKS - 1):
        window = slice(first_hour(look), look + 1)
        hours = control[1, window].tolist(), treatment[1, window].tolist()
        expected = restarting_counts(*hours, share=0.4, factors=HARM_FACTORS)
        assert expected is not None
        assert log_e[1, look] == pytest.approx(expected.log_e, rel=1e-9)
        start = start_of_counts(control[1], treatment[1], look, 0.4, HARM_FACTORS)
        assert start == window.start + expected.start


def test_window__at_each_midnight__moves_by_a_day() -> None:
    assert [first_hour(look) for look in (0, 358, 359, 382, 383)] == [0, 0, 24, 24, 48]


def test_money__of_twenty_days__has_the_evidence_of_the_recent_ones() -> None:
    shop = Shop(visitors_a_day=3_000, kept_money=0.6, breaks=(390, 400))
    (revenue,) = [goal for goal in shop.seen(np.random.default_rng(6), 1, 20).goals if goal.quarters]
    assert revenue.quarters is not None
    buyers, total, squares = (each[:, 0] for each in revenue.quarters)
    log_e, starts = change_of_money(buyers, total, squares)
    for look in (5, 47, 359, 400, LOOKS - 1):
        arms = [_sums(first_hour(look), look, buyers[arm], total[arm], squares[arm]) for arm in range(2)]
        expected = restarting_values(*arms, factors=MONEY_FACTORS)
        assert (expected is None) == (log_e[look] == -np.inf)
        if expected is not None:
            assert log_e[look] == pytest.approx(expected.log_e, rel=1e-6)
            assert starts[look] == first_hour(look) + expected.start


def _sums(first: int, look: int, buyers: Counts, total: Counts, squares: Counts) -> Numbers:
    sums = np.zeros((3, 40, look + 1 - first))
    for quarter in range(4 * first, 4 * (look + 1)):
        if n := buyers[quarter]:
            value = 2 * np.log(total[quarter] / n) - 0.5 * np.log(squares[quarter] / n)
            assert n <= 8
            sums[:, n - 1, quarter // 4 - first] += (1, value, value * value)
    return sums
