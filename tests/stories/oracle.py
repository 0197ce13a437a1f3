"""What must be told and when: the rules for auto-stop and Guardian over what was sent, and nothing the product says.

Of the rules those that the shoppers can set off are here. A finding of any other kind was told wrongly.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import log
from typing import Any

from tests.stories.book import QUARTER, Book
from tests.stories.evidence import (
    Arm,
    always_valid_p,
    log_bayes_factor_of_split,
    log_e_of_fewer,
    log_e_of_less_money,
    naive_z,
    two_sided,
)
from tests.stories.shoppers import MINUTE, Event

PAUSES = {
    "broken_delivery": "pause_on_broken",
    "broken_runtime": "pause_on_broken",
    "broken_conversion": "pause_on_broken",
    "conversion_harm": "pause_on_harm",
    "revenue_harm": "pause_on_harm",
}
"""Kinds that may pause, by the setting that lets them, the first reason of a pause first."""

SHARE = 0.5


@dataclass(frozen=True, kw_only=True)
class Finding:
    """Something that is wrong. `metric` and the numbers are what is told beside it."""

    kind: str
    metric: str
    variation: str | None = None
    goal: str | None = None
    observed: float = 0.0
    expected: float = 0.0
    threshold: float = 0.0
    sample: int = 0

    @property
    def about(self) -> tuple[str, str | None, str | None]:
        return self.kind, self.variation, self.goal


@dataclass(frozen=True, kw_only=True)
class Foretold:
    """A webhook event: the round in which it is told, its payload, and of an alert the finding."""

    round: int
    payload: Mapping[str, Any]
    finding: Finding | None = None


@dataclass(kw_only=True)
class Case:
    """An experiment under way. `revenue` is the id of its goal that counts money, if it has one.

    `tau` is that of its plan; `planned_visitors` are those at which it is looked at once, where it stops so.
    `stops`: at significance. `pauses` says what its settings let Guardian do.
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
    its_difference: float = 0.0
    peaks: dict[str, float] = field(default_factory=dict)
    told: dict[tuple[str, str | None, str | None], tuple[Finding, str]] = field(default_factory=dict)
    evaluation: tuple[int, str, int] | None = None
    """Of the one planned look the round, the outcome and the visitors."""
    ended_at: int | None = None
    """The round in which it was paused."""
    nearness: dict[str, float] = field(default_factory=dict)
    """By kind how much of what it takes is there at the moment, 1 being all of it."""

    def is_proven(self, kind: str, goal: str | None, log_e: float, odds: float) -> bool:
        """Whether the greatest of all looks so far says: so much to one."""
        self.nearness[kind] = log_e / log(odds)
        name = f"{kind}|{goal}"
        self.peaks[name] = max(self.peaks.get(name, 0.0), log_e)
        return self.peaks[name] >= log(odds)

    @property
    def is_near(self) -> bool:
        """Whether something is about to be told that is not yet, so that one should look more often."""
        told = {kind for kind, _, _ in self.told}
        return any(part > 0.5 for kind, part in self.nearness.items() if kind not in told)


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
            if case.status == "running":
                self._auto_stop(case, number)
            if case.status == "running":
                self._guard(case, number, through)

    @property
    def is_near(self) -> bool:
        """Whether something is about to happen."""
        return any(case.is_near for case in self.cases.values() if case.status == "running")

    def _auto_stop(self, case: Case, number: int) -> None:
        control, treatment = (case.book.converted(each) for each in case.book.variations)
        p = always_valid_p(control, treatment, tau=case.tau, alpha=case.alpha)
        if p is None:
            return
        difference = treatment.rate - control.rate
        case.nearness["winner"] = log(p) / log(case.alpha) if difference > 0 else 0.0
        if p < case.smallest_p:
            case.smallest_p, case.its_difference = p, difference
        arms = (control, treatment)
        is_ready = min(arm.visitors for arm in arms) >= 100 and min(arm.converters for arm in arms) >= 25
        is_better = difference > 0 and case.its_difference > 0
        if case.stops and is_ready and is_better and case.smallest_p <= case.alpha:
            self._win(case, number)
        self._look_once(case, number, control, treatment)

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

    def _win(self, case: Case, number: int) -> None:
        winner, goal = case.book.variations[1], case.book.goal
        case.status, case.ended_at = "paused", number
        self._tell(case, number, "experiment.significant", goal_id=goal, winning_variation_id=winner)
        self._tell(case, number, "variation.winning", variation_id=winner, goal_id=goal)

    def _guard(self, case: Case, number: int, through: int) -> None:
        findings = list(_findings(case, through))
        news = [finding for finding in findings if finding.about not in case.told]
        reason = next((finding for finding in news if case.pauses.get(PAUSES.get(finding.kind, ""))), None)
        for finding in news:
            setting = PAUSES.get(finding.kind)
            action = "alert" if setting is None else "pause" if case.pauses[setting] else "pause_suppressed"
            case.told[finding.about] = (finding, action)
            if action != "pause":
                about = {"variation_id": finding.variation, "goal_id": finding.goal}
                facts: dict[str, Any] = {"kind": finding.kind, "action": action, **about}
                self._tell(case, number, "experiment.guardian_triggered", finding, **facts)
        lasting = {finding.about for finding in findings}
        assert case.told.keys() <= lasting, "what comes and goes is beyond this oracle"
        if reason is not None:
            case.status, case.ended_at = "paused", number
            why: dict[str, Any] = {
                "reason": reason.kind,
                "variation_id": reason.variation,
                "goal_id": reason.goal,
            }
            self._tell(case, number, "experiment.guardian_paused", **why)

    def _tell(self, case: Case, number: int, event: str, finding: Finding | None = None, **facts: Any) -> None:
        base = {"event": event, "experiment_id": case.book.experiment, "experiment_name": case.name}
        self.foretold.append(Foretold(round=number, payload={**base, **facts}, finding=finding))


