"""Addresses of a sitemap. The file is scanned and not parsed: entities cannot expand, and any length takes one pass."""

import re
import zlib
from collections.abc import Iterator
from dataclasses import dataclass
from html import unescape

MAX_LOCATIONS = 20_000
MAX_UNPACKED = 3 * 1024 * 1024
_GZIP = b"\x1f\x8b"
_INDEX = re.compile(rb"<(?:\w{1,20}:)?sitemapindex[\s>]")
_LOCATION = re.compile(rb"<loc>\s{0,64}(?:<!\[CDATA\[)?\s{0,64}([^<\]\s]{1,2048})")


@dataclass(frozen=True, slots=True)
class Sitemap:
    """Addresses of a sitemap, or of the sitemaps of an index. `is_cut` is whether there are more."""

    locations: tuple[str, ...]
    is_index: bool
    is_cut: bool


def read_sitemap(body: bytes) -> Sitemap:
    """Return what a file lists, packed or not; nothing for a file that is not a sitemap."""
    content, is_whole = _unpacked(body) if body.startswith(_GZIP) else (body, True)
    locations: list[str] = []
    for location in _locations(content):
        if len(locations) == MAX_LOCATIONS:
            is_whole = False
            break
        locations.append(location)
    return Sitemap(tuple(locations), bool(_INDEX.search(content[:4096])), not is_whole)


def _locations(content: bytes) -> Iterator[str]:
    for match in _LOCATION.finditer(content):
        yield unescape(match[1].decode("utf-8", "replace"))


def _unpacked(body: bytes) -> tuple[bytes, bool]:
    """Return the beginning of a packed file, and whether it is all."""
    unpacker = zlib.decompressobj(16 + zlib.MAX_WBITS)
    try:
        content = unpacker.decompress(body, MAX_UNPACKED)
    except zlib.error:
        return b"", True
    return content, unpacker.eof
