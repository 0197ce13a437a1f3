"""The list of fifty experiments in Chromium, next to the same list as pages that a server makes.

A first visit without cache: first paint, the frame in which the window is full of rows, and that with all rows. Then a
word in the filter: from the key until the page has the rows that fit, and until the frame after that. The console
filters the rows that it has, and asks for others meanwhile; the page waits 150 ms after the last key, as such pages do,
and for the server. A quarter of the processor, 40 ms, 10 Mbit/s on both sides, in turn.
"""

import statistics
from collections import defaultdict
from contextlib import closing

from playwright.sync_api import Browser, sync_playwright

from benchmarks.bench_overview import EXPERIMENTS, Screen
from benchmarks.console.served import LIST, served
from benchmarks.console.table import row
from benchmarks.harness import line, milliseconds
from benchmarks.storefront.chromium import Tab, cold_tab
from tests.support.browser import launch

NETWORK = {"offline": False, "latency": 40, "downloadThroughput": 10e6 / 8, "uploadThroughput": 10e6 / 8}
VISITS, WORDS = 7, 9
GOALS = {"first paint": 1.0, "rows to be seen": 1.3, "filtered by a word": 0.05}
BESIDES = ("all rows", "filtered, in a frame")
DONE = "all rows are there"
"""Message of the page: to look for the rows from outside would take time from it."""

WATCH = f"""(() => {{
  const rows = () => document.querySelectorAll("#main tbody tr").length;
  const isFull = () => {{
    const last = [...document.querySelectorAll("#main tbody tr")].at(-1);
    return last !== undefined && last.getBoundingClientRect().bottom > innerHeight;
  }};
  const look = () => {{
    if (isFull() && !globalThis.isSeen) {{
      globalThis.isSeen = true;
      painted(() => {{ globalThis.seenAt = performance.now(); }});
    }}
    if (rows() < {EXPERIMENTS}) return requestAnimationFrame(look);
    painted(() => {{
      globalThis.rowsAt = performance.now();
      new PerformanceObserver(() => console.info("{DONE}")).observe({{ type: "paint", buffered: true }});
    }});
  }};
  // The first message after a frame's callbacks comes when it is painted; the next frame may wait for other work.
  const painted = (then) => {{
    const {{ port1, port2 }} = new MessageChannel();
    port1.onmessage = then;
    port2.postMessage(null);
  }};
  requestAnimationFrame(look);
}})()"""
SEEN = """() => ({
  "first paint": performance.getEntriesByName("first-contentful-paint")[0].startTime / 1000,
  "rows to be seen": seenAt / 1000,
  "all rows": rowsAt / 1000,
})"""
FILTER = """async ({ word, left }) => {
  const main = document.getElementById("main");
  const field = document.querySelector('input[aria-label="Name contains"]');
  const isLeft = () => document.querySelectorAll("#main tbody tr").length === left;
  const shown = new Promise((resolve) => {
    const changed = new MutationObserver(() => isLeft() && resolve(performance.now()));
    changed.observe(main, { childList: true, subtree: true });
  });
  const begun = performance.now();
  field.value = word;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  const inPage = await shown;
  await new Promise(requestAnimationFrame);
  return { "filtered by a word": (inPage - begun) / 1000, "filtered, in a frame": (performance.now() - begun) / 1000 };
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
    for what in BESIDES:
        ours, theirs = (statistics.median(seconds[side][what]) for side in addresses)
        line(what, milliseconds(ours), "pages", milliseconds(theirs), ours / theirs)


def _visit(browser: Browser, address: str, seconds: Seconds) -> None:
    with cold_tab(browser, cpu=True) as tab:
        _slow(tab)
        tab.page.add_init_script(WATCH)
        with tab.page.expect_console_message(lambda message: message.text == DONE):
            tab.page.goto(address, wait_until="commit")
        for what, taken in tab.page.evaluate(SEEN).items():
            seconds[what].append(taken)


def _filter(browser: Browser, address: str, seconds: Seconds) -> None:
    with cold_tab(browser, cpu=True) as tab:
        _slow(tab)
        tab.page.goto(address)
        tab.page.wait_for_function(f"document.querySelectorAll('#main tbody tr').length >= {EXPERIMENTS}")
        for number in range(WORDS):
            filtered = tab.page.evaluate(FILTER, {"word": f"Test {number + 10}", "left": 1})
            for what, taken in filtered.items():
                seconds[what].append(taken)
            tab.page.evaluate(FILTER, {"word": "", "left": EXPERIMENTS})
            tab.page.wait_for_timeout(1500)


def _slow(tab: Tab) -> None:
    tab.cdp.send("Network.enable")
    tab.cdp.send("Network.emulateNetworkConditions", dict(NETWORK))
