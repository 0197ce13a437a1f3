"""Writer of the ledger: a batch of queue messages becomes one raw object, and a manifest of where its shops are.

Objects are never changed. Their names follow from the hour of writing and the message ids, so a batch that is delivered
again finds its object. It writes another one where the hour is over or the queue formed other batches: so a row may be
in several objects, and readers recognize copies by event id. A message is done only after all its rows and the manifest
are stored.
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
from abtest.domain.ledger.manifests import InvalidRawObjectError, manifest_key, manifest_of, sectioned
from abtest.domain.ledger.objects import batch_id, quarantine_key, raw_key
from abtest.kit import canonical_json
from abtest.kit.clock import Clock, to_milliseconds
from abtest.ports.blobs import Blobs, BlobsUnavailableError, PreconditionFailedError
from abtest.ports.catalog import Catalog
from abtest.services.ingest import NDJSON, packed
from abtest.services.last_seen import LastSeen

_log = logging.getLogger(__name__)

JSON = "application/json"
NO_SHOP = "unreadable"
"""Stands for the shop of unreadable messages: no shop has this id, so none can list them."""
UNKNOWN_GOAL_KEPT = timedelta(seconds=60)
CACHE_SIZE = 100_000


@dataclass(frozen=True, slots=True, kw_only=True)
class Message:
    """Delivered queue message. `queued_at`: when the queue accepted it (Unix ms), the same at each delivery."""

    id: str
    body: str
    queued_at: int


@dataclass(slots=True)
class KnownGoals:
    """Goal ids that a shop ever had, archived ones included: claimed by an experiment, or kept for reuse."""

    catalog: Catalog
    clock: Clock
    _known: set[tuple[str, str]] = field(default_factory=set)
    _unknown: dict[tuple[str, str], datetime] = field(default_factory=dict)

    def has(self, shop_id: str, goal_id: str) -> bool:
        """Return whether the goal is one of the shop's; a missing one is looked up again after a minute."""
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
    """Use case behind the ingest worker."""

    ledger: Blobs
    goals: KnownGoals
    clock: Clock
    seen: LastSeen | None = None
    """Notes the shops whose events were written."""

    def write(self, messages: Sequence[Message]) -> list[str]:
        """Store all rows of all readable messages as one object; return the ids of messages that have to come again.

        Invalid JSON can never be read, so it is quarantined. JSON of another form may be of a newer release, whose
        workers can read it; so it comes again, and finally becomes a dead letter.

        Raises BlobsUnavailableError and DatabaseBusyError: then a repetition finds what was stored, if anything. An
        object of an earlier delivery that cannot be read counts as unavailable.
        """
        rows: list[Row] = []
        read: list[str] = []
        unknown: list[str] = []
        for message in messages:
            try:
                message_rows = rows_of(message.body)
            except canonical_json.InvalidJsonError:
                _log.error("ledger.unreadable_message", extra={"message_id": message.id})
                key = quarantine_key(NO_SHOP, message.queued_at, batch_id([message.id]))
                self._put(key, packed([unreadable_line(message)]))
                continue
            if message_rows is None:
                unknown.append(message.id)
            else:
                read.append(message.id)
                rows += message_rows
        if read:
            self._store(batch_id(read), raw_key(read, to_milliseconds(self.clock.now())), rows)
        return unknown

    def _store(self, batch: str, key: str, rows: Iterable[Row]) -> None:
        good: list[Row] = []
        unknown: defaultdict[str, list[Row]] = defaultdict(list)
        for row in rows:
            fits = row["type"] != "goal" or self.goals.has(row["shop_id"], row["goal_id"] or "")
            (good if fits else unknown[row["shop_id"]]).append(row)
        for shop_id, refused in unknown.items():
            self._quarantine(shop_id, refused, batch)
        if good:
            self._put_with_manifest(key, good)
            if self.seen is not None:
                self.seen.note((row["shop_id"], row["received_at"]) for row in good)

    def _quarantine(self, shop_id: str, refused: Sequence[Row], batch: str) -> None:
        # Objects are as small as those of the edge, because a page of the listing reads some of them whole.
        newest_first = sorted(refused, key=lambda row: (-row["received_at"], row["event_id"]))
        for start in range(0, len(refused), MAX_EVENTS):
            part = newest_first[start : start + MAX_EVENTS]
            key = quarantine_key(shop_id, part[0]["received_at"], f"{batch}-{start // MAX_EVENTS:04}")
            self._put(key, packed([unknown_goal_line(row) for row in part]))

    def _put_with_manifest(self, key: str, rows: Sequence[Row]) -> None:
        content, manifest = sectioned(key, rows)
        stored = self._put(key, content)
        # The rows of an earlier delivery may have been in another order.
        if stored != content:
            try:
                manifest = manifest_of(key, stored)
            except InvalidRawObjectError as error:
                _log.exception("ledger.unreadable_object", extra={"object": key})
                raise BlobsUnavailableError from error
        self._put(manifest_key(key), manifest.encoded(), JSON)

    def _put(self, key: str, content: bytes, content_type: str = NDJSON) -> bytes:
        """Store an object unless there is one. Return the content that is stored now."""
        try:
            self.ledger.put(key, content, content_type=content_type, if_absent=True)
        except PreconditionFailedError as error:
            # An earlier delivery wrote it, or two at one time refused each other: then the message has to come again.
            present = self.ledger.get(key)
            if present is None:
                raise BlobsUnavailableError from error
            return present.content
        return content


def rows_of(body: str) -> Sequence[Row] | None:
    """Rows of a message that the edge made; None for JSON of another form. Raises InvalidJsonError."""
    document = canonical_json.loads(body, own=True)
    rows = document.get("rows") if isinstance(document, dict) else None
    if not isinstance(rows, list) or not all(isinstance(row, dict) and row.keys() >= ESSENTIAL for row in rows):
        return None
    return [cast(Row, _ABSENT | row) for row in rows]


# Two releases run at once during a deployment: columns that one of them does not write yet are absent, columns that the
# other does not know yet are kept. They are in the order in which rows are written, because sorting them is then cheap.
_ABSENT = dict(sorted(ABSENT.items()))


def unreadable_line(message: Message) -> Mapping[str, Any]:
    """Quarantine line of an unreadable message, with the whole message for the operator."""
    line: AsideLine = {
        "event_id": None,
        "index": None,
        "reason": "unreadable_message",
        "received_at": message.queued_at,
        "sample": sample_of(message.body),
        "shop_id": None,
    }
    return {"body": message.body, **line}


def unknown_goal_line(row: Row) -> AsideLine:
    """Quarantine line of an event whose goal the shop never had."""
    return {
        "event_id": row["event_id"],
        "index": None,
        "reason": "unknown_goal",
        "received_at": row["received_at"],
        "sample": sample_of(canonical_json.dumps(row)),
        "shop_id": row["shop_id"],
    }
