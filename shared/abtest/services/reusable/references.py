"""References of targeting to pages and audiences of the shop, which must exist when it is written."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.reusable.references import REFERENCES, placed_references, references_of
from abtest.domain.targeting.shapes import Targeting
from abtest.ports.catalog import Catalog, Kind
from abtest.services.known_ids import refuse_unknown_ids

_KINDS: Mapping[str, tuple[Kind, str]] = {"pageRules": ("PAGE", "page"), "segmentRules": ("AUD", "audience")}


def refuse_unknown_references(
    catalog: Catalog,
    shop_id: str,
    targeting: Targeting | None,
    *,
    before: Targeting | None = None,
    path: str = "targeting",
) -> None:
    """Raise ValidationFailedError for a page or audience that the shop does not have.

    References that the targeting had `before` this write are not looked up again.
    """
    # A page that was deleted since must not block edits of other fields.
    known = references_of(before)
    for field in REFERENCES:
        kind, noun = _KINDS[field]
        placed = ((f"{path}.{place}", reference) for place, reference in placed_references(targeting, field))
        refuse_unknown_ids(catalog, shop_id, kind, placed, noun=noun, before=known)


def with_pages(catalog: Catalog, shop_id: str, targeting: Targeting | None) -> Targeting | None:
    """Return the targeting with the rules of the shop's pages instead of their ids; unknown ids stay."""
    named = list(placed_references(targeting, "pageRules"))
    if targeting is None or not named:
        return targeting
    pages = {
        record.head.id: record.body
        for record in catalog.get_many(shop_id, "PAGE", sorted({page_id for _, page_id in named}))
    }
    # The rule's own fields win: its mode, such as `include`, belongs to the consumer and not to the page.
    rules: Any = [{**pages.get(rule.get("pageId", ""), {}), **rule} for rule in targeting["pageRules"]]
    return {**targeting, "pageRules": rules}