def _findings(case: Case, through: int) -> Iterator[Finding]:
    yield from _undelivered(case, through)
    yield from _failing(case)
    yield from _broken(case)
    yield from _harmful(case)
    yield from _poorer(case)
    yield from _uneven(case)
    yield from _twice(case)


def _undelivered(case: Case, through: int) -> Iterator[Finding]:
    """An arm without anybody, in quarters that were over five minutes before the newest event came in."""
    book, settled = case.book, (through - 5 * MINUTE) // QUARTER
    visitors = [book.converted(each).visitors for each in book.variations]
    for arm, other in (book.variations, book.variations[::-1]):
        own = book.converted(arm).visitors
        came = book.arrived(other, book.last_arrival(arm) + 1 if own else 0, settled)
        if came and came * log(1 - SHARE) <= log(1e-6 / max(sum(visitors) if own else 1, 1)):
            yield Finding(
                kind="broken_delivery", metric="visitors", variation=arm, expected=came, threshold=1e-6, sample=came
            )


def _failing(case: Case) -> Iterator[Finding]:
    control, treatment = case.book.variations
    (seen_c, failed_c), (seen_t, failed_t) = case.book.sessions(control), case.book.sessions(treatment)
    # More errors of the treatment are fewer of the control.
    log_e = log_e_of_fewer(failed_t, failed_c, share=1 - SHARE, a=1, b=1)
    is_proven = case.is_proven("broken_runtime", None, log_e, 1000)
    rate, usual = failed_t / max(seen_t, 1), failed_c / max(seen_c, 1)
    limit = max(2 * usual, 0.01)
    if failed_t >= 10 and rate >= limit and is_proven:
        yield Finding(
            kind="broken_runtime",
            metric="error_rate",
            variation=treatment,
            observed=rate,
            expected=usual,
            threshold=limit,
            sample=seen_c + seen_t,
        )


def _broken(case: Case) -> Iterator[Finding]:
    for finding, is_proven in _conversions(case, "broken_conversion", prior=1, odds=1000):
        if is_proven and finding.observed <= 0.25 * finding.expected:
            yield finding


def _harmful(case: Case) -> Iterator[Finding]:
    for finding, is_proven in _conversions(case, "conversion_harm", prior=20 * SHARE, odds=100):
        if is_proven:
            yield finding


def _conversions(case: Case, kind: str, *, prior: float, odds: float) -> Iterator[tuple[Finding, bool]]:
    book = case.book
    counts = [(book.goal, [book.converted(each) for each in book.variations])]
    if case.revenue is not None:
        counts.append((case.revenue, [book.paid(each) for each in book.variations]))
    for goal, (control, treatment) in counts:
        log_e = log_e_of_fewer(control.converters, treatment.converters, share=SHARE, a=prior, b=prior)
        finding = Finding(
            kind=kind,
            metric="conversion_rate",
            variation=book.variations[1],
            goal=goal,
            observed=treatment.rate,
            expected=control.rate,
            threshold=0.01 if kind == "conversion_harm" else 0.25 * control.rate,
            sample=control.visitors + treatment.visitors,
        )
        yield finding, case.is_proven(kind, goal, log_e, odds)


def _poorer(case: Case) -> Iterator[Finding]:
    control, treatment = (case.book.paid(each) for each in case.book.variations)
    if case.revenue is None or min(control.hits, treatment.hits) < 25:
        return
    if case.is_proven("revenue_harm", case.revenue, log_e_of_less_money(control, treatment), 100):
        yield Finding(
            kind="revenue_harm",
            metric="revenue_per_visitor",
            variation=case.book.variations[1],
            goal=case.revenue,
            observed=treatment.mean / 100,
            expected=control.mean / 100,
            threshold=0.01,
            sample=control.visitors + treatment.visitors,
        )


def _uneven(case: Case) -> Iterator[Finding]:
    visitors = [case.book.converted(each).visitors for each in case.book.variations]
    log_factor = log_bayes_factor_of_split(visitors, [SHARE, SHARE])
    if case.is_proven("sample_ratio_mismatch", None, log_factor, 100):
        place = 0 if visitors[0] >= visitors[1] else 1
        yield Finding(
            kind="sample_ratio_mismatch",
            metric="share_of_visitors",
            variation=case.book.variations[place],
            observed=visitors[place] / sum(visitors),
            expected=SHARE,
            threshold=0.01,
            sample=sum(visitors),
        )


def _twice(case: Case) -> Iterator[Finding]:
    twice = case.book.twice
    seen = twice + sum(case.book.converted(each).visitors for each in case.book.variations)
    if twice >= 10 and twice >= 0.01 * seen:
        yield Finding(
            kind="multiple_exposure",
            metric="share_of_visitors",
            observed=twice / seen,
            threshold=0.01,
            sample=seen,
        )
