"""Findings about guardrails as sentences."""

from __future__ import annotations

from pathlib import Path
from typing import get_args

from abtest.domain.autostop.guardrail_messages import MESSAGES, guardrail_text
from abtest.domain.autostop.verdicts import GuardrailFinding
from abtest.domain.planning.shapes import GuardrailStatus

TEXT = (Path(__file__).parents[3] / "docs" / "autostop.md").read_text()


def test_messages__of_every_status__name_goal_and_variation_and_are_in_the_documentation() -> None:
    assert list(MESSAGES) == list(get_args(GuardrailStatus))
    assert [status for status in MESSAGES if f"`{status}`" not in TEXT] == []
    for status in get_args(GuardrailStatus):
        text = guardrail_text(GuardrailFinding(goal_id="g", variation_id="v", status=status), "Orders", "Blue")
        assert "“Orders”" in text
        assert "“Blue”" in text


def test_message__of_harm__has_its_change_and_its_certainty() -> None:
    finding = GuardrailFinding(goal_id="g", variation_id="v", status="harmed", p=9e-7, lift=-0.123, difference=-0.01)
    assert guardrail_text(finding, "Orders", "Blue") == "“Blue” harms “Orders” (−12.3%, p = 9e-07)."
