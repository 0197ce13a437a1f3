"""Shops as the catalog keeps them: the record inside the shop, and its entry in the list of the user who owns it."""

from dataclasses import replace

from abtest.domain.settings.shop import RECORD_ID, Shop, from_document, to_document
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import COUNTED_FOR_EVER, Catalog, Head, Put, Record, Remove


def read_shop(catalog: Catalog, shop_id: str) -> Shop:
    """The shop. Raises NotFoundError."""
    record = catalog.get(shop_id, "SHOP", RECORD_ID)
    if record is None:
        raise NotFoundError("there is no such shop")
    return from_document(record.body, record.head.version)


def owned_by(user_id: str) -> str:
    """The pseudo shop that lists what a user owns."""
    return f"users#{user_id}"


def puts_of(shop: Shop) -> list[Put]:
    """What stores a shop that is one version on from what is stored: the record and its entry."""
    return [
        Put(
            record=Record(head=_counted(_head(shop, shop.id, RECORD_ID)), body=to_document(shop)),
            expected_version=shop.version - 1,
        ),
        entry_put(shop, expected_version=shop.version - 1),
    ]


def entry_put(shop: Shop, *, expected_version: int) -> Put:
    """The entry in the owner's list: a head that says all that a summary shows."""
    head = _head(shop, owned_by(shop.org_id), shop.id)
    return Put(record=Record(head=head, body={}), expected_version=expected_version)


def entry_removal(shop: Shop) -> Remove:
    """Takes the entry out of the owner's list."""
    return Remove(head=_head(shop, owned_by(shop.org_id), shop.id))


def _counted(head: Head) -> Head:
    """Roll-ups count a shop as long as it exists."""
    return replace(head, due={"COUNT": COUNTED_FOR_EVER})


def _head(shop: Shop, under: str, record_id: str) -> Head:
    return Head(
        shop_id=under,
        kind="SHOP",
        id=record_id,
        version=shop.version,
        created_at=shop.created_at,
        updated_at=shop.updated_at,
        name=shop.name,
        attributes={"domain": shop.domain, "tier": shop.tier},
    )
