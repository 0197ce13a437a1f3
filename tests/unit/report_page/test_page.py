"""The page as text: the same facts give the same page, and marks agree with names."""

from __future__ import annotations

import pytest

from abtest.services.report_page import filename, render_report
from abtest.services.report_page.arms import arms_of
from tests.support.report_facts import draft
from tests.support.reports import STATES


@pytest.mark.parametrize("state", STATES)
def test_page__of_the_same_facts__is_the_same_and_can_be_encoded(state: str) -> None:
    page = render_report(STATES[state]())
    assert page == render_report(STATES[state]())
    assert page.encode().startswith(b'<!doctype html>\n<html lang="en"><head><meta charset="utf-8">')


@pytest.mark.parametrize("state", STATES)
def test_page__of_any_state__asks_for_nothing(state: str) -> None:
    page = render_report(STATES[state]())
    assert not {
        word
        for word in ("<script", "<link", "<img", "@import", "url(", "http:", "https:", " on")
        if word in _tags(page)
    }


@pytest.mark.parametrize(
    ("state", "status", "is_checked", "said"),
    [
        ("little", "running", True, "Nothing found"),
        ("little", "running", False, "Guardian has not looked yet"),
        ("little", "paused", False, "Guardian has not looked at this measurement"),
        ("mismatched", "running", False, "Guardian has not looked yet"),
        ("mismatched", "running", True, None),
        ("empty", "draft", False, None),
    ],
)
def test_health__says_what_was_not_looked_at(state: str, status: str, is_checked: bool, said: str | None) -> None:
    facts = STATES[state]()
    experiment = facts.experiment.model_copy(update={"status": status})
    checked = facts.computed_at if is_checked else None
    page = render_report(facts.model_copy(update={"experiment": experiment, "checked_at": checked}))
    all_said = ("Nothing found", "Guardian has not looked yet", "Guardian has not looked at this measurement")
    assert [one for one in all_said if one in page] == ([said] if said else [])


def _tags(page: str) -> str:
    return "".join(piece.partition(">")[0].join("<>") for piece in page.split("<")[1:])


def _marks(*names: str) -> list[str]:
    return [arm.mark for arm in arms_of(draft(names, verdict="not_started", sentence="")).values()]


@pytest.mark.parametrize(
    ("names", "marks"),
    [
        (("Control", "New", "Newer"), ["A", "B", "C"]),
        (("Control", "Variant B", "Variant C"), ["A", "B", "C"]),
        (("Control", "Variant A", "Variant B"), ["1", "2", "3"]),
        (("A", "C", "B"), ["1", "2", "3"]),
        (("Original", *(f"v{number}" for number in range(27))), [str(number + 1) for number in range(28)]),
    ],
)
def test_marks__are_letters_unless_names_say_otherwise(names: tuple[str, ...], marks: list[str]) -> None:
    assert _marks(*names) == marks


@pytest.mark.parametrize("name", ['a"; x="', "a\r\nSet-Cookie: b", "\ud800", "é" * 300, ""])
def test_filename__of_any_name__is_a_header_field(name: str) -> None:
    field = filename(draft(["Control"], verdict="not_started", sentence="", name=name))
    assert field.isascii()
    assert field.isprintable()
    assert field.count('"') == 2
    assert len(field) < 1000


def test_segments__of_what_nobody_told__are_named_in_a_line_and_not_tabled() -> None:
    report = STATES["undecided"]()
    device = report.segments[0]
    unknown = [device.segments[0].model_copy(update={"values": {"device": "unknown"}})]
    page = render_report(
        report.model_copy(update={"segments": [device.model_copy(update={"segments": unknown}), *report.segments[1:]]})
    )
    assert "Not known of any visitor: device." in page
    assert "Table of segments by new or returning" in page
    assert "Table of segments by device" not in page


def test_first_day_and_first_look__make_no_curves() -> None:
    report = STATES["undecided"]()
    assert report.interval_over_time is not None
    assert report.curves is not None
    looks = report.interval_over_time.looks
    for number, is_drawn in ((0, False), (1, False), (2, True)):
        course = report.interval_over_time.model_copy(update={"looks": looks[:number]})
        series = report.curves.model_copy(update={"data": report.curves.data[:number]})
        page = render_report(report.model_copy(update={"interval_over_time": course, "curves": series}))
        assert ("Always-valid interval over time" in page, "Cumulative curves" in page) == (is_drawn, is_drawn)


def test_lift_without_an_interval__is_not_drawn_as_if_it_were_known() -> None:
    page = render_report(STATES["little"]())
    assert "There is no interval yet." in page
    assert 'class="estimate"' not in page
