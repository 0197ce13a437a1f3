"""The variations on the page: each has a mark beside its colour, so that lines are told apart without colours."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abtest.contract.report import Report, ReportVariation
from abtest.services.report_page.markup import Html, el, typed

COLOURS = 10
_LETTERS = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
_ENDS_IN_LETTER = re.compile(r"(?:^|[\s_-])([A-Za-z])$")


@dataclass(frozen=True, slots=True)
class Arm:
    """A variation. `colour` names a class of the stylesheet."""

    id: str
    mark: str
    name: str
    colour: str
    is_control: bool
    visitors: int

    def chip(self) -> Html:
        """The mark, as it stands at the end of a line; the name stands beside it."""
        return el("span", self.mark, class_=f"chip {self.colour}", aria_hidden="true")

    def named(self) -> Html:
        """Mark and name."""
        return el("span", self.chip(), " ", typed(self.name), class_="arm")


def arms_of(report: Report) -> Mapping[str, Arm]:
    """By id, in the order of the report: the control first."""
    variations = report.experiment.variations
    marks = _marks(variations)
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


def _marks(variations: Sequence[ReportVariation]) -> Sequence[str]:
    """Letters; numbers where `Variant C` would be called B."""
    letters = _LETTERS[: len(variations)]
    ends = [_ENDS_IN_LETTER.search(variation.name) for variation in variations]
    agree = all(end is None or end[1].upper() == letter for end, letter in zip(ends, letters, strict=False))
    if len(letters) == len(variations) and agree:
        return letters
    return [str(number + 1) for number in range(len(variations))]
