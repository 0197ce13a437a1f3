"""Defaults that a shop sets for its experiments and landing pages."""

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
    "covariate_adjustment": "none",
    "require_landing_qa": True,
}


def defaults_of(tier: Tier, stored: Mapping[str, Any] | None) -> dict[str, Any]:
    """Return all settings: stored ones over ours, field by field. Approval is required in shops that we manage."""
    settings: dict[str, Any] = {**_DEFAULTS, "require_approval": tier == "service_managed"}
    for name, value in (stored or {}).items():
        ours = settings.get(name)
        if isinstance(ours, Mapping) and isinstance(value, Mapping):
            settings[name] = {**ours, **value}
        else:
            settings[name] = value
    return settings


def patched(tier: Tier, stored: Mapping[str, Any] | None, patch: Mapping[str, Any]) -> dict[str, Any]:
    """Return the settings to store after a JSON merge patch: those that the shop ever set, and no others.

    Inside `guardian` and `auto_stop` null returns a setting to its inherited value.
    """
    present = defaults_of(tier, stored)
    return {**(stored or {}), **{name: merged(present[name], value) for name, value in patch.items()}}
