"""Taking events in: limit the shop, sort the batch, hand what is good to the queue, keep what is not as a sample.

What was accepted is never lost: a message that the queue refuses is kept in the ledger's spill zone until it can be
queued. Whether a shop exists is not looked up: its credentials are derived from its id by us and given out only after
the shop was created.
"""

import gzip
import logging
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.domain.ledger.aside import AsideLine
from abtest.domain.ledger.batch import Envelope, SetAside, check_size, sort_batch
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.normalise import SERVER, Arrival, Origin
from abtest.domain.ledger.objects import quarantine_key, spill_key
from abtest.kit import canonical_json
from abtest.kit.clock import Clock, to_milliseconds
from abtest.kit.errors import ServiceError
from abtest.kit.ids import Randomness, uuid7
from abtest.ports.blobs import Blobs
from abtest.ports.http_sender import HttpAnswer, HttpSender, HttpUnreachableError
from abtest.ports.queue import MAX_MESSAGE_BYTES, Queue, QueueUnavailableError
from abtest.services.event_limits import EventLimits

_log = logging.getLogger(__name__)

NDJSON = "application/x-ndjson"


class EventStoreUnavailableError(ServiceError):
    """Neither queue nor object store took the events; the sender repeats them."""

    status = 503
    code = "service_unavailable"

    def __init__(self) -> None:
        super().__init__("events cannot be stored at the moment; send them again", headers={"Retry-After": "5"})


class AnalyticsStoreUnreachableError(ServiceError):
    """The configured analytics store gave no answer."""

    status = 502
    code = "analytics_store_unreachable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Receipt:
    """What became of a batch. `errors` holds `{index, event_id, reason}` of each event that was set aside.

    `warnings` holds `{code, message}` of what was accepted and is probably not what the sender meant.
    """

    ingested: int
    deduplicated: int
    quarantined: int
    errors: Sequence[Mapping[str, Any]]
    warnings: Sequence[Mapping[str, str]] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class AnalyticsStore:
    """Where events go when there is no queue."""

    url: str
    sender: HttpSender

    def forward(self, rows: Sequence[Row]) -> HttpAnswer:
        """Send rows as NDJSON; the store's answer. Raises AnalyticsStoreUnreachableError."""
        headers = {"Content-Type": NDJSON}
        try:
            return self.sender.post(self.url, ndjson(rows), headers=headers)
        except (HttpUnreachableError, UrlNotAllowedError) as error:
            raise AnalyticsStoreUnreachableError(
                "the analytics store does not answer; send the events again"
            ) from error


