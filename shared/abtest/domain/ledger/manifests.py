"""Manifests of raw objects: where in an object the rows of each shop are, so that its reader reads no rows of others.

A raw object is a series of gzip members: as a whole it is a gzip file with the rows of all shops, and each member by
itself is one with the rows of a shop, or of a few shops that have little. Its manifest is a second object, written
after it.
"""

import gzip
import zlib
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import groupby
from typing import Any

from abtest.domain.ledger.columns import row_of_line
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.objects import RAW
from abtest.domain.ledger.objects import Section as Section
from abtest.kit import canonical_json

MANIFESTS = "manifests/"
_SUFFIX = ".ndjson.gz"

MEMBER_BYTES = 64 * 1024
"""Text of a member, if shops with less share one. A member of its own for a few rows takes three times the bytes."""


class InvalidManifestError(Exception):
    """The bytes are not a manifest."""


class InvalidRawObjectError(Exception):
    """The bytes are not gzip members, or not whole ones."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Manifest:
    """Sections of one raw object, by shop."""

    key: str
    sections: Mapping[str, Section]

    def encoded(self) -> bytes:
        """Return the document; equal manifests have equal bytes."""
        shops = {
            shop_id: [one.offset, one.length, one.rows, one.oldest, one.newest]
            for shop_id, one in self.sections.items()
        }
        return canonical_json.encode({"object": self.key, "shops": shops})


def manifest_key(raw_key: str) -> str:
    """Return the key of a raw object's manifest; manifests sort as their objects."""
    return f"{MANIFESTS}{raw_key.removeprefix(RAW).removesuffix(_SUFFIX)}.json"


def raw_key_of(manifest: str) -> str:
    """Return the key of the raw object with this manifest."""
    return f"{RAW}{manifest.removeprefix(MANIFESTS).removesuffix('.json')}{_SUFFIX}"


def sectioned(key: str, rows: Iterable[Row]) -> tuple[bytes, Manifest]:
    """Return the content of a raw object with these rows, and its manifest. Equal rows give equal bytes."""
    members: list[bytes] = []
    spans: list[_Span] = []
    offset = 0
    for shops in _shared(_by_shop(rows)):
        # Without the time of writing, equal lines are equal bytes, and a repeated write changes nothing.
        member = gzip.compress(b"".join(shop.text for shop in shops), 6, mtime=0)
        spans += (_Span(shop.shop_id, offset, offset + len(member), shop.received) for shop in shops)
        members.append(member)
        offset += len(member)
    return b"".join(members), _manifest(key, spans)


@dataclass(frozen=True, slots=True)
class _ShopLines:
    """Lines of a shop, and when they were received."""

    shop_id: str
    text: bytes
    received: tuple[int, ...]


def _by_shop(rows: Iterable[Row]) -> Iterator[_ShopLines]:
    # The order within a shop is kept: sorting is stable.
    for shop_id, group in groupby(sorted(rows, key=lambda row: row["shop_id"]), key=lambda row: row["shop_id"]):
        own = list(group)
        text = b"".join(canonical_json.encode(dict(row)) + b"\n" for row in own)
        yield _ShopLines(shop_id, text, tuple(row["received_at"] for row in own))


def _shared(shops: Iterable[_ShopLines]) -> Iterator[list[_ShopLines]]:
    """Yield the shops of each member."""
    small: list[_ShopLines] = []
    for shop in shops:
        if len(shop.text) >= MEMBER_BYTES:
            yield [shop]
            continue
        small.append(shop)
        if sum(len(one.text) for one in small) >= MEMBER_BYTES:
            yield small
            small = []
    if small:
        yield small


def whole_object(key: str, size: int, rows: Sequence[Row]) -> Manifest:
    """Return the manifest of an object whose shops are not apart: the whole object is a section of each."""
    return _manifest(key, _spans(0, size, rows))


def manifest_of(key: str, content: bytes) -> Manifest:
    """Return the manifest of an object from its content, of one that `sectioned` made the same.

    A shop whose rows are in several members has one section from the first to the last of them. Lines that are not
    rows are left out. Raises InvalidRawObjectError.
    """
    spans: list[_Span] = []
    for offset, length, lines in _members(content):
        rows = [row for line in lines.split(b"\n") if (row := row_of_line(line)) is not None]
        spans += _spans(offset, length, rows)
    return _manifest(key, spans)


@dataclass(frozen=True, slots=True)
class _Span:
    """Bytes of an object with rows of a shop, and when these were received."""

    shop_id: str
    begin: int
    end: int
    received: tuple[int, ...]

    def joined(self, later: "_Span") -> "_Span":
        return _Span(self.shop_id, self.begin, later.end, self.received + later.received)

    def section(self, key: str) -> Section:
        return Section(
            key=key,
            offset=self.begin,
            length=self.end - self.begin,
            rows=len(self.received),
            oldest=min(self.received),
            newest=max(self.received),
        )


def _manifest(key: str, spans: Iterable[_Span]) -> Manifest:
    joined: dict[str, _Span] = {}
    for span in spans:
        before = joined.get(span.shop_id)
        joined[span.shop_id] = before.joined(span) if before else span
    return Manifest(key=key, sections={shop_id: span.section(key) for shop_id, span in sorted(joined.items())})


def _spans(offset: int, length: int, rows: Sequence[Row]) -> list[_Span]:
    received: dict[str, list[int]] = {}
    for row in rows:
        received.setdefault(row["shop_id"], []).append(row["received_at"])
    return [_Span(shop_id, offset, offset + length, tuple(times)) for shop_id, times in received.items()]


def _members(content: bytes) -> Iterator[tuple[int, int, bytes]]:
    """Yield offset, length and lines of members; those that share a line are taken together."""
    if not content:
        raise InvalidRawObjectError("is empty")
    begin = end = 0
    lines = b""
    while end < len(content):
        member = zlib.decompressobj(wbits=zlib.MAX_WBITS | 16)
        try:
            lines += member.decompress(memoryview(content)[end:])
        except zlib.error as error:
            raise InvalidRawObjectError(str(error)[:200]) from error
        if not member.eof:
            raise InvalidRawObjectError("ends within a gzip member")
        end = len(content) - len(member.unused_data)
        if lines.endswith(b"\n") or end == len(content):
            yield begin, end - begin, lines
            begin, lines = end, b""


def read_manifest(content: bytes) -> Manifest:
    """Read a manifest. Raises InvalidManifestError for anything else."""
    try:
        document: dict[str, Any] = canonical_json.loads(content, own=True)
        key = str(document["object"])
        sections = {
            shop_id: Section(key=key, offset=offset, length=length, rows=rows, oldest=oldest, newest=newest)
            for shop_id, (offset, length, rows, oldest, newest) in document["shops"].items()
        }
        return Manifest(key=key, sections=sections)
    except (ValueError, TypeError, KeyError, AttributeError) as error:
        raise InvalidManifestError(str(error)[:200]) from error
