"""The stored form of flags: a plain JSON document, and the way back.

Fields that a document lacks have their defaults, and fields that this code does not know are ignored: two releases run
side by side during a deployment.
"""

from collections.abc import Mapping
from dataclasses import fields
from typing import Any

from abtest.domain.flags.model import Flag

Document = dict[str, Any]
_NAMES = tuple(field.name for field in fields(Flag))


def flag_document(flag: Flag) -> Document:
    """The aggregate as JSON."""
    return {name: getattr(flag, name) for name in _NAMES}


def flag_from(document: Mapping[str, Any]) -> Flag:
    """The aggregate that a document holds. Raises TypeError when a field without default is missing."""
    return Flag(**{name: document[name] for name in _NAMES if name in document})
