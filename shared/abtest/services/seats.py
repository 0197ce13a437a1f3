"""Seats of a shop: numbers, each claimed as a unique name by one record, that limit how many records of a kind it has.

A count would let two creations at once pass the limit. A claimed name is unique, so a seat has one record.
"""

from abtest.kit.errors import LimitReachedError
from abtest.ports.catalog import Catalog, Kind


def seat_name(kind: Kind, seat: int) -> str:
    """Return the name that the record in a seat claims in its shop."""
    return f"{kind}#SEAT#{seat}"


def free_seats(catalog: Catalog, shop_id: str, kind: Kind, *, most: int, plural: str) -> list[int]:
    """Return the free ones of the seats 0 to `most` - 1, at least one; the first commit takes it.

    Heads of the kind have their seat as an attribute. Raises LimitReachedError, which names the records by `plural`.
    """
    heads = catalog.list(shop_id, kind, limit=most).heads
    taken = {head.attributes.get("seat") for head in heads}
    free = [seat for seat in range(most) if seat not in taken]
    if not free:
        raise LimitReachedError(f"a shop has {most} {plural} at most; delete one first")
    return free
