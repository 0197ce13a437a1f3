"""Rows of the table: measurement, peers and aim; printed, as JSON, and in docs/benchmarks.md."""

import json
import re
import statistics
from collections.abc import Sequence
from dataclasses import asdict, dataclass
from pathlib import Path
from typing import Any, Literal

DOCUMENT = Path(__file__).parents[2] / "docs" / "benchmarks.md"
BEGIN, END = "<!-- written by make bench-storefront -->", "<!-- end of what make bench-storefront writes -->"
Verdict = Literal["met", "missed", ""]


@dataclass(frozen=True)
class Amount:
    """One figure: the median where there were several, with the quartiles around it."""

    value: float
    unit: str = ""
    low: float | None = None
    high: float | None = None
    times: int = 1

    def __str__(self) -> str:
        text = f"{_digits(self.value)}{self.unit and ' ' + self.unit}"
        if self.low is None or self.high is None:
            return text
        return f"{text} ({_digits(self.low)} to {_digits(self.high)})"


@dataclass(frozen=True)
class Row:
    """One line of the table. `met` is None where there is no aim; `given` says what each side was given."""

    what: str
    ours: Amount
    peers: Sequence[tuple[str, Amount]] = ()
    ratio: float | None = None
    aim: str = ""
    met: bool | None = None
    given: str = ""

    @property
    def verdict(self) -> Verdict:
        """In words."""
        if self.met is None:
            return ""
        return "met" if self.met else "missed"


def median(values: Sequence[float], unit: str = "") -> Amount:
    """Median and quartiles."""
    if len(values) < 4:
        return Amount(statistics.median(values), unit, min(values), max(values), len(values))
    low, middle, high = statistics.quantiles(values, n=4)
    return Amount(middle, unit, low, high, len(values))


def show(row: Row) -> None:
    """Print one row, what each side was given below it."""
    ratio = "" if row.ratio is None else f"{row.ratio:.2f}x"
    print(f"  {row.what:<58} {row.ours!s:>28} {ratio:>8}   {row.aim:<22} {row.verdict}")
    for name, amount in row.peers:
        print(f"      {name:<54} {amount!s:>28}")
    if row.given:
        print(f"      [{row.given}]")


def as_json(rows: Sequence[Row], about: dict[str, Any]) -> str:
    """All rows for machines."""
    return json.dumps({"about": about, "rows": [asdict(row) | {"verdict": row.verdict} for row in rows]}, indent=2)


def table(rows: Sequence[Row]) -> str:
    """All rows as a Markdown table."""
    lines = ["| storefront | ours | peers in the same run | ratio | aim | |", "|---|---|---|---|---|---|"]
    for row in rows:
        beside = "; ".join(f"{name} {_middle(amount)}" for name, amount in row.peers) or "–"
        ratio = "" if row.ratio is None else f"{row.ratio:.2f}"
        lines.append(f"| {row.what} | {_middle(row.ours)} | {beside} | {ratio} | {row.aim} | {row.verdict} |")
    return "\n".join(lines)


def write_document(rows: Sequence[Row], about: str) -> None:
    """Replace the table of an earlier run in docs/benchmarks.md. Raises ValueError when its marks are missing."""
    text = DOCUMENT.read_text()
    found = re.subn(
        f"{re.escape(BEGIN)}.*?{re.escape(END)}",
        lambda _: f"{BEGIN}\n{about}\n\n{table(rows)}\n{END}",
        text,
        flags=re.DOTALL,
    )
    if found[1] != 1:
        raise ValueError("docs/benchmarks.md has no marks for the table of the storefront")
    DOCUMENT.write_text(found[0])


def _middle(amount: Amount) -> str:
    return f"{_digits(amount.value)}{amount.unit and ' ' + amount.unit}"


def _digits(value: float) -> str:
    if value == int(value) or abs(value) >= 100:
        return f"{value:,.0f}"
    return f"{value:.1f}" if abs(value) >= 1 else f"{value:.2f}"
