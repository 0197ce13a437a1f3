"""The third-party cases, and the answers of both implementations."""

import json
from functools import cache
from pathlib import Path
from typing import Any

from tools.golden.answers import Answers, answers_to

FOLDER = Path(__file__).parents[2] / "data" / "growthbook"
ALL: dict[str, Any] = json.loads((FOLDER / "cases.json").read_text())
URLS: list[list[Any]] = json.loads((FOLDER / "url_cases.json").read_text())["cases"]

Document = dict[str, Any]
Case = list[Any]
"""One case as published: its kind says what stands where."""


def both(mode: str, questions: list[Document]) -> list[Document]:
    """The one result that Python and Node have for each question; they may not differ."""
    return [_only(each) for each in answers_to(mode, questions)]


def _only(answers: Answers) -> Document:
    assert answers.agree, answers
    result: Document = answers.python["result"]
    return result


def named(kind: str) -> dict[str, list[Any]]:
    """The cases of a kind by name; their names tell them apart."""
    cases = {case[0]: case for case in ALL[kind]}
    assert len(cases) == len(ALL[kind])
    return cases


@cache
def count(kind: str) -> int:
    """How many cases of a kind there are."""
    return len(URLS) if kind == "url" else len(ALL[kind])
