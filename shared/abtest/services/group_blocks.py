"""Raw objects, or the blocks of them, that have to be read for a group of shops, by the objects' manifests."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

from abtest.domain.ledger.blocks import Block, blocks_of
from abtest.domain.ledger.shop_groups import ALL_SHOPS, ShopGroup
from abtest.ports.blobs import Blobs
from abtest.services.ledger_manifests import Manifests


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupBlocks:
    """Raw objects that may have rows of the group's shops; of those in `blocks`, only these blocks have."""

    read: Sequence[str]
    blocks: Mapping[str, Sequence[Block]] = field(default_factory=dict)


def blocks_of_group(ledger: Blobs, sizes: Mapping[str, int], group: ShopGroup) -> GroupBlocks:
    """Return what to read of these raw objects, given with their bytes, for a group of shops.

    An object without a usable manifest is read whole. Raises BlobsUnavailableError.
    """
    if group == ALL_SHOPS:
        return GroupBlocks(read=list(sizes))
    manifests = Manifests(ledger).read(sizes)
    read: list[str] = []
    blocks: dict[str, list[Block]] = {}
    for key, size in sizes.items():
        known = blocks_of(manifests[key], size) if key in manifests else None
        own = [block for block in known or () if block.has(group)]
        if own:
            blocks[key] = own
        if own or known is None:
            read.append(key)
    return GroupBlocks(read=read, blocks=blocks)
