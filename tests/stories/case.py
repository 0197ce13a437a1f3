"""An experiment under way, its findings, and those that were reported."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from math import log

from tests.stories.book import Book
from tests.stories.changes import LEVELS, Change
from tests.stories.planned_looks import Looks

About = tuple[str, str | None, str | None]
"""The kind, the variation and the goal."""


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that is wrong. `metric` and the numbers are the details of its alert.

    `since`: the quarter of an hour since 1970 from which on it is wrong, where all counts together prove nothing.
    """

    kind: str
    metric: str
    variation: str | None = None
    goal: str | None = None
    observed: float = 0.0
    expected: float = 0.0
    threshold: float = 0.0
    sample: int = 0
    since: int | None = None

    @property
    def about(self) -> About:
        return self.kind, self.variation, self.goal


@dataclass(kw_only=True)
class Reported:
    """A finding as it was reported in a round; `absent` are the looks in a row that did not show it."""

    finding: Finding
    action: str
    round: int
    absent: int = 0
    ended: int | None = None
    """The round in which it was over."""


@dataclass(kw_only=True)
class Case:
    """An experiment under way. `revenue` is the id of its goal that counts money, if it has one.

    `tau` is that of its plan; `planned_visitors` are those at which it is looked at once, where it stops so.
    `stops`: at significance. `pauses`: by setting, whether Guardian may pause it.
    """

    name: str
    book: Book
    revenue: str | None
    tau: float | None
    alpha: float
    stops: bool
    planned_visitors: int | None
    pauses: Mapping[str, bool]
    status: str = "running"
    smallest_p: float = 1.0
    harm_p: float = 1.0
    """The smallest of its guardrail, which is its revenue."""
    is_harm_borne: bool = False
    """Its settings let it go on when a guardrail is harmed."""
    is_stopped_for_harm: bool = False
    its_difference: float = 0.0
    peaks: dict[str, float] = field(default_factory=dict)
    reported: list[Reported] = field(default_factory=list)
    evaluation: tuple[int, str, int] | None = None
    """Of the one planned look the round, the outcome and the visitors."""
    looks: Looks | None = None
    """The planned ones, where it stops by them."""
    ended_at: int | None = None
    """The round in which it was paused."""
    nearness: dict[str, float] = field(default_factory=dict)
    """By kind how much of what it takes is there at the moment, 1 being all of it."""

    @property
    def lasting(self) -> dict[About, Reported]:
        """Findings that were reported and are not over."""
        return {each.finding.about: each for each in self.reported if each.ended is None}

    def is_proven(self, kind: str, goal: str | None, log_e: float, odds: float) -> bool:
        """Return whether the greatest of all looks so far is so much to one."""
        self._come_near(kind, log_e / log(odds))
        name = f"{kind}|{goal}"
        self.peaks[name] = max(self.peaks.get(name, 0.0), log_e)
        return self.peaks[name] >= log(odds)

    def is_changed(self, kind: str, change: Change) -> bool:
        """Return whether a change is proven by this look alone."""
        part = change.log_e / -log(LEVELS[kind])
        self._come_near(kind, part)
        return part >= 1

    @property
    def is_near(self) -> bool:
        """True while something is about to be reported, so that one should look more often."""
        known = {kind for kind, _, _ in self.lasting}
        return any(part > 0.5 for kind, part in self.nearness.items() if kind not in known)

    def _come_near(self, kind: str, part: float) -> None:
        self.nearness[kind] = max(self.nearness.get(kind, part), part)
