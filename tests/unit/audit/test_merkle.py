"""Merkle trees against the vectors and the recursive definition of RFC 6962."""

from __future__ import annotations

from hashlib import sha256

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.audit.merkle import leaf_hash, path_of, root_by, root_of

# The leaves of the reference implementation's tests, and the roots of the first 0 to 8 of them.
LEAVES = [
    bytes.fromhex(text)
    for text in ("", "00", "10", "2021", "3031", "40414243", "5051525354555657", "606162636465666768696a6b6c6d6e6f")
]
ROOTS = [
    "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855",
    "6e340b9cffb37a989ca544e6bb780a2c78901d3fb33738768511a30617afa01d",
    "fac54203e7cc696cf0dfcb42c92a1d9dbaf70ad9e621f4bd8d98662f00e3c125",
    "aeb6bcfe274b70a14fb067a5e5578264db0fa9b51af5e0ba159158f329e06e77",
    "d37ee418976dd95753c1c73862b9398fa2a2cf9b4ff0fdfe8b30cd95209614b7",
    "4e3bbb1f7b478dcfe71fb631631519a3bca12c9aefca1612bfce4c13a86264d4",
    "76e67dadbcdf1e10e1b74ddc608abd2f98dfb16fbce75277b5232a127f2087ef",
    "ddb89be403809e325750d3d263cd78929c2942b7942a34b77e122c9594a74c8c",
    "5dc9da79a70659a9ad559cb701ded9a2ab9d823aad2f4960cfe370eff4604328",
]


def tree(leaves: list[bytes]) -> bytes:
    """MTH of RFC 6962, 2.1, word for word: split at the largest power of two below the size."""
    if not leaves:
        return sha256(b"").digest()
    if len(leaves) == 1:
        return sha256(b"\x00" + leaves[0]).digest()
    split = split_of(len(leaves))
    return sha256(b"\x01" + tree(leaves[:split]) + tree(leaves[split:])).digest()


def path(index: int, leaves: list[bytes]) -> list[bytes]:
    """PATH of RFC 6962, 2.1.1, word for word."""
    if len(leaves) == 1:
        return []
    split = split_of(len(leaves))
    if index < split:
        return [*path(index, leaves[:split]), tree(leaves[split:])]
    return [*path(index - split, leaves[split:]), tree(leaves[:split])]


def split_of(size: int) -> int:
    power = 1
    while power * 2 < size:
        power *= 2
    return power


@pytest.mark.parametrize("size", range(9))
def test_root__of_the_reference_leaves__is_the_reference_root(size: int) -> None:
    assert root_of([leaf_hash(leaf) for leaf in LEAVES[:size]]).hex() == ROOTS[size]
    assert tree(LEAVES[:size]).hex() == ROOTS[size]


@given(st.lists(st.binary(max_size=4), min_size=1, max_size=70), st.data())
def test_path__of_any_leaf__is_the_one_of_the_definition_and_leads_to_the_root(
    leaves: list[bytes], data: st.DataObject
) -> None:
    index = data.draw(st.integers(0, len(leaves) - 1))
    hashes = [leaf_hash(leaf) for leaf in leaves]
    steps = path_of(index, hashes)
    assert steps == path(index, leaves)
    assert root_of(hashes) == tree(leaves) == root_by(hashes[index], index, len(leaves), steps)


@given(st.integers(2, 70), st.data())
def test_path__of_another_row_or_length__leads_elsewhere(size: int, data: st.DataObject) -> None:
    hashes = [leaf_hash(bytes([number])) for number in range(size)]
    index = data.draw(st.integers(0, size - 1))
    steps, root = path_of(index, hashes), root_of(hashes)
    assert root_by(leaf_hash(b"changed"), index, size, steps) != root
    assert root_by(hashes[index], index, size, steps[:-1]) != root
    assert root_by(hashes[index], index, size, [*steps, root]) is None
    assert root_by(hashes[index], size, size, steps) is None
