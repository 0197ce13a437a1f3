"""The handover routes on memory, with a shop whose published config says where it hands visitors over to."""

import json
from dataclasses import dataclass, field
from datetime import UTC, datetime
from typing import Any

from abtest.domain.credentials.signing import browser_signature
from abtest.domain.delivery.manifest import (
    CONFIG_CONTENT_TYPE,
    POINTER_CONTENT_TYPE,
    Pointer,
    object_key,
    pointer_key,
    published,
    write_pointer,
)
from abtest.edge.handover import HandoverRoutes
from abtest.edge.handover_domains import HandoverDomains
from abtest.edge.publications import Publications
from abtest.kit.clock import Clock, ManualClock, timestamp
from abtest.kit.ids import SystemRandomness
from tests.support.assigning import Answer, checked, event_of
from tests.support.memory import MemoryBlobs, MemoryLeases, MemoryRateLimiter
from tests.support.storefronts import ROOTS, SHOP_ID

VISITOR = "0123456789abcdef0123456789abcdef"
HERE, THERE = "garden.example", "pay.example"
START = datetime(2026, 3, 1, tzinfo=UTC)


@dataclass
class HandoverServer:
    """The routes and what stands behind them."""

    clock: Clock = field(default_factory=lambda: ManualClock(START))
    blobs: MemoryBlobs = field(default_factory=MemoryBlobs)
    leases: MemoryLeases = field(default_factory=MemoryLeases)

    def __post_init__(self) -> None:
        domains = HandoverDomains(Publications(self.blobs, self.clock))
        self.routes = HandoverRoutes(
            lambda: ROOTS, domains, MemoryRateLimiter(), self.leases, self.clock, SystemRandomness()
        )

    def publish(self, *domains: str, ttl: int = 120, shop_id: str = SHOP_ID) -> "HandoverServer":
        """Publish a config that hands over to these domains; to none where there are none."""
        runtime = {"handover": {"domains": list(domains), "ttl": ttl}} if domains else {}
        content = json.dumps({"shop_id": shop_id, "runtime": runtime, "experiments": []}).encode()
        config = published(content)
        pointer = Pointer(
            revision=1, content="0", config=config, snippet=config, published_at=timestamp(self.clock.now())
        )
        self.blobs.put(object_key(config.sha256), content, content_type=CONFIG_CONTENT_TYPE)
        self.blobs.put(pointer_key(shop_id), write_pointer(pointer), content_type=POINTER_CONTENT_TYPE)
        return self

    def mint(self, **fields: Any) -> Answer:
        """Ask for a token."""
        return self.ask("/_svc/handover", {"visitorId": VISITOR, "destination": THERE, **fields})

    def verify(self, token: Any, origin: str | None = None, **fields: Any) -> Answer:
        """Ask whose token it is."""
        return self.ask("/_svc/handover/verify", {"token": token, "host": THERE, **fields}, origin=origin)

    def ask(self, path: str, fields: dict[str, Any], *, origin: str | None = None) -> Answer:
        """One signed request; a field that is None is left out."""
        signed = {"_shopId": SHOP_ID, "_signature": browser_signature(ROOTS, SHOP_ID), **fields}
        return self.send(path, json.dumps({name: value for name, value in signed.items() if value is not None}), origin)

    def send(self, path: str, body: str, origin: str | None = None, method: str = "POST", **headers: str) -> Answer:
        """One request; the answer is as the document says."""
        given = {"content-type": "text/plain;charset=UTF-8"} | ({"origin": origin} if origin else {})
        sent = given | {name.replace("_", "-"): value for name, value in headers.items()}
        event = event_of(method, path, query=None, headers=sent, body=body)
        return checked(self.routes.handover(event), method, path)
