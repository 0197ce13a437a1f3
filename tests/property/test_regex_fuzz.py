"""Whatever is let in answers within 10 ms on 2,000 hostile characters in Python, Node and Chromium, and all agree."""

import json
import os
import subprocess
import time
from functools import cache
from pathlib import Path
from random import Random
from typing import Any

import pytest
from playwright.sync_api import Browser

from abtest.domain.targeting.admission import problem_of, served
from abtest.domain.targeting.patterns import search
from tests.property.regex_questions import Question, question, texts_for
from tests.support.sizes import sized
from tests.unit.targeting.admission_corpus import ORDINARY

GROWN = int(os.environ.get("REGEX_FUZZ", sized(3000, 1000)))
"""Random expressions; more of them for a longer run: `REGEX_FUZZ=100000 pytest tests/property/test_regex_fuzz.py`."""

LONGEST_MS = 10.0
SCRIPT = Path(__file__).with_name("regex_answers.mjs")
BATCH = 200

Answers = list[dict[str, Any]]


@cache
def admitted() -> list[Question]:
    """Those let in, with their texts: random ones, and the ones that shops write."""
    random = Random(20260101)
    asked = [question(random) for _ in range(GROWN)]
    asked += [Question(source, texts_for(source, random), []) for source in ORDINARY]
    return [each for each in asked if problem_of(each.source) is None]


def texts_of(asked: Question) -> list[str]:
    return asked.hostile + asked.short


def batches() -> list[str]:
    """What JavaScript engines are asked, as JSON."""
    asked = [{"source": served(each.source), "texts": texts_of(each)} for each in admitted()]
    return [json.dumps(asked[start : start + BATCH]) for start in range(0, len(asked), BATCH)]


@cache
def answers_of_python() -> Answers:
    return [answer_of_python(served(each.source), texts_of(each)) for each in admitted()]


def answer_of_python(source: str, texts: list[str]) -> dict[str, Any]:
    held, slowest = [], 0.0
    for text in texts:
        best = float("inf")
        for _ in range(5):  # a pause of the machine is no slow expression: the best of five counts
            began = time.perf_counter()
            holds = search(source, text)
            best = min(best, 1000 * (time.perf_counter() - began))
            if best < LONGEST_MS / 2:
                break
        held.append(holds)
        slowest = max(slowest, best)
    return {"held": held, "slowest": slowest}


def slow(answers: Answers) -> list[tuple[float, str]]:
    return [
        (answer["slowest"], asked.source)
        for answer, asked in zip(answers, admitted(), strict=True)
        if answer["slowest"] > LONGEST_MS
    ]


def disagreements(answers: Answers) -> list[tuple[str, str]]:
    """Expressions and texts on which the engine does not say what Python says."""
    return [
        (asked.source, text)
        for mine, its, asked in zip(answers_of_python(), answers, admitted(), strict=True)
        for text, one, other in zip(texts_of(asked), mine["held"], its["held"], strict=True)
        if one != other
    ]


def test_fuzz__admission__lets_in_many_and_refuses_many() -> None:
    let_in = len(admitted()) - len(ORDINARY)
    assert GROWN * 0.2 < let_in < GROWN * 0.6
    changed = sum(served(each.source) != each.source for each in admitted())
    assert changed > GROWN * 0.03
    answers = [holds for answer in answers_of_python() for holds in answer["held"]]
    assert 0.1 < sum(answers) / len(answers) < 0.9


def test_fuzz__python__answers_in_time() -> None:
    assert slow(answers_of_python()) == []


def test_fuzz__node__answers_in_time_and_as_python_does() -> None:
    answers: Answers = []
    for batch in batches():
        done = subprocess.run(["node", str(SCRIPT)], input=batch, capture_output=True, text=True, check=True)
        answers += json.loads(done.stdout)
    assert slow(answers) == []
    assert disagreements(answers) == []


@pytest.mark.browser
def test_fuzz__chromium__answers_in_time_and_as_python_does(browser: Browser) -> None:
    page = browser.new_page()
    function = SCRIPT.read_text(encoding="utf-8").split("if (typeof process")[0].replace("export function", "function")
    answers: Answers = []
    for batch in batches():
        answers += page.evaluate(f"batch => {{ {function}; return answer(JSON.parse(batch)); }}", batch)
    page.close()
    assert slow(answers) == []
    assert disagreements(answers) == []


def test_fuzz__forms_that_are_served__hold_where_the_expression_holds() -> None:
    changed = [each for each in admitted() if served(each.source) != each.source and each.short]
    assert [
        (each.source, text)
        for each in changed
        for text in each.short
        if search(each.source, text) != search(served(each.source), text)
    ] == []
