"""When so many orders are in currencies that are left out that nothing can be said about money.

What money in other currencies is worth in the shop's nobody knows: its part of revenue is taken to be its part of the
orders. Of few orders a large part may be chance, and whoever looks often meets that moment: what counts is what the
part surely exceeds.
"""

from abtest.domain.stats.wilson import wilson_bounds

RESIDUE_SHARE, RESIDUE_ORDERS = 0.05, 20

UNEVEN_LEVEL = 0.001
"""At which arms differ in what was left out, divided by the number of treatments."""


def is_residue(excluded: int, orders: int) -> bool:
    """Whether surely (one-sided 97.5 %) more than a twentieth of at least 20 `orders` was `excluded`."""
    bounds = wilson_bounds(excluded, orders)
    return orders >= RESIDUE_ORDERS and bounds is not None and bounds.lower > RESIDUE_SHARE
