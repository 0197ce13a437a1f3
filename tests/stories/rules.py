"""Guardian's rules over what was sent: an experiment under way, and what is wrong with it."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from math import log

from tests.stories.book import QUARTER, Book
from tests.stories.evidence import (
    log_bayes_factor_of_split,
    log_e_of_fewer,
    log_e_of_less_money,
)
from tests.stories.shoppers import MINUTE

SHARE = 0.5
"""Of each arm."""


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
    harm_p: float = 1.0
    """The smallest of its guardrail, which is its revenue."""
    is_harm_borne: bool = False
    """Its settings let it go on when a guardrail is harmed."""
    is_stopped_for_harm: bool = False
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


def findings_of(case: Case, through: int) -> Iterator[Finding]:
    """All that is wrong at one look; `through` is when the newest event came in, in Unix ms."""
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
