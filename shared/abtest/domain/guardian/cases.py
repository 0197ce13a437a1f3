"""Cases: findings over time, from their first check to their last, with the action taken."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from abtest.domain.guardian.evidence import Evidence, Finding, NotEvaluated
from abtest.domain.guardian.kinds import Action, Kind
from abtest.domain.guardian.unseen import Unseen
from abtest.kit.clock import Timestamp, from_milliseconds, timestamp
from abtest.kit.documents import Document, decode, encode

# Resolved cases that the health route still lists; the audit has all of them.
MAX_PAST = 50


class CaseKey(NamedTuple):
    """Identity of a finding over checks: another treatment or goal is another finding."""

    kind: Kind
    variation_id: str | None
    goal_id: str | None
    metric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One finding while it lasts.

    `action` None: it waits for more checks, and no one was notified. `absent`: consecutive checks without the finding.
    `resolved_at` is set when it is over.
    """

    kind: Kind
    metric: str
    variation_id: str | None
    goal_id: str | None
    measurement_epoch: int
    since: Timestamp
    checks: int
    details: Mapping[str, Any]
    absent: int = 0
    action: Action | None = None
    detected_at: Timestamp | None = None
    resolved_at: Timestamp | None = None

    @property
    def key(self) -> CaseKey:
        """Identity of the finding."""
        return CaseKey(self.kind, self.variation_id, self.goal_id, self.metric)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """Guardian's memory of an experiment.

    `peaks` are the greatest log E of each test in the measurement, `open` the cases that last, `past` the newest
    resolved ones, newest first. `watched_since`: the first of the checks without a break until now. `unseen`: the
    experiment had no visitor at the last check. `has_news`: events were counted since the last check that counts.
    """

    measurement_epoch: int
    generation: int | None
    checked_at: Timestamp
    watched_since: Timestamp
    peaks: Mapping[str, float] = field(default_factory=dict)
    open: tuple[Case, ...] = ()
    past: tuple[Case, ...] = ()
    not_evaluated: tuple[NotEvaluated, ...] = ()
    unseen: Unseen | None = None
    has_news: bool = False


def key_of(finding: Finding) -> CaseKey:
    """Return the case of a finding."""
    return CaseKey(finding.kind, finding.variation_id, finding.goal_id, finding.metric)


def details_of(finding: Finding, evidence: Evidence, checks: int) -> dict[str, Any]:
    """Return the details of a finding, in the contract's field names."""
    begins, ends = finding.window or (evidence.began, evidence.through)
    return {
        "metric": finding.metric,
        "observed": finding.observed,
        "expected": finding.expected,
        "threshold": finding.threshold,
        "sample": finding.sample,
        "window": {"from": _moment(begins), "to": _moment(ends)},
        "consecutive_checks": checks,
        "generation": evidence.generation,
        **({} if finding.changed_at is None else {"changed_at": _moment(finding.changed_at)}),
    }


def state_document(state: State) -> Document:
    """Return the state as JSON."""
    return encode(state, omit=() if state.has_news else ("has_news",))


def state_from(document: Mapping[str, object]) -> State:
    """Read a stored state; fields of a newer release are ignored."""
    return decode(State, document)


def _moment(milliseconds: int) -> Timestamp:
    return timestamp(from_milliseconds(milliseconds))
