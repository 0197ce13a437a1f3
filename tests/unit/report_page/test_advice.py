"""Advice on the page: the words of the facts, no figure beyond them, and axes that end where lifts do."""

from __future__ import annotations

from html import unescape

import pytest

from abtest.contract.report_advice import MonthlyWorth
from abtest.contract.results import Interval
from abtest.services.report_page import render_report
from abtest.services.report_page.advice import worth_word
from abtest.services.report_page.forest import Axis, axis, interval_marks
from tests.support.reports import STATES


def page_of(state: str) -> str:
    return unescape(render_report(STATES[state]()))


@pytest.mark.parametrize("state", [state for state in STATES if state != "hostile"])
def test_page__of_any_state__has_the_words_of_the_facts(state: str) -> None:
    facts, page = STATES[state](), page_of(state)
    sentences = [facts.next_step.sentence, *(one.message for one in facts.implausible_lifts)]
    if facts.computed_at is not None:
        sentences += [facts.worth.message, *(one.message for one in facts.worth.treatments)]
        sentences += [one.message for one in facts.guardrails]
    if facts.measured_time is not None and facts.measured_time.warning:
        sentences.append(facts.measured_time.message)
    if facts.early_stop is not None and not facts.implausible_lifts:
        sentences.append(facts.early_stop.message)
    assert [one for one in sentences if one not in page] == []


def test_page__golden_words() -> None:
    early, winner, guarded, empty = (page_of(state) for state in ("early", "winner", "guarded", "empty"))
    assert "<b>Next step</b> Launch it when it is ready: nothing is measured before the start." in empty
    assert "Too good to be true</span>" in early
    assert "Less than a week</span>" in early
    assert "<b>24 hours</b>" in early
    assert "Doubtful</span>" in early
    assert "Likely exaggerated" not in early, "one corrected lift is enough"
    assert "Worth a month, EUR" not in early
    assert '<span class="badge plain"><span aria-hidden="true">○</span> Not whole weeks</span>' in page_of("undecided")
    assert '<span class="badge warn"><span aria-hidden="true">!</span> Not whole weeks</span>' in page_of(
        "inconclusive"
    )
    assert "Not known: too much of the money is in other currencies, and left out of revenue." in page_of("foreign")
    assert "Likely exaggerated</span>" in winner
    assert "<dt>Worth a month, EUR</dt><dd><b>Not clear</b>" in winner
    assert "<b>28 days</b>" in winner
    assert "Holm, across the treatments of a goal." in winner
    assert "Harmed</span>" in guarded
    assert "That no harm is shown does not prove safety." in guarded
    assert 'id="guardrails"' not in winner


def test_worth__of_a_split_that_is_off__has_a_reason_in_place_of_a_figure() -> None:
    page = page_of("mismatched")
    assert "No goal counts revenue" in page or "cannot be trusted" in page
    assert "Worth a month, EUR" not in page


@pytest.mark.parametrize(
    ("amount", "is_significant", "word"),
    [(5.0, True, "Earns"), (-5.0, True, "Costs"), (5.0, False, "Not clear"), (-5.0, False, "Not clear")],
)
def test_worth_word__claims_no_more_than_the_interval(amount: float, is_significant: bool, word: str) -> None:
    one = MonthlyWorth(
        variation_id="unknown",
        amount=amount,
        lower=amount - 1,
        upper=amount + 1,
        is_significant=is_significant,
        message="",
    )
    assert worth_word(STATES["winner"](), one)[0] == word


@pytest.mark.parametrize(
    ("ends", "low", "high", "labels"),
    [
        ((-0.3, 1.4), -1.0, 1.5, ["−100%", "0%", "+150%"]),
        ((-2.0, 3.0), -1.0, 3.0, ["−100%", "0%", "+300%"]),
        ((-0.9, 0.2), -1.0, 1.0, ["−100%", "0%", "+100%"]),
        ((-0.04, 0.03), -0.04, 0.04, ["−4%", "0%", "+4%"]),
    ],
)
def test_axis__of_lifts__never_goes_below_minus_one_hundred_percent(
    ends: tuple[float, float], low: float, high: float, labels: list[str]
) -> None:
    row = STATES["winner"]().goals[0].rows[1]
    scale = Axis.of([row.model_copy(update={"ci": Interval(lower=ends[0], upper=ends[1])})])
    assert (scale.low, scale.high) == (low, high)
    drawn = axis(scale)
    assert [label for label in labels if label not in drawn] == []
    assert (scale.place(low), scale.place(high)) == (0.0, 100.0)
    assert scale.place(-3.0) == 0.0


def test_interval__below_minus_one_hundred_percent__ends_at_the_axis_without_an_arrow() -> None:
    marks = "".join(interval_marks(0.1, Interval(lower=-1.4, upper=1.2), Axis(-1.0, 1.5)))
    assert "◂" not in marks
    assert 'x1="0.00%"' in marks
    assert "◂" in "".join(interval_marks(0.1, Interval(lower=-0.4, upper=0.2), Axis(-0.3, 0.3)))
