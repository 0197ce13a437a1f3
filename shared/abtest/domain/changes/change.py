"""One decided change of an aggregate: its state before and after, with its audit note and its webhook events."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any, Generic, TypeVar

from abtest.kit.clock import Timestamp

A = TypeVar("A")


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Actor and time of a change; `event_id` is a new id for an approval event, should there be one."""

    now: Timestamp
    user_id: str
    event_id: str


@dataclass(frozen=True, slots=True)
class Event:
    """Webhook event that a change causes: its name, and the fields that it adds to the aggregate's own."""

    name: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change(Generic[A]):
    """One decided change. `before` None creates, `after` None deletes.

    `note` goes into the audit row next to the fields that differ. So does `elsewhere`, `{field: [before, after]}` of
    fields that are stored apart from the aggregate. `events` are announced in this order; `notices` are texts of the
    service's messages in the shop's inbox.
    """

    before: A | None
    after: A | None
    action: str
    note: Mapping[str, Any] = field(default_factory=dict)
    elsewhere: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[Event, ...] = ()
    notices: tuple[str, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Nothing differs and nothing is noted, so there is nothing to store."""
        return self.before == self.after and not self.note and not self.elsewhere

    @property
    def subject(self) -> A:
        """Return the aggregate as it is after the change, or as it was before its deletion."""
        subject = self.before if self.after is None else self.after
        if subject is None:
            raise ValueError("a change needs a before or an after")
        return subject
