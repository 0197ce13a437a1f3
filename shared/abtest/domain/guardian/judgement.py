"""One look of Guardian: from its memory and the evidence to its new memory, alerts and pauses."""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from datetime import timedelta
from itertools import chain

from abtest.domain.guardian.cases import MAX_PAST, Case, State, details_of, key_of
from abtest.domain.guardian.evidence import Evidence, Finding, NotEvaluated, Peaks, Unknown
from abtest.domain.guardian.kinds import KINDS, RANK, Kind
from abtest.domain.guardian.rules import look
from abtest.domain.guardian.settings import Settings
from abtest.domain.guardian.unseen import unseen
from abtest.kit.clock import Timestamp, parse_timestamp

# Looks in quicker succession, of a schedule that fires twice, count as one check.
BETWEEN_CHECKS = timedelta(minutes=10)

# Two checks may be missed; a longer break, such as a pause of the experiment, is not judged.
UNBROKEN = timedelta(minutes=45)

# Checks without a finding until it is over, so that one around its threshold lasts.
GONE_AFTER = 4

# Reasons that leave an open finding as it is, because there was no check; any other reason ends it.
UNSEEN: frozenset[Unknown] = frozenset(("not_counted_yet", "not_in_rollups", "too_early", "counts_are_old"))

# The order of kinds is the precedence of reasons for a pause.
_PLACES = {kind: place for place, kind in enumerate(KINDS)}


@dataclass(frozen=True, slots=True, kw_only=True)
class Judgement:
    """Result of a look: `alerts` to send, `pauses` that ask for a pause; the first of them is its reason.

    `state` is stored once all of it has happened.
    """

    state: State
    alerts: tuple[Case, ...]
    pauses: tuple[Case, ...]

    @property
    def is_quiet(self) -> bool:
        """Return whether there are no alerts and no pauses."""
        return not (self.alerts or self.pauses)

    @classmethod
    def of(cls, state: State, known: State | None) -> "Judgement":
        """Compare the open cases with those of the last look: every change of an action is news."""
        reported = {case.key: case.action for case in known.open} if known else {}
        news = [case for case in state.open if case.action and case.action != reported.get(case.key)]
        return cls(
            state=state,
            alerts=tuple(case for case in news if case.action != "pause"),
            pauses=tuple(case for case in news if case.action == "pause"),
        )

    def not_paused(self, before: State | None) -> "Judgement":
        """Return the judgement after pausing failed: reported once, tried again at the next look."""
        reported = {case.key for case in before.open if case.action == "pause_failed"} if before else set()
        failed = tuple(replace(case, action="pause_failed") for case in self.pauses)
        by_key = {case.key: case for case in failed}
        state = replace(self.state, open=tuple(by_key.get(case.key, case) for case in self.state.open))
        news = tuple(case for case in failed if case.key not in reported)
        return Judgement(state=state, alerts=(*self.alerts, *news), pauses=())


@dataclass(frozen=True, slots=True)
class Check:
    """One check. `counts`: long enough after the last one; `is_news`: events were counted since the last one."""

    now: Timestamp
    counts: bool
    is_news: bool

    def counts_for(self, kind: Kind) -> bool:
        """Return whether the check counts for findings of the kind."""
        return self.counts and (self.is_news or KINDS[kind].grows_with_time)


def watched_since(before: State | None, now: Timestamp) -> Timestamp:
    """Return the first of the checks without a break until this one."""
    if before is None or parse_timestamp(now) - parse_timestamp(before.checked_at) > UNBROKEN:
        return now
    return before.watched_since


def is_check_due(before: State | None, *, measurement_epoch: int, generation: int | None, now: Timestamp) -> bool:
    """Return whether a check may tell more than the last one: counts are new, or it will count again.

    A pause that failed is always tried again. `generation`: that of the present counts, None before the first.
    """
    if before is None or (before.measurement_epoch, before.generation) != (measurement_epoch, generation):
        return True
    # A clock that was set back must not end the checks until it has caught up.
    is_recent = timedelta() <= parse_timestamp(now) - parse_timestamp(before.checked_at) < BETWEEN_CHECKS
    return not is_recent or any(case.action == "pause_failed" for case in before.open)


