"""Numbers, money, moments and states for readers. Minus signs are typographic; units follow numbers."""

from collections.abc import Mapping
from datetime import UTC
from typing import Literal

from abtest.contract.report import VerdictStatus
from abtest.contract.results import Engine, Interval, RowState
from abtest.domain.planning.shapes import GuardrailStatus
from abtest.kit.clock import parse_timestamp
from abtest.kit.money import CURRENCIES, exponent

NONE = "–"
_SPACE = "\u00a0"
_MOST_DIGITS = 6

Metric = Literal["rate", "mean", "ratio"]

VERDICTS: Mapping[VerdictStatus, tuple[str, str]] = {
    "not_started": ("Not started", "plain"),
    "no_data": ("No data yet", "plain"),
    "too_early": ("Too early to say", "plain"),
    "undecided": ("No decision yet", "plain"),
    "winner": ("Winner found", "good"),
    "loser": ("Worse than the control", "bad"),
    "no_winner": ("No winner", "plain"),
    "not_trusted": ("Do not trust yet", "warn"),
    "stopped_for_harm": ("Stopped for harm", "bad"),
    "harm": ("Harms a guardrail", "bad"),
}
"""Word and tone of each verdict."""

STATES: Mapping[RowState, tuple[str, str]] = {
    "baseline": ("Control", "plain"),
    "not_counted_yet": ("Not counted yet", "plain"),
    "no_control": ("No control", "warn"),
    "no_traffic": ("No traffic", "plain"),
    "no_visitors": ("No visitors", "plain"),
    "too_few_visitors": ("Too few visitors", "plain"),
    "zero_denominator": ("Nothing to divide by", "plain"),
    "no_conversions": ("No conversions", "plain"),
    "too_few_conversions": ("Too few conversions", "plain"),
    "no_variance": ("No difference at all", "plain"),
    "no_look": ("No planned look yet", "plain"),
    "undecided": ("Undecided", "plain"),
    "better": ("Better", "good"),
    "worse": ("Worse", "bad"),
    "contradictory": ("Contradictory", "warn"),
    "estimated": ("Estimated", "plain"),
}

GUARDRAILS: Mapping[GuardrailStatus, tuple[str, str]] = {
    "harmed": ("Harmed", "bad"),
    "no_harm_shown": ("No harm shown", "good"),
    "too_little_data": ("Too little data", "plain"),
    "no_data": ("No data", "plain"),
    "not_counted": ("Not counted yet", "plain"),
    "redefined": ("Redefined", "plain"),
    "excluded_currency_residue": ("Other currencies", "warn"),
    "measurement_quality_unavailable": ("Not all seen", "warn"),
}
"""Word and tone of each status of a guardrail."""

GLYPHS: Mapping[str, str] = {"good": "✓", "bad": "✕", "warn": "!", "plain": "○"}
"""Glyph before a word, so that no reader needs the colour."""

ENGINES: Mapping[Engine, str] = {
    "sequential": "sequential (always valid: may be read at any time)",
    "frequentist": "frequentist (one look, at the planned end)",
    "group_sequential": "group-sequential (the error is shared among planned looks)",
    "bayesian": "bayesian (probabilities from weak priors)",
}


def sentence(text: str) -> str:
    """Return text with a capital letter and a full stop."""
    text = text.strip()
    ended = text if not text or text[-1] in ".!?:…" else f"{text}."
    return ended[:1].upper() + ended[1:]


def count(number: int | None) -> str:
    """Return a count, such as `12,345`."""
    return NONE if number is None else f"{number:,}"


def decimal(number: float, digits: int, *, signed: bool = False) -> str:
    """Return a number with separators; never `−0.00`."""
    text = f"{abs(number):,.{digits}f}"
    # A number that rounds to zero has no sign.
    if not text.strip("0.,"):
        return text
    return ("−" if number < 0 else "+" if signed else "") + text


