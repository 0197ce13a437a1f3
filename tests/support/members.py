"""Raw objects as the worker writes them: a series of gzip members."""

import gzip
from collections.abc import Sequence

MEMBERS = 3


def in_members(lines: Sequence[bytes]) -> bytes:
    """Return lines as an object of three gzip members, or fewer where there are not as many lines."""
    parts = [lines[len(lines) * n // MEMBERS : len(lines) * (n + 1) // MEMBERS] for n in range(MEMBERS)]
    texts = [b"".join(line + b"\n" for line in part) for part in parts if part]
    return b"".join(gzip.compress(text, 1, mtime=0) for text in texts or [b""])
