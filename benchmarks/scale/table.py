"""The table of figures against their targets."""

import sys
from collections.abc import Iterator, Sequence
from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Figure:
    """One measured figure; `target` is the most that it may be, None where there is none."""

    what: str
    value: float
    unit: str = ""
    target: float | None = None

    @property
    def ratio(self) -> float | None:
        """The figure as a share of its target: more than 1 misses it."""
        if self.target is None:
            return None
        return self.value / self.target if self.target else float(self.value > 0) * 99

    @property
    def verdict(self) -> str:
        """Met or missed."""
        if self.ratio is None:
            return ""
        return "met" if self.ratio <= 1 else "MISSED"


def say(text: str) -> None:
    """Tell how far it is."""
    print(text, file=sys.stderr, flush=True)


def lines(figures: Sequence[Figure]) -> Iterator[str]:
    """Lines of a table in Markdown."""
    yield "| what | figure | at most | ratio | |"
    yield "|---|---|---|---|---|"
    for one in figures:
        target = "" if one.target is None else f"{one.target:,.6g} {one.unit}"
        ratio = "" if one.ratio is None else f"{one.ratio:.2f}"
        yield f"| {one.what} | {_number(one.value)} {one.unit} | {target} | {ratio} | {one.verdict} |"


def _number(value: float) -> str:
    return f"{value:,.0f}" if abs(value) >= 100 or value == int(value) else f"{value:,.3g}"
