"""Variations on the page: each has a mark next to its colour, so that lines differ without colours."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abtest.contract.report import Report
from abtest.contract.results import ResultRow
from abtest.kit.markup import Html, el, typed

COLOURS = 10
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ENDS_IN_LETTER = re.compile(r"(?:^|[\s_-])([A-Za-z])$")


@dataclass(frozen=True, slots=True)
class Arm:
    """Variation. `colour` is a class of the stylesheet."""

    id: str
    mark: str
    name: str
    colour: str
    is_control: bool
    visitors: int

    def chip(self) -> Html:
        """Return the mark, as at the end of its line; the name is next to it."""
        return el("span", self.mark, class_=f"chip {self.colour}", aria_hidden="true")

    def named(self) -> Html:
        """Return mark and name."""
        return el("span", self.chip(), " ", typed(self.name), class_="arm")


def arms_of(report: Report) -> Mapping[str, Arm]:
    """Return the arms by id, in the order of the report: the control first."""
    variations = report.experiment.variations
    marks = marks_of([variation.name for variation in variations])
    return {
        variation.id: Arm(
            id=variation.id,
            mark=mark,
            name=variation.name,
            colour=f"c{number % COLOURS}",
            is_control=variation.is_control,
            visitors=variation.visitors,
        )
        for number, (variation, mark) in enumerate(zip(variations, marks, strict=True))
    }


def marks_of(names: Sequence[str]) -> Sequence[str]:
    """Return a letter for each name; numbers where a letter would contradict a name, such as B for `Variant C`."""
    letters = _LETTERS[: len(names)]
    ends = [_ENDS_IN_LETTER.search(name) for name in names]
    agree = all(end is None or end[1].upper() == letter for end, letter in zip(ends, letters, strict=False))
    if len(letters) == len(names) and agree:
        return letters
    return [str(number + 1) for number in range(len(names))]


def row_name(row: ResultRow, arms: Mapping[str, Arm]) -> Html:
    """Return mark and name of a row's variation; only the name if the variation is no longer in use."""
    arm = arms.get(row.variation_id)
    return arm.named() if arm else typed(row.variation_name)
