"""Real Chromium as one more implementation: the modules of the SDK, asked the questions of the conformance tool."""

import json
from collections.abc import Iterator, Sequence
from itertools import islice
from pathlib import Path

from playwright.sync_api import Browser, Page, Route

from abtest.domain.targeting.urls import compile_rule
from tools.golden.answers import Answer, whole

ROOT = Path(__file__).parents[3]
ORIGIN = "https://vectors.example"
SERVED = ("shared/abtest/storefront/src", "shared/abtest/storefront/tools/compile_pattern.mjs", "tools/conformance")
BATCH = 500

# Patterns are compiled by the server, never by a browser: what Chromium is asked about is the compiled rule.
PREPARE = """async () => {
  window.conformance = await import('/tools/conformance/modes.mjs');
  const { matchesUrl } = await import('/shared/abtest/storefront/src/urls.js');
  conformance.modes.url = ({ rule, url }) => {
    const address = URL.canParse(url, 'https://_') && new URL(url, 'https://_');
    return { matches: !!address && matchesUrl(rule, address) };
  };
}"""


def answering_page(browser: Browser) -> Iterator[Page]:
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
