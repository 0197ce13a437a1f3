"""Records of endpoints, and the limited number of slots that a shop has for them."""

from urllib.parse import urlsplit

from abtest.domain.changes.diff import Diff, by_hash
from abtest.domain.webhooks.endpoint import MAX_WEBHOOKS, Webhook, document_of, webhook_from
from abtest.domain.webhooks.health import EndpointHealth
from abtest.ports.catalog import Catalog, NameTakenError, StaleVersionError
from abtest.ports.deliveries import DeliveryStore
from abtest.services.names import Names
from abtest.services.resources import Resource, Summary, loaded


def slot_name(slot: int) -> str:
    """Name that the holder of a slot has claimed."""
    return f"HOOK#{slot:02}"


def audited(webhook: Webhook) -> Diff:
    """Fields for the audit. The address appears as origin and hash, because the rest of it may hold secrets."""
    parts = urlsplit(webhook.url)
    return {
        "url": {"origin": f"{parts.scheme}://{parts.netloc}", **by_hash(webhook.url, len(webhook.url))},
        "events": list(webhook.events),
        "active": webhook.active,
        "archived_at": webhook.archived_at,
    }


def slot_taken(_webhook: Webhook, _error: NameTakenError) -> StaleVersionError:
    """Error of a creation that lost its slot, so that the store tries another one."""
    return StaleVersionError("another webhook was created at the same time; repeat the request")


WEBHOOKS: Resource[Webhook] = Resource(
    kind="HOOK",
    noun="webhook",
    to_document=document_of,
    from_record=lambda record: webhook_from(record.body, record.head.version),
    summary=lambda webhook: Summary(status="active" if webhook.active else "inactive", archived_at=webhook.archived_at),
    audited=audited,
    # Unique names enforce the limit where a count could not: two creations at once would both see a free place.
    names=lambda webhook: Names(own=set() if webhook.archived_at else {slot_name(webhook.slot)}),
    name_taken=slot_taken,
)


def read_webhook(catalog: Catalog, shop_id: str, webhook_id: str) -> Webhook:
    """One of the shop's endpoints, archived ones included. Raises NotFoundError."""
    return loaded(catalog, WEBHOOKS, shop_id, webhook_id)


def read_endpoint_health(catalog: Catalog, store: DeliveryStore, shop_id: str, webhook_id: str) -> EndpointHealth:
    """Read an endpoint and its delivery health. Raises NotFoundError."""
    return EndpointHealth(read_webhook(catalog, shop_id, webhook_id), store.health(webhook_id))


def live_webhooks(catalog: Catalog, shop_id: str) -> list[Webhook]:
    """The shop's endpoints that are not archived, at most 20, the newest first."""
    ids = sorted(taken_slots(catalog, shop_id).values(), reverse=True)
    webhooks = [WEBHOOKS.from_record(record) for record in catalog.get_many(shop_id, WEBHOOKS.kind, ids)]
    return [webhook for webhook in webhooks if webhook.archived_at is None]


def taken_slots(catalog: Catalog, shop_id: str) -> dict[int, str]:
    """Ids of the shop's endpoints by the slot that each holds.

    Slots are few, while archived endpoints are kept: reading the slots finds the live ones without them.
    """
    names = {slot_name(slot): slot for slot in range(MAX_WEBHOOKS)}
    return {names[name]: target for name, (_, target) in catalog.resolve_many(shop_id, list(names)).items()}
