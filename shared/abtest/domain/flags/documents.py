"""The stored form of flags: a plain JSON document, and the way back."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.flags.model import Flag
from abtest.kit.documents import Document, decode, encode


def flag_document(flag: Flag) -> Document:
    """The aggregate as JSON."""
    return encode(flag)


def flag_from(document: Mapping[str, Any]) -> Flag:
    """The aggregate that a document holds. Raises TypeError when a field without default is missing."""
    return decode(Flag, document)
