"""Records of shops: the record inside the shop, and its entry in the list of the user who owns it."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from abtest.domain.settings.shop import RECORD_ID, SEEN_BY_SHOPPERS, Shop, from_document, to_document
from abtest.ports.catalog import COUNTED_FOR_EVER, Catalog, Commit, Head, Put, Record, Remove
from abtest.services.aggregates import Aggregates
from abtest.services.context import World
from abtest.services.resources import Resource, Summary, loaded
from abtest.services.storefronts import Storefronts

_NOT_SHOWN = frozenset({"updated_at", "holdout_config_epoch"})


def read_shop(catalog: Catalog, shop_id: str) -> Shop:
    """The shop. Raises NotFoundError."""
    return loaded(catalog, SHOPS, shop_id, RECORD_ID)


def owned_by(user_id: str) -> str:
    """The pseudo shop that lists what a user owns."""
    return f"users#{user_id}"


def shown_fields(shop: Shop) -> dict[str, Any]:
    """The fields that the contract shows of a shop, and the audit compares."""
    return {name: value for name, value in to_document(shop).items() if name not in _NOT_SHOWN}


def _summary(shop: Shop) -> Summary:
    return Summary(
        name=shop.name,
        attributes={"domain": shop.domain, "tier": shop.tier, "currency": shop.currency, "timezone": shop.timezone},
        due={"COUNT": COUNTED_FOR_EVER},  # roll-ups count a shop as long as it exists
    )


def _is_seen(before: Shop | None, after: Shop | None) -> bool:
    """A new shop is published, so that the edge knows it; another one when a field that shoppers see differs."""
    if before is None or after is None:
        return True
    return any(getattr(before, name) != getattr(after, name) for name in SEEN_BY_SHOPPERS)


SHOPS: Resource[Shop] = Resource(
    kind="SHOP",
    noun="shop",
    to_document=to_document,
    from_record=lambda record: from_document(record.body, record.head.version),
    summary=_summary,
    audited=shown_fields,
    reaches_shoppers=_is_seen,
    shop_id=lambda shop: shop.id,
    record_id=lambda _shop: RECORD_ID,
)


class ShopStore(Aggregates[Shop]):
    """Shops, each with its entry in the list of the user who owns it."""

    def __init__(self, world: World, storefronts: Storefronts) -> None:
        super().__init__(world, SHOPS, storefronts)

    def companions(self, pairs: Sequence[tuple[Shop | None, Shop | None]]) -> Commit:
        """The entries in the lists of owners; a shop that changes hands leaves one list for another."""
        puts, removes = [], []
        for before, after in pairs:
            moves = before is not None and after is not None and before.org_id != after.org_id
            if before is not None and (after is None or moves):
                removes.append(Remove(head=_entry(before)))
            if after is not None:
                # In the list of a new owner the entry is new, whatever the version of the shop.
                puts.append(_entry_put(after, expected_version=0 if moves else after.version - 1))
        return Commit(puts=puts, removes=removes)


def puts_of(shop: Shop) -> list[Put]:
    """The writes of a shop's next version: its record and its entry in the owner's list."""
    return [SHOPS.put(shop), _entry_put(shop, expected_version=shop.version - 1)]


def _entry_put(shop: Shop, *, expected_version: int) -> Put:
    return Put(record=Record(head=_entry(shop), body={}), expected_version=expected_version)


def _entry(shop: Shop) -> Head:
    """The head in the owner's list: everything that a summary of the shop shows."""
    return replace(SHOPS.head(shop), shop_id=owned_by(shop.org_id), id=shop.id, due={})
