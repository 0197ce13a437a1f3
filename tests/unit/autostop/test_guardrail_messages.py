"""Findings about guardrails as sentences."""

from __future__ import annotations

from pathlib import Path
from typing import Any, get_args

import pytest

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


def harm(**fields: Any) -> GuardrailFinding:
    return GuardrailFinding(**{"goal_id": "g", "variation_id": "v", "status": "harmed", **fields})


@pytest.mark.parametrize(
    ("fields", "change"),
    [
        ({"p": 9e-7, "lift": -0.123}, "(−12.3%, p = 9.0e-07)"),
        ({"p": 0.0, "lift": -0.123}, "(−12.3%, p < 1e-300)"),
        ({"p": 0.009, "lift": -0.123}, "(−12.3%, p = 0.009)"),
        ({"p": 0.009}, "(p = 0.009)"),
    ],
)
def test_message__of_harm__has_its_change_and_its_certainty(fields: Any, change: str) -> None:
    assert guardrail_text(harm(**fields), "Orders", "Blue") == f"“Blue” harms “Orders” {change}."


@pytest.mark.parametrize(("lift", "change"), [(0.02, "p = 0.009; now +2.0%"), (None, "p = 0.009")])
def test_message__of_harm_that_the_present_numbers_do_not_show__is_of_an_earlier_look(lift: Any, change: str) -> None:
    text = guardrail_text(harm(p=0.009, lift=lift, is_earlier=True), "Orders", "Blue")
    assert text == f"“Blue” has harmed “Orders” at an earlier look ({change})."
