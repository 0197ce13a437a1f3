"""Events a second from the request to the queue, and on to the ledger, beside a bare loop that writes NDJSON.

The bare loop reads the same request bodies with the same JSON library and writes each event as a line: no credentials,
no checks, no time correction, no copies dropped. Ours is the handler as it is deployed, on memory adapters; end to end
it is followed by the worker in batches of ten messages, and both sides compress what they write with real gzip.
"""

import gzip
import json
import time
from collections.abc import Callable
from typing import Any

from abtest.domain.credentials.signing import browser_signature
from abtest.domain.ledger.events import goal_claim
from abtest.domain.ledger.objects import RAW
from abtest.edge.ingest_auth import IngestAuth, TrackingKeys
from abtest.edge.ingest_events import IngestRoutes
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Claim, Commit
from abtest.services.event_limits import EventLimits
from abtest.services.ingest import Ingest
from abtest.services.ledger import KnownGoals, LedgerWriter, Message
from abtest.services.rate_limits import FailedAuthentications
from benchmarks.bench_edge import Unlimited
from benchmarks.harness import compare, line, peak_megabytes
from benchmarks.world import ROOTS, gateway_event, published_shop
from tests.support.memory import MemoryBlobs, MemoryCatalog, MemoryQueue

BATCH, REQUESTS = 200, 10
GOAL = "0192f2a0-0000-7000-8000-000000000001"
EXPERIMENT, VARIATIONS = "0192f2a0-0000-7000-8000-000000000002", ("control", "treatment")
PHONE = "Mozilla/5.0 (iPhone; CPU iPhone OS 19_0 like Mac OS X) AppleWebKit/605.1.15 Mobile/15E148 Safari/604.1"
CONTEXT = {"visitor": "1", "source": "-https-www-google-com-"}


def event_of(shop_id: str, number: int, now: int) -> dict[str, Any]:
    """Of ten events, as storefronts send them: five page views, three exposures, a goal, an order."""
    visitor = number // 10
    common = {
        "eventId": f"{number:032x}",
        "shopId": shop_id,
        "visitorId": f"{visitor:032x}",
        "sessionId": f"{visitor:016x}",
        "ts": now - number % 1000,
        "url": f"https://shop.example/products/slow-morning-mug-{number % 7}?color=red",
    }
    kind = number % 10
    if kind < 5:
        return {"type": "pageview", **common, "data": CONTEXT}
    if kind < 8:
        shown = {"experimentId": EXPERIMENT, "variationId": VARIATIONS[visitor % 2], "assignment_epoch": 1}
        return {"type": "experiment_viewed", **common, **shown, "data": CONTEXT}
    if kind == 8:
        return {"type": "goal", **common, "data": {"goalId": GOAL}}
    items = [{"sku": f"mug-{item}", "price": "9.95", "quantity": 2} for item in range(2)]
    return {
        "type": "order",
        **common,
        "data": {"orderId": str(number), "revenue": 39.8, "currency": "EUR", "items": items},
    }


def bodies_of(shop_id: str) -> list[str]:
    """Requests of a busy moment, as servers bundle them."""
    now = int(time.time() * 1000)
    signed = {"_shopId": shop_id, "_signature": browser_signature(ROOTS, shop_id), "sentAt": now}
    numbers = [range(start, start + BATCH) for start in range(0, BATCH * REQUESTS, BATCH)]
    return [json.dumps({"events": [event_of(shop_id, n, now) for n in batch], **signed}) for batch in numbers]


def bare_lines(body: str) -> bytes:
    """The same events as NDJSON."""
    return "".join(json.dumps(event, separators=(",", ":")) + "\n" for event in json.loads(body)["events"]).encode()


class Pipeline:
    """Edge handler, queue and ledger writer of one shop, in memory."""

    def __init__(self, shop_id: str) -> None:
        self.clock, self.catalog = SystemClock(), MemoryCatalog()
        self.catalog.commit(
            Commit(claims=[Claim(scope=shop_id, name=goal_claim(GOAL), target_id=GOAL, target_shop_id=shop_id)])
        )
        self.queue, self.ledger, limiter = MemoryQueue(), MemoryBlobs(), Unlimited()
        ingest = Ingest(
            clock=self.clock,
            random=SystemRandomness(),
            limits=EventLimits(limiter=limiter, clock=self.clock),
            ledger=self.ledger,
            queue=self.queue,
        )
        keys = TrackingKeys(lambda name: self.catalog.claim_attributes(None, name), self.clock)
        failures = FailedAuthentications(limiter, self.clock)
        self.routes = IngestRoutes(IngestAuth(lambda: ROOTS, keys, failures, self.clock), ingest)
        goals = KnownGoals(self.catalog, self.clock)
        self.writer = LedgerWriter(ledger=self.ledger, goals=goals, clock=self.clock)
        self.requests = [
            gateway_event("POST", "/events", headers={"content-type": "text/plain", "user-agent": PHONE}, body=body)
            for body in bodies_of(shop_id)
        ]
        self.bodies = [str(request["body"]) for request in self.requests]

    def edge(self) -> None:
        """Every request through the handler."""
        self.queue.sent.clear()
        for request in self.requests:
            self.routes.events(request)

    def whole_way(self) -> None:
        """Every request through the handler, every message into one object."""
        self.edge()
        self.ledger.objects.clear()
        assert (
            self.writer.write([Message(id=str(n), body=body, queued_at=0) for n, body in enumerate(self.queue.bodies)])
            == []
        )

    def written(self) -> int:
        """Rows in the ledger."""
        contents = (self.ledger.objects[entry.key].blob.content for entry in self.ledger.list(RAW))
        return sum(len(gzip.decompress(content).splitlines()) for content in contents)


def report(claim: str, ours: Callable[[], None], bare: Callable[[], object]) -> None:
    """Print events a second of both and the ratio of their times."""
    found = compare(ours, bare, repeat=2)
    events = BATCH * REQUESTS
    line(
        claim,
        f"{events / found.ours:,.0f}",
        "a bare loop over the same bodies",
        f"{events / found.baseline:,.0f}",
        found.ratio,
    )


def main() -> None:
    shop, _ = published_shop()
    pipeline = Pipeline(shop.id)
    pipeline.whole_way()
    assert pipeline.written() == BATCH * REQUESTS, "every event is in the ledger"
    print(f"Events a second, one core, {REQUESTS} requests of {BATCH} events")
    report("edge handler, into the queue", pipeline.edge, lambda: [bare_lines(body) for body in pipeline.bodies])
    packed = lambda: gzip.compress(b"".join(map(bare_lines, pipeline.bodies)), 6, mtime=0)  # noqa: E731
    report("the whole way, into the ledger", pipeline.whole_way, packed)
    print(f"  peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
