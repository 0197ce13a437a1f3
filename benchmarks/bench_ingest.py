"""Events a second through the ingest handler in batches of 200, beside parsing the body with the same JSON reader.

The handler authenticates, parses strictly, checks and normalises each event, drops repeats, writes the queue message;
queue and ledger are in memory here. The baseline is the parse alone, so the ratio says what all the rest costs.
"""

import json
import time

from abtest.adapters.memory import MemoryBlobs, MemoryCatalog, MemoryQueue
from abtest.domain.credentials.signing import browser_signature
from abtest.edge.ingest_auth import IngestAuth, TrackingKeys
from abtest.edge.ingest_events import IngestRoutes
from abtest.kit import canonical_json
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.services.ingest import Ingest
from benchmarks.bench_edge import Unlimited
from benchmarks.harness import compare, line, peak_megabytes
from benchmarks.world import ROOTS, gateway_event, published_shop

BATCH = 200


def body_of(shop_id: str) -> str:
    """A batch as a busy browser would send it."""
    now = int(time.time() * 1000)
    events = [
        {
            "type": "goal" if number % 4 else "pageview",
            "eventId": f"event-{number:06d}",
            "shopId": shop_id,
            "visitorId": f"visitor-{number % 50:04d}",
            "sessionId": f"session-{number % 50:04d}",
            "ts": now - number,
            "url": "https://shop.example/products/slow-morning-mug?utm_source=newsletter",
            "data": {"goalId": "0192f2a0-0000-7000-8000-000000000001", "revenue": 19.9, "currency": "EUR"},
        }
        for number in range(BATCH)
    ]
    return json.dumps(
        {"events": events, "_shopId": shop_id, "_signature": browser_signature(ROOTS, shop_id), "sentAt": now}
    )


class Discarding(MemoryQueue):
    """A queue that forgets: the benchmark is not about keeping."""

    def send(self, body: str, *, delay_seconds: int = 0) -> None:
        pass


def main() -> None:
    clock = SystemClock()
    shop, _ = published_shop()
    catalog = MemoryCatalog()
    keys = TrackingKeys(lambda name: catalog.claim_attributes(None, name), clock)
    ingest = Ingest(
        clock=clock,
        random=SystemRandomness(),
        limiter=Unlimited(),
        ledger=MemoryBlobs(),
        queue=Discarding(),
        store=None,
    )
    routes = IngestRoutes(IngestAuth(lambda: ROOTS, keys, clock), ingest)
    body = body_of(shop.id)
    event = gateway_event("POST", "/events", headers={"content-type": "text/plain"}, body=body)
    answer = routes.events(event)
    assert json.loads(answer["body"])["ingested"] == BATCH, answer
    found = compare(lambda: routes.events(event), lambda: canonical_json.loads(body), repeat=20)
    print(f"Event ingest in batches of {BATCH}, one core")
    line(
        "events a second through the handler",
        f"{BATCH / found.ours:,.0f}",
        "parsing alone, the same strict reader",
        f"{BATCH / found.baseline:,.0f}",
        found.ratio,
    )
    plain = compare(lambda: routes.events(event), lambda: json.loads(body), repeat=20)
    line(
        "",
        f"{BATCH / plain.ours:,.0f}",
        "parsing alone, plain json.loads",
        f"{BATCH / plain.baseline:,.0f}",
        plain.ratio,
    )
    print(f"  peak memory {peak_megabytes():.0f} MB")


if __name__ == "__main__":
    main()
