"""Identifiers (time-ordered UUIDs, public ids, random tokens) and the source of randomness."""

import hashlib
import secrets
import uuid
from dataclasses import dataclass
from datetime import datetime
from typing import Protocol

from abtest.kit.clock import to_milliseconds

BASE62 = "0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz"


class Randomness(Protocol):
    """Source of unpredictable random bits."""

    def bits(self, count: int) -> int:
        """Return a uniformly random integer of at most `count` bits."""
        ...


class SystemRandomness:
    """Random generator of the operating system."""

    def bits(self, count: int) -> int:
        return secrets.randbits(count)


def uuid7(now: datetime, random: Randomness) -> str:
    """Return a UUID version 7 (RFC 9562, 5.7): Unix milliseconds, fraction of the millisecond, 62 random bits.

    The fraction fills `rand_a` (section 6.2, method 3), so ids sort by time to the microsecond.
    """
    # The thousandths of the millisecond, scaled to the 12 bits of `rand_a`.
    fraction = now.microsecond % 1000 * 4096 // 1000
    value = (to_milliseconds(now) & 0xFFFF_FFFF_FFFF) << 80
    value |= 0x7 << 76 | fraction << 64 | 0b10 << 62 | random.bits(62)
    return str(uuid.UUID(int=value))


@dataclass(frozen=True, slots=True)
class _BitsOfName:
    """Randomness replaced by bits of a name's SHA-256."""

    name: str

    def bits(self, count: int) -> int:
        return int.from_bytes(hashlib.sha256(self.name.encode()).digest(), "big") & (1 << count) - 1


def named_uuid7(now: datetime, name: str) -> str:
    """Return a UUID version 7 that depends only on the moment and a name, so that repeating a job repeats the id."""
    return uuid7(now, _BitsOfName(name))


def uuid7_milliseconds(text: str) -> int:
    """Return when a UUID version 7 was made, in Unix milliseconds. Raises ValueError for any other text."""
    value = uuid.UUID(text)
    if value.version != 7:
        raise ValueError(f"{text} must be a UUID version 7")
    return value.int >> 80


def after_uuid(text: str) -> str:
    """Return the lowest text that sorts after this UUID as a UUID itself."""
    return str(uuid.UUID(int=uuid.UUID(text).int + 1))


def before_uuid7(moment: datetime) -> str:
    """Return a text that sorts before all UUIDs version 7 of this millisecond or later, and after all earlier ones.

    No UUID version 7 is older than 1970, so a moment before that is as good as its beginning.
    """
    return str(uuid.UUID(int=max(0, to_milliseconds(moment)) << 80))


def is_uuid(text: str) -> bool:
    """Return whether the text is a UUID in its canonical form of 36 characters, in upper or lower case."""
    try:
        return len(text) == 36 and str(uuid.UUID(text)) == text.lower()
    except ValueError:
        return False


def public_id(random: Randomness) -> str:
    """Return ten random digits without a leading zero."""
    return str(10**9 + random.bits(64) % (9 * 10**9))


def base62(value: int, length: int) -> str:
    """Return `value` in base 62 with exactly `length` digits: padded with zeros, or cut to the lowest digits."""
    digits = []
    for _ in range(length):
        value, rest = divmod(value, 62)
        digits.append(BASE62[rest])
    return "".join(reversed(digits))


def random_base62(length: int, random: Randomness) -> str:
    """Return random base-62 digits."""
    # With 64 bits more than needed, the modulo bias is below 2^-64.
    return base62(random.bits(6 * length + 64), length)
