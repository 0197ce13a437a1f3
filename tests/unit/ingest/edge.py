"""The ingest routes before memory adapters, and requests to them."""

from __future__ import annotations

import gzip
import json
from base64 import b64encode
from collections.abc import Mapping
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from abtest.domain.credentials.signing import RootKeys, browser_signature
from abtest.edge.ingest_auth import IngestAuth, TrackingKeys
from abtest.edge.ingest_events import IngestRoutes
from abtest.kit.clock import ManualClock, to_milliseconds
from abtest.kit.ids import SystemRandomness
from abtest.ports.http_sender import HttpAnswer, HttpSender, HttpUnreachableError
from abtest.services.context import World
from abtest.services.event_limits import EventLimits
from abtest.services.ingest import AnalyticsStore, Ingest
from abtest.services.rate_limits import FailedAuthentications
from tests.support.memory import MemoryBlobs, MemoryCatalog, MemoryQueue, MemoryRateLimiter

SHOP = "01920000-0000-7000-8000-00000000000a"
OTHER = "01920000-0000-7000-8000-00000000000b"
ROOTS = RootKeys(active="k1", keys={"k1": b"a root key of tests", "k0": b"the one before"})
NOW = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
NOW_MS = to_milliseconds(NOW)


class StoreOfTests(HttpSender):
    """An analytics store that remembers what came and answers what it is told to."""

    def __init__(self) -> None:
        self.bodies: list[bytes] = []
        self.answer: HttpAnswer | None = HttpAnswer(status=207, content_type="application/json", body=b'{"rows":1}')

    def post(self, url: str, body: bytes, *, headers: Mapping[str, str]) -> HttpAnswer:
        self.bodies.append(body)
        if self.answer is None:
            raise HttpUnreachableError("refused")
        return self.answer

    def get(self, url: str, *, headers: Mapping[str, str], redirects: int = 0) -> HttpAnswer:
        raise AssertionError("rows are posted")


@dataclass
class Edge:
    """The routes and everything behind them."""

    clock: ManualClock = field(default_factory=lambda: ManualClock(NOW))
    queue: MemoryQueue = field(default_factory=MemoryQueue)
    ledger: MemoryBlobs = field(default_factory=MemoryBlobs)
    catalog: MemoryCatalog = field(default_factory=MemoryCatalog)
    limiter: MemoryRateLimiter = field(default_factory=MemoryRateLimiter)
    store: StoreOfTests | None = None
    queues: bool = True

    def __post_init__(self) -> None:
        ingest = Ingest(
            clock=self.clock,
            random=SystemRandomness(),
            limits=EventLimits(limiter=self.limiter, clock=self.clock),
            ledger=self.ledger,
            queue=self.queue if self.queues else None,
            store=AnalyticsStore(url="https://store.test/rows", sender=self.store) if self.store else None,
        )
        keys = TrackingKeys(lambda name: self.catalog.claim_attributes(None, name), self.clock)
        self.routes = IngestRoutes(
            IngestAuth(lambda: ROOTS, keys, FailedAuthentications(self.limiter, self.clock), self.clock), ingest
        )
        self.world = World(catalog=self.catalog, clock=self.clock, random=SystemRandomness())

    def call(
        self,
        body: Any = None,
        *,
        method: str = "POST",
        headers: Mapping[str, str] | None = None,
        base64: bool = False,
        address: str = "203.0.113.7",
    ) -> Answer:
        """One request; a body that is no text is sent as JSON."""
        text = body if isinstance(body, str | bytes) else json.dumps(body)
        raw = text if isinstance(text, bytes) else text.encode()
        event = {
            "rawPath": "/events",
            "headers": dict(headers or {}),
            "requestContext": {"http": {"method": method, "path": "/events", "sourceIp": address}},
            "body": b64encode(raw).decode() if base64 or isinstance(body, bytes) else text,
            "isBase64Encoded": base64 or isinstance(body, bytes),
        }
        answer = self.routes.events(event)
        return Answer(answer["statusCode"], answer["headers"], answer["body"])

    def send(self, *events: Any, **envelope: Any) -> Answer:
        """A batch with the browser's credentials in its body."""
        return self.call({"events": list(events), **signed(), **envelope})

    def rows(self) -> list[dict[str, Any]]:
        """All rows that were queued."""
        return [row for body in self.queue.bodies for row in json.loads(body)["rows"]]

    def quarantined(self) -> list[dict[str, Any]]:
        """All quarantine lines."""
        keys = [entry.key for entry in self.ledger.list("quarantine/")]
        contents = [self.ledger.objects[key].blob.content for key in keys]
        return [json.loads(line) for content in contents for line in gzip.decompress(content).splitlines()]


@dataclass(frozen=True)
class Answer:
    """What came back."""

    status: int
    headers: Mapping[str, str]
    body: str

    def json(self) -> Any:
        return json.loads(self.body)

    @property
    def error(self) -> str:
        return str(self.json()["error"])


def signed(shop_id: str = SHOP) -> dict[str, str]:
    """The body form of credentials."""
    return {"_shopId": shop_id, "_signature": browser_signature(ROOTS, shop_id)}


def signed_headers(shop_id: str = SHOP) -> dict[str, str]:
    """The browser's header form."""
    return {"x-svc-shop": shop_id, "x-svc-signature": browser_signature(ROOTS, shop_id)}


def event(**changes: Any) -> dict[str, Any]:
    """A pageview as browsers send it; a change to `...` leaves the field out."""
    fields = {
        "type": "pageview",
        "eventId": "e-1",
        "shopId": SHOP,
        "visitorId": "v-1",
        "sessionId": "s-1",
        "ts": NOW_MS,
        "url": "https://shop.example/",
        "data": {},
    }
    return {name: value for name, value in (fields | changes).items() if value is not ...}
