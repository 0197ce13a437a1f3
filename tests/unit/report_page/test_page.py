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
