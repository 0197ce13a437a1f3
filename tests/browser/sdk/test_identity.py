"""The visitor, and the bucket that every implementation computes alike."""

import json
import re
from pathlib import Path

import pytest

from tests.browser.sdk.configs import bucket, experiment, fold
from tests.browser.sdk.conftest import Open
from tests.browser.sdk.shop import Shop, html

pytestmark = pytest.mark.browser

LINES = (Path(__file__).parents[2] / "data" / "conformance" / "hash.jsonl").read_text().splitlines()


def test_visitor__is_random_and_stays_over_reloads_and_pages(shop: Shop, open_page: Open) -> None:
    shop.page("/", html(""))
    page = open_page()
    visitor = page.evaluate("svc.visitorId()")
    assert re.fullmatch("[0-9a-f]{32}", visitor)
    page.reload()
    assert page.evaluate("svc.visitorId()") == visitor
    [cookie] = page.context.cookies()
    assert cookie["value"].split(".")[0] == visitor
    assert cookie["sameSite"] == "Lax"
    page.context.clear_cookies()
    page.reload()
    assert page.evaluate("svc.visitorId()") != visitor


def test_start__reads_and_writes_the_cookie_once(shop: Shop, open_page: Open) -> None:
    count = """<script>(() => {
      const { get, set } = Object.getOwnPropertyDescriptor(Document.prototype, 'cookie');
      window.reads = window.writes = 0;
      Object.defineProperty(document, 'cookie', {
        get() { reads++; return get.call(document); }, set(value) { writes++; set.call(document, value); },
      });
    })()</script>"""
    shop.experiments = [experiment(name=f"e{n}") for n in range(20)]
    shop.page("/", html("", count))
    assert open_page().evaluate("[reads, writes]") == [1, 1]


def test_conformance_lines__fall_into_the_same_buckets_in_the_browser(shop: Shop, open_page: Open) -> None:
    shop.page("/", "<!doctype html>")
    cases = [json.loads(line) for line in LINES]
    inputs = json.dumps([case["inputs"] for case in cases])  # ASCII: surrogates stay escapes
    found = open_page().evaluate(
        f"import('/src/hash.js').then(({{bucketOf, fold}}) => {inputs}"
        ".map(({seed, value}) => bucketOf(value, fold(seed))))"
    )
    assert found == [case["expected"]["bucket"] for case in cases]


def test_variation__is_the_one_whose_range_holds_the_bucket(shop: Shop, open_page: Open) -> None:
    ranges = [[start, start + 1000] for start in range(0, 10000, 1000)]
    variations = [{"id": f"v{n}", "name": "V", "range": found} for n, found in enumerate(ranges)]
    shop.experiments = [
        experiment(name="e1") | {"variations": variations},
        experiment(name="e2") | {"variations": variations, "epoch": 2, "state": fold("e2:2")},
    ]
    shop.page("/", html(""))
    page = open_page()
    visitor = page.evaluate("svc.visitorId()")
    expected = [bucket(fold(seed), visitor) // 1000 for seed in ("e1", "e2:2")]
    assert [assignment["variationIndex"] for assignment in page.evaluate("svc.assignments()")] == expected
