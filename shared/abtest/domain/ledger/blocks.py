"""Blocks of a raw object: its bytes divided so that no section of a shop crosses a border, by the object's manifest.

A worker that reads for a group of shops reads the blocks with any of them. A block has rows of one shop or of several:
shops with few rows share one, and all shops of an object of an older release do.
"""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.domain.ledger.manifests import Manifest
from abtest.domain.ledger.shop_groups import ShopGroup


@dataclass(frozen=True, slots=True, kw_only=True)
class Block:
    """Bytes of a raw object from `offset`, a gzip file by themselves; `rows` are those of all its shops together."""

    offset: int
    length: int
    rows: int
    shops: frozenset[str]

    def has(self, group: ShopGroup) -> bool:
        """Return whether the block has rows of any shop of the group."""
        return any(map(group.has, self.shops))

    def answers_for(self, shop_id: str | None) -> str:
        """Return the shop whose group takes care of a line of the block that cannot be read as a row.

        That is the line's own shop, if the block has it; its group may not read the block otherwise.
        """
        return shop_id if shop_id in self.shops else min(self.shops)


def blocks_of(manifest: Manifest, size: int) -> Sequence[Block] | None:
    """Return the blocks of an object of this size, in order; None if they do not add up to it."""
    blocks: list[Block] = []
    ends = 0
    for shop_id, section in sorted(manifest.sections.items(), key=lambda each: (each[1].offset, each[0])):
        shops, rows, begins = frozenset({shop_id}), section.rows, section.offset
        if section.length < 1 or begins > ends:
            return None
        if begins < ends:
            before = blocks.pop()
            shops, rows, begins = shops | before.shops, rows + before.rows, before.offset
        ends = max(ends, section.offset + section.length)
        blocks.append(Block(offset=begins, length=ends - begins, rows=rows, shops=shops))
    return blocks if ends == size and blocks else None
