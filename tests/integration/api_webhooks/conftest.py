"""The webhooks family in memory, and what its endpoints were sent."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import pytest

from abtest.adapters.outbound_http import OutboundHttp
from abtest.domain.egress.targets import PublicOnly
from abtest.domain.webhooks.deliveries import MAX_ATTEMPTS, Delivery, Outcome, claimed, recorded
from abtest.domain.webhooks.health import Health
from abtest.ports.deliveries import HealthChange
from abtest.wiring.api_webhooks import WebhookParts, webhook_uses
from api_webhooks.routes import ROUTERS
from tests.support.api import MemoryApi
from tests.support.client import Client
from tests.support.memory import MemoryDeliveryStore, MemoryQueue
from tests.support.sealing import LocalSealer

Webhook = dict[str, Any]
URL = "https://hooks.shop.example/in"
NAMES = {
    "hooks.shop.example": ["93.184.216.34"],
    "inner.shop.example": ["93.184.216.34", "10.0.0.1"],
    "xn--bcher-kva.example": ["93.184.216.34"],
}


def resolve(host: str, _port: int) -> list[str]:
    """Names of these tests; any other stands for nothing."""
    if host not in NAMES:
        raise OSError("no such name")
    return NAMES[host]


class WebhookApi(MemoryApi):
    """The family, with what it has beside the others at hand."""

    def __init__(self) -> None:
        super().__init__([])
        self.store, self.sealer, self.queue = MemoryDeliveryStore(), LocalSealer(), MemoryQueue()
        check = OutboundHttp(PublicOnly(), resolve=resolve).check
        parts = WebhookParts(store=self.store, sealer=self.sealer, queue=self.queue, check=check)
        self.serve("ApiWebhooks", ROUTERS, webhook_uses(self.management, parts))

    def disable(self, webhook_id: str) -> None:
        """As three deliveries in a row that died leave it."""
        before = self.store.health(webhook_id)
        after = Health(consecutive_failures=3, disabled_at=self.world.now(), version=before.version + 1)
        self.store.put_health(webhook_id, HealthChange(before, after))

    def deliver(self, webhook: Webhook, shop_id: str, **fields: Any) -> Delivery:
        """A delivery that is due, as the fan-out makes it."""
        now = self.world.now()
        delivery = Delivery(
            id=self.world.new_id(),
            webhook_id=webhook["id"],
            shop_id=shop_id,
            event="experiment.started",
            payload={"experiment_id": self.world.new_id(), "experiment_name": "One"},
            created_at=now,
            updated_at=now,
            next_attempt_at=now,
        )
        delivery = replace(delivery, **fields)
        assert self.store.add(delivery)
        return delivery

    def attempt(self, delivery: Delivery, outcome: Outcome, *, seconds: float = 0) -> Delivery:
        """One attempt that ends so, after a while."""
        began = claimed(delivery, self.world.now())
        self.store.change(delivery, began)
        self.clock.advance(seconds=seconds)
        ended = recorded(began, outcome, self.world.now())
        self.store.change(began, ended)
        return ended

    def kill(self, delivery: Delivery) -> Delivery:
        """All attempts fail."""
        for _ in range(MAX_ATTEMPTS):
            delivery = self.attempt(delivery, Outcome(status=500, duration_ms=7))
        assert delivery.status == "dead"
        return delivery


@pytest.fixture
def api() -> WebhookApi:
    """Webhooks."""
    return WebhookApi()


@pytest.fixture
def create(api: WebhookApi, client: Client) -> Callable[..., Webhook]:
    """Makes an endpoint from the stated fields, a second after what was before, and returns it."""

    def made(**fields: Any) -> Webhook:
        api.clock.advance(seconds=1)
        answer = client.post("/webhooks", {"url": URL, "events": ["experiment.started"], **fields})
        assert answer.status == 201, answer.body
        body: Webhook = answer.json()
        return body

    return made


@pytest.fixture
def webhook(create: Callable[..., Webhook]) -> Webhook:
    """An endpoint."""
    return create()


@pytest.fixture
def path(webhook: Webhook) -> str:
    """Its address."""
    return f"/webhooks/{webhook['id']}"
