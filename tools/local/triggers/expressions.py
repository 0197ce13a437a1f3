"""Schedule expressions, rate() and cron(), as questions about one minute."""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import datetime
from zoneinfo import ZoneInfo

from tools.local.template.document import TemplateError

_RATE = re.compile(r"rate\((\d+) (minute|hour|day)s?\)")
_CRON = re.compile(r"cron\((\S+) (\S+) (\S+) (\S+) (\S+) (\S+)\)")
_MINUTES = {"minute": 1, "hour": 60, "day": 1440}
_MONTHS = ["JAN", "FEB", "MAR", "APR", "MAY", "JUN", "JUL", "AUG", "SEP", "OCT", "NOV", "DEC"]
_DAYS = ["SUN", "MON", "TUE", "WED", "THU", "FRI", "SAT"]
# minute, hour, day of month, month, day of week (Sunday is 1), year: lowest value, highest value, names
_FIELDS: list[tuple[int, int, list[str]]] = [
    (0, 59, []),
    (0, 23, []),
    (1, 31, []),
    (1, 12, _MONTHS),
    (1, 7, _DAYS),
    (1970, 2199, []),
]


@dataclass(frozen=True)
class Rate:
    """Due each so many minutes since the stack started."""

    minutes: int

    def due(self, _minute: datetime, since_start: int) -> bool:
        return since_start > 0 and since_start % self.minutes == 0


@dataclass(frozen=True)
class Cron:
    """Due in the minutes whose six parts are all allowed."""

    allowed: tuple[frozenset[int], ...]
    timezone: ZoneInfo

    def due(self, minute: datetime, _since_start: int) -> bool:
        local = minute.astimezone(self.timezone)
        weekday = local.isoweekday() % 7 + 1
        parts = (local.minute, local.hour, local.day, local.month, weekday, local.year)
        return all(part in values for part, values in zip(parts, self.allowed, strict=True))


def parse(expression: str, timezone: str = "UTC") -> Rate | Cron:
    """Read an expression; TemplateError for one that is wrong or not supported (L, W, # and at())."""
    if rate := _RATE.fullmatch(expression):
        minutes = int(rate[1]) * _MINUTES[rate[2]]
        if minutes > 0:
            return Rate(minutes)
    if cron := _CRON.fullmatch(expression):
        try:
            fields = zip(cron.groups(), _FIELDS, strict=True)
            return Cron(tuple(_values(text, *field) for text, field in fields), ZoneInfo(timezone))
        except (ValueError, KeyError):
            pass
    raise TemplateError(f"the local stack cannot read the schedule {expression!r}")


def _values(text: str, low: int, high: int, names: list[str]) -> frozenset[int]:
    values: set[int] = set()
    for part in text.split(","):
        span, _, step = part.partition("/")
        first, dash, last = span.partition("-")
        if span in {"*", "?"}:
            start, end = low, high
        else:
            start = _number(first, low, names)
            end = _number(last, low, names) if dash else (high if step else start)
        if not low <= start <= end <= high:
            raise ValueError(part)
        values.update(range(start, end + 1, int(step or 1)))
    return frozenset(values)


def _number(text: str, low: int, names: list[str]) -> int:
    return names.index(text.upper()) + low if text.upper() in names else int(text)
