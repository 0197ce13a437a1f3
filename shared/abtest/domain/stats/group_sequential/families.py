"""Several treatments against one control, each at its own information: Holm's correction over repeated p-values.

The repeated p-value of a treatment is at most a level exactly if its own boundaries at that level were reached at some
look. Under no effect that has at most the probability of the level, however many looks there are, so it is a p-value
for the whole test, and Holm's correction holds for any dependence between treatments that share a control. A treatment
that is rejected later at the level an earlier rejection set free may use all its looks, also those before it.
Sources: Liu, Anderson: Journal of the American Statistical Association 103 (2008) 1625-1630; Ye, Li, Liu, Yao:
Statistics in Medicine 32 (2013) 1112-1124.
"""

from collections.abc import Mapping
from typing import Literal, NamedTuple

from abtest.domain.stats.group_sequential.design import Design, design_of
from abtest.domain.stats.group_sequential.documents import FamilyState
from abtest.domain.stats.group_sequential.inference import repeated_p_value
from abtest.domain.stats.group_sequential.looks import recorded, started
from abtest.domain.stats.multiplicity import holm


class Compared(NamedTuple):
    """A treatment after a look: `p_value` over all its looks, `adjusted` for the family.

    `towards` is the side of the look that decided the p-value: 1 ahead of the control, -1 behind. `has_ended`: all its
    error is spent.
    """

    p_value: float
    adjusted: float
    is_significant: bool
    towards: Literal[1, -1]
    has_ended: bool


def started_family(
    design: Design, planned_information: Mapping[str, float], *, own: Mapping[str, Design] | None = None
) -> FamilyState:
    """Return the state before the first look, with the planned information of each treatment. Raises as `started`.

    `own`: designs of single treatments, with the same alpha, sides and spending and futility bounds of their own.
    """
    treatments = {
        treatment: started((own or {}).get(treatment, design), planned)
        for treatment, planned in planned_information.items()
    }
    return {"design": design.document(), "treatments": treatments}


def look_at_family(
    state: FamilyState, observed: Mapping[str, tuple[float, float]], *, is_last: bool = False
) -> tuple[FamilyState, Mapping[str, Compared]]:
    """Return the state after a look, and all treatments compared.

    `observed` has information and z by treatment; one that cannot be compared now is left out, and still counts in
    Holm's correction. Raises ValueError for a treatment that is not in the plan, and as `looks.look` does.
    """
    if unknown := observed.keys() - state["treatments"].keys():
        raise ValueError(f"treatments are not in the plan: {', '.join(sorted(unknown))}")
    treatments = dict(state["treatments"])
    for treatment, (information, z) in observed.items():
        treatments[treatment] = recorded(treatments[treatment], information, z, is_last=is_last)
    after: FamilyState = {**state, "treatments": treatments}
    return after, compared(after)


def compared(state: FamilyState) -> Mapping[str, Compared]:
    """Return all treatments compared after the looks so far."""
    design = design_of(state["design"])
    repeated = {name: repeated_p_value(one["looks"], design) for name, one in state["treatments"].items()}
    adjusted = holm([one.p_value for one in repeated.values()], alpha=design.alpha)
    return {
        name: Compared(
            p_value=repeated[name].p_value,
            adjusted=p,
            is_significant=is_rejected,
            towards=1 if repeated[name].z >= 0 else -1,
            has_ended=bool(one["looks"]) and one["looks"][-1]["place"] >= 1,
        )
        for (name, one), p, is_rejected in zip(
            state["treatments"].items(), adjusted.adjusted, adjusted.rejected, strict=True
        )
    }
