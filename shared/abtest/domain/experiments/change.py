"""What a use case decided: the aggregate before and after, how the audit names it, which events follow."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from abtest.domain.experiments.model import Experiment
from abtest.kit.clock import Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Occasion:
    """Who acts and when; `event_id` is a fresh id for an approval event, should there be one."""

    now: Timestamp
    user_id: str
    event_id: str


@dataclass(frozen=True, slots=True)
class Event:
    """A webhook event that a change causes: its name, and its fields beside the experiment's id and name."""

    name: str
    facts: Mapping[str, Any] = field(default_factory=dict)


@dataclass(frozen=True, slots=True, kw_only=True)
class Change:
    """One decided change. `before` None creates, `after` None deletes. `note` holds what the fields do not show.

    `events` are told in this order.
    """

    before: Experiment | None
    after: Experiment | None
    action: str
    note: Mapping[str, Any] = field(default_factory=dict)
    events: tuple[Event, ...] = ()

    @property
    def is_empty(self) -> bool:
        """Whether nothing is different, so that nothing is to be stored."""
        return self.before == self.after

    @property
    def affects_shoppers(self) -> bool:
        """Whether the published configuration may be different from now on."""
        return any(state is not None and state.status == "running" for state in (self.before, self.after))

    @property
    def subject(self) -> Experiment:
        """The experiment in question."""
        subject = self.after or self.before
        if subject is None:
            raise ValueError("a change is about something")
        return subject
