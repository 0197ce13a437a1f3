"""Webhooks on ports of any kind: an endpoint as the API makes it, and the worker as it is wired."""

from __future__ import annotations

from collections.abc import Sequence

from abtest.domain.webhooks.endpoint import Webhook
from abtest.ports.catalog import Catalog, Commit
from abtest.ports.deliveries import DeliveryStore
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.sealer import Sealer
from abtest.services.context import World
from abtest.services.names import Renaming
from abtest.services.webhooks.disabled_notice import DisabledNotices
from abtest.services.webhooks.drain import Drain, Senders
from abtest.services.webhooks.fanout import FanOut
from abtest.services.webhooks.notification import WorkerNotifier
from abtest.services.webhooks.records import WEBHOOKS, taken_slots
from abtest.services.webhooks.worker import WebhookWorker


def new_endpoint(
    world: World, sealer: Sealer, secret: str, *, shop_id: str, url: str, events: Sequence[str]
) -> Webhook:
    """An endpoint that is made now, in the shop's next place; not kept yet."""
    webhook_id, now = world.new_id(), world.now()
    return Webhook(
        id=webhook_id,
        shop_id=shop_id,
        url=url,
        events=tuple(events),
        secret=sealer.seal(secret, {"shop_id": shop_id, "webhook_id": webhook_id}),
        slot=len(taken_slots(world.catalog, shop_id)),
        created_at=now,
        updated_at=now,
    )


def stored_webhook(webhook: Webhook) -> Commit:
    """The commit that stores a new endpoint in its place, without an audit row."""
    taken = Renaming(shop_id=webhook.shop_id, record_id=webhook.id, after=WEBHOOKS.names(webhook))
    return Commit(puts=[WEBHOOKS.put(webhook)], claims=taken.claims())


def keep(catalog: Catalog, webhook: Webhook) -> None:
    """Store the endpoint as it is now."""
    catalog.commit(stored_webhook(webhook))


def worker(
    world: World,
    *,
    store: DeliveryStore,
    leases: Leases,
    sealer: Sealer,
    notifier: WorkerNotifier,
    senders: Senders,
    metrics: Metrics | None = None,
) -> WebhookWorker:
    """What carries out messages."""
    drain = Drain(
        world=world,
        store=store,
        leases=leases,
        sealer=sealer,
        notifier=notifier,
        senders=senders,
        metrics=metrics,
    )
    return WebhookWorker(
        fan_out=FanOut(world, store, leases, notifier), drain=drain, notices=DisabledNotices(world, store)
    )