def judge(
    before: State | None, evidence: Evidence | None, settings: Settings, *, measurement_epoch: int, now: Timestamp
) -> Judgement:
    """Evaluate the evidence and update the cases of earlier looks.

    Cases of another measurement are over. `evidence` None: no events of the measurement were counted yet.
    """
    known = before if before and before.measurement_epoch == measurement_epoch else None
    peaks = Peaks(known.peaks if known else {})
    answers = list(look(evidence, settings, peaks))
    unknown = tuple(answer for answer in answers if isinstance(answer, NotEvaluated))
    findings = [answer for answer in answers if isinstance(answer, Finding)]
    counts = before is None or parse_timestamp(now) - parse_timestamp(before.checked_at) >= BETWEEN_CHECKS
    is_news = known is None or evidence is None or known.has_news or known.generation != evidence.generation
    check = Check(now, counts, is_news)
    open_cases = {case.key: case for case in known.open} if known else {}
    cases = (
        [_case(open_cases.get(key_of(each)), each, evidence, settings, check) for each in findings] if evidence else []
    )
    lasting, over = _absent_cases(known, cases, unknown, check)
    # A case without an action was never reported, so its end is not listed.
    ended = [] if known or before is None else [replace(case, resolved_at=now) for case in before.open if case.action]
    state = State(
        measurement_epoch=measurement_epoch,
        generation=evidence.generation if evidence else None,
        # Kept at a look that does not count; otherwise looks every few minutes would never count.
        checked_at=now if before is None or counts else before.checked_at,
        watched_since=watched_since(before, now),
        peaks=peaks.all,
        open=tuple(
            sorted(
                chain(cases, lasting),
                key=lambda case: (_PLACES[case.kind], case.goal_id or "", case.variation_id or ""),
            )
        ),
        past=tuple([*over, *ended, *(before.past if before else ())][:MAX_PAST]),
        not_evaluated=unknown,
        unseen=unseen(evidence) if evidence else None,
        # Counts that came between two checks that count are news for the second of them.
        has_news=is_news and not counts,
    )
    return Judgement.of(state, known)


def _case(current: Case | None, finding: Finding, evidence: Evidence, settings: Settings, check: Check) -> Case:
    """Return the case of a finding after this check; `current` is the open one, if any."""
    checks = current.checks + check.counts_for(finding.kind) if current else 1
    action = current.action if current else None
    if action is not None or checks >= finding.checks:
        due = "alert" if finding.only_alerts else settings.action_for(finding.kind)
        # An action never gets weaker while the case lasts, so that it is reported once.
        action = due if action is None or RANK[due] > RANK[action] else action
    return Case(
        kind=finding.kind,
        metric=finding.metric,
        variation_id=finding.variation_id,
        goal_id=finding.goal_id,
        measurement_epoch=evidence.measurement_epoch,
        since=current.since if current else check.now,
        checks=checks,
        details=details_of(finding, evidence, checks),
        action=action,
        detected_at=(current.detected_at if current else None) or (check.now if action else None),
    )


def _absent_cases(
    known: State | None, cases: Sequence[Case], unknown: Sequence[NotEvaluated], check: Check
) -> tuple[list[Case], list[Case]]:
    """Return the open cases without a finding in this check: those that last, and those that are over."""
    present = {case.key for case in cases}
    unseen = {each.kind for each in unknown if each.reason in UNSEEN}
    pointless = {each.kind for each in unknown} - unseen
    lasting: list[Case] = []
    over: list[Case] = []
    for case in known.open if known else ():
        if case.key not in present:
            # Without a check of its kind a case does not come nearer to its end.
            is_absent = case.kind not in unseen and check.counts_for(case.kind)
            aged = replace(case, absent=case.absent + is_absent)
            # A case that was never reported ends at its first absence: its checks must be consecutive.
            is_over = case.kind in pointless or aged.absent >= (GONE_AFTER if case.action else 1)
            (over if is_over else lasting).append(aged)
    return lasting, [replace(case, resolved_at=check.now) for case in over if case.action]
