"""Writing the ledger: a batch of queue messages becomes one raw object, whatever happens in between.

Objects are never changed. Their names follow from the hour of writing and the message ids, so a batch that is delivered
again finds its object, or writes another where the hour is over or the queue cut its batches anew: rows may stand in
several objects, and whoever counts tells copies by event id. A message counts as done only after all its rows are
stored.
"""

import logging
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from datetime import datetime, timedelta
from typing import Any, cast

from abtest.domain.ledger.aside import AsideLine, sample_of
from abtest.domain.ledger.columns import ABSENT, ESSENTIAL
from abtest.domain.ledger.events import MAX_EVENTS, REVENUE_GOAL_ID, Row, goal_claim
from abtest.domain.ledger.objects import batch_id, quarantine_key, raw_key
from abtest.kit import canonical_json
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.blobs import Blobs, BlobsUnavailableError, PreconditionFailedError
from abtest.ports.catalog import Catalog
from abtest.services.ingest import NDJSON, packed
from abtest.services.last_seen import LastSeen

_log = logging.getLogger(__name__)

NOBODY = "unreadable"
"""Stands for the shop of messages that nobody can read: no shop has this id, so none can list them."""
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
    clock: Clock
    seen: LastSeen | None = None
    """Who is told which shops' events were written."""

    def write(self, messages: Sequence[Message]) -> list[str]:
        """Store all rows of all readable messages as one object; the ids of messages that are to come again.

        What is no JSON can never be read: it is set aside. JSON of another form may be of a newer release, whose
        workers will read it; so it comes again, and at last becomes a dead letter.

        Raises BlobsUnavailableError and DatabaseBusyError: then a repetition finds what was stored, if anything.
        """
        rows: list[Row] = []
        read: list[Message] = []
        broken: list[Message] = []
        unknown: list[str] = []
        for message in messages:
            try:
                found = _rows_of(message.body)
            except canonical_json.InvalidJsonError:
                broken.append(message)
                continue
            if found is None:
                unknown.append(message.id)
            else:
                read.append(message)
                rows += found
        self._set_aside(broken)
        if read:
            self._store(
                batch_id(message.id for message in read), raw_key((message.id for message in read), self._now()), rows
            )
        return unknown

    def _now(self) -> int:
        return to_milliseconds(self.clock.now())

    def _set_aside(self, broken: Iterable[Message]) -> None:
        for message in broken:
            _log.error("ledger.unreadable_message", extra={"message_id": message.id})
            key = quarantine_key(NOBODY, message.queued_at, batch_id([message.id]))
            self._keep(key, packed([_unreadable(message)]))

    def _store(self, batch: str, key: str, rows: Iterable[Row]) -> None:
        good: list[Row] = []
        unknown: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rows:
            fits = row["type"] != "goal" or self.goals.has(row["shop_id"], row["goal_id"] or "")
            (good if fits else unknown[row["shop_id"]]).append(row)
        for shop_id, refused in unknown.items():
            self._quarantine(shop_id, refused, batch)
        if good:
            self._keep(key, packed(good))
            if self.seen is not None:
                self.seen.note((row["shop_id"], row["received_at"]) for row in good)

    def _quarantine(self, shop_id: str, refused: Sequence[Row], batch: str) -> None:
        """Objects as small as the edge writes them: a page of the listing reads some of them whole."""
        newest_first = sorted(refused, key=lambda row: (-row["received_at"], row["event_id"]))
        for start in range(0, len(refused), MAX_EVENTS):
            part = newest_first[start : start + MAX_EVENTS]
            key = quarantine_key(shop_id, part[0]["received_at"], f"{batch}-{start // MAX_EVENTS:04}")
            self._keep(key, packed([_unknown_goal(row) for row in part]))

    def _keep(self, key: str, content: bytes) -> None:
        """Write the object unless it stands already: an earlier delivery wrote it.

        Two deliveries at one time can refuse each other, so it is looked up before the message counts as done.
        """
        try:
            self.ledger.put(key, content, content_type=NDJSON, if_absent=True)
        except PreconditionFailedError as error:
            if self.ledger.get(key) is None:
                raise BlobsUnavailableError from error


def _rows_of(body: str) -> Sequence[Row] | None:
    """The rows of a message that the edge made; None for JSON of another form. Raises InvalidJsonError."""
    document = canonical_json.loads(body, own=True)
    rows = document.get("rows") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= ESSENTIAL for row in rows):
        return None
    return [cast(Row, _ABSENT | row) for row in rows]


# Two releases run side by side during a deployment: what one of them does not write yet is absent, what the other does
# not know yet is kept. In the order of names, in which rows are written: sorting what is sorted costs next to nothing.
_ABSENT = dict(sorted(ABSENT.items()))


def _unreadable(message: Message) -> Mapping[str, Any]:
    """With the whole message, for whoever finds out what went wrong."""
    line: AsideLine = {
        "event_id": None,
        "index": None,
        "reason": "unreadable_message",
        "received_at": message.queued_at,
        "sample": sample_of(message.body),
        "shop_id": None,
    }
    return {"body": message.body, **line}


def _unknown_goal(row: Row) -> AsideLine:
    return {
        "event_id": row["event_id"],
        "index": None,
        "reason": "unknown_goal",
        "received_at": row["received_at"],
        "sample": sample_of(canonical_json.dumps(row)),
        "shop_id": row["shop_id"],
    }
