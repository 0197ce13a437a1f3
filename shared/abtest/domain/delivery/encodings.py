"""Compressed variants of a published object: the same bytes always give the same variant."""

import gzip
from collections.abc import Callable, Mapping

import brotli

from abtest.domain.delivery.manifest import Encoding


def brotli_quality(size: int) -> int:
    """Return the best quality within 0.2 s of CPU: 11 takes 0.4 s for 256 KB, 2 s for 1 MB, and saves 10 % over 9."""
    if size <= 128 << 10:
        return 11
    return 9 if size <= 1 << 20 else 5


ENCODERS: Mapping[Encoding, Callable[[bytes], bytes]] = {
    "br": lambda content: bytes(brotli.compress(content, mode=brotli.MODE_TEXT, quality=brotli_quality(len(content)))),
    # By default gzip writes the current time into its header.
    "gzip": lambda content: gzip.compress(content, 9, mtime=0),
    "identity": lambda content: content,
}
