"""Findings in time: since when, in how many checks, what was told of them, until when."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, NamedTuple

from abtest.domain.guardian.evidence import Evidence, Finding, NotEvaluated
from abtest.domain.guardian.kinds import Action, Kind
from abtest.domain.guardian.unseen import Unseen
from abtest.kit.clock import Timestamp, from_milliseconds, timestamp
from abtest.kit.documents import Document, decode, encode

MAX_PAST = 50
"""Cases that are over and still told by the health route; the audit keeps all."""


class CaseKey(NamedTuple):
    """What makes two findings the same one: a new treatment or goal is a new finding."""

    kind: Kind
    variation_id: str | None
    goal_id: str | None
    metric: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Case:
    """One finding while it lasts.

    `action` None: it waits for more checks, and nobody was told. `absent`: consecutive checks in which it was not
    found any more. `resolved_at` is set when it is over.
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
        """What it is about."""
        return CaseKey(self.kind, self.variation_id, self.goal_id, self.metric)


@dataclass(frozen=True, slots=True, kw_only=True)
class State:
    """What Guardian remembers of an experiment.

    `peaks` are the greatest log E of each test in the measurement, `open` the cases that last, `past` the newest ones
    that are over, newest first. `watched_since`: since when checks followed each other without a break.
    `unseen`: nobody was seen in it at the last check.
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


def key_of(finding: Finding) -> CaseKey:
    """The case that a finding belongs to."""
    return CaseKey(finding.kind, finding.variation_id, finding.goal_id, finding.metric)


def details_of(finding: Finding, evidence: Evidence, checks: int) -> dict[str, Any]:
    """What is told beside the finding, in the contract's words."""
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
    }


def state_document(state: State) -> Document:
    """The state as JSON."""
    return encode(state)


def state_from(document: Mapping[str, object]) -> State:
    """The state that a document holds; what is younger than this code is passed over."""
    return decode(State, document)


def _moment(milliseconds: int) -> Timestamp:
    return timestamp(from_milliseconds(milliseconds))
