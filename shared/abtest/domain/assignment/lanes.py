"""Hash of `hash.py` for one id under many states at once, in one big integer with a 64-bit lane for each state."""

from array import array
from collections.abc import Sequence
from functools import lru_cache
from sys import byteorder

from abtest.domain.assignment.hash import BUCKETS, OFFSET_BASIS, bucket, code_units

_PRIME = 16777619
_WORD = 0xFFFF_FFFF
_DIGITS = 10
"""Decimal digits of a 32-bit hash at most."""

_SHORTEST_FULL = 10 ** (_DIGITS - 1)

_WORTH_PACKING = 3
"""Number of states from which lanes are faster than one state after the other."""


def buckets(unit: str, states: Sequence[int]) -> Sequence[int]:
    """Return `bucket(unit, state)` for every state."""
    if len(states) < _WORTH_PACKING:
        return [bucket(unit, state) for state in states]
    ones, mask = lane_masks(len(states))
    folded = int.from_bytes(array("Q", states).tobytes(), byteorder)
    for unit_code in code_units(unit):
        folded = (folded ^ ones * unit_code) * _PRIME & mask  # 32 bits times 25 fit a lane: none spills into the next
    return [state % BUCKETS for state in lane_values(fold_decimals(lane_values(folded, len(states))), len(states))]


def fold_decimals(numbers: Sequence[int]) -> int:
    """Return the hashes of decimal numbers, one in each lane.

    Each is written with ten digits. A shorter one starts from the state that its leading zeros turn into the basis.
    """
    count = len(numbers)
    digits = ("%010d" * count % tuple(numbers)).encode()
    _, mask = lane_masks(count)
    starts = array("Q", [OFFSET_BASIS]) * count
    for lane, number in enumerate(numbers):
        if number < _SHORTEST_FULL:
            starts[lane] = _BEFORE_ZEROS[_DIGITS - len(str(number))]
    folded = int.from_bytes(starts.tobytes(), byteorder)
    column = bytearray(8 * count)
    for place in range(_DIGITS):
        # The digit at this place of each number becomes the lowest byte of its lane.
        column[_LOWEST::8] = digits[place::_DIGITS]
        folded = (folded ^ int.from_bytes(column, byteorder)) * _PRIME & mask
    return folded


# Offset of the least significant byte of a lane, in native order.
_LOWEST = 0 if byteorder == "little" else 7


def lane_values(lanes: int, count: int) -> Sequence[int]:
    """Return the value of each lane."""
    return memoryview(lanes.to_bytes(8 * count, byteorder)).cast("Q")


@lru_cache(maxsize=512)
def lane_masks(count: int) -> tuple[int, int]:
    """Return a 1 in each lane, and the mask that keeps 32 bits of each."""
    ones = int.from_bytes(array("Q", [1] * count).tobytes(), byteorder)
    return ones, ones * _WORD


def states_before_zeros() -> list[int]:
    """Return, by count, the state that so many digits `0` turn into the offset basis."""
    # FNV-1a can run backwards: its prime is odd, so it has an inverse modulo 2^32.
    inverse = pow(_PRIME, -1, _WORD + 1)
    states = [OFFSET_BASIS]
    for _ in range(_DIGITS):
        states.append((states[-1] * inverse & _WORD) ^ ord("0"))
    return states


_BEFORE_ZEROS = states_before_zeros()
