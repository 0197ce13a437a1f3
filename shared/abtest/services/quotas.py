"""Quotas: what a shop has used of limits that are counted. One record counts all limits of one kind of thing."""

from collections.abc import Mapping
from typing import NamedTuple

from abtest.kit.clock import Timestamp
from abtest.kit.errors import LimitReachedError
from abtest.ports.catalog import Catalog, Put
from abtest.services.retries import ATTEMPTS
from abtest.services.state_records import replaced

QUOTA_ATTEMPTS = 4 * ATTEMPTS
"""Attempts of a creation or deletion: all of a shop's change its quota, and a shop may send many at once."""


class Limit(NamedTuple):
    """Most that a shop may use, and how its error names it: `2,000 files`."""

    most: int
    name: str


def quota_put(
    catalog: Catalog,
    shop_id: str,
    quota_id: str,
    gained: Mapping[str, int],
    limits: Mapping[str, Limit],
    now: Timestamp,
) -> Put:
    """Return the write of a shop's quota after it gained or lost.

    The condition on its version makes concurrent changes see each other. Raises LimitReachedError for a gain that
    exceeds a limit.
    """
    before = catalog.get(shop_id, "QUOTA", quota_id)
    used = {name: (before.body[name] if before else 0) + gain for name, gain in gained.items()}
    for name, gain in gained.items():
        if gain > 0 and used[name] > limits[name].most:
            raise LimitReachedError(f"a shop has {limits[name].name} at most; delete one first")
    return replaced(before, shop_id=shop_id, kind="QUOTA", record_id=quota_id, body=used, now=now)
