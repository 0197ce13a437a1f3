"""Rows as text: what, aim, reached with its Monte Carlo error, passed or not, and what others reach."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from itertools import groupby

from tools.sim.outcomes import Aim, Row

_WIDTH = 58


def table(rows: Sequence[Row]) -> Iterator[str]:
    """Lines, grouped."""
    yield f"{'what':<{_WIDTH}}{'aim':>9}{'reached':>10}{'± 95 %':>9}  {'':<7} beside"
    for group, members in groupby(rows, key=lambda row: row.group):
        yield ""
        yield group
        yield from map(_line, members)


def _line(row: Row) -> str:
    verdict = "" if row.aim is None else "passed" if row.passes else "MISSED"
    aim, reached, error = _aim(row), _value(row, row.reached), _value(row, row.error)
    return f"  {row.what:<{_WIDTH - 2}}{aim:>9}{reached:>10}{error:>9}  {verdict:<7} {row.beside}".rstrip()


def _aim(row: Row) -> str:
    aim: Aim | None = row.aim
    if aim is None:
        return ""
    return f"{'≥' if aim.at_least else '≤'} {f'{aim.limit:g} h' if row.measure == 'median' else f'{aim.limit:g}'}"


def _value(row: Row, value: float) -> str:
    return f"{value:.1f} h" if row.measure == "median" else f"{value:.4f}"
