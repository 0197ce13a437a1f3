"""Merkle trees as RFC 6962, section 2.1, defines them: SHA-256, leaves with the prefix 00, nodes with the prefix 01."""

from collections.abc import Sequence
from hashlib import sha256

EMPTY = sha256(b"").digest()
"""Root of a tree without leaves."""


def leaf_hash(content: bytes) -> bytes:
    """Return the hash of a leaf."""
    return sha256(b"\x00" + content).digest()


def root_of(leaves: Sequence[bytes]) -> bytes:
    """Return the root of a tree from the hashes of its leaves."""
    if not leaves:
        return EMPTY
    return _levels(leaves)[-1][0]


def path_of(index: int, leaves: Sequence[bytes]) -> list[bytes]:
    """Return the audit path of a leaf, from the leaf upwards (RFC 6962, 2.1.1): the sibling at each level with one."""
    path = []
    for level in _levels(leaves)[:-1]:
        sibling = index ^ 1
        if sibling < len(level):
            path.append(level[sibling])
        index //= 2
    return path


def root_by(leaf: bytes, index: int, size: int, path: Sequence[bytes]) -> bytes | None:
    """Return the root that a leaf and its path lead to (RFC 9162, 2.1.3.2), or None for a path of another length."""
    if not 0 <= index < size:
        return None
    node, last, left = leaf, size - 1, list(path)
    while last:
        # The last node of a level without a sibling moves up as it is.
        if index % 2 or index < last:
            if not left:
                return None
            sibling = left.pop(0)
            node = _node(sibling, node) if index % 2 else _node(node, sibling)
        index, last = index // 2, last // 2
    return None if left else node


def _levels(leaves: Sequence[bytes]) -> list[Sequence[bytes]]:
    """Return the tree from the leaves to the root.

    Splitting at the largest power of two, as RFC 6962 does, is the same as pairing from the left at each level, with
    the last node of an odd level moved up.
    """
    levels: list[Sequence[bytes]] = [leaves]
    while len(levels[-1]) > 1:
        level = levels[-1]
        paired = [_node(level[at], level[at + 1]) for at in range(0, len(level) - 1, 2)]
        levels.append(paired + ([level[-1]] if len(level) % 2 else []))
    return levels


def _node(left: bytes, right: bytes) -> bytes:
    return sha256(b"\x01" + left + right).digest()
