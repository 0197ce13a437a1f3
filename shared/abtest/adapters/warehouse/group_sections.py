"""Download of sections of raw objects: one file for each object, with the lines of a few shops."""

import gzip
import zlib
from collections.abc import Iterator, Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from pathlib import Path

from abtest.adapters.warehouse.raw_rows import DOWNLOADS
from abtest.ports.blobs import Blobs
from abtest.ports.hours import OwnSection, UnreadableLine
from abtest.ports.warehouse import LedgerObjectError

GAP_BYTES = 512 * 1024
"""Bytes between two sections that are read along: a request costs more than to read so many."""

_BROKEN = (OSError, EOFError, zlib.error)


def download_own(ledger: Blobs, own: Mapping[str, Sequence[OwnSection]], folder: Path) -> dict[str, Path]:
    """Download sections of objects to a file for each, and return the files by key.

    An object is absent where a section is not a gzip file with its number of lines. Raises LedgerObjectError for an
    object that is missing.
    """

    def one(numbered: tuple[int, str]) -> tuple[str, Path] | None:
        number, key = numbered
        content = b"".join(_members(ledger, key, own[key]))
        if not content:
            return None
        path = folder / f"own-{number}.ndjson.gz"
        path.write_bytes(content)
        return key, path

    with ThreadPoolExecutor(DOWNLOADS) as pool:
        return dict(each for each in pool.map(one, enumerate(sorted(own))) if each is not None)


def index_in_object(line: UnreadableLine, own: Sequence[OwnSection] | None) -> UnreadableLine:
    """Return the line of a downloaded file with its index in the object."""
    if own is None:
        return line
    before = 0
    for each in sorted(own, key=lambda each: each.first_line):
        if line.index < before + each.section.rows:
            return replace(line, index=each.first_line + line.index - before)
        before += each.section.rows
    return line


def _members(ledger: Blobs, key: str, own: Sequence[OwnSection]) -> list[bytes]:
    """Return the bytes of the sections in the order of their lines; none if one is not what it should be."""
    members: list[bytes] = []
    for together in _in_one_request(sorted(own, key=lambda each: each.first_line)):
        begins = together[0].section.offset
        ends = together[-1].section.offset + together[-1].section.length
        content = ledger.part(key, begins, ends - begins)
        if content is None:
            raise LedgerObjectError(key, "was listed, but does not exist")
        for each in together:
            start = each.section.offset - begins
            member = content[start : start + each.section.length]
            if not _has_lines(member, each.section.rows):
                return []
            members.append(member)
    return members


def _in_one_request(own: Sequence[OwnSection]) -> Iterator[list[OwnSection]]:
    together: list[OwnSection] = []
    for each in own:
        last = together[-1].section if together else None
        if last is not None and each.section.offset - last.offset - last.length > GAP_BYTES:
            yield together
            together = []
        together.append(each)
    if together:
        yield together


def _has_lines(member: bytes, lines: int) -> bool:
    """Return whether the bytes are one or more complete gzip members with so many lines."""
    try:
        content = gzip.decompress(member)
    except _BROKEN:
        return False
    return content.count(b"\n") == lines
