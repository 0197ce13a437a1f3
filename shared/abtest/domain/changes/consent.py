"""Consent of a caller to an edit that shoppers would notice."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol


class Identified(Protocol):
    """Anything with an id."""

    @property
    def id(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """Consent to changes of live consumers. Ids may be absent where the edited resource is the only consumer."""

    confirmed: bool = False
    consumer_ids: Collection[str] | None = None

    def covers(self, consumer: Identified) -> bool:
        """Return whether an edit of this live experiment, flag or personalization was acknowledged."""
        return self.confirmed and (self.consumer_ids is None or consumer.id in self.consumer_ids)

    def names_all(self, consumers: Collection[Identified]) -> bool:
        """Return whether the caller confirmed and named every one of these, even those new to the caller."""
        named = self.consumer_ids or ()
        return not consumers or (self.confirmed and all(consumer.id in named for consumer in consumers))


NO_CONSENT = Consent()
