"""The page in every state as a document: headings, landmarks, names of drawings and tables, hostile names."""

from __future__ import annotations

import re
from functools import cache
from itertools import pairwise

import pytest
from selectolax.lexbor import LexborHTMLParser

from abtest.services.report_page import render_report
from tests.support.reports import ARABIC, HEBREW, HOSTILE, HOSTILE_STYLE, HOSTILE_SVG, LONG, STATES

of_every_state = pytest.mark.parametrize("state", STATES)


@cache
def document(state: str) -> LexborHTMLParser:
    return LexborHTMLParser(render_report(STATES[state]()))


def texts(state: str, selector: str) -> list[str]:
    return [node.text() for node in document(state).css(selector)]


@of_every_state
def test_headings_and_landmarks__are_in_order(state: str) -> None:
    levels = [int((node.tag or "")[1]) for node in document(state).css("h1, h2, h3, h4")]
    assert levels[0] == 1
    assert levels.count(1) == 1
    assert all(after <= before + 1 for before, after in pairwise(levels))
    body = document(state).body
    assert body is not None
    assert [node.tag for node in body.iter()] == ["header", "main", "footer"]


@of_every_state
def test_drawings_and_tables__are_described_in_words(state: str) -> None:
    page = document(state)
    by_id = {node.attributes["id"] or "": node for node in page.css("[id]")}
    assert len(by_id) == len(page.css("[id]"))
    for drawing in page.css("svg[role=img]"):
        for name in ("aria-labelledby", "aria-describedby"):
            assert by_id[drawing.attributes[name] or name].text()
    assert page.css("svg:not([role=img]):not([aria-hidden] *):not([aria-hidden]):not(svg svg)") == []
    assert page.css("th:not([scope])") == page.css("table:not(:has(caption))") == []


def test_hostile_names__are_texts() -> None:
    shown = "\n".join(texts("hostile", "main, header, footer"))
    for name in (HOSTILE, HOSTILE_SVG, HOSTILE_STYLE.strip(), LONG, ARABIC.replace("\u202e", ""), HEBREW):
        assert name in shown
    assert document("hostile").css("img, script, iframe, [onerror], [onload], [style], a, form") == []
    assert len(document("hostile").css("style")) == 1
    assert "document.title=1" in texts("hostile", "head > title")[0]
    assert not re.search("[\u202a-\u202e\u2066-\u2069]", render_report(STATES["hostile"]()))
    assert any(HEBREW in name for name in texts("hostile", "bdi"))


@of_every_state
def test_states__in_colours__have_words_as_well(state: str) -> None:
    badges = texts(state, ".badge")
    assert badges
    assert all(re.fullmatch(r"[✓✕!○] \w.*", badge) for badge in badges)


@pytest.mark.parametrize(
    ("state", "sentences"),
    [
        ("empty", ["Not started", "No sample size was planned"]),
        ("little", ["Too few conversions", "of 25 in"]),
        ("undecided", ["No decision yet: about 12 more days.", "less is better"]),
        ("winner", ["Winner found", "The winner: ", "by auto-stop"]),
        ("harmed", ["Stopped for harm", "Critical: conversion harm", "Guardian paused the experiment."]),
        ("inconclusive", ["No winner", "65,815 of 64,000 planned visitors"]),
        (
            "foreign",
            ["Warning: currency residue", "3,120.45\u00a0USD", "84,200\u00a0JPY", "46 orders are in other currencies"],
        ),
        ("crowded", ["Recommendation list 9", "Goal 20: step of the funnel"]),
        ("mismatched", ["Do not trust yet", "Split is off", "14,120 of 13,500"]),
    ],
)
def test_page__of_a_state__holds_its_sentences(state: str, sentences: list[str]) -> None:
    page = LexborHTMLParser(render_report(STATES[state]()))
    for unseen in page.css(".unseen, style"):
        unseen.decompose()
    assert page.body is not None
    text = page.body.text()
    assert [sentence for sentence in sentences if sentence not in text] == []
