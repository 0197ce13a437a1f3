"""The management API in process: every family's routers on memory adapters, with a clock that moves when told."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import UTC, datetime
from functools import cached_property
from typing import Any

from abtest.domain.credentials.api_keys import KeyKind
from abtest.domain.credentials.signing import RootKeys
from abtest.domain.settings.install_domains import claim_name
from abtest.domain.settings.shop import Shop
from abtest.http.factory import Handler, create_app, handler
from abtest.http.route import Router
from abtest.kit.clock import ManualClock
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Claim, Commit
from abtest.services.context import World
from abtest.services.keys import Minted, mint
from abtest.services.shops import Shops
from abtest.wiring.api import Management, Uses
from abtest.wiring.api_settings import settings_uses
from abtest.wiring.settings import Settings
from tests.support.client import Client
from tests.support.keys import stored_keys
from tests.support.landing_checks import PromptChecks, QaRunsAside
from tests.support.memory import (
    MemoryAssetFiles,
    MemoryAuditStore,
    MemoryBlobs,
    MemoryIdempotency,
    MemoryLeases,
    MemoryQueue,
    MemoryRateLimiter,
    MemoryRollupStore,
    MemorySessions,
)
from tests.support.memory.policed import PolicedCatalog

START = datetime(2026, 3, 2, 9, 0, tzinfo=UTC)
ROOTS = RootKeys(active="k1", keys={"k1": b"a root key of tests"})


class MemoryManagement(Management):
    """The same composition on memory adapters."""

    def __init__(self, clock: ManualClock) -> None:
        super().__init__(
            Settings(
                worker_base_url="https://edge.test",
                assets_base_url="https://assets.test",
                screenshot_queue_url="https://queue.test/screenshots",
                console_origin="https://api.test",
                allow_local_sign_in="true",
            )
        )
        self.clock = clock
        self.catalog = PolicedCatalog()
        self.blobs = MemoryBlobs()
        self.delivery = self.blobs
        self.seals = self.blobs
        self.audit = MemoryAuditStore(self.catalog)
        self.files = MemoryAssetFiles()
        self.asset_files = self.files
        self.public_files = self.files
        self.limiter = MemoryRateLimiter()
        self.idempotency = MemoryIdempotency()
        self.leases = MemoryLeases()
        self.sessions = MemorySessions()
        self.sign_ins = MemorySessions()
        self.seen = MemorySessions()
        self.rollups = MemoryRollupStore()
        self.roots = lambda: ROOTS
        self.page_queue = PromptChecks(self)
        self.publish_queue = MemoryQueue()
        self.screenshots = MemoryQueue()
        self.profile_queue = MemoryQueue()
        self.screenshot_queue = QaRunsAside(self.catalog, self.page_queue, self.screenshots)

    def without_browser(self) -> None:
        """Become a deployment without a browser, whose QA runs have the checks that need none."""
        self.settings = replace(self.settings, screenshot_queue_url="")

    @cached_property
    def world(self) -> World:
        return World(catalog=self.catalog, clock=self.clock, random=SystemRandomness())


@dataclass(frozen=True)
class Tenant:
    """A shop with the secrets of its keys."""

    shop: Shop
    admin: str
    user_id: str


def founded(base: Management, **fields: object) -> Tenant:
    """A new shop of a new user, and its admin key, stored and published by what all families share."""
    user_id = base.world.new_id()
    wish = {"name": "Shop", "domain": "shop.example", "currency": "EUR", **fields}
    shop, minted = Shops(base.world, base.publication).found(user_id, wish)
    return Tenant(shop, minted.text, user_id)


class MemoryApi:
    """An application of some routers, and the means to make tenants and keys without going through it."""

    def __init__(self, routers: Sequence[Router], uses: Uses | None = None) -> None:
        self.clock = ManualClock(START)
        self.management = MemoryManagement(self.clock)
        found = settings_uses(self.management) if uses is None else uses
        self.handler: Handler = handler(create_app(routers, self.management.services(found)))

    def serve(self, function_id: str, routers: Sequence[Router], uses: Uses) -> None:
        """Answer as this function of the template does: a write that its policy does not allow fails the test."""
        serve = handler(create_app(routers, self.management.services(uses)))

        def policed(event: dict[str, Any], context: Any = None) -> dict[str, Any]:
            with self.management.catalog.under(function_id):
                return serve(event, context)

        self.handler = policed

    @property
    def world(self) -> World:
        return self.management.world

    def tenant(self, name: str = "Shop", **fields: object) -> Tenant:
        """A new shop of a new user, and its admin key."""
        return founded(self.management, name=name, **fields)

    def key(
        self,
        scopes: Sequence[str] = (),
        *,
        kind: KeyKind = "shop",
        shop_id: str = "",
        user_id: str = "",
        **fields: object,
    ) -> Minted:
        """A stored key of any kind."""

        user = user_id or self.world.new_id()
        minted = mint(self.world, kind=kind, shop_id=shop_id, user_id=user, name="Test key", scopes=scopes)
        key = replace(minted.key, **fields)  # type: ignore[arg-type]
        catalog, now = self.world.catalog, self.world.now()
        catalog.commit(stored_keys(catalog, [key], now))
        return Minted(key, minted.text)

    def client(self, key: str | None = None, headers: Mapping[str, str] | None = None) -> Client:
        """Someone who calls with this key."""
        return Client(self.handler, key=key, headers=headers)


def claim_host(api: MemoryApi, tenant: Tenant, host: str) -> None:
    """Give a shop one of its install domains."""
    claim = Claim(scope=None, name=claim_name(host), target_id="x", target_shop_id=tenant.shop.id)
    api.world.catalog.commit(Commit(claims=[claim]))
