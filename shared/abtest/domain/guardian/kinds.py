"""The thirteen kinds of findings: the severity of each, the setting that lets it pause, its number of checks."""

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

Kind = Literal[
    "broken_delivery",
    "broken_runtime",
    "broken_conversion",
    "delivery_drift",
    "conversion_harm",
    "revenue_harm",
    "revenue_loss",
    "sample_ratio_mismatch",
    "multiple_exposure",
    "event_gap",
    "duplicate_orders",
    "currency_residue",
    "measurement_coverage",
]
Severity = Literal["critical", "warning", "notice"]
Action = Literal["alert", "pause", "pause_suppressed", "pause_failed"]

PauseSetting = Literal["pause_on_broken", "pause_on_harm", "should_pause"]
Switch = Literal["enabled", "delivery_drift", "revenue_loss", "alert_on_data_quality"]

# A finding has worsened when its action now ranks higher than the reported one.
RANK: Mapping[Action, int] = {"alert": 0, "pause_suppressed": 1, "pause_failed": 2, "pause": 3}


@dataclass(frozen=True, slots=True, kw_only=True)
class KindRow:
    """`pauses_by`: the setting that lets it pause, None where it only alerts. `switch`: the setting to turn it off."""

    severity: Severity
    pauses_by: PauseSetting | None = None
    switch: Switch = "enabled"
    blocks_revenue: bool = False
    grows_with_time: bool = False
    """A check counts as one more even if no new events were counted since the last."""


# In order of precedence: the first kind that asks for a pause is its reason.
KINDS: Mapping[Kind, KindRow] = {
    "broken_delivery": KindRow(severity="critical", pauses_by="pause_on_broken"),
    "broken_runtime": KindRow(severity="critical", pauses_by="pause_on_broken"),
    "broken_conversion": KindRow(severity="critical", pauses_by="pause_on_broken"),
    "delivery_drift": KindRow(severity="warning", pauses_by="should_pause", switch="delivery_drift"),
    "conversion_harm": KindRow(severity="critical", pauses_by="pause_on_harm"),
    "revenue_harm": KindRow(severity="critical", pauses_by="pause_on_harm"),
    "revenue_loss": KindRow(severity="critical", pauses_by="pause_on_harm", switch="revenue_loss"),
    "sample_ratio_mismatch": KindRow(severity="critical", switch="alert_on_data_quality"),
    "multiple_exposure": KindRow(severity="warning", switch="alert_on_data_quality"),
    "event_gap": KindRow(severity="critical", switch="alert_on_data_quality", grows_with_time=True),
    "duplicate_orders": KindRow(severity="warning", switch="alert_on_data_quality"),
    "currency_residue": KindRow(severity="warning", switch="alert_on_data_quality", blocks_revenue=True),
    "measurement_coverage": KindRow(severity="notice", switch="alert_on_data_quality", blocks_revenue=True),
}
