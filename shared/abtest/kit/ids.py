"""Identifiers: time-ordered UUIDs, public ids, random tokens; and the one source of randomness."""

import hashlib
import secrets
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from abtest.kit.clock import to_milliseconds

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Randomness(Protocol):
    """Where services get bits that nobody can guess."""

    def bits(self, count: int) -> int:
        """A uniformly random integer of at most `count` bits."""
        ...


class SystemRandomness:
    """The operating system's generator."""

    def bits(self, count: int) -> int:
        return secrets.randbits(count)


def uuid7(now: datetime, random: Randomness) -> str:
    """A UUID version 7 (RFC 9562, 5.7): Unix milliseconds, then the part of the millisecond, then 62 random bits.

    The part of the millisecond fills `rand_a` (section 6.2, method 3), so ids sort by time to the microsecond.
    """
    part = now.microsecond % 1000 * 4096 // 1000
    value = (to_milliseconds(now) & 0xFFFF_FFFF_FFFF) << 80
    value |= 0x7 << 76 | part << 64 | 0b10 << 62 | random.bits(62)
    return str(uuid.UUID(int=value))


@dataclass(frozen=True, slots=True)
class _Named:
    """Bits that follow from a name."""

    name: str

    def bits(self, count: int) -> int:
        return int.from_bytes(hashlib.sha256(self.name.encode()).digest(), "big") & (1 << count) - 1


def named_uuid7(now: datetime, name: str) -> str:
    """A UUID version 7 of that moment whose random bits follow from a name: the same however often it is made."""
    return uuid7(now, _Named(name))


def uuid7_milliseconds(text: str) -> int:
    """When a UUID version 7 was made, in Unix milliseconds. Raises ValueError for any other text."""
    value = uuid.UUID(text)
    if value.version != 7:
        raise ValueError(f"{text} is not a uuid7")
    return value.int >> 80


def before_uuid7(moment: datetime) -> str:
    """What sorts before every UUID version 7 of the moment or later, and after those of earlier milliseconds."""
    return str(uuid.UUID(int=to_milliseconds(moment) << 80))


def is_uuid(text: str) -> bool:
    """Whether the text is a UUID in its canonical form of 36 characters, in either case."""
    try:
        return len(text) == 36 and str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def public_id(random: Randomness) -> str:
    """Ten random digits of which the first is 1 to 9."""
    return str(10**9 + random.bits(64) % (9 * 10**9))


def base62(value: int, length: int) -> str:
    """`value` in base 62, padded with zeros to `length` digits and cut to the lowest ones."""
    digits = []
    for _ in range(length):
        value, rest = divmod(value, 62)
        digits.append(BASE62[rest])
    return "".join(reversed(digits))


def random_base62(length: int, random: Randomness) -> str:
    """Random base-62 digits; the excess bits make the modulo bias smaller than 2^-64."""
    return base62(random.bits(6 * length + 64), length)
