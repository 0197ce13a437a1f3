"""The two values of a flag."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from abtest.domain.flags.model import Flag
from abtest.kit.errors import refused

VariantKey = Literal["off", "on"]


def with_variants(flag: Flag, given: Sequence[tuple[VariantKey, Any]]) -> Flag:
    """Return the flag with these values, each of the two given once. Raises ValidationFailedError."""
    values = dict(given)
    if set(values) != {"off", "on"}:
        raise refused(f"[{len(given) - 1}].key", "must have off and on once each")
    return replace(flag, off_value=values["off"], on_value=values["on"])