@dataclass(frozen=True, slots=True, kw_only=True)
class Ingest:
    """The use case behind the ingest routes. Exactly one of `queue` and `store` is where events go."""

    clock: Clock
    random: Randomness
    limits: EventLimits
    ledger: Blobs
    queue: Queue | None = None
    store: AnalyticsStore | None = None

    def accept(
        self, shop_id: str, envelope: Envelope, *, origin: Origin = SERVER, address: str = ""
    ) -> Receipt | HttpAnswer:
        """Accept a batch that an address sent for an authenticated shop.

        `origin` is what the request shows of its visitors.

        Raises EmptyBatchError, BatchTooLargeError, RateLimitedError, EventStoreUnavailableError,
        AnalyticsStoreUnreachableError.
        """
        check_size(envelope)
        # All events count, also bad ones, and before the batch is sorted, which is the costly part.
        self.limits.take(shop_id, len(envelope.events), address=address, is_browser=origin.is_browser)
        received_at = to_milliseconds(self.clock.now())
        arrival = Arrival(shop_id=shop_id, received_at=received_at, sent_at=envelope.sent_at, origin=origin)
        found = sort_batch(envelope.events, arrival, is_suspect=envelope.is_suspect)
        answer = self._deliver(found.rows, received_at) if found.rows else None
        self._keep_samples(arrival, found.set_aside)
        return answer or Receipt(
            ingested=len(found.rows),
            deduplicated=found.deduplicated,
            quarantined=len(found.set_aside),
            errors=[
                {"index": aside.index, "event_id": aside.verdict.event_id, "reason": aside.verdict.reason}
                for aside in found.set_aside
            ],
            warnings=[*([SENT_AT_IGNORED] if envelope.sent_at_ignored else []), *clock_warnings(arrival, found.rows)],
        )

    def _deliver(self, rows: Sequence[Row], received_at: int) -> HttpAnswer | None:
        if self.queue is None:
            if self.store is None:
                raise EventStoreUnavailableError
            return self.store.forward(rows)
        for body in messages(rows):
            try:
                self.queue.send(body)
            except QueueUnavailableError:
                self._spill(body, received_at)
        return None

    def _spill(self, body: str, received_at: int) -> None:
        key = spill_key(received_at, uuid7(self.clock.now(), self.random))
        try:
            self.ledger.put(key, body.encode(), content_type="application/json")
        except Exception as error:
            # Whatever is wrong with the store, only the sender has the events now. Parts of the batch may be safe
            # already; the sender repeats all of it, and event ids tell copies apart.
            raise EventStoreUnavailableError from error

    def _keep_samples(self, arrival: Arrival, set_aside: Sequence[SetAside]) -> None:
        if not set_aside:
            return
        key = quarantine_key(arrival.shop_id, arrival.received_at, uuid7(self.clock.now(), self.random))
        try:
            content = packed([sample_line(arrival, aside) for aside in set_aside])
            self.ledger.put(key, content, content_type=NDJSON)
        except Exception:
            # The good events are safe and the response names the refused ones: a lost sample must not undo that.
            _log.warning("quarantine.not_stored", extra={"shop_id": arrival.shop_id, "events": len(set_aside)})


SENT_AT_IGNORED = {
    "code": "sent_at_ignored",
    "message": "sentAt must be Unix milliseconds, an integer without quotes; it was ignored, so no clock was corrected",
}


def clock_warnings(arrival: Arrival, rows: Sequence[Row]) -> list[Mapping[str, str]]:
    """Return what the sender should know of its clock: `{code, message}`, none for a clock that is right."""
    if error := arrival.correction():
        side = "ahead of" if error < 0 else "behind"
        seconds = f"sentAt is {abs(error) // 1000} seconds {side} our clock"
        return [{"code": "clock_corrected", "message": f"{seconds}: all times of the batch were corrected by that"}]
    ahead = sum(row["ts"] > row["received_at"] for row in rows)
    if not ahead:
        return []
    message = f"events with ts later than our clock: {ahead}; they count as if they happened when they arrived"
    return [{"code": "ts_ahead", "message": message}]


def messages(rows: Sequence[Row]) -> Iterator[str]:
    """Queue messages that hold the rows, each at most 1 MiB: halves of halves until they fit."""
    body = canonical_json.dumps({"rows": rows})
    if len(rows) == 1 or len(body.encode()) <= MAX_MESSAGE_BYTES:
        yield body
        return
    middle = len(rows) // 2
    yield from messages(rows[:middle])
    yield from messages(rows[middle:])


def ndjson(lines: Sequence[Mapping[str, Any]]) -> bytes:
    """One canonical JSON line each."""
    return b"".join(canonical_json.encode(line) + b"\n" for line in lines)


def packed(lines: Sequence[Mapping[str, Any]]) -> bytes:
    """Lines as an object of the ledger holds them."""
    # Without the time of writing, equal lines are equal bytes, and a repeated write changes nothing.
    return gzip.compress(ndjson(lines), 6, mtime=0)


def sample_line(arrival: Arrival, aside: SetAside) -> AsideLine:
    """Stored form of a quarantined event."""
    return {
        "event_id": aside.verdict.event_id,
        "index": aside.index,
        "reason": aside.verdict.reason,
        "received_at": arrival.received_at,
        "sample": aside.sample,
        "shop_id": arrival.shop_id,
    }
