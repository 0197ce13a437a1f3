"""Files of the brand context: which assets of a shop may be one."""

from collections.abc import Collection, Mapping, Sequence

from abtest.domain.assets.model import Asset
from abtest.domain.assets.types import PDF
from abtest.domain.brand.excerpts import MAX_FILES
from abtest.kit.errors import FieldError, ValidationFailedError, refused
from abtest.ports.catalog import Catalog
from abtest.services.assets.records import ASSETS


def names_of_files(
    catalog: Catalog, shop_id: str, asset_ids: Sequence[str], before: Collection[str]
) -> Mapping[str, str]:
    """Return the names of these assets, without those that were deleted.

    Ids in `before` are not checked again, so that an asset which was deleted or archived meanwhile does not block later
    edits. Raises ValidationFailedError unless the others are complete PDFs of the shop.
    """
    if len(asset_ids) > MAX_FILES:
        raise refused("asset_ids", f"must have at most {MAX_FILES} items")
    records = catalog.get_many(shop_id, "ASSET", list(asset_ids))
    assets = {record.head.id: ASSETS.from_record(record) for record in records}
    problems = [
        FieldError(f"asset_ids[{place}]", reason)
        for place, asset_id in enumerate(asset_ids)
        if asset_id not in before and (reason := _refusal(assets.get(asset_id)))
    ]
    if problems:
        raise ValidationFailedError(f"{problems[0].path}: {problems[0].message}", fields=problems)
    return {asset_id: asset.name for asset_id, asset in assets.items()}


def _refusal(asset: Asset | None) -> str | None:
    if asset is None:
        return "there is no such asset"
    if asset.mime_type != PDF.mime_type:
        return f"must be a PDF document; the asset is {asset.mime_type}"
    if asset.status != "ready":
        return "the asset is not complete: upload its file and complete it first"
    return "the asset is archived" if asset.archived_at else None
