"""Syntax of `Set-Cookie` (RFC 6265bis, section 5.6): one line as its parts, or None where browsers ignore it."""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime

MAX_COOKIE_BYTES = 4096
_MAX_ATTRIBUTE_BYTES = 1024
_REFUSED = re.compile("[\x00-\x08\x0a-\x1f\x7f\ud800-\udfff]")
"""Control characters; and halves of characters, which no table stores."""
_WHITESPACE = " \t"
_BETWEEN_LINES = re.compile(r",[ \t]*+(?=[^\s;,=]++[ \t]*+=)")
_DATE_PARTS = re.compile(r"[^\t\x20-\x2f\x3b-\x40\x5b-\x60\x7b-\x7e]+")
_TIME = re.compile(r"(\d{1,2}):(\d{1,2}):(\d{1,2})(?!\d)")
_DAY = re.compile(r"(\d{1,2})(?!\d)")
_YEAR = re.compile(r"(\d{2,4})(?!\d)")
_MAX_AGE = re.compile(r"-?[0-9]+")
_MONTHS = ("jan", "feb", "mar", "apr", "may", "jun", "jul", "aug", "sep", "oct", "nov", "dec")
_FIRST_YEAR = 1601


@dataclass(frozen=True, slots=True)
class SetCookie:
    """One line. Attributes are by their lower-case names; of several with one name the last counts."""

    name: str
    value: str
    attributes: Mapping[str, str] = field(default_factory=dict)


def read_set_cookie(line: str) -> SetCookie | None:
    """Return the parts of a line; None where browsers ignore it."""
    if _REFUSED.search(line):
        return None
    pair, *rest = line.split(";")
    name, equals, value = pair.partition("=")
    if not equals:
        name, value = "", pair
    name, value = name.strip(_WHITESPACE), value.strip(_WHITESPACE)
    if not name + value or len((name + value).encode("utf-8", "replace")) > MAX_COOKIE_BYTES:
        return None
    attributes = {}
    for text in rest:
        key, _, given = text.partition("=")
        given = given.strip(_WHITESPACE)
        if len(given.encode("utf-8", "replace")) <= _MAX_ATTRIBUTE_BYTES:
            attributes[key.strip(_WHITESPACE).lower()] = given
    return SetCookie(name, value, attributes)


def split_lines(joined: str) -> list[str]:
    """Return the lines of a response whose client joined them by commas; the comma of a date does not part them."""
    return _BETWEEN_LINES.split(joined) if joined else []


def read_max_age(text: str) -> int | None:
    """Return the seconds of a `Max-Age`; None for a text that is ignored."""
    if not _MAX_AGE.fullmatch(text):
        return None
    # Ten digits are three hundred years; `int` refuses texts of thousands.
    return 0 if text.startswith("-") else int(text[:10])


def read_cookie_date(text: str) -> datetime | None:
    """Return the moment of an `Expires` by the algorithm of section 5.1.1; None for a text that is ignored."""
    parts: dict[str, list[int]] = {}
    for part in _DATE_PARTS.findall(text):
        _take_date_part(parts, part)
    if parts.keys() < {"time", "day", "month", "year"}:
        return None
    (year,), (month,), (day,), (hour, minute, second) = parts["year"], parts["month"], parts["day"], parts["time"]
    # Two digits are a year of this century or the last.
    year += 1900 if 70 <= year <= 99 else 2000 if year <= 69 else 0
    try:
        return datetime(year, month, day, hour, minute, second, tzinfo=UTC) if year >= _FIRST_YEAR else None
    except ValueError:
        return None


def _take_date_part(parts: dict[str, list[int]], part: str) -> None:
    """Record the first part that can be the time, then the day, the month, the year."""
    month = part[:3].lower()
    if "time" not in parts and (match := _TIME.match(part)):
        parts["time"] = [int(digits) for digits in match.groups()]
    elif "day" not in parts and (match := _DAY.match(part)):
        parts["day"] = [int(match[1])]
    elif "month" not in parts and month in _MONTHS:
        parts["month"] = [_MONTHS.index(month) + 1]
    elif "year" not in parts and (match := _YEAR.match(part)):
        parts["year"] = [int(match[1])]
