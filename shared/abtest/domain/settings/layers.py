"""Settings that inherit field by field: the nearest layer that sets a field wins; null and absent inherit."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Layer = Mapping[str, Any] | None
"""Settings as stored; None where a layer sets nothing at all."""


def values_of(layers: Sequence[Layer], *path: str) -> Iterator[Any]:
    """Return the values that the layers set for the field at `path`, nearest first."""
    for layer in layers:
        value: Any = layer
        for name in path:
            value = (value or {}).get(name)
        if value is not None:
            yield value
