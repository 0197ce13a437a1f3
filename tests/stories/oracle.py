"""What must be told and when: the rules for auto-stop and Guardian over what was sent, and nothing the product says.

Of the rules those that the shoppers can set off are here. A finding of any other kind was told wrongly.
"""

from __future__ import annotations

from collections.abc import Mapping, Set
from dataclasses import dataclass
from math import log
from typing import Any

from tests.stories.case import About, Case, Finding, Reported
from tests.stories.evidence import Arm, always_valid_p, harm_p, naive_z, two_sided
from tests.stories.planned_looks import Looks
from tests.stories.rules import findings_of
from tests.stories.shoppers import Event

PAUSES = {
    "broken_delivery": "pause_on_broken",
    "broken_runtime": "pause_on_broken",
    "broken_conversion": "pause_on_broken",
    "conversion_harm": "pause_on_harm",
    "revenue_harm": "pause_on_harm",
}
"""Kinds that may pause, by the setting that lets them, the first reason of a pause first."""

LOOKS_UNTIL_OVER = 4
"""In a row without a finding: then it is over, and reported again if it comes back."""


@dataclass(frozen=True, kw_only=True)
class Foretold:
    """A webhook event: the round in which it is told, its payload, and of an alert the finding."""

    round: int
    payload: Mapping[str, Any]
    finding: Finding | None = None


