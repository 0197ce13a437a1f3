"""What a shop sets for its experiments unless they say otherwise."""

from collections.abc import Mapping
from typing import Any

from abtest.domain.settings.shop import Tier
from abtest.kit.json_objects import merged

RECORD_ID = "SET#DEFAULTS"

_DEFAULTS: Mapping[str, Any] = {
    "guardian": {"enabled": True, "pause_on_broken": True, "pause_on_harm": True, "alert_on_data_quality": True},
    "auto_stop": {"mode": "off"},
    "attribution_window_days": 30,
    "alpha": 0.05,
    "power": 0.8,
    "correction_method": "holm",
}


def defaults_of(tier: Tier, stored: Mapping[str, Any] | None) -> dict[str, Any]:
    """All settings: what the shop stored, over ours. Approval is required where the service manages the shop."""
    ours = {**_DEFAULTS, "require_approval": tier == "service_managed"}
    return {**ours, **{name: _over(ours.get(name), value) for name, value in (stored or {}).items()}}


def patched(tier: Tier, stored: Mapping[str, Any] | None, patch: Mapping[str, Any]) -> dict[str, Any]:
    """What to store after a JSON merge patch: the settings that the shop has ever stated, and no others.

    Inside `guardian` and `auto_stop` null takes a setting back to what is inherited.
    """
    present = defaults_of(tier, stored)
    return {**(stored or {}), **{name: merged(present[name], value) for name, value in patch.items()}}


def _over(ours: Any, stored: Any) -> Any:
    """The stored setting; inside an object, what it does not say is ours."""
    return {**ours, **stored} if isinstance(ours, Mapping) and isinstance(stored, Mapping) else stored
