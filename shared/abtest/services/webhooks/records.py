"""The stored form of endpoints, and the few places that a shop has for them."""

from urllib.parse import urlsplit

from abtest.domain.changes.diff import Diff, by_hash
from abtest.domain.webhooks.endpoint import MAX_WEBHOOKS, Webhook, document_of, webhook_from
from abtest.domain.webhooks.health import Standing
from abtest.ports.catalog import Catalog, NameTakenError, StaleVersionError
from abtest.ports.deliveries import DeliveryStore
from abtest.services.aggregates import Resource, Summary, loaded
from abtest.services.names import Names


def slot_name(slot: int) -> str:
    """The name that the holder of a place has claimed."""
    return f"HOOK#{slot:02}"


def _audited(webhook: Webhook) -> Diff:
    """Fields for the audit. Of the address only its origin and a hash: receivers keep secrets in the rest of it."""
    parts = urlsplit(webhook.url)
    return {
        "url": {"origin": f"{parts.scheme}://{parts.netloc}", **by_hash(webhook.url, len(webhook.url))},
        "events": list(webhook.events),
        "active": webhook.active,
        "archived_at": webhook.archived_at,
    }


def _slot_taken(_webhook: Webhook, _error: NameTakenError) -> StaleVersionError:
    return StaleVersionError("another webhook was created at the same time; repeat the request")


WEBHOOKS: Resource[Webhook] = Resource(
    kind="HOOK",
    noun="webhook",
    to_document=document_of,
    from_record=lambda record: webhook_from(record.body, record.head.version),
    summary=lambda webhook: Summary(status="active" if webhook.active else "inactive", archived_at=webhook.archived_at),
    audited=_audited,
    names=lambda webhook: Names(own=set() if webhook.archived_at else {slot_name(webhook.slot)}),
    name_taken=_slot_taken,
)


def read_webhook(catalog: Catalog, shop_id: str, webhook_id: str) -> Webhook:
    """One of the shop's, archived ones included. Raises NotFoundError."""
    return loaded(catalog, WEBHOOKS, shop_id, webhook_id)


def read_standing(catalog: Catalog, store: DeliveryStore, shop_id: str, webhook_id: str) -> Standing:
    """The same with how it bears up. Raises NotFoundError."""
    return Standing(read_webhook(catalog, shop_id, webhook_id), store.health(webhook_id))


def live_webhooks(catalog: Catalog, shop_id: str) -> list[Webhook]:
    """The shop's endpoints that are not archived, at most 20, the newest first."""
    ids = sorted(taken_slots(catalog, shop_id).values(), reverse=True)
    found = [WEBHOOKS.from_record(record) for record in catalog.get_many(shop_id, WEBHOOKS.kind, ids)]
    return [webhook for webhook in found if webhook.archived_at is None]


def taken_slots(catalog: Catalog, shop_id: str) -> dict[int, str]:
    """Which of the shop's places are taken, and by which endpoint.

    Places are few, however many endpoints the shop once had: those that are archived stay for ever.
    """
    names = {slot_name(slot): slot for slot in range(MAX_WEBHOOKS)}
    return {names[name]: target for name, (_, target) in catalog.resolve_many(shop_id, list(names)).items()}
