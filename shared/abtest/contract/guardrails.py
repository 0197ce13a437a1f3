"""Guardrails of an experiment on the wire: the harm that each shows in each treatment."""

from typing import Annotated

from pydantic import Field

from abtest.contract.base import Id, Output
from abtest.domain.planning.shapes import GuardrailStatus


class GuardrailFinding(Output):
    """One guardrail in one treatment: a one-sided test of harm that holds at every look.

    `harmed`: `p_value` is at most alpha. `no_harm_shown` does not prove safety. `too_little_data`: `p_value` is shown
    and does not decide. All others: there is no test yet, and no `p_value`.
    """

    goal_id: Annotated[Id, Field(description="A goal with the role `guardrail`, or one that counts money.")]
    variation_id: Id
    status: GuardrailStatus
    p_value: Annotated[
        float | None,
        Field(description="Smallest value of all looks, corrected (Holm) over guardrails times treatments."),
    ]
    difference: Annotated[float | None, Field(description="Treatment minus control, in the unit of the goal.")]
    lift: Annotated[float | None, Field(description="Relative difference; null for a control of zero.")]
    message: Annotated[str, Field(description="The finding in words.")]
