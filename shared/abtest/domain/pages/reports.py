"""Later report of a version, stored next to it because the version never changes."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abtest.kit.clock import Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class PageReport:
    """Gate report with checked links. `id` is that of the version; `links` are the answers, as `LinkResult`."""

    id: str
    shop_id: str
    landing_page_id: str
    version: int = 0
    gate_report: Mapping[str, Any]
    links: tuple[Any, ...] = ()
    created_at: Timestamp
    updated_at: Timestamp
