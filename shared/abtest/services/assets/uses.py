"""Uses of assets: recorded in the transaction of the user, looked up when an asset is to be deleted.

An asset names every resource that ever used it. Whether one still exists is read when an asset is to be deleted, so
deleting a user needs no write here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import cast

from abtest.domain.assets.facts import AssetFacts
from abtest.domain.assets.model import Asset, AssetUse, facts_of, used_by
from abtest.domain.install.tags import origin_of
from abtest.kit.errors import LimitReachedError, ServiceError
from abtest.ports.catalog import Catalog, Commit, Head, Kind
from abtest.services.assets.records import ASSETS

MAX_NEW_USES = 40
"""Assets that one transaction may gain as used: each takes two of its 100 items."""

NAMED = 5

NOUNS: Mapping[str, str] = {"LP": "landing page"}


class AssetInUseError(ServiceError):
    """Asset that pages show."""

    status = 409
    code = "asset_in_use"

    def __init__(self, users: Sequence[Head]) -> None:
        named = ", ".join(f"{NOUNS[head.kind]} {head.id} ({head.name})" for head in users[:NAMED])
        more = f" and {len(users) - NAMED} more" if len(users) > NAMED else ""
        super().__init__(
            f"the asset is used by {named}{more}; archive it instead, which hides it from lists",
            extra={"used_by": [{"kind": NOUNS[head.kind], "id": head.id, "name": head.name} for head in users[:NAMED]]},
        )


def refuse_used(catalog: Catalog, asset: Asset) -> None:
    """Raise AssetInUseError if a resource that used the asset still exists."""
    users: list[Head] = []
    for kind, uses in groupby(sorted(asset.used_by, key=lambda use: (use.kind, use.id)), key=lambda use: use.kind):
        users += [record.head for record in catalog.get_many(asset.shop_id, cast(Kind, kind), [use.id for use in uses])]
    if users:
        raise AssetInUseError(users)


@dataclass(frozen=True, slots=True, kw_only=True)
class AssetLibrary:
    """Assets as pages show them. `assets_base_url` is the address of public files."""

    catalog: Catalog
    assets_base_url: str

    def usable(self, shop_id: str, asset_ids: Iterable[str]) -> list[Asset]:
        """Return those of the shop's assets that a new page may use: complete and not archived."""
        return [asset for asset in self._stored(shop_id, asset_ids) if asset.is_usable]

    def shown(self, shop_id: str, asset_ids: Iterable[str]) -> dict[str, AssetFacts]:
        """Return what a page needs that uses these assets already, archived ones included."""
        return self.facts([asset for asset in self._stored(shop_id, asset_ids) if asset.status == "ready"])

    def facts(self, assets: Iterable[Asset]) -> dict[str, AssetFacts]:
        """Return what a page needs to show these assets, by id."""
        return {asset.id: facts_of(asset, origin_of(self.assets_base_url)) for asset in assets}

    def _stored(self, shop_id: str, asset_ids: Iterable[str]) -> Iterator[Asset]:
        return map(ASSETS.from_record, self.catalog.get_many(shop_id, "ASSET", sorted(set(asset_ids))))


def uses_commit(assets: Iterable[Asset], use: AssetUse) -> Commit:
    """Return the writes that record a user of these assets; those that know it already need none.

    They fail with StaleVersionError when an asset was changed or deleted since it was read. Raises LimitReachedError.
    """
    gained = [after for asset in assets if (after := used_by(asset, use)) is not asset]
    if len(gained) > MAX_NEW_USES:
        raise LimitReachedError(f"one request may add {MAX_NEW_USES} assets at most; add the others with the next one")
    return Commit(puts=[ASSETS.put(asset) for asset in gained])
