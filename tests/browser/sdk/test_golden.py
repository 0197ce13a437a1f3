"""Real Chromium answers as Python does: golden vectors, public cases, thousands of random questions."""

import json
from collections.abc import Iterator
from random import Random

import pytest
from playwright.sync_api import Browser, Page

from tests.browser.sdk.chromium_answers import ROOT, answering_page, in_chromium
from tests.support.sizes import sized
from tests.unit.third_party.questions import KINDS
from tools.golden.answers import in_python
from tools.golden.compare import QUESTIONS
from tools.golden.vectors import MODES

pytestmark = pytest.mark.browser

RANDOM = sized(
    {"condition": 8000, "decide": 2000, "url": 4000, "hash": 500, "signal": 3000},
    {"condition": 1600, "decide": 400, "url": 800, "hash": 100, "signal": 600},
)
SEED = 20260102


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page that can import the modules of the SDK."""
    yield from answering_page(browser)


@pytest.mark.parametrize("mode", MODES)
def test_golden_vectors__in_chromium__are_answered_as_written(page: Page, mode: str) -> None:
    lines = (ROOT / f"tests/golden/{mode}.jsonl").read_text().splitlines()
    given = [json.loads(line) for line in lines]
    answers = list(in_chromium(page, mode, lines))
    assert len(answers) == len(given) >= 150
    wrong = [
        (vector, said) for vector, said in zip(given, answers, strict=True) if said.get("result") != vector["expected"]
    ]
    assert wrong == []


@pytest.mark.parametrize("mode", MODES)
def test_random_questions__in_chromium__are_answered_as_python_does(page: Page, mode: str) -> None:
    asked = QUESTIONS[mode](Random(SEED), RANDOM[mode])
    lines = [json.dumps({"id": number, "inputs": inputs}) for number, inputs in enumerate(asked)]
    python, chromium = list(in_python(mode, lines)), list(in_chromium(page, mode, lines))
    assert len(chromium) == len(lines) > RANDOM[mode] * 0.9
    assert [each for each in zip(lines, python, chromium, strict=True) if each[1] != each[2]] == []
    assert not any("error" in answer for answer in python)


@pytest.mark.parametrize("kind", KINDS)
def test_third_party_cases__in_chromium__are_answered_as_python_does(page: Page, kind: str) -> None:
    """Python's answers are held against the published ones in tests/unit/third_party."""
    asked = KINDS[kind]
    lines = [json.dumps({"id": number, "inputs": inputs}) for number, inputs in enumerate(asked.questions())]
    assert list(in_chromium(page, asked.mode, lines)) == list(in_python(asked.mode, lines))
    assert lines
