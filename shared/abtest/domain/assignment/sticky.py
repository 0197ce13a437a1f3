"""Sticky text: the variations of one visitor, for a server to keep and to send with the visitor's next request.

It is `2.` and the base64url of a head and of seven bytes for each variation. The head is the number of variations (2)
and the CRC-32 of what follows (4), so that a cut text is never read as a shorter one. A variation is the hash state of
the experiment's seed (4) and a checksum of the variation's id (3). Texts of older releases are `1.` without a head.

The text names no visitor and is not signed: like the storefront's cookie, a forged one only selects among the running
variations.
"""

from base64 import urlsafe_b64encode
from binascii import Error as NotBase64Error
from binascii import a2b_base64
from collections.abc import Iterable, Mapping
from struct import Struct
from zlib import crc32

from abtest.domain.assignment.decision import Assignment
from abtest.domain.assignment.roster import Roster, code_of

VERSION = "2."
WITHOUT_HEAD = "1."
MAX_ENTRIES = 300
"""So many have 2,810 characters, which fit into a cookie."""

_HEAD = Struct(">HI")
_ENTRY = Struct(">I3s")
MAX_CHARS = len(VERSION) + (_HEAD.size + MAX_ENTRIES * _ENTRY.size) * 4 // 3
_STANDARD = str.maketrans("-_", "+/")


Entries = Mapping[int, bytes]
"""Codes of variations by the hash state of their experiment's seed, the oldest first."""

NO_ENTRIES: Entries = {}


class UnreadableStickyError(ValueError):
    """Text that this service has not made, or that was cut."""


def read_entries(text: str) -> dict[int, bytes]:
    """Return the entries of a text, also of experiments that are not published now. Raises UnreadableStickyError."""
    if not text:
        return {}
    version, digits = text[: len(VERSION)], text[len(VERSION) :].translate(_STANDARD)
    if len(text) > MAX_CHARS or version not in (VERSION, WITHOUT_HEAD) or not text.isascii():
        raise UnreadableStickyError
    try:
        content = a2b_base64(digits + "=" * (-len(digits) % 4), strict_mode=True)
    except NotBase64Error as error:
        raise UnreadableStickyError from error
    entries = _without_head(content) if version == VERSION else content
    if len(entries) % _ENTRY.size:
        raise UnreadableStickyError
    return dict(_ENTRY.iter_unpack(entries))


def _without_head(content: bytes) -> bytes:
    head, entries = content[: _HEAD.size], content[_HEAD.size :]
    # The number is compared as well as the checksum: it excludes every cut, not only all but one in four billion.
    if head != _HEAD.pack(len(entries) // _ENTRY.size, crc32(entries)):
        raise UnreadableStickyError
    return entries


def read_sticky(entries: Entries, roster: Roster) -> dict[str, str]:
    """Return variation ids by the seed of their experiment, without those that are not published now."""
    sticky: dict[str, str] = {}
    for state, code in entries.items():
        place = roster.by_state.get(state)
        experiment = None if place is None else roster.members[place]
        if experiment is not None and (variation_id := experiment.codes.get(code)) is not None:
            sticky[experiment.seed] = variation_id
    return sticky


def write_sticky(
    roster: Roster, sticky: Mapping[str, str], shown: Iterable[Assignment], former: Entries = NO_ENTRIES
) -> str:
    """Return the text of earlier variations and those shown now; empty without any.

    As in the storefront's cookie: an active variation that was not forced is added, and beyond MAX_ENTRIES the oldest
    go. Entries of the former text stay, because an experiment that is not published now may be paused.
    """
    added = {each.seed: each.variation["id"] for each in shown if each.active and not each.forced}
    codes = {
        experiment.state: code_of(variation_id)
        for seed, variation_id in {**sticky, **added}.items()
        if (place := roster.by_seed.get(seed)) is not None
        and variation_id in (experiment := roster.members[place]).indices
    }
    packed = [_ENTRY.pack(state, code) for state, code in {**former, **codes}.items()][-MAX_ENTRIES:]
    if not packed:
        return ""
    entries = b"".join(packed)
    return VERSION + urlsafe_b64encode(_HEAD.pack(len(packed), crc32(entries)) + entries).decode().rstrip("=")
