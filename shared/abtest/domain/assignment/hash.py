"""Hash for the buckets of visitors: FNV-1a, 32 bits, over UTF-16 code units, the same to the bit in every language."""

import sys

# The basis of FNV-1a for 32 bits; 16777619 in `fold` is its prime.
OFFSET_BASIS = 2166136261
BUCKETS = 10_000

# Native order, because `cast("H")` reads units in it; plain `utf-16` would add a byte order mark.
_UTF16 = "utf-16-le" if sys.byteorder == "little" else "utf-16-be"


def fold(text: str, state: int = OFFSET_BASIS) -> int:
    """Return the hash of the text that led to `state`, followed by `text`; lone surrogates count as code units."""
    for unit in code_units(text):
        state = (state ^ unit) * 16777619 & 0xFFFF_FFFF  # literals: a global looked up each time would cost a fifth
    return state


def code_units(text: str) -> bytes | memoryview:
    """Return the UTF-16 code units of a text, as integers."""
    return text.encode() if text.isascii() else memoryview(text.encode(_UTF16, "surrogatepass")).cast("H")


def seed(experiment_id: str, epoch: int) -> str:
    """Return the seed of an experiment's buckets in an assignment epoch."""
    return experiment_id if epoch == 1 else f"{experiment_id}:{epoch}"


def bucket(visitor_id: str, state: int) -> int:
    """Return the visitor's bucket, 0 to 9999; `state` is `fold(seed)`.

    The id is hashed twice, because the hashes of similar ids are similar.
    """
    return fold(str(fold(visitor_id, state))) % BUCKETS
