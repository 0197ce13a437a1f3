"""What a caller acknowledged about an edit that shoppers would notice."""

from collections.abc import Collection
from dataclasses import dataclass
from typing import Protocol


class Identified(Protocol):
    """What has an id."""

    @property
    def id(self) -> str: ...


@dataclass(frozen=True, slots=True, kw_only=True)
class Consent:
    """What the caller acknowledged about live consumers. When the one consumer is what is edited, ids may be absent."""

    confirmed: bool = False
    consumer_ids: Collection[str] | None = None

    def covers(self, consumer: Identified) -> bool:
        """Whether an edit of this live experiment, flag or personalization was acknowledged."""
        return self.confirmed and (self.consumer_ids is None or consumer.id in self.consumer_ids)

    def names_all(self, consumers: Collection[Identified]) -> bool:
        """Whether the caller confirmed and named every one of these, of which some may be news to the caller."""
        named = self.consumer_ids or ()
        return not consumers or (self.confirmed and all(consumer.id in named for consumer in consumers))


NO_CONSENT = Consent()
