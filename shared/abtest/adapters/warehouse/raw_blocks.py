"""Download of blocks of raw objects: one file for each object, with the lines of a group's shops and of some others."""

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from abtest.adapters.warehouse.raw_rows import DOWNLOADS
from abtest.domain.ledger.blocks import Block
from abtest.domain.ledger.shop_groups import ShopGroup
from abtest.ports.blobs import Blobs
from abtest.ports.hours import UnreadableLine
from abtest.ports.warehouse import LedgerObjectError

GAP_BYTES = 512 * 1024
"""Bytes between two blocks that are read along: a request costs more than to read so many."""

_BROKEN = (OSError, EOFError, zlib.error)


def download_blocks(ledger: Blobs, blocks: Mapping[str, Sequence[Block]], folder: Path) -> dict[str, Path]:
    """Download blocks of objects to a file for each, and return the files by key.

    An object is absent where a block is not a gzip file with as many lines as it has rows. Raises LedgerObjectError for
    an object that is missing.
    """

    def one(numbered: tuple[int, str]) -> tuple[str, Path] | None:
        number, key = numbered
        content = b"".join(_contents(ledger, key, blocks[key]))
        if not content:
            return None
        path = folder / f"blocks-{number}.ndjson.gz"
        path.write_bytes(content)
        return key, path

    with ThreadPoolExecutor(DOWNLOADS) as pool:
        return dict(each for each in pool.map(one, enumerate(sorted(blocks))) if each is not None)


def own_lines(
    ledger: Blobs, blocks: Mapping[str, Sequence[Block]], lines: Sequence[UnreadableLine], group: ShopGroup
) -> list[UnreadableLine]:
    """Return the unreadable lines of downloaded files that belong to the group, with their indexes in the objects."""
    own: list[UnreadableLine] = []
    for line in lines:
        if line.key not in blocks:
            # A whole object, which every group reads.
            own += [line] if (group.number == 0 if line.shop_id is None else group.has(line.shop_id)) else []
            continue
        block, index = _place(ledger, line, blocks[line.key])
        if group.has(block.answers_for(line.shop_id)):
            own.append(replace(line, index=index))
    return own


def _place(ledger: Blobs, line: UnreadableLine, blocks: Sequence[Block]) -> tuple[Block, int]:
    """Return the block of a line, and the line's index in the object. Reads the object: such lines are rare."""
    content = ledger.get(line.key)
    if content is None:
        raise LedgerObjectError(line.key, "was listed, but does not exist")
    before = 0
    for block in blocks:
        own = _lines(content.content[block.offset : block.offset + block.length])
        if line.index < before + own:
            return block, _lines(content.content[: block.offset]) + line.index - before
        before += own
    raise LedgerObjectError(line.key, "changed while it was read")


def _lines(content: bytes) -> int:
    """Number of lines in gzip members; the last line may have no end. Raises what reading gzip does."""
    lines = gzip.decompress(content)
    return lines.count(b"\n") + (lines != b"" and not lines.endswith(b"\n"))


def _contents(ledger: Blobs, key: str, blocks: Sequence[Block]) -> list[bytes]:
    """Return the bytes of the blocks; none if one is not what it should be."""
    contents: list[bytes] = []
    for together in _in_one_request(blocks):
        begins = together[0].offset
        part = ledger.part(key, begins, together[-1].offset + together[-1].length - begins)
        if part is None:
            raise LedgerObjectError(key, "was listed, but does not exist")
        for block in together:
            content = part[block.offset - begins :][: block.length]
            try:
                if _lines(content) < block.rows:
                    return []
            except _BROKEN:
                return []
            contents.append(content)
    return contents


def _in_one_request(blocks: Sequence[Block]) -> Iterator[list[Block]]:
    together: list[Block] = []
    for block in blocks:
        if together and block.offset - together[-1].offset - together[-1].length > GAP_BYTES:
            yield together
            together = []
        together.append(block)
    if together:
        yield together
