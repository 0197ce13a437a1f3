"""Excerpts of brand files: which a job reads, which results count, and what remains of a text."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.brand.context import UNTOUCHED
from abtest.domain.brand.excerpts import (
    MAX_EXCERPT,
    PROBLEMS,
    Excerpt,
    Reading,
    attached,
    chosen,
    joined_text,
    waiting_for,
)
from abtest.domain.brand.prompt import prompt_block
from abtest.kit import canonical_json
from abtest.kit.visible_text import has_unsafe

READ = Excerpt(asset_id="read", name="Old name", text="Our voice is warm.")
FAILED = Excerpt(asset_id="failed", name="Scan", problem="no_text")
WAITING = Excerpt(asset_id="waiting", name="Guide", job_id="first")


def test_chosen__keeps_what_was_or_is_read_and_reads_the_rest() -> None:
    names = {"read": "New name", "failed": "Scan", "waiting": "Guide", "new": "Tone"}
    after = chosen([READ, FAILED, WAITING], ["new", "waiting", "failed", "read"], names, "second")
    assert [excerpt.asset_id for excerpt in after] == ["new", "waiting", "failed", "read"]
    assert waiting_for(after, "second") == ["new", "failed"]
    assert waiting_for(after, "first") == ["waiting"]
    assert after[-1] == replace(READ, name="New name")


def test_chosen__without_its_asset__stays_as_it_was() -> None:
    assert chosen([READ, FAILED, WAITING], ["waiting", "failed", "read"], {}, "second") == (WAITING, FAILED, READ)


def test_results__count_only_for_excerpts_that_wait_for_their_job() -> None:
    readings = {"waiting": Reading(text="Text"), "read": Reading(text="Other"), "gone": Reading(text="Gone")}
    assert attached([READ, WAITING], "second", readings) == (READ, WAITING)
    assert attached([READ, WAITING], "first", readings) == (READ, replace(WAITING, job_id=None, text="Text"))
    assert attached([WAITING], "first", {}) == (WAITING,)


def test_shown__is_the_text_or_its_state() -> None:
    assert READ.shown == "Our voice is warm."
    assert WAITING.shown == "(being read)"
    assert FAILED.shown == f"(cannot be read: {PROBLEMS['no_text']})"


def test_text__keeps_lines_and_loses_what_has_no_glyph() -> None:
    pages = ["\x00Warm \t and\u00a0 plain.\r\n\n \u200b\n", "\x0cSay \ud83d\ude00 you.\ud800\ufffe\u202e!"]
    assert joined_text(pages) == "Warm and plain.\nSay 😀 you.\ufffd !"


@pytest.mark.parametrize("text", ["", "\x00\n\x0c", "• — …\n\ufffd", "\u200b"])
def test_text__without_letters_and_digits__is_empty(text: str) -> None:
    assert joined_text([text]) == ""


@given(st.lists(st.text(st.characters(), max_size=200), max_size=5))
def test_text__of_any_characters__can_be_stored_and_shown(pages: list[str]) -> None:
    text = joined_text(pages)
    canonical_json.dumps({"text": text}).encode()
    assert not any(has_unsafe(line) for line in text.split("\n"))
    assert joined_text([text]) == text


def test_prompt__has_the_texts_that_were_read_and_no_states() -> None:
    context = replace(UNTOUCHED, summary="Lamps.", excerpts=(READ, WAITING, FAILED))
    assert prompt_block(context) == "Brand: Lamps.\n\nBrand files: Old name:\nOur voice is warm."
    assert prompt_block(replace(context, excerpts=(WAITING,))) == "Brand: Lamps."


def test_prompt__of_long_files__names_what_was_cut() -> None:
    files = tuple(replace(READ, asset_id=str(place), text="x" * MAX_EXCERPT) for place in range(20))
    text = prompt_block(replace(UNTOUCHED, summary="Lamps.", excerpts=files))
    assert len(text) < 8000
    assert text.endswith("of 40,238 characters).")
    assert "Cut for length: clientAssetExcerpts (" in text


def test_context__with_files_only__is_a_draft() -> None:
    assert replace(UNTOUCHED, excerpts=(WAITING,)).status == "draft"
