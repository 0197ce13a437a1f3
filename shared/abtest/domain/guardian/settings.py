"""Settings of Guardian: the experiment's override, else the shop's defaults, else ours, field by field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abtest.domain.guardian.kinds import KINDS, Action, Kind
from abtest.domain.settings.layers import Layer, values_of

# Fully enabled, except for the loss of money, whose amount only the shop can set.
OURS: Mapping[str, Any] = {
    "enabled": True,
    "pause_on_broken": True,
    "pause_on_harm": True,
    "alert_on_data_quality": True,
    "delivery_drift": {
        "enabled": True,
        "missRateThreshold": 0.10,
        "minSamples": 200,
        "consecutiveChecks": 3,
        "shouldPause": True,
    },
    "revenue_loss": {"enabled": True, "threshold_amount": None, "currency": None},
}


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftSettings:
    """Settings of delivery_drift; `miss_rate_threshold` is a share of sessions."""

    enabled: bool
    miss_rate_threshold: float
    min_samples: int
    consecutive_checks: int
    should_pause: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LossSettings:
    """Settings of revenue_loss; `threshold_amount` in major units, None: not set. `currency` None is the shop's."""

    enabled: bool
    threshold_amount: float | None
    currency: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """Effective settings of one experiment."""

    enabled: bool
    pause_on_broken: bool
    pause_on_harm: bool
    alert_on_data_quality: bool
    delivery_drift: DriftSettings
    revenue_loss: LossSettings

    def watches(self, kind: Kind) -> bool:
        """Return whether the kind is evaluated."""
        switches = {
            "enabled": True,
            "delivery_drift": self.delivery_drift.enabled,
            "revenue_loss": self.revenue_loss.enabled,
            "alert_on_data_quality": self.alert_on_data_quality,
        }
        return self.enabled and switches[KINDS[kind].switch]

    def lets_pause(self, kind: Kind) -> bool:
        """Return whether a finding of the kind may pause the experiment."""
        allowed = {
            "pause_on_broken": self.pause_on_broken,
            "pause_on_harm": self.pause_on_harm,
            "should_pause": self.delivery_drift.should_pause,
        }
        setting = KINDS[kind].pauses_by
        return setting is not None and allowed[setting]

    def action_for(self, kind: Kind) -> Action:
        """Return the action for a confirmed finding of the kind."""
        if KINDS[kind].pauses_by is None:
            return "alert"
        return "pause" if self.lets_pause(kind) else "pause_suppressed"


def settings_of(*layers: Layer) -> Settings:
    """Return the effective settings; `layers` nearest first: the experiment's override, the shop's defaults."""

    def holds(*path: str) -> Any:
        return next(values_of((*layers, OURS), *path), None)

    return Settings(
        enabled=holds("enabled"),
        pause_on_broken=holds("pause_on_broken"),
        pause_on_harm=holds("pause_on_harm"),
        alert_on_data_quality=holds("alert_on_data_quality"),
        delivery_drift=DriftSettings(
            enabled=holds("delivery_drift", "enabled"),
            miss_rate_threshold=holds("delivery_drift", "missRateThreshold"),
            min_samples=holds("delivery_drift", "minSamples"),
            consecutive_checks=holds("delivery_drift", "consecutiveChecks"),
            should_pause=holds("delivery_drift", "shouldPause"),
        ),
        revenue_loss=LossSettings(
            enabled=holds("revenue_loss", "enabled"),
            threshold_amount=holds("revenue_loss", "threshold_amount"),
            currency=holds("revenue_loss", "currency"),
        ),
    )
