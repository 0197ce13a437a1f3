"""Settings of auto-stop: the experiment's override, else the shop's default, else ours, field by field."""

from dataclasses import dataclass
from typing import Literal

from abtest.domain.planning.shapes import Snapshot
from abtest.domain.settings.layers import Layer, values_of

Mode = Literal["off", "fixed_horizon_planned_end", "sequential_significance", "group_sequential"]
WITH_PLAN: frozenset[Mode] = frozenset({"fixed_horizon_planned_end", "group_sequential"})
"""Modes that decide by a plan, and nothing without one."""
INHERIT = "inherit"
PAUSE = "pause"
# Minima of each arm that is compared.
MIN_VISITORS, MIN_CONVERSIONS = 100, 25


@dataclass(frozen=True, slots=True, kw_only=True)
class AutoStop:
    """Effective settings. Minima are of each arm that is compared."""

    mode: Mode = "off"
    min_runtime_minutes: int = 0
    min_visitors: int = MIN_VISITORS
    min_conversions: int = MIN_CONVERSIONS
    pauses_inconclusive: bool = False
    pauses_for_harm: bool = True
    pauses_for_futility: bool = True


OURS = AutoStop()


def resolved(*layers: Layer) -> AutoStop:
    """Return the effective settings; `layers` nearest first: the experiment's override, the shop's default.

    Null and absent fields inherit, and so does the mode `inherit`.
    """
    modes = (mode for mode in values_of(layers, "mode") if mode != INHERIT)
    return AutoStop(
        mode=next(modes, OURS.mode),
        min_runtime_minutes=next(values_of(layers, "min_runtime_minutes"), OURS.min_runtime_minutes),
        min_visitors=next(values_of(layers, "sequential", "min_visitors"), OURS.min_visitors),
        min_conversions=next(values_of(layers, "sequential", "min_conversions"), OURS.min_conversions),
        pauses_inconclusive=next(
            values_of(layers, "fixed_horizon", "auto_pause_on_inconclusive"), OURS.pauses_inconclusive
        ),
        pauses_for_harm=next(values_of(layers, "action_on_harm"), PAUSE) == PAUSE,
        pauses_for_futility=next(values_of(layers, "group_sequential", "action_on_futility"), PAUSE) == PAUSE,
    )


def takes_planned_looks(plan: Snapshot, settings: AutoStop) -> bool:
    """Return whether looks are taken: in the mode, and for readers of a plan of this engine while auto-stop is off."""
    is_read = settings.mode == "off" and plan.get("engine") == "group_sequential"
    return settings.mode == "group_sequential" or is_read
