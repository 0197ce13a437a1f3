"""An experiment's overrides of the shop's auto-stop and Guardian defaults."""
# ruff: noqa: N815 - the contract spells these names so

from collections.abc import Mapping
from typing import Annotated, Any, Literal

from pydantic import BeforeValidator, Field

from abtest.contract.base import ABSENT, Input

MAX_WHOLE = 2**53 - 1
"""The largest whole number that every JSON reader keeps exactly."""

AtLeastOne = Annotated[int, Field(ge=1, le=MAX_WHOLE)]
SHORT_NAMES: Mapping[str, str] = {
    "fixed_horizon": "fixed_horizon_planned_end",
    "sequential": "sequential_significance",
}
"""Accepted names of modes, and the names under which they are stored and answered."""


def full_name(mode: Any) -> Any:
    """Return the name of a mode that is stored and answered; anything else unchanged."""
    return SHORT_NAMES.get(mode, mode) if isinstance(mode, str) else mode


AutoStopMode = Annotated[
    Literal["inherit", "off", "fixed_horizon_planned_end", "sequential_significance", "group_sequential"],
    BeforeValidator(full_name),
    Field(
        description=(
            "How the experiment stops; `inherit` follows the shop. Requests may name `fixed_horizon_planned_end` and "
            "`sequential_significance` as `fixed_horizon` and `sequential`; answers have the long names."
        )
    ),
]
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


class GroupSequentialStop(Input):
    """Rules of planned looks. The plan has the spending function, the looks, and the bounds for giving up."""

    action_on_futility: Annotated[
        Literal["pause", "continue"],
        Field(
            description=(
                "What happens when every treatment is at or below the plan's futility bound of its latest look: a "
                "pause with the outcome `inconclusive_pause` (the default), or the test goes on, which costs no error."
            )
        ),
    ] = ABSENT


class AutoStopOverride(Input):
    """Auto-stop settings of the experiment."""

    mode: AutoStopMode
    min_runtime_minutes: Annotated[int, Field(ge=0, le=MAX_WHOLE)] = ABSENT
    sequential: SequentialStop | None = ABSENT
    fixed_horizon: FixedHorizonStop | None = ABSENT
    group_sequential: GroupSequentialStop | None = ABSENT
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
