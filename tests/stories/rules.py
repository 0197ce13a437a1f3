"""Guardian's rules over what was sent: what is wrong with an experiment at one look."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace
from math import log

from tests.stories.book import QUARTER
from tests.stories.case import Case, Finding
from tests.stories.changes import LEFT, LEVELS, Change, Column, fewer, less_money
from tests.stories.evidence import (
    Arm,
    log_bayes_factor_of_split,
    log_e_of_fewer,
    log_e_of_less_money,
)
from tests.stories.shoppers import MINUTE

SHARE = 0.5
"""Of each arm."""


def findings_of(case: Case, through: int) -> Iterator[Finding]:
    """All that is wrong at one look; `through` is when the newest event came in, in Unix ms."""
    yield from _undelivered(case, through)
    yield from _failing(case)
    yield from _broken(case, through)
    yield from _harmful(case, through)
    yield from _poorer(case, through)
    yield from _uneven(case, through)
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


def _broken(case: Case, now: int) -> Iterator[Finding]:
    """A quarter of the control's rate or less, of all visitors or of those since a change."""
    for goal in _goals(case):
        whole = _of_rates(case, "broken_conversion", goal)
        is_proven = case.is_proven("broken_conversion", goal.id, _log_e(goal, prior=1), 1000)
        if is_proven and whole.observed <= whole.threshold:
            yield whole
        elif (change := _changed(case, "broken_conversion", goal, now)) is not None:
            newest = _of_rates(case, "broken_conversion", goal, change.since)
            if newest.observed <= newest.threshold:
                yield newest


def _harmful(case: Case, now: int) -> Iterator[Finding]:
    """A lower rate; since a change it must be lower since then, as fewer visitors have fewer conversions as well."""
    for goal in _goals(case):
        if case.is_proven("conversion_harm", goal.id, _log_e(goal, prior=20 * SHARE), 200):
            yield replace(_of_rates(case, "conversion_harm", goal), threshold=0.005)
        elif (change := _changed(case, "conversion_harm", goal, now)) is not None:
            newest = _of_rates(case, "conversion_harm", goal, change.since)
            if newest.observed < newest.expected:
                yield replace(newest, threshold=LEVELS["conversion_harm"])


@dataclass(frozen=True, kw_only=True)
class _Goal:
    """A goal whose loss is harm; `arm` are a variation's counts since a quarter of an hour, 0 being all."""

    id: str
    column: Column
    arm: Callable[[str, int], Arm]
    variations: tuple[str, str]

    def arms(self, since: int = 0) -> tuple[Arm, Arm]:
        control, treatment = self.variations
        return self.arm(control, since), self.arm(treatment, since)


def _goals(case: Case) -> Iterator[_Goal]:
    """None while an arm has no visitors, which is a matter of delivery."""
    book = case.book
    goals = [_Goal(id=book.goal, column="reached", arm=book.converted, variations=book.variations)]
    if case.revenue is not None:
        goals.append(_Goal(id=case.revenue, column="buyers", arm=book.paid, variations=book.variations))
    if all(arm.visitors for arm in goals[0].arms()):
        yield from sorted(goals, key=lambda goal: goal.id)


def _log_e(goal: _Goal, *, prior: float) -> float:
    control, treatment = goal.arms()
    return log_e_of_fewer(control.converters, treatment.converters, share=SHARE, a=prior, b=prior)


def _changed(case: Case, kind: str, goal: _Goal, now: int) -> Change | None:
    """A change of the goal, if there surely is one."""
    change = fewer(case.book, goal.column, goal.variations, SHARE, LEFT[kind], now)
    return change if change is not None and case.is_changed(kind, change) else None


def _of_rates(case: Case, kind: str, goal: _Goal, since: int | None = None) -> Finding:
    control, treatment = goal.arms(since or 0)
    return Finding(
        kind=kind,
        metric="conversion_rate",
        variation=case.book.variations[1],
        goal=goal.id,
        observed=treatment.rate,
        expected=control.rate,
        threshold=0.25 * control.rate,
        sample=control.visitors + treatment.visitors,
        since=since,
    )


def _poorer(case: Case, now: int) -> Iterator[Finding]:
    """Less money of a visitor, of all; or since buyers began to spend less."""
    control, treatment = (case.book.paid(each) for each in case.book.variations)
    if case.revenue is None or min(control.hits, treatment.hits) < 25:
        return
    if case.is_proven("revenue_harm", case.revenue, log_e_of_less_money(control, treatment), 100):
        yield _of_money(case, control, treatment, threshold=0.01)
        return
    change = less_money(case.book, now)
    if change is None or not case.is_changed("revenue_harm", change):
        return
    control, treatment = (case.book.paid(each, change.since) for each in case.book.variations)
    if min(control.hits, treatment.hits) >= 25 and treatment.mean < control.mean:
        newest = _of_money(case, control, treatment, threshold=LEVELS["revenue_harm"])
        yield replace(newest, since=change.since)


def _of_money(case: Case, control: Arm, treatment: Arm, *, threshold: float) -> Finding:
    return Finding(
        kind="revenue_harm",
        metric="revenue_per_visitor",
        variation=case.book.variations[1],
        goal=case.revenue,
        observed=treatment.mean / 100,
        expected=control.mean / 100,
        threshold=threshold,
        sample=control.visitors + treatment.visitors,
    )


def _uneven(case: Case, now: int) -> Iterator[Finding]:
    """Another split of all visitors; or one arm loses visitors since a change, each arm having half of the level."""
    visitors = [case.book.converted(each).visitors for each in case.book.variations]
    log_factor = log_bayes_factor_of_split(visitors, [SHARE, SHARE])
    if case.is_proven("sample_ratio_mismatch", None, log_factor, 100):
        yield _of_split(case, threshold=0.01)
        return
    kind, (control, treatment) = "sample_ratio_mismatch", case.book.variations
    changes = [
        Change(change.log_e - log(2), change.since)
        for arms in ((treatment, control), (control, treatment))
        if (change := fewer(case.book, "visitors", arms, SHARE, LEFT[kind], now)) is not None
    ]
    best = max(changes, key=lambda change: change.log_e, default=None)
    if best is not None and case.is_changed(kind, best):
        yield _of_split(case, threshold=LEVELS[kind], since=best.since)


def _of_split(case: Case, *, threshold: float, since: int | None = None) -> Finding:
    """With halves both arms are as far from theirs; the first is named."""
    visitors = [case.book.converted(each, since or 0).visitors for each in case.book.variations]
    return Finding(
        kind="sample_ratio_mismatch",
        metric="share_of_visitors",
        variation=case.book.variations[0],
        observed=visitors[0] / sum(visitors),
        expected=SHARE,
        threshold=threshold,
        sample=sum(visitors),
        since=since,
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
