"""Uses of assets: recorded in the transaction of the page, looked up when an asset is to be deleted.

An asset names every page that ever used it. Whether one still exists is read when an asset is to be deleted, so
deleting a user needs no write here.
"""

from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice

from abtest.domain.assets.facts import AssetFacts
from abtest.domain.assets.model import Asset, AssetUse, facts_of, used_by
from abtest.domain.install.tags import origin_of
from abtest.kit import canonical_json
from abtest.kit.errors import LimitReachedError, ServiceError
from abtest.ports.catalog import Catalog, Commit, Head, Kind
from abtest.services.assets.records import ASSETS
from abtest.services.listing import every_head

MAX_NEW_USES = 40
"""Assets that one transaction may gain as used: each takes two of its 100 items."""

NAMED = 5

NOUNS: Mapping[Kind, str] = {"LP": "landing page", "EXP": "experiment", "PZN": "personalization", "FLAG": "flag"}

_WITH_CODE: tuple[Kind, ...] = ("EXP", "PZN", "FLAG")
_AT_ONCE = 20


class AssetInUseError(ServiceError):
    """Asset that pages show, or whose address is in code."""

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
    """Raise AssetInUseError if a resource that used the asset still exists, or code has its address."""
    pages = [use.id for use in asset.used_by]
    users = [record.head for record in catalog.get_many(asset.shop_id, "LP", pages)]
    users += islice(_with_address(catalog, asset), NAMED)
    if users:
        raise AssetInUseError(users)


def _with_address(catalog: Catalog, asset: Asset) -> Iterator[Head]:
    """Experiments, personalizations and flags in use whose code or values, or any other field, have the asset's id.

    Read when an asset is deleted, which is rare, instead of being recorded with every edit of code.
    """
    for kind in _WITH_CODE:
        in_use = (head for head in every_head(catalog, asset.shop_id, kind) if head.archived_at is None)
        while heads := list(islice(in_use, _AT_ONCE)):
            records = catalog.get_many(asset.shop_id, kind, [head.id for head in heads])
            yield from (record.head for record in records if asset.id in canonical_json.dumps(record.body))


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
