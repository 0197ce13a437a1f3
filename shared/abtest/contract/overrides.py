"""An experiment's overrides of the shop's auto-stop and Guardian defaults."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import ABSENT, Input

MAX_WHOLE = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""

AtLeastOne = Annotated[int, Field(ge=1, le=MAX_WHOLE)]
AutoStopMode = Literal["inherit", "off", "fixed_horizon_planned_end", "sequential_significance"]
Tail = Literal["two-sided", "one-sided"]


class SequentialStop(Input):
    """Conditions under which a sequential test may stop."""

    min_visitors: AtLeastOne = ABSENT
    min_conversions: AtLeastOne = ABSENT
    action_on_significant: Literal["pause"] = ABSENT


class FixedHorizonStop(Input):
    """Plan of a fixed-horizon test."""

    window_days: AtLeastOne = ABSENT
    mde: Annotated[float, Field(ge=0.001, le=1)] = ABSENT
    alpha: Annotated[float, Field(ge=0.001, le=0.2)] = ABSENT
    power: Annotated[float, Field(ge=0.5, le=0.99)] = ABSENT
    tail: Tail = ABSENT
    auto_pause_on_inconclusive: bool = ABSENT


class AutoStopOverride(Input):
    """Auto-stop settings of the experiment."""

    mode: AutoStopMode
    min_runtime_minutes: Annotated[int, Field(ge=0, le=MAX_WHOLE)] = ABSENT
    sequential: SequentialStop | None = ABSENT
    fixed_horizon: FixedHorizonStop | None = ABSENT
    action_on_harm: Annotated[
        Literal["pause", "continue"],
        Field(
            description=(
                "What happens when a treatment harms a guardrail and no other treatment wins: a pause (the default), "
                "or the test goes on without a winner."
            )
        ),
    ] = ABSENT


class DeliveryDrift(Input):
    """Limits for missing deliveries; null inherits."""

    enabled: bool | None = ABSENT
    missRateThreshold: Annotated[float, Field(ge=0, le=1)] | None = ABSENT
    minSamples: AtLeastOne | None = ABSENT
    consecutiveChecks: AtLeastOne | None = ABSENT
    shouldPause: bool | None = ABSENT


class RevenueLoss(Input):
    """Limit of lost revenue before Guardian acts; null inherits."""

    enabled: bool | None = ABSENT
    threshold_amount: Annotated[float, Field(gt=0)] | None = ABSENT
    currency: Annotated[str, Field(min_length=3, max_length=3)] | None = ABSENT


class GuardianOverride(Input):
    """Guardian settings of the experiment; null inherits the shop's default."""

    enabled: bool | None = ABSENT
    pause_on_broken: bool | None = ABSENT
    pause_on_harm: bool | None = ABSENT
    alert_on_data_quality: bool | None = ABSENT
    delivery_drift: DeliveryDrift | None = ABSENT
    revenue_loss: RevenueLoss | None = ABSENT
