"""The two values of a flag."""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any, Literal

from abtest.domain.flags.model import Flag
from abtest.kit.errors import refused

VariantKey = Literal["off", "on"]


def with_variants(flag: Flag, stated: Sequence[tuple[VariantKey, Any]]) -> Flag:
    """The flag with these values, each of the two stated once. Raises ValidationFailedError."""
    values = dict(stated)
    if set(values) != {"off", "on"}:
        raise refused(f"[{len(stated) - 1}].key", "off and on are stated once each")
    return replace(flag, off_value=values["off"], on_value=values["on"])
