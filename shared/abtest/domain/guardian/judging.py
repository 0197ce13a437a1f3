"""One look of Guardian: what it remembers and what it sees in, what it remembers now and what is to be done out."""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain

from abtest.domain.guardian.cases import MAX_PAST, Case, CaseKey, State, details_of, key_of
from abtest.domain.guardian.evidence import Evidence, Finding, NotEvaluated, Peaks, Unknown
from abtest.domain.guardian.kinds import KINDS, RANK, Action, Kind
from abtest.domain.guardian.rules import look
from abtest.domain.guardian.settings import Settings
from abtest.domain.guardian.unseen import unseen
from abtest.kit.clock import Timestamp, parse_timestamp

BETWEEN_CHECKS = timedelta(minutes=10)
"""Looks that follow each other faster, of a schedule that fires twice, count as one check."""

UNBROKEN = timedelta(minutes=45)
"""Two checks may be missed; after a longer break (the experiment was paused) nothing is said of what happened in it."""

GONE_AFTER = 4
"""Checks: a finding that comes and goes around its threshold lasts."""

UNSEEN: frozenset[Unknown] = frozenset(("not_counted_yet", "not_in_rollups", "too_early", "counts_are_old"))
"""Reasons for which a finding is not over only because nobody could look; for any other it has no point any more."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """What follows from a look: `alerts` to tell, `pauses` that ask for a pause; the first of them is its reason.

    `state` is what to remember once all of it has happened.
    """

    state: State
    alerts: tuple[Case, ...]
    pauses: tuple[Case, ...]

    @property
    def is_quiet(self) -> bool:
        """Whether nobody is to be told anything."""
        return not (self.alerts or self.pauses)

    def not_paused(self, before: State | None) -> "Judgement":
        """The same where pausing failed: told once, tried again at the next look."""
        told = {case.key for case in before.open if case.action == "pause_failed"} if before else set()
        failed = tuple(replace(case, action="pause_failed") for case in self.pauses)
        by_key = {case.key: case for case in failed}
        state = replace(self.state, open=tuple(by_key.get(case.key, case) for case in self.state.open))
        news = tuple(case for case in failed if case.key not in told)
        return Judgement(state=state, alerts=(*self.alerts, *news), pauses=())


@dataclass(frozen=True, slots=True)
class _Moment:
    """`counts`: whether a check counts of kinds that grow with time, `is_news`: of the others, too."""

    now: Timestamp
    epoch: int
    counts: bool
    is_news: bool

    def counts_for(self, kind: Kind) -> bool:
        return self.counts and (self.is_news or KINDS[kind].grows_with_time)


def watched_since(before: State | None, now: Timestamp) -> Timestamp:
    """Since when checks have followed each other, this one included."""
    if before is None or parse_timestamp(now) - parse_timestamp(before.checked_at) > UNBROKEN:
        return now
    return before.watched_since


def judge(
    before: State | None, evidence: Evidence | None, settings: Settings, *, measurement_epoch: int, now: Timestamp
) -> Judgement:
    """Look at the evidence in the light of what was seen before.

    Findings of another measurement are over. `evidence` None: nothing was counted of the measurement yet.
    """
    known = before if before and before.measurement_epoch == measurement_epoch else None
    peaks = Peaks(known.peaks if known else {})
    answers = list(look(evidence, settings, peaks))
    unknown = tuple(answer for answer in answers if isinstance(answer, NotEvaluated))
    moment = _moment(before, known, evidence, measurement_epoch, now)
    cases = _cases(known, [answer for answer in answers if isinstance(answer, Finding)], evidence, settings, moment)
    lasting, over = _aged(known, cases, unknown, moment)
    ended = [] if known or before is None else [replace(case, resolved_at=now) for case in before.open if case.action]
    state = State(
        measurement_epoch=measurement_epoch,
        generation=evidence.generation if evidence else None,
        checked_at=now if moment.counts or before is None else before.checked_at,
        watched_since=watched_since(before, now),
        peaks=peaks.all,
        open=tuple(sorted(chain(cases, lasting), key=_order)),
        past=tuple([*over, *ended, *(before.past if before else ())][:MAX_PAST]),
        not_evaluated=unknown,
        unseen=unseen(evidence) if evidence else None,
    )
    return _judgement(state, known)


def _moment(
    before: State | None, known: State | None, evidence: Evidence | None, epoch: int, now: Timestamp
) -> _Moment:
    counts = before is None or parse_timestamp(now) - parse_timestamp(before.checked_at) >= BETWEEN_CHECKS
    is_news = known is None or evidence is None or known.generation != evidence.generation
    return _Moment(now, epoch, counts, is_news)


def _cases(
    known: State | None,
    findings: Iterable[Finding],
    evidence: Evidence | None,
    settings: Settings,
    moment: _Moment,
) -> list[Case]:
    """Of each finding its case as it is from now on."""
    if evidence is None:
        return []
    standing = {case.key: case for case in known.open} if known else {}
    return [_case(standing.get(key_of(finding)), finding, evidence, settings, moment) for finding in findings]


def _case(standing: Case | None, finding: Finding, evidence: Evidence, settings: Settings, moment: _Moment) -> Case:
    checks = standing.checks + moment.counts_for(finding.kind) if standing else 1
    told = standing.action if standing else None
    action = _worse(told, _wanted(finding.kind, settings)) if checks >= finding.checks or told else None
    return Case(
        kind=finding.kind,
        metric=finding.metric,
        variation_id=finding.variation_id,
        goal_id=finding.goal_id,
        measurement_epoch=evidence.measurement_epoch,
        since=standing.since if standing else moment.now,
        checks=checks,
        details=details_of(finding, evidence, checks),
        action=action,
        detected_at=(standing.detected_at if standing else None) or (moment.now if action else None),
    )


def _wanted(kind: Kind, settings: Settings) -> Action:
    if KINDS[kind].pauses_by is None:
        return "alert"
    return "pause" if settings.lets_pause(kind) else "pause_suppressed"


def _worse(told: Action | None, wanted: Action) -> Action:
    return wanted if told is None or RANK[wanted] > RANK[told] else told


def _aged(
    known: State | None, cases: Sequence[Case], unknown: Sequence[NotEvaluated], moment: _Moment
) -> tuple[list[Case], list[Case]]:
    """Cases that were not found this time: those that last nevertheless, and those that are over."""
    found = {case.key for case in cases}
    unseen = {each.kind for each in unknown if each.reason in UNSEEN}
    pointless = {each.kind for each in unknown} - unseen
    lasting: list[Case] = []
    over: list[Case] = []
    for case in known.open if known else ():
        if case.key not in found:
            aged = case if case.kind in unseen else _absent(case, moment)
            is_over = case.kind in pointless or aged.absent >= (GONE_AFTER if case.action else 1)
            (over if is_over else lasting).append(aged)
    return lasting, [replace(case, resolved_at=moment.now) for case in over if case.action]


def _absent(case: Case, moment: _Moment) -> Case:
    return replace(case, absent=case.absent + moment.counts_for(case.kind))


def _judgement(state: State, known: State | None) -> Judgement:
    told: Mapping[CaseKey, Action | None] = {case.key: case.action for case in known.open} if known else {}
    news = [case for case in state.open if case.action and case.action != told.get(case.key)]
    return Judgement(
        state=state,
        alerts=tuple(case for case in news if case.action != "pause"),
        pauses=tuple(case for case in news if case.action == "pause"),
    )


_ORDER = {kind: place for place, kind in enumerate(KINDS)}


def _order(case: Case) -> tuple[int, str, str]:
    return _ORDER[case.kind], case.goal_id or "", case.variation_id or ""
