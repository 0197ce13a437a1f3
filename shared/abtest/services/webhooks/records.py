"""Endpoints as the catalog keeps them."""

from typing import Final

from abtest.domain.webhooks.endpoint import MAX_WEBHOOKS, Webhook, document_of, webhook_from
from abtest.domain.webhooks.health import Standing
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Catalog, Claim, Head, Put, Record
from abtest.ports.deliveries import DeliveryStore

KIND: Final = "HOOK"


def read_webhook(catalog: Catalog, shop_id: str, webhook_id: str) -> Webhook:
    """One of the shop's, archived ones included. Raises NotFoundError."""
    record = catalog.get(shop_id, KIND, webhook_id)
    if record is None:
        raise NotFoundError("no such webhook")
    return webhook_in(record)


def read_standing(catalog: Catalog, store: DeliveryStore, shop_id: str, webhook_id: str) -> Standing:
    """The same with how it bears up. Raises NotFoundError."""
    return Standing(read_webhook(catalog, shop_id, webhook_id), store.health(webhook_id))


def live_webhooks(catalog: Catalog, shop_id: str) -> list[Webhook]:
    """The shop's endpoints that are not archived, at most 20, the newest first."""
    ids = sorted(taken_slots(catalog, shop_id).values(), reverse=True)
    found = [webhook_in(record) for record in catalog.get_many(shop_id, KIND, ids)]
    return [webhook for webhook in found if webhook.archived_at is None]


def taken_slots(catalog: Catalog, shop_id: str) -> dict[int, str]:
    """Which of the shop's places are taken, and by which endpoint.

    Places are few, however many endpoints the shop once had: those that are archived stay for ever.
    """
    names = {slot_name(slot): slot for slot in range(MAX_WEBHOOKS)}
    return {names[name]: target for name, (_, target) in catalog.resolve_many(shop_id, list(names)).items()}


def webhook_in(record: Record) -> Webhook:
    """The endpoint of a record."""
    return webhook_from(record.body, record.head.version)


def put_of(webhook: Webhook) -> Put:
    """The write of an endpoint that was read at the version before."""
    head = Head(
        shop_id=webhook.shop_id,
        kind=KIND,
        id=webhook.id,
        version=webhook.version,
        created_at=webhook.created_at,
        updated_at=webhook.updated_at,
        status="active" if webhook.active else "inactive",
        archived_at=webhook.archived_at,
    )
    return Put(record=Record(head=head, body=document_of(webhook)), expected_version=webhook.version - 1)


def slot_name(slot: int) -> str:
    """The name that the holder of a place has claimed."""
    return f"HOOK#{slot:02}"


def slot_claim(webhook: Webhook) -> Claim:
    """The endpoint's hold on its place."""
    return Claim(
        scope=webhook.shop_id, name=slot_name(webhook.slot), target_id=webhook.id, target_shop_id=webhook.shop_id
    )
