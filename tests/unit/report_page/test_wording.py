"""Numbers as people read them."""

from __future__ import annotations

import pytest

from abtest.contract.report import VerdictStatus
from abtest.contract.results import Interval, RowState
from abtest.services.report_page import wording


@pytest.mark.parametrize(
    ("share", "text"),
    [(0.0431, "4.31%"), (0.09994, "9.99%"), (0.09996, "10.0%"), (0.5, "50.0%"), (12.0, "1,200%"), (None, "–")],
)
def test_percent__has_the_digits_that_matter(share: float | None, text: str) -> None:
    assert wording.percent(share) == text


@pytest.mark.parametrize(
    ("lift", "text"), [(0.1234, "+12.3%"), (-0.05, "−5.0%"), (-0.0001, "0.0%"), (0.0, "0.0%"), (None, "–")]
)
def test_lift__has_a_sign_but_for_zero(lift: float | None, text: str) -> None:
    assert wording.lift(lift) == text


def test_interval__names_both_ends() -> None:
    assert wording.lift_between(Interval(lower=-0.012, upper=0.034)) == "−1.2% to +3.4%"


@pytest.mark.parametrize(
    ("amount", "currency", "text"),
    [
        (1234.5, "EUR", "1,234.50\u00a0EUR"),
        (84_200.4, "JPY", "84,200\u00a0JPY"),
        (1.2345, "KWD", "1.234\u00a0KWD"),
        (-3.0, "XXX", "−3.00\u00a0XXX"),
        (3.0, None, "3.00"),
    ],
)
def test_money__has_the_digits_of_its_currency(amount: float, currency: str | None, text: str) -> None:
    assert wording.money(amount, currency) == text


@pytest.mark.parametrize(("p", "text"), [(0.0009, "<0.001"), (0.001, "0.001"), (1.0, "1.000"), (None, "–")])
def test_p_value__is_never_told_as_zero(p: float | None, text: str) -> None:
    assert wording.p_value(p) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [(2.5, "2.5"), (9999.0, "9,999.0"), (12_500.0, "12.5k"), (1_250_000.0, "1.25M"), (20_000.0, "20k")],
)
def test_tick__is_short_from_ten_thousand_on(value: float, text: str) -> None:
    assert wording.tick(value, 1) == text


def test_tick__of_a_round_number__keeps_its_zeros_before_the_point() -> None:
    assert wording.tick(100_000.0, 0) == "100k"
    assert wording.tick(-2_000_000.0, 0, signed=True) == "−2M"


@pytest.mark.parametrize(("value", "text"), [(1.2345, "1.23"), (0.01234, "0.0123"), (0.0, "0.00"), (12.0, "12.00")])
def test_mean_of_hits__has_three_digits_that_matter(value: float, text: str) -> None:
    assert wording.measured(value, "mean", None) == text


def test_difference_of_rates__is_in_percentage_points() -> None:
    assert wording.apart(-0.0061, "rate", None) == "−0.61\u00a0pp"
    assert wording.apart(0.5, "mean", "EUR") == "+0.50\u00a0EUR"


def test_share__has_no_digit_too_many() -> None:
    assert (wording.share(0.05), wording.share(0.025), wording.share(0.1), wording.share(1.0)) == (
        "5%",
        "2.5%",
        "10%",
        "100%",
    )


@pytest.mark.parametrize(
    ("text", "shown"), [("no data", "No data."), ("Done.", "Done."), ("why?", "Why?"), ("", ""), (" a ", "A.")]
)
def test_sentence__begins_and_ends_as_one(text: str, shown: str) -> None:
    assert wording.sentence(text) == shown


def test_moments__are_of_utc() -> None:
    assert wording.minute("2026-11-03T14:05:09.000Z") == "3 Nov 2026, 14:05 UTC"
    assert wording.minute("2026-11-03T00:05:09+02:00") == "2 Nov 2026, 22:05 UTC"


def test_every_verdict_and_state__has_a_word_and_a_tone_with_a_glyph() -> None:
    assert set(wording.VERDICTS) == set(VerdictStatus.__args__)  # type: ignore[attr-defined]
    assert set(wording.STATES) == set(RowState.__args__)  # type: ignore[attr-defined]
    tones = {tone for _, tone in [*wording.VERDICTS.values(), *wording.STATES.values()]}
    assert tones <= set(wording.GLYPHS)
