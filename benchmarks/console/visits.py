"""The list of fifty experiments in Chromium, next to the same list as pages that a server makes.

A first visit without cache: first paint, and the first frame with all rows. Then a word in the filter: from the key to
the first frame with the rows that fit. The console filters the rows that it has, and asks for others meanwhile; the
page waits 150 ms after the last key, as such pages do, and for the server. A quarter of the processor, 40 ms, 10 Mbit/s
on both sides, in turn.
"""

import statistics
from collections import defaultdict
from contextlib import closing

from playwright.sync_api import Browser, sync_playwright

from benchmarks.bench_overview import EXPERIMENTS, Screen
from benchmarks.console.served import LIST, served
from benchmarks.console.table import row
from benchmarks.harness import milliseconds
from benchmarks.storefront.chromium import Tab, cold_tab
from tests.support.browser import launch

NETWORK = {"offline": False, "latency": 40, "downloadThroughput": 10e6 / 8, "uploadThroughput": 10e6 / 8}
VISITS, WORDS = 7, 9
GOALS = {"first paint": 1.0, "all rows": 1.3, "filtered by a word": 0.05}
WATCH = f"""(() => {{
  const rows = () => document.querySelectorAll("#main tbody tr").length;
  const look = () => {{
    if (rows() < {EXPERIMENTS}) return requestAnimationFrame(look);
    requestAnimationFrame(() => {{ globalThis.rowsAt = performance.now(); }});
  }};
  requestAnimationFrame(look);
}})()"""
SEEN = """() => ({
  "first paint": performance.getEntriesByName("first-contentful-paint")[0].startTime / 1000,
  "all rows": rowsAt / 1000,
})"""
FILTER = """async ({ word, left }) => {
  const field = document.querySelector('input[aria-label="Name contains"]');
  const rows = () => document.querySelectorAll("#main tbody tr").length;
  const begun = performance.now();
  field.value = word;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  while (rows() !== left) await new Promise(requestAnimationFrame);
  return (performance.now() - begun) / 1000;
}"""

Seconds = dict[str, list[float]]


def report(screen: Screen) -> None:
    """Print the medians of both."""
    with (
        served(screen) as origin,
        sync_playwright() as playwright,
        closing(launch(playwright, is_whole=False)) as browser,
    ):
        addresses = {"console": f"{origin}/console/{screen.shop.id}/experiments", "pages": f"{origin}{LIST}"}
        seconds: dict[str, Seconds] = {side: defaultdict(list) for side in addresses}
        for _ in range(VISITS):
            for side, address in addresses.items():
                _visit(browser, address, seconds[side])
        for side, address in addresses.items():
            _filter(browser, address, seconds[side])
    print(f"A list of {EXPERIMENTS} experiments, next to pages from a server with htmx")
    for what, goal in GOALS.items():
        ours, theirs = (statistics.median(seconds[side][what]) for side in addresses)
        row(what, milliseconds(ours), "pages", milliseconds(theirs), ours / theirs, goal)


def _visit(browser: Browser, address: str, seconds: Seconds) -> None:
    with cold_tab(browser, cpu=True) as tab:
        _slow(tab)
        tab.page.add_init_script(WATCH)
        tab.page.goto(address)
        tab.page.wait_for_function("globalThis.rowsAt", timeout=30_000)
        for what, taken in tab.page.evaluate(SEEN).items():
            seconds[what].append(taken)


def _filter(browser: Browser, address: str, seconds: Seconds) -> None:
    with cold_tab(browser, cpu=True) as tab:
        _slow(tab)
        tab.page.goto(address)
        tab.page.wait_for_function(f"document.querySelectorAll('#main tbody tr').length >= {EXPERIMENTS}")
        for number in range(WORDS):
            taken = tab.page.evaluate(FILTER, {"word": f"Test {number + 10}", "left": 1})
            seconds["filtered by a word"].append(taken)
            tab.page.evaluate(FILTER, {"word": "", "left": EXPERIMENTS})
            tab.page.wait_for_timeout(1500)


def _slow(tab: Tab) -> None:
    tab.cdp.send("Network.enable")
    tab.cdp.send("Network.emulateNetworkConditions", dict(NETWORK))
