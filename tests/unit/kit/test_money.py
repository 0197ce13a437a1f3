"""Money in minor units."""

from decimal import Decimal

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.kit.money import CURRENCIES, MAX_MINOR, exponent, to_major, to_minor


@pytest.mark.parametrize(
    ("amount", "currency", "minor"),
    [
        ("19.99", "EUR", 1999),
        (19.99, "EUR", 1999),
        (20, "EUR", 2000),
        ("0", "EUR", 0),
        ("-5.00", "EUR", -500),
        ("1500", "JPY", 1500),
        ("1.234", "KWD", 1234),
        ("1.2345", "CLF", 12345),
        (0.1 + 0.2, "EUR", 30),
        (1.1, "KWD", 1100),
        ("1e3", "EUR", 100_000),
    ],
)
def test_to_minor__amount__is_exact(amount: str | float, currency: str, minor: int) -> None:
    assert to_minor(amount, currency) == minor


@pytest.mark.parametrize(("amount", "minor"), [("0.005", 0), ("0.015", 2), ("0.025", 2), ("-0.015", -2), ("0.0051", 1)])
def test_to_minor__halves__go_to_the_even_neighbour(amount: str, minor: int) -> None:
    assert to_minor(amount, "EUR") == minor


@pytest.mark.parametrize(
    "amount",
    ["", "abc", "1,5", "NaN", "sNaN", "Infinity", "-inf", "1e30", "1e999999999", "-1e99999999999", "0x10", "9" * 5000],
)
def test_to_minor__no_amount__is_refused(amount: str) -> None:
    with pytest.raises(ValueError, match="amount"):
        to_minor(amount, "EUR")


@pytest.mark.parametrize("amount", [float("nan"), float("inf"), 1e300, 10**20])
def test_to_minor__number_out_of_range__is_refused(amount: float) -> None:
    with pytest.raises(ValueError, match="amount"):
        to_minor(amount, "EUR")


def test_to_minor__largest_amount__is_taken_and_one_more_is_not() -> None:
    assert to_minor("10000000000000.00", "EUR") == MAX_MINOR
    with pytest.raises(ValueError, match="too large"):
        to_minor("10000000000000.01", "EUR")


@pytest.mark.parametrize("currency", ["", "eur", "EURO", "XXX", "€", "EUR "])
def test_currency__unknown_code__is_a_key_error(currency: str) -> None:
    with pytest.raises(KeyError):
        to_minor("1", currency)
    with pytest.raises(KeyError):
        exponent(currency)


@given(st.integers(-MAX_MINOR, MAX_MINOR), st.sampled_from(sorted(CURRENCIES)))
def test_to_minor__minor_units_written_as_major__come_back(minor: int, currency: str) -> None:
    assert to_minor(str(Decimal(minor).scaleb(-exponent(currency))), currency) == minor


@given(st.text(max_size=20))
def test_to_minor__any_text__gives_an_integer_or_a_value_error(amount: str) -> None:
    try:
        minor = to_minor(amount, "EUR")
    except ValueError:
        return
    assert abs(minor) <= MAX_MINOR


def test_to_major__minor_units__is_the_number_that_people_write() -> None:
    assert (to_major(1999, "EUR"), to_major(1500, "JPY"), to_major(-1234, "KWD")) == (19.99, 1500.0, -1.234)
