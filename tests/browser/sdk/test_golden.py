"""Real Chromium answers as Python does: the golden vectors, and thousands of random questions, by the SDK's source."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path
from random import Random

import pytest
from playwright.sync_api import Browser, Page, Route

from abtest.domain.targeting.urls import compile_rule
from tools.conformance.modes import MODES
from tools.golden.answers import Answer, in_python, whole
from tools.golden.compare import QUESTIONS

pytestmark = pytest.mark.browser

ROOT = Path(__file__).parents[3]
ORIGIN = "https://vectors.example"
SERVED = ("shared/abtest/storefront/src", "shared/abtest/storefront/tools/compile_pattern.mjs", "tools/conformance")
BATCH = 500
RANDOM = {"condition": 8000, "decide": 2000, "url": 4000, "hash": 500}
SEED = 20260102

# Patterns are compiled by the server, never by a browser: what Chromium is asked about is the compiled rule.
PREPARE = """async () => {
  window.conformance = await import('/tools/conformance/modes.mjs');
  const { matchesUrl } = await import('/shared/abtest/storefront/src/urls.js');
  conformance.modes.url = ({ rule, url }) => {
    const address = URL.canParse(url, 'https://_') && new URL(url, 'https://_');
    return { matches: !!address && matchesUrl(rule, address) };
  };
}"""


@pytest.fixture(scope="module")
def page(browser: Browser) -> Iterator[Page]:
    """A page that can import the modules of the SDK."""
    context = browser.new_context()
    page = context.new_page()
    page.route(f"{ORIGIN}/**", serve)
    page.goto(f"{ORIGIN}/")
    page.evaluate(PREPARE)
    yield page
    context.close()


def serve(route: Route) -> None:
    """An empty page, or a file of the repository that the modules need."""
    path = route.request.url.removeprefix(ORIGIN).lstrip("/")
    if not path:
        route.fulfill(body="<!doctype html>", content_type="text/html")
    elif path.startswith(SERVED):
        route.fulfill(body=(ROOT / path).read_text(), content_type="text/javascript")
    else:
        route.fulfill(status=404)


def compiled(line: str) -> str:
    """A question about a pattern as one about what the server makes of it."""
    question = json.loads(line)
    inputs = question["inputs"]
    rule = compile_rule(inputs["type"], inputs["pattern"])
    return json.dumps(question | {"inputs": {"rule": rule, "url": inputs["url"]}})


def in_chromium(page: Page, mode: str, lines: Sequence[str]) -> Iterator[Answer]:
    """What Chromium says to each line; all in ASCII, so that halves of surrogate pairs arrive."""
    waiting = map(compiled, lines) if mode == "url" else iter(lines)
    while batch := list(islice(waiting, BATCH)):
        told = page.evaluate(
            """([mode, lines]) => {
              const { answer, modes } = conformance;
              const escape = (unit) => '\\\\u' + unit.charCodeAt(0).toString(16).padStart(4, '0');
              const ascii = (text) => text.replace(/[^ -~]/g, escape);
              return ascii(JSON.stringify(lines.map((line) => answer(modes[mode], line))));
            }""",
            [mode, batch],
        )
        yield from json.loads(told, parse_int=whole)


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
