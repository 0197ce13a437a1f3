"""Pictures that outlive the job that made them, because something shows them."""

from collections.abc import Sequence

from abtest.domain.assets.model import Asset
from abtest.kit import canonical_json
from abtest.ports.catalog import Catalog, Record


def is_shown(catalog: Catalog, asset: Asset) -> bool:
    """Return whether a landing page uses a picture that a job made, or what it was made for shows it.

    Code is not searched for its address: for each picture that would read all code of the shop.
    """
    if catalog.get_many(asset.shop_id, "LP", [use.id for use in asset.used_by]):
        return True
    by = asset.made_by.shown_by if asset.made_by else None
    if by is None:
        return False
    records = (
        _approved_runs(catalog, asset.shop_id, by.id)
        if by.kind == "LP"
        else [catalog.get(asset.shop_id, "SHOT", by.id)]
    )
    return any(asset.id in canonical_json.dumps(record.body) for record in records if record is not None)


def _approved_runs(catalog: Catalog, shop_id: str, page_id: str) -> Sequence[Record]:
    """Return the QA runs of a page that a person approved: their pictures show what was approved."""
    page = catalog.get(shop_id, "LP", page_id)
    versions = page.body.get("versions", ()) if page else ()
    run_ids = [version["approved_qa_run_id"] for version in versions if version.get("approved_qa_run_id")]
    return catalog.get_many(shop_id, "LPQ", run_ids, parent_id=page_id)
