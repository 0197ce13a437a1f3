"""A demo shop in memory: what the benchmarks of handlers run on, so that they time our code and not an emulator."""

from datetime import UTC, datetime
from typing import Any

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.credentials.signing import RootKeys
from abtest.domain.settings.shop import Shop
from abtest.kit.clock import SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.services.context import World
from abtest.services.publication import Publication
from abtest.services.shops import Shops
from abtest.storefront import bundle
from tests.support.memory import MemoryBlobs, MemoryCatalog, MemoryCdn

ROOTS = RootKeys(active="k1", keys={"k1": b"a root key of benchmarks"})


def publication_of(world: World, blobs: MemoryBlobs) -> Publication:
    """The use case that publishes into this bucket."""
    return Publication(
        world=world,
        blobs=blobs,
        checker=QuickJsChecker(),
        roots=lambda: ROOTS,
        bundle=bundle,
        worker_base_url="https://edge.example",
        cdn=MemoryCdn(),
    )


def shop_in(world: World, publication: Publication) -> Shop:
    """A new shop, published."""
    wish = {"name": "Shop", "domain": "shop.example", "currency": "EUR"}
    shop, _ = Shops(world, publication).found(world.new_id(), wish)
    return shop


def published_shop() -> tuple[Shop, MemoryBlobs]:
    """A new shop and the bucket that its config and snippet were published into."""
    world = World(catalog=MemoryCatalog(), clock=SystemClock(), random=SystemRandomness())
    blobs = MemoryBlobs()
    return shop_in(world, publication_of(world, blobs)), blobs


def gateway_event(method: str, path: str, *, query: dict[str, str] | None = None, **more: Any) -> dict[str, Any]:
    """An API Gateway payload-2.0 event."""
    headers = {
        "host": "edge.example",
        "accept-encoding": "br, gzip",
        "user-agent": "benchmark",
        **more.pop("headers", {}),
    }
    return {
        "version": "2.0",
        "routeKey": f"{method} {path}",
        "rawPath": path,
        "rawQueryString": "&".join(f"{name}={value}" for name, value in (query or {}).items()),
        "headers": headers,
        "queryStringParameters": query,
        "requestContext": {
            "http": {"method": method, "path": path, "sourceIp": "203.0.113.7", "userAgent": "benchmark"},
            "requestId": "benchmark",
            "stage": "$default",
            "timeEpoch": int(datetime.now(UTC).timestamp() * 1000),
        },
        "isBase64Encoded": False,
        **more,
    }
