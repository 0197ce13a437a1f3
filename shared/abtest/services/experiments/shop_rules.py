"""What the shop's settings say about experiments."""

from collections.abc import Mapping
from typing import Any

from abtest.ports.catalog import Catalog

DEFAULT_WINDOW_DAYS = 30
_MANAGED_TIER = "service_managed"


def is_approval_required(catalog: Catalog, shop_id: str) -> bool:
    """Whether designs need an approval before QA and launch: as the shop says, else for service-managed shops."""
    stated = _body(catalog, shop_id, "SET", "SET#DEFAULTS").get("require_approval")
    if stated is not None:
        return bool(stated)
    return _body(catalog, shop_id, "SHOP", "SHOP").get("tier") == _MANAGED_TIER


def attribution_window_days(catalog: Catalog, shop_id: str) -> int:
    """The attribution window of goals that state none."""
    stated = _body(catalog, shop_id, "SET", "SET#DEFAULTS").get("attribution_window_days")
    return stated if isinstance(stated, int) else DEFAULT_WINDOW_DAYS


def _body(catalog: Catalog, shop_id: str, kind: Any, record_id: str) -> Mapping[str, Any]:
    record = catalog.get(shop_id, kind, record_id)
    return record.body if record else {}
