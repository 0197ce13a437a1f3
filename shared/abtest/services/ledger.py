"""Writing the ledger: a batch of queue messages becomes one raw object, whatever happens in between.

The object's name follows from the message ids, so a batch that is delivered again overwrites itself. A queue may also
cut its batches anew, and then rows stand in two objects: whoever counts tells copies by event id.
"""

import gzip
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

from abtest.domain.ledger.events import REVENUE_GOAL_ID, Row, goal_claim
from abtest.domain.ledger.objects import batch_id, quarantine_key, raw_key
from abtest.kit import canonical_json
from abtest.kit.clock import Clock
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import Catalog
from abtest.services.ingest import ndjson, store_samples
from abtest.services.last_seen import LastSeen

GOAL_SAMPLE_CHARS = 2048
UNKNOWN_GOAL_KEPT = timedelta(seconds=60)
CACHE_SIZE = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """One delivered queue message. `queued_at`: when the queue took it (Unix ms), the same at each delivery."""

    id: str
    body: str
    queued_at: int


@dataclass(slots=True)
class KnownGoals:
    """Which goal ids a shop ever had, archived ones included: claimed by an experiment, or kept for reuse."""

    catalog: Catalog
    clock: Clock
    _known: set[tuple[str, str]] = field(default_factory=set)
    _unknown: dict[tuple[str, str], datetime] = field(default_factory=dict)

    def has(self, shop_id: str, goal_id: str) -> bool:
        """Whether the goal is one of the shop's; a missing one is asked for again after a minute."""
        goal, now = (shop_id, goal_id), self.clock.now()
        if goal_id == REVENUE_GOAL_ID or goal in self._known:
            return True
        if self._unknown.get(goal, now) > now:
            return False
        if len(self._known) + len(self._unknown) > CACHE_SIZE:
            self._known.clear()
            self._unknown.clear()
        if self.catalog.resolve(shop_id, goal_claim(goal_id)) or self.catalog.get(shop_id, "GOAL", goal_id):
            self._known.add(goal)
            return True
        self._unknown[goal] = now + UNKNOWN_GOAL_KEPT
        return False


@dataclass(frozen=True, slots=True, kw_only=True)
class LedgerWriter:
    """The use case behind the ingest worker."""

    ledger: Blobs
    goals: KnownGoals
    seen: LastSeen | None = None
    """Who is told which shops' events were written."""

    def write(self, messages: Sequence[Message]) -> list[str]:
        """Store all rows of all readable messages as one object; the ids of messages that could not be read.

        Raises BlobsUnavailableError and DatabaseBusyError: then a repetition overwrites what was stored, if anything.
        """
        readable = {message: rows for message in messages if (rows := _rows_of(message.body)) is not None}
        if readable:
            self._store(list(readable), [row for rows in readable.values() for row in rows])
        return [message.id for message in messages if message not in readable]

    def _store(self, messages: Sequence[Message], rows: Iterable[Row]) -> None:
        good: list[Row] = []
        unknown: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rows:
            fits = row["type"] != "goal" or self.goals.has(row["shop_id"], row["goal_id"] or "")
            (good if fits else unknown[row["shop_id"]]).append(row)
        ids = [message.id for message in messages]
        for shop_id, refused in unknown.items():
            key = quarantine_key(shop_id, min(row["received_at"] for row in refused), batch_id(ids))
            store_samples(self.ledger, key, [_unknown_goal(row) for row in refused])
        if good:
            key = raw_key(ids, max(message.queued_at for message in messages))
            self.ledger.put(key, gzip.compress(ndjson(good), 6, mtime=0), content_type="application/x-ndjson")
            if self.seen is not None:
                self.seen.note((row["shop_id"], row["received_at"]) for row in good)


def _rows_of(body: str) -> Sequence[Row] | None:
    """The rows of a message that the edge made; None for anything else."""
    try:
        document = canonical_json.loads(body)
    except canonical_json.InvalidJsonError:
        return None
    rows = document.get("rows") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= _ESSENTIAL for row in rows):
        return None
    return [cast(Row, _ABSENT | row) for row in rows]


_ESSENTIAL = {"event_id", "shop_id", "type", "visitor_id", "ts", "received_at"}
# Two releases run side by side during a deployment: what one of them does not write yet is absent, what the other does
# not know yet is kept.
_ABSENT = dict.fromkeys(Row.__annotations__) | {"qa_mode": False, "data": "{}"}


def _unknown_goal(row: Row) -> Mapping[str, Any]:
    return {
        "event_id": row["event_id"],
        "index": None,
        "reason": "unknown_goal",
        "received_at": row["received_at"],
        "sample": canonical_json.dumps(row)[:GOAL_SAMPLE_CHARS],
        "shop_id": row["shop_id"],
    }
