"""The states of flags and personalizations as data: which action leads where, from where; code and documents read this.

The aggregates keep `status` and `activated_at`; what else an action brings with it is theirs.
"""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal, Protocol

from abtest.domain.changes.errors import InvalidStateTransitionError, NotDeletableError
from abtest.kit.clock import Timestamp

Status = Literal["draft", "active", "paused", "archived"]
Action = Literal["activate", "pause", "archive", "unarchive"]
Subject = Literal["feature flag", "personalization"]
"""Noun in errors."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Transition:
    """Row of the table. `target_if_never_active` replaces the target of something that was never active."""

    sources: frozenset[Status]
    target: Status
    target_if_never_active: Status | None = None


TRANSITIONS: Mapping[Action, Transition] = {
    "activate": Transition(sources=frozenset({"draft", "paused"}), target="active"),
    "pause": Transition(sources=frozenset({"active"}), target="paused"),
    "archive": Transition(sources=frozenset({"draft", "active", "paused"}), target="archived"),
    # Not back to active: shoppers must not see something again only because it left the archive.
    "unarchive": Transition(sources=frozenset({"archived"}), target="paused", target_if_never_active="draft"),
}


class Rollout(Protocol):
    """State of an aggregate; `activated_at` is its first activation."""

    @property
    def status(self) -> Status: ...

    @property
    def activated_at(self) -> Timestamp | None: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Life:
    """New state of an aggregate: the values of its two fields."""

    status: Status
    activated_at: Timestamp | None


def begun(*, activate: bool, now: Timestamp) -> Life:
    """Return the first state of a new aggregate."""
    return Life(status="active" if activate else "draft", activated_at=now if activate else None)


def moved(rollout: Rollout, action: Action, *, now: Timestamp, subject: Subject) -> Life:
    """Return the state after an action; the current one when that is the target already.

    Raises InvalidStateTransitionError with the present status and the allowed actions.
    """
    row = TRANSITIONS[action]
    target = row.target
    if rollout.activated_at is None and row.target_if_never_active is not None:
        target = row.target_if_never_active
    # An action whose target is reached already succeeds, so that a repeated request does no harm.
    if rollout.status != target and rollout.status not in row.sources:
        raise InvalidStateTransitionError(action, rollout.status, allowed_actions(rollout), subject=subject)
    # Never cleared: the target of `unarchive` depends on it.
    activated_at = rollout.activated_at or (now if target == "active" else None)
    return Life(status=target, activated_at=activated_at)


def allowed_actions(rollout: Rollout) -> tuple[Action, ...]:
    """Return the actions that would change the state, in the table's order."""
    return tuple(action for action, row in TRANSITIONS.items() if rollout.status in row.sources)


def require_deletable(rollout: Rollout, subject: Subject) -> None:
    """Raise NotDeletableError for anything but a draft, which was never active."""
    if rollout.status != "draft":
        facts = {"current_status": rollout.status, "allowed_actions": list(allowed_actions(rollout))}
        raise NotDeletableError(f"only drafts can be deleted; archive the {subject} instead", facts=facts)