class Oracle:
    """All experiments of the shop, round by round."""

    def __init__(self) -> None:
        self.cases: dict[str, Case] = {}
        self.foretold: list[Foretold] = []
        self._known: set[str] = set()

    def note(self, events: list[Event]) -> None:
        """What was just sent; what was sent before is passed over."""
        for event in events:
            if event["id"] not in self._known:
                self._known.add(event["id"])
                for case in self.cases.values():
                    case.book.note(event)

    def begin(self, case: Case, number: int) -> None:
        """An experiment was launched in a round."""
        self.cases[case.book.experiment] = case
        self._tell(case, number, "experiment.started")

    def complete(self, experiment: str, number: int) -> None:
        """A person ended it."""
        case = self.cases[experiment]
        case.status = "completed"
        self._tell(case, number, "experiment.completed")

    def look(self, number: int, through: int) -> None:
        """Auto-stop and Guardian have a look at all that was sent; `through` is when the newest of it came in."""
        for case in self.cases.values():
            case.nearness.clear()
            _remember(case)
            if case.status == "running":
                self._auto_stop(case, number)
        for case in self.cases.values():
            if case.status == "running":
                self._guard(case, number, through)

    @property
    def is_near(self) -> bool:
        """Whether something is about to happen."""
        return any(case.is_near for case in self.cases.values() if case.status == "running")

    def _auto_stop(self, case: Case, number: int) -> None:
        control, treatment = (case.book.converted(each) for each in case.book.variations)
        if not control.visitors or not treatment.visitors:
            return
        arms, difference = (control, treatment), treatment.rate - control.rate
        is_harmed = _is_harmed(case)
        is_ready = min(arm.visitors for arm in arms) >= 100 and min(arm.converters for arm in arms) >= 25
        is_better = difference > 0 and case.its_difference > 0
        if case.stops and is_harmed and not case.is_harm_borne:
            case.status, case.ended_at, case.is_stopped_for_harm = "paused", number, True
            facts: dict[str, Any] = {"goal_id": case.revenue, "winning_variation_id": None, "outcome": "harm"}
            self._tell(case, number, "experiment.significant", **facts)
        elif case.stops and is_ready and is_better and not is_harmed and case.smallest_p <= case.alpha:
            self._win(case, number)
        self._look_once(case, number, control, treatment)
        if case.looks is not None:
            case.looks.look(control, treatment)
            self._look_as_planned(case, case.looks, number, control, treatment)

    def _look_once(self, case: Case, number: int, control: Arm, treatment: Arm) -> None:
        visitors = control.visitors + treatment.visitors
        if case.planned_visitors is None or case.evaluation is not None or visitors < case.planned_visitors:
            return
        z = naive_z(control, treatment)
        outcome = "continue_inconclusive"
        if two_sided(z) <= case.alpha:
            outcome = "significant_pause" if z > 0 else "continue_not_positive"
        case.evaluation = (number, outcome, visitors)
        if outcome == "significant_pause":
            self._win(case, number)

    def _look_as_planned(self, case: Case, looks: Looks, number: int, control: Arm, treatment: Arm) -> None:
        if case.evaluation is not None or not looks.seen:
            return
        visitors, best = control.visitors + treatment.visitors, looks.decisive
        difference = treatment.rate - control.rate
        is_sure = best is not None and best.z * difference > 0
        outcome = "continue_inconclusive"
        if is_sure:
            outcome = "significant_pause" if difference > 0 else "continue_not_positive"
        if outcome == "significant_pause" or visitors >= looks.visitors or looks.seen[-1].place == 1:
            case.evaluation = (number, outcome, visitors)
        if outcome == "significant_pause":
            self._win(case, number)

    def _win(self, case: Case, number: int) -> None:
        winner, goal = case.book.variations[1], case.book.goal
        case.status, case.ended_at = "paused", number
        self._tell(case, number, "experiment.significant", goal_id=goal, winning_variation_id=winner, outcome="winner")
        self._tell(case, number, "variation.winning", variation_id=winner, goal_id=goal)

    def _guard(self, case: Case, number: int, through: int) -> None:
        findings = list(findings_of(case, through))
        self._end(case, number, {finding.about for finding in findings})
        news = [finding for finding in findings if finding.about not in case.lasting]
        reason = next((finding for finding in news if case.pauses.get(PAUSES.get(finding.kind, ""))), None)
        for finding in news:
            setting = PAUSES.get(finding.kind)
            action = "alert" if setting is None else "pause" if case.pauses[setting] else "pause_suppressed"
            case.reported.append(Reported(finding=finding, action=action, round=number))
            if action != "pause":
                about = {"variation_id": finding.variation, "goal_id": finding.goal}
                facts: dict[str, Any] = {"kind": finding.kind, "action": action, **about}
                self._tell(case, number, "experiment.guardian_triggered", finding, **facts)
        if reason is not None:
            case.status, case.ended_at = "paused", number
            why: dict[str, Any] = {
                "reason": reason.kind,
                "variation_id": reason.variation,
                "goal_id": reason.goal,
            }
            self._tell(case, number, "experiment.guardian_paused", **why)

    def _end(self, case: Case, number: int, present: Set[About]) -> None:
        """End the findings that this look and those before it did not show."""
        for about, reported in case.lasting.items():
            reported.absent = 0 if about in present else reported.absent + 1
            if reported.absent == LOOKS_UNTIL_OVER:
                reported.ended = number

    def _tell(self, case: Case, number: int, event: str, finding: Finding | None = None, **facts: Any) -> None:
        base = {"event": event, "experiment_id": case.book.experiment, "experiment_name": case.name}
        self.foretold.append(Foretold(round=number, payload={**base, **facts}, finding=finding))


def _remember(case: Case) -> None:
    """Keep the smallest p of all looks; late events of what was paused are looked at as well."""
    control, treatment = (case.book.converted(each) for each in case.book.variations)
    p = always_valid_p(control, treatment, tau=case.tau, alpha=case.alpha)
    if p is not None:
        difference = treatment.rate - control.rate
        case.nearness["winner"] = log(p) / log(case.alpha) if difference > 0 else 0.0
        if p < case.smallest_p:
            case.smallest_p, case.its_difference = p, difference
    if case.revenue is not None:
        case.harm_p = min(
            case.harm_p, harm_p(*(case.book.paid(each) for each in case.book.variations), alpha=case.alpha)
        )
        case.nearness["harm"] = log(case.harm_p) / log(case.alpha)


def _is_harmed(case: Case) -> bool:
    """Return whether revenue was ever surely less, with enough data now."""
    arms = [case.book.paid(each) for each in case.book.variations]
    is_enough = min(arm.visitors for arm in arms) >= 100 and max(arm.converters for arm in arms) >= 25
    return case.revenue is not None and is_enough and case.harm_p <= case.alpha
