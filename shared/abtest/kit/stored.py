"""Dataclasses as JSON documents and back, across releases.

A document may lack fields that are younger than it, and may hold fields that are younger than this code (two releases
run side by side during a deployment): defaults fill the first, the second are ignored.
"""

from collections.abc import Mapping
from dataclasses import fields
from functools import cache
from typing import Any

Document = dict[str, Any]


def plain(value: Any) -> Document:
    """The fields of a dataclass, tuples as lists; what stands inside them stays what it is."""
    return {field.name: _listed(getattr(value, field.name)) for field in fields(value)}


def known(kind: type, document: Mapping[str, Any]) -> Document:
    """What a document says about the fields of a dataclass."""
    return {name: document[name] for name in _names(kind) if name in document}


@cache
def _names(kind: type) -> tuple[str, ...]:
    """The names of a dataclass's fields, looked up once: every read of a record needs them."""
    return tuple(field.name for field in fields(kind))


def _listed(value: Any) -> Any:
    return list(value) if isinstance(value, tuple) else value
