"""Publications of a shop that have not ended: outbox rows, which are removed when storefronts have the change."""

from dataclasses import dataclass
from datetime import timedelta

from abtest.contract import overview as contract
from abtest.kit.clock import Timestamp, parse_timestamp
from abtest.services.context import World

PATIENCE = timedelta(seconds=90)
"""A publication that has not ended by then has failed at least once: the sweep has repeated it."""

LAG = timedelta(seconds=10)
"""Longest time from the moment of a change to that of its row: both are of one request, in this order."""

MOST_ROWS = 200
"""Rows to read: a shop shares its part of the outbox with others."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Waiting:
    """Moment of the first change of a shop that waits; None when none does."""

    since: Timestamp | None
    now: Timestamp

    @property
    def state(self) -> contract.PublicationState:
        """State of the shop's publication."""
        if self.since is None:
            return "published"
        is_late = parse_timestamp(self.now) - parse_timestamp(self.since) > PATIENCE
        return "failed" if is_late else "pending"

    def of_change(self, updated_at: Timestamp) -> contract.PublicationState:
        """Return the state of a change at this moment: published with all that was changed before the first waiting."""
        if self.since is None or parse_timestamp(updated_at) + LAG < parse_timestamp(self.since):
            return "published"
        return self.state


def waiting_of(world: World, shop_id: str) -> Waiting | None:
    """Return what waits in a shop; None where so much waits in others that it is not known."""
    rows = world.catalog.unpublished(shop_id, limit=MOST_ROWS)
    # Rows with a payload are of landing pages.
    moments = [row.created_at for row in rows if row.shop_id == shop_id and not row.payload]
    if not moments and len(rows) == MOST_ROWS:
        return None
    return Waiting(since=min(moments, default=None), now=world.now())