def percent(share: float | None, *, signed: bool = False) -> str:
    """Return a share in percent: `4.31%` below ten percent, `43.1%` from there on."""
    if share is None:
        return NONE
    size = abs(share) * 100
    # Limits are those of the rounded text: 9.996 has to become 10.0, not 10.00.
    return decimal(share * 100, 2 if size < 9.995 else 1 if size < 999.5 else 0, signed=signed) + "%"


def share(number: float) -> str:
    """Return a share in percent without trailing zeros, three digits at most: `5%`, `2.5%`."""
    return f"{number * 100:.3f}".rstrip("0").rstrip(".") + "%"


def lift(share: float | None) -> str:
    """Return a lift with one digit, such as `+12.3%`; no lift is more precise."""
    return NONE if share is None else decimal(share * 100, 1, signed=True) + "%"


def lift_between(interval: Interval | None) -> str:
    """Return an interval of a lift, such as `−1.2% to +3.4%`."""
    return NONE if interval is None else f"{lift(interval.lower)} to {lift(interval.upper)}"


def money(amount: float | None, currency: str | None, *, signed: bool = False) -> str:
    """Return money with the digits of its currency, such as `1,234.50 EUR`."""
    if amount is None:
        return NONE
    digits = exponent(currency) if currency in CURRENCIES else 2
    return decimal(amount, digits, signed=signed) + (f"{_SPACE}{currency}" if currency else "")


def rounded_money(amount: float) -> str:
    """Return money that was rounded before, with a sign: digits below whole units only where there are any."""
    return decimal(amount, 0 if amount == int(amount) else 2, signed=True)


def measured(value: float | None, metric: Metric, currency: str | None, *, signed: bool = False) -> str:
    """Return a rate in percent, money in its currency, other values with at least three significant digits."""
    if value is None:
        return NONE
    if metric == "rate":
        return percent(value, signed=signed)
    if currency:
        return money(value, currency, signed=signed)
    size = abs(value)
    digits = next((digits for digits in range(2, _MOST_DIGITS) if size * 10**digits >= 100), _MOST_DIGITS)
    return decimal(value, digits if value else 2, signed=signed)


def apart(value: float | None, metric: Metric, currency: str | None, digits: int = 2) -> str:
    """Return a difference; of rates in percentage points."""
    if value is not None and metric == "rate":
        return f"{decimal(value * 100, digits, signed=True)}{_SPACE}pp"
    return measured(value, metric, currency, signed=True)


def tick(value: float, digits: int, *, signed: bool = False) -> str:
    """Return a number on an axis, of money or hits; short from ten thousand on: `12.5k`, `1.25M`."""
    size, letter = (1e6, "M") if abs(value) >= 1e6 else (1e3, "k") if abs(value) >= 1e4 else (1.0, "")
    if not letter:
        return decimal(value, digits, signed=signed)
    return decimal(value / size, 2, signed=signed).rstrip("0").rstrip(".") + letter


def p_value(p: float | None) -> str:
    """Return a p-value with three digits, or `<0.001`."""
    if p is None:
        return NONE
    return "<0.001" if p < 0.001 else f"{p:.3f}"


def day(moment: str | None, *, with_year: bool = True) -> str:
    """Return the UTC day of a moment, such as `3 Nov 2026`."""
    if moment is None:
        return NONE
    date = parse_timestamp(moment).astimezone(UTC)
    return f"{date.day} {date:%b %Y}" if with_year else f"{date.day} {date:%b}"


def minute(moment: str | None) -> str:
    """Return a moment, such as `3 Nov 2026, 14:05 UTC`."""
    if moment is None:
        return NONE
    return f"{day(moment)}, {parse_timestamp(moment).astimezone(UTC):%H:%M} UTC"


def words(code: str) -> str:
    """Return a code in words: `event_gap` is `Event gap`."""
    return code.replace("_", " ").capitalize()


def step_digits(step: float, most: int) -> int:
    """Return the fewest digits that show a step of an axis exactly, or `most`."""
    return next((digits for digits in range(most) if abs(round(step, digits) - step) < 1e-9), most)
