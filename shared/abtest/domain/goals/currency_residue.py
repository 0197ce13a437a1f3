"""Currency residue: the part of orders in left-out currencies, above which results about money are not valid.

The value of other currencies in the shop's is unknown, so their part of revenue is taken to be their part of the
orders. With few orders a large part may be chance, and frequent looks meet that moment. So the lower confidence
bound of the part is compared.
"""

from abtest.domain.stats.wilson import wilson_bounds

RESIDUE_SHARE, RESIDUE_ORDERS = 0.05, 20

UNEVEN_LEVEL = 0.001
"""Level at which arms differ in left-out orders, divided by the number of treatments."""


def is_residue(excluded: int, orders: int) -> bool:
    """Return whether surely (one-sided 97.5 %) more than a twentieth of at least 20 `orders` was `excluded`."""
    bounds = wilson_bounds(excluded, orders)
    return orders >= RESIDUE_ORDERS and bounds is not None and bounds.lower > RESIDUE_SHARE
