"""Groups of shops into which the work on an hour is divided, by a hash of the shop's id."""

from collections.abc import Iterator
from dataclasses import dataclass
from hashlib import sha256

MAX_GROUPS = 64
BYTES_OF_A_GROUP = 160_000_000
"""Bytes of raw objects for one group: about 1,500,000 rows (docs/adr/0071-compaction-by-hour-and-group.md)."""


@dataclass(frozen=True, slots=True, order=True)
class ShopGroup:
    """Group `number` (from 0) of `of`, a power of two up to 64: the shops whose hash has this remainder.

    A group contains two groups of twice as many, so groups of different divisions overlap completely or not at all.
    """

    number: int
    of: int

    def __post_init__(self) -> None:
        if not 1 <= self.of <= MAX_GROUPS or self.of & (self.of - 1) or not 0 <= self.number < self.of:
            raise ValueError(
                f"group {self.number} of {self.of} must be from 0 on, of a power of two up to {MAX_GROUPS}"
            )

    @property
    def name(self) -> str:
        """Name in keys, such as `3of8`."""
        return f"{self.number}of{self.of}"

    def has(self, shop_id: str) -> bool:
        """Return whether the shop belongs to the group."""
        return int(sha256(shop_id.encode()).hexdigest()[:2], 16) % self.of == self.number


ALL_SHOPS = ShopGroup(0, 1)


def group_named(name: str) -> ShopGroup:
    """Return the group with this name. Raises ValueError for any other text."""
    number, _, of = name.partition("of")
    group = ShopGroup(int(number), int(of))
    if group.name != name:
        raise ValueError(f"{name[:20]} must be the name of a group of shops, such as 3of8")
    return group


def division(groups: int) -> Iterator[ShopGroup]:
    """Yield the groups of a division into so many; each shop is in one of them."""
    return (ShopGroup(number, groups) for number in range(groups))


def groups_for(size: int) -> int:
    """Return into how many groups raw objects of so many bytes are divided."""
    groups = 1
    while groups < MAX_GROUPS and size > groups * BYTES_OF_A_GROUP:
        groups *= 2
    return groups
