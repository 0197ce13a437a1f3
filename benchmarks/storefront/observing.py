"""What watching a page costs it: infinite scroll and a ticker, without anything, with ours, with dom-mutator.

Both sides hold the same mutations. Each batch or tick comes in an animation frame of its own and is shown; what is
compared is the time of the main thread's processor, in which the waiting between frames is not counted.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser

from benchmarks.storefront import peers
from benchmarks.storefront.catalogue import Design
from benchmarks.storefront.chromium import cold_tab
from benchmarks.storefront.installs import NONE, OURS, installed
from benchmarks.storefront.report import Row, median
from benchmarks.storefront.site import HTML, Progress, Site, document, inline

MUTATOR = "dom-mutator"
IDLE = "an observer that does nothing"
MUTATIONS: list[dict[str, Any]] = [
    {"selector": f".teaser-{number} h2", "action": "html", "html": f"<b>Treated {number}</b>"} for number in range(19)
] + [{"selector": ".item.sale .label", "action": "html", "html": "<b>Now</b>"}]
"""Nineteen on the page, one on every hundredth item that scrolling adds."""

FRAMES = "window.frame = () => new Promise(requestAnimationFrame);"
SCROLL = """async () => {
  const list = document.getElementById('list');
  for (let batch = 0; batch < 40; batch++) {
    let html = '';
    for (let i = 0; i < 250; i++) {
      html += `<li class="item${i % 100 ? '' : ' sale'}"><img alt="" width="1" height="1">` +
        `<a href="#">Item ${batch * 250 + i}</a><span class="label">New</span><span class="price">12.00</span></li>`;
    }
    list.insertAdjacentHTML('beforeend', html);
    await frame();
  }
}"""
TICKER = """async () => {
  const ticker = document.getElementById('ticker');
  for (let i = 0; i < 240; i++) {
    ticker.textContent = `${i} people are looking`;
    await frame();
  }
}"""


def rows(browser: Browser, site: Site, quick: bool, tell: Progress) -> Iterator[Row]:
    """Both workloads."""
    install = installed(site, "observing", [Design("labels", "/observing/*", MUTATIONS, share=1.0, goals=())])
    mutate = "".join(
        f"domMutator.default.declarative({{selector:{each['selector']!r},action:'set',attribute:'html',"
        f"value:{each['html']!r}}});"
        for each in MUTATIONS
    )
    idle = inline("new MutationObserver(() => {}).observe(document, {childList: true, subtree: true})")
    heads = {NONE: "", OURS: install.heads[OURS], MUTATOR: inline(peers.dom_mutator(), mutate), IDLE: idle}
    teasers = "".join(f'<div class="teaser-{number}"><h2>Original</h2></div>' for number in range(19))
    body = f'{teasers}<p id="ticker">0</p><ul id="list"></ul>'
    paths = {
        way: site.add(f"/observing/{number}", HTML, document(inline(FRAMES) + head, body))
        for number, (way, head) in enumerate(heads.items())
    }
    for name, work, aim, expected in (
        ("infinite scroll, 10,000 items", SCROLL, 20, 139),
        ("ticker, 240 frames", TICKER, 5, 19),
    ):
        tell(name)
        yield _row(browser, site, paths, name, work, aim, expected, 2 if quick else 10)


def _row(
    browser: Browser, site: Site, paths: dict[str, str], name: str, work: str, aim: int, expected: int, times: int
) -> Row:
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(times):
        for way, path in paths.items():
            found[way].append(_seconds(browser, site.url + path, work, 0 if way in (NONE, IDLE) else expected))
    more = {
        way: median([100 * (with_it / bare - 1) for with_it, bare in zip(found[way], found[NONE], strict=True)], "%")
        for way in (OURS, MUTATOR, IDLE)
    }
    bare = median([1000 * each for each in found[NONE]], "ms")
    return Row(
        f"{name}: time added",
        more[OURS],
        [(way, more[way]) for way in (MUTATOR, IDLE)],
        None,
        f"<= {aim} %",
        more[OURS].value <= aim,
        f"{len(MUTATIONS)} mutations; {times} runs each in turn, compared pair by pair; the page alone {bare}",
    )


def _seconds(browser: Browser, url: str, work: str, expected: int) -> float:
    with cold_tab(browser) as tab:
        tab.page.goto(url)
        tab.page.wait_for_timeout(400)
        before = tab.metrics()["TaskDuration"]
        tab.page.evaluate(work)
        spent = tab.metrics()["TaskDuration"] - before
        treated = tab.page.evaluate("document.querySelectorAll('h2 > b, .label > b').length")
        assert treated == expected, (url, treated, expected)
    return spent
