"""The curve of the detectable effect on the report page."""

from __future__ import annotations

from typing import Any

import pytest

from abtest.contract.planning import DetectableEffect
from abtest.services.report_page import render_report
from abtest.services.report_page.effects import effect_curve
from tests.support.reports import STATES

EFFECTS = [
    DetectableEffect(day=day, visitors=1000 * day, mde=mde) for day, mde in ((1, 0.9), (2, 0.3), (7, 0.16), (28, 0.08))
]


def report(**changes: Any) -> Any:
    return STATES["little"]().model_copy(update={"detectable_effects": EFFECTS, **changes})


def test_effect_curve__of_a_plan__is_on_the_page_without_effects_that_flatten_it() -> None:
    page = render_report(report())
    assert "a test that ends after 2 days finds changes of 30.0%, and one that ends after 28 days of 8.0%" in page
    assert "by the day on which the test ends" in page
    assert "90%" not in page


@pytest.mark.parametrize(
    "changes",
    [{"plan": None}, {"detectable_effects": []}, {"detectable_effects": EFFECTS[:2]}],
)
def test_effect_curve__nothing_to_draw__is_left_out(changes: Any) -> None:
    assert effect_curve(report(**changes)) is None


def test_effect_curve__not_begun__is_left_out() -> None:
    shown = report()
    before = shown.measurement.model_copy(update={"began_at": None})
    assert effect_curve(shown.model_copy(update={"measurement": before})) is None
