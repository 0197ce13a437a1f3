"""Settings that inherit field by field: the nearest layer that states a field has it; null and absent inherit."""

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

Layer = Mapping[str, Any] | None
"""Settings as stored; None where a layer states nothing at all."""


def stated(layers: Sequence[Layer], *path: str) -> Iterator[Any]:
    """What the layers state of the field at `path`, nearest first."""
    for layer in layers:
        value: Any = layer
        for name in path:
            value = (value or {}).get(name)
        if value is not None:
            yield value
