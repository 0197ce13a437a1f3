"""How far the counts of a shop reach, as its worker stores it."""

from __future__ import annotations

from collections.abc import Collection
from datetime import datetime
from typing import Any

from abtest.kit.clock import timestamp
from abtest.ports.rollup_store import ShopProgress


def counted_until(store: Any, shop_id: str, moment: datetime, missing: Collection[str] = ()) -> None:
    """Everything until then is counted, but for what is missing."""
    before, until = store.shop_progress(shop_id), timestamp(moment)
    progress = ShopProgress(
        shop_id=shop_id,
        offset=before.offset if before else 0,
        until=until,
        counted_at=until,
        failed=frozenset(missing),
    )
    assert store.put_shop_progress(progress)
