"""What Guardian may do for an experiment: its override over the shop's defaults over ours, field by field."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abtest.domain.guardian.kinds import KINDS, Kind

Layer = Mapping[str, Any] | None
"""A GuardianOverride as stored: nested, null and absent inherit."""

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
"""Fully enabled; how much money is a loss nobody but the shop can say."""


@dataclass(frozen=True, slots=True, kw_only=True)
class DriftSettings:
    """Of delivery_drift; `miss_rate_threshold` is a share of sessions."""

    enabled: bool
    miss_rate_threshold: float
    min_samples: int
    consecutive_checks: int
    should_pause: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class LossSettings:
    """Of revenue_loss; `threshold_amount` in major units, None: not set. `currency` None is the shop's."""

    enabled: bool
    threshold_amount: float | None
    currency: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class Settings:
    """What holds for one experiment."""

    enabled: bool
    pause_on_broken: bool
    pause_on_harm: bool
    alert_on_data_quality: bool
    delivery_drift: DriftSettings
    revenue_loss: LossSettings

    def watches(self, kind: Kind) -> bool:
        """Whether findings of the kind are looked for at all."""
        switches = {
            "enabled": True,
            "delivery_drift": self.delivery_drift.enabled,
            "revenue_loss": self.revenue_loss.enabled,
            "alert_on_data_quality": self.alert_on_data_quality,
        }
        return self.enabled and switches[KINDS[kind].switch]

    def lets_pause(self, kind: Kind) -> bool:
        """Whether a finding of the kind, which may pause, is allowed to."""
        allowed = {
            "pause_on_broken": self.pause_on_broken,
            "pause_on_harm": self.pause_on_harm,
            "should_pause": self.delivery_drift.should_pause,
        }
        setting = KINDS[kind].pauses_by
        return setting is not None and allowed[setting]


def settings_of(*layers: Layer) -> Settings:
    """The settings that hold; `layers` nearest first: the experiment's override, the shop's defaults."""
    drift, loss = _inside("delivery_drift", layers), _inside("revenue_loss", layers)
    return Settings(
        enabled=_first("enabled", layers, OURS),
        pause_on_broken=_first("pause_on_broken", layers, OURS),
        pause_on_harm=_first("pause_on_harm", layers, OURS),
        alert_on_data_quality=_first("alert_on_data_quality", layers, OURS),
        delivery_drift=DriftSettings(
            enabled=_first("enabled", drift, OURS["delivery_drift"]),
            miss_rate_threshold=_first("missRateThreshold", drift, OURS["delivery_drift"]),
            min_samples=_first("minSamples", drift, OURS["delivery_drift"]),
            consecutive_checks=_first("consecutiveChecks", drift, OURS["delivery_drift"]),
            should_pause=_first("shouldPause", drift, OURS["delivery_drift"]),
        ),
        revenue_loss=LossSettings(
            enabled=_first("enabled", loss, OURS["revenue_loss"]),
            threshold_amount=_first("threshold_amount", loss, OURS["revenue_loss"]),
            currency=_first("currency", loss, OURS["revenue_loss"]),
        ),
    )


def _inside(name: str, layers: tuple[Layer, ...]) -> tuple[Layer, ...]:
    return tuple((layer or {}).get(name) for layer in layers)


def _first(name: str, layers: tuple[Layer, ...], ours: Mapping[str, Any]) -> Any:
    stated = ((layer or {}).get(name) for layer in layers)
    return next((value for value in stated if value is not None), ours[name])
