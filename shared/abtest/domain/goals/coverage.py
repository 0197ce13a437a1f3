"""Reasons why a part of the traffic is not measured, in words; results and reports use the same."""

from collections.abc import Mapping
from typing import Literal

Gap = Literal["consent_gated_sdk", "low_order_stitch_rate"]

MESSAGES: Mapping[Gap, str] = {
    "consent_gated_sdk": "Visitors who did not consent are not counted.",
    "low_order_stitch_rate": "Many orders are of visitors who were not seen on the storefront before.",
}

STITCHED_SHARE, STITCHED_ORDERS = 0.8, 20


def is_stitching_low(orders: int, stitched: int) -> bool:
    """Return whether too few orders are of visitors seen before; with fewer than 20 orders that may be chance."""
    return orders >= STITCHED_ORDERS and stitched < STITCHED_SHARE * orders
