"""Visitor and sticky assignments in the storefront's cookie, read as `storefront/src/visit.js` reads them.

`svc_v = visitor.session.hops.marks.sticky.source.seen.first.last.visits.pages`; sticky entries are
`~<state of the seed>-<hash of the variation id>`, both in base 36.
"""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from functools import lru_cache

from abtest.domain.assignment.hash import fold
from abtest.domain.assignment.roster import Roster

_FORM = re.compile(r"([\w-]{16,64}(?:\.\w{1,32}(?:\.[~\w-]*){9})?)(?=\.|\Z)", re.ASCII)
_STICKY, _SEEN = 4, 6
_STATE = re.compile("0|[1-9a-z][0-9a-z]{0,6}", re.ASCII)
_DIGITS = "0123456789abcdefghijklmnopqrstuvwxyz"


@dataclass(frozen=True, slots=True)
class Visit:
    """Id of a visitor and the sticky field, "" where the rest of the cookie has another form."""

    visitor_id: str
    sticky: str = ""


def read_visit(values: Iterable[str]) -> Visit | None:
    """Return the visit of the cookie that was written last, of those that a browser sends; None without a valid one."""
    latest: list[str] = []
    for value in values:
        matched = _FORM.match(value)
        if matched is not None:
            fields = matched[1].split(".")
            if not _seen(latest) or _seen(fields) >= _seen(latest):
                latest = fields
    return Visit(latest[0], latest[_STICKY] if len(latest) > _STICKY else "") if latest else None


def sticky_variations(field: str, roster: Roster) -> dict[str, str]:
    """Return the variations of the sticky field, by the seed of their experiment, without those not published now."""
    codes: dict[str, set[str]] = {}
    for entry in field.split("~"):
        state, _, code = entry.partition("-")
        if _STATE.fullmatch(state):
            codes.setdefault(state, set()).add(code)
    sticky: dict[str, str] = {}
    for state, known in codes.items():
        place = roster.by_state.get(int(state, 36))
        if place is not None:
            experiment = roster.members[place]
            for variation_id in experiment.indices:
                if code_of(variation_id) in known:
                    sticky[experiment.seed] = variation_id  # the last one counts, as in the storefront
    return sticky


@lru_cache(maxsize=4096)
def code_of(variation_id: str) -> str:
    """Return the hash of a variation's id in base 36."""
    return base36(fold(variation_id))


def base36(number: int) -> str:
    """Return the digits of a number that is not negative, as `toString(36)` does in JavaScript."""
    digits = ""
    while number >= 36:
        number, digit = divmod(number, 36)
        digits = _DIGITS[digit] + digits
    return _DIGITS[number] + digits


def _seen(fields: list[str]) -> str:
    return fields[_SEEN] if len(fields) > _SEEN else ""
