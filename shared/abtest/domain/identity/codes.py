"""Emailed codes: their form, how they are stored, and how long they are valid. Pure functions.

A code has 8 digits, so it is guessed within 5 tries once in 20 million sign-ins. What is stored of it is stretched by
scrypt (RFC 7914): a reader of the table would have to try a hundred million codes at 50 ms each within ten minutes.
"""

import hmac
import re
from datetime import timedelta
from hashlib import scrypt

DIGITS = 8
LIFETIME = timedelta(minutes=10)
MAX_TRIES = 5
CODES_PER_HOUR = 5
"""Codes for one address in an hour."""

REQUESTS_PER_HOUR = 30
"""Codes that one client may request in an hour, for whatever addresses."""

SALT_BITS = 128
_CODE = re.compile(r"[0-9]{8}", re.ASCII)


def code_of(bits: int) -> str:
    """Return the code of random bits; 64 or more leave no digit likelier than another by more than 10^-11."""
    return f"{bits % 10**DIGITS:0{DIGITS}}"


def stretched(code: str, salt: str) -> str:
    """Return the hex scrypt of a code. It takes about 50 ms, so that a table that was read reveals nothing in time."""
    return scrypt(code.encode(), salt=bytes.fromhex(salt), n=2**14, r=8, p=1, dklen=32).hex()


def is_code(text: str) -> bool:
    """Return whether the text has the form of a code."""
    return _CODE.fullmatch(text) is not None


def matches(code: str, salt: str, expected: str) -> bool:
    """Return whether this is the code, in a time that does not depend on it."""
    return hmac.compare_digest(stretched(code, salt), expected)
