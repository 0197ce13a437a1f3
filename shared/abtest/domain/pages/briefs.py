"""Content brief: what a landing page should say, to whom, and with which proof."""

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any, Literal

from abtest.domain.pages.vocabulary import PageType
from abtest.kit.clock import Timestamp

BriefSource = Literal["manual", "generated", "imported"]
BriefStatus = Literal["draft", "approved", "archived"]


@dataclass(frozen=True, slots=True, kw_only=True)
class ContentBrief:
    """One brief of a shop. `landing_page_id` is the page that it was written for, if there is one already."""

    id: str
    shop_id: str
    version: int = 0
    landing_page_id: str | None = None
    source: BriefSource = "manual"
    status: BriefStatus = "draft"
    format: PageType
    angle: str
    audience: str | None = None
    traffic_source: str | None = None
    keyword_intent: str | None = None
    offer_refs: tuple[str, ...] = ()
    product_refs: tuple[str, ...] = ()
    objections: tuple[str, ...] = ()
    proof_points: tuple[str, ...] = ()
    outline: tuple[str, ...] = ()
    archived_at: Timestamp | None = None
    created_at: Timestamp
    updated_at: Timestamp


def edited(brief: ContentBrief, changes: Mapping[str, Any], now: Timestamp) -> ContentBrief:
    """Return the brief with these fields, given as JSON has them; the same one when nothing differs."""
    given: dict[str, Any] = {k: tuple(v) if isinstance(v, list) else v for k, v in changes.items()}
    after = replace(brief, **given)
    if after.status != "archived":
        after = replace(after, archived_at=None)
    elif after.archived_at is None:
        after = replace(after, archived_at=now)
    return brief if after == brief else replace(after, updated_at=now)
