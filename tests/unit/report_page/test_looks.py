"""Planned looks on the page: all of a few, the first and the newest of many, and reasons in words."""

from __future__ import annotations

import pytest

from abtest.contract import planned_looks as contract
from abtest.contract.report import Report
from abtest.contract.results import Interval
from abtest.services.report_page import render_report
from abtest.services.report_page.looks import SHOWN
from tests.support.report_facts import at, draft, ident


def look(number: int) -> contract.PlannedLook:
    return contract.PlannedLook(
        moment=at(number),
        generation=number,
        information=number / 100,
        visitors=1000 * number,
        difference=0.0123,
        ci=None if number == 1 else Interval(lower=-0.02, upper=0.0446),
        z=-1.5,
        boundary=None if number == 1 else 2.345,
        futility_boundary=None,
        spent=0.0004,
    )


def with_looks(number: int) -> Report:
    treatment = contract.PlannedLooksOfTreatment(
        variation_id=ident(1, 1),
        state="goes_on" if number else "no_look",
        message="no planned look yet: the control or this treatment has fewer visitors than the minimum",
        p_value=0.2,
        left_out=None,
        looks=[look(place) for place in range(1, number + 1)],
    )
    planned = contract.PlannedLooks(
        goal_id=ident(2, 1),
        alpha=0.05,
        tail="two-sided",
        spending=contract.SpendingOfLooks(family="obrien_fleming", gamma=None),
        adjusted=False,
        restarted_at=None,
        ended_by=None,
        message="The last look is taken at 6,000 visitors.",
        treatments=[treatment],
    )
    facts = draft(["Control", "<Short>"], verdict="undecided", sentence="No decision yet.")
    return facts.model_copy(update={"planned_looks": planned})


def test_page__with_planned_looks__has_their_numbers() -> None:
    page = render_report(with_looks(2))
    assert "share an error of 5%" in page
    assert "The last look is taken at 6,000 visitors." in page
    for text in ("+1.23\u00a0pp", "−2.00\u00a0pp\u00a0to +4.46\u00a0pp", "−1.50", "2.35", "0.04%", "2,000"):
        assert text in page, text
    assert "<Short>" not in page
    assert "left out." not in page


@pytest.mark.parametrize(("number", "left_out"), [(SHOWN, None), (SHOWN + 1, "1 more,"), (100, "80 more,")])
def test_page__with_many_planned_looks__has_the_first_and_the_newest(number: int, left_out: str | None) -> None:
    page = render_report(with_looks(number))
    section = page[page.index('id="looks"') : page.index("</section>", page.index('id="looks"'))]
    assert section.count("<tr ") == 1 + min(number, SHOWN)
    assert f"{1000 * number:,}" in section
    assert (f"{left_out} between" in section) if left_out else ("between" not in section)


def test_page__before_the_first_look__has_the_reason_and_no_table() -> None:
    page = render_report(with_looks(0))
    section = page[page.index('id="looks"') :]
    assert "No planned look yet: the control or this treatment has fewer visitors than the minimum." in section
    assert 'id="looks"' not in render_report(draft(["A", "B"], verdict="undecided", sentence="x"))
