"""Publications of a shop that have not ended: outbox rows, which are removed when storefronts have the change."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import timedelta

from abtest.contract import overview as contract
from abtest.kit.clock import Timestamp, parse_timestamp, timestamp
from abtest.ports.catalog import OutboxRow
from abtest.services.context import World

PATIENCE = timedelta(seconds=90)
"""A publication that has not ended by then has failed at least once: the sweep has repeated it."""

LAG = timedelta(seconds=10)
"""Longest time from the moment of a change to that of its row: both are of one request, in this order."""

KEPT = timedelta(seconds=5)
"""How long a process keeps what it read: each of the sixteen parts of the outbox is a read."""

MOST_ROWS = 200


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


class PendingPublications:
    """Reader of publications that have not ended, of all shops at once."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._read: tuple[Timestamp, Sequence[OutboxRow]] | None = None

    def of(self, shop_id: str) -> Waiting | None:
        """Return what waits in a shop; None where so much waits in others that it is not known."""
        now, catalog = self._world.clock.now(), self._world.catalog
        if self._read is None or self._read[0] < timestamp(now - KEPT):
            # A row of this very moment sorts behind the bound.
            before = timestamp(now + timedelta(seconds=1))
            self._read = timestamp(now), catalog.outbox("publish", created_before=before, limit=MOST_ROWS)
        rows = self._read[1]
        # Rows with a payload are of landing pages.
        moments = [row.created_at for row in rows if row.shop_id == shop_id and not row.payload]
        if not moments and len(rows) == MOST_ROWS:
            return None
        return Waiting(since=min(moments, default=None), now=timestamp(now))
