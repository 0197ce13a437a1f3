"""What a shopper waits for: the synchronous script of 100 experiments, the main thread's time, and the first headline.

Both SDKs stand as inline scripts in the same page, between two others that leave marks in a trace: so compiling,
running and the microtasks that follow are measured, the network is not. Time is that of the main thread's processor, so
what else runs on the machine takes little part in it. A quarter of the processor is Chromium's own throttling.
"""

import json
from collections import defaultdict
from collections.abc import Iterator, Sequence

from playwright.sync_api import Browser

from benchmarks.storefront.catalogue import Design, designs
from benchmarks.storefront.chromium import cold_tab
from benchmarks.storefront.installs import HIDING, INLINED, KEEPING, NONE, OURS, installed
from benchmarks.storefront.report import Amount, Row, median
from benchmarks.storefront.site import HTML, SCRIPT, Progress, Site, document, inline

EXPERIMENTS = 100
SHARE_AIM, PLAIN_AIM = 0.5, 1.0
DELAY_AIM_MS = 30
OURS_INLINED = "ours inlined"
EMPTY = "an empty script in its place"
"""What asking for any synchronous script costs here, before it does anything."""
Found = dict[str, list[dict[str, float]]]


def rows(browser: Browser, site: Site, quick: bool, tell: Progress) -> Iterator[Row]:
    """Blocking time and the main thread's time, each next to GrowthBook in two ways, memory, then the headline."""
    wanted = _experiments()
    install = installed(site, "blocking", wanted)
    paths = {way: _page(site, "blocking", way, text, wanted) for way, text in install.inlined.items()}
    for what, slow, times in (("", False, 4 if quick else 15), (", quarter CPU", True, 3 if quick else 10)):
        tell(f"blocking time{what}")
        found = loads(browser, site, paths, times, slow)
        yield from _blocking(found, what)
        yield from _thread(found, what)
    yield _memory(found)
    tell("first headline")
    yield from _headlines(browser, site, 4 if quick else 24)


def _experiments() -> list[Design]:
    """Every other one runs on the page that is measured."""
    here, elsewhere = designs(EXPERIMENTS, "/blocking/*"), designs(EXPERIMENTS, "/{thing}/*")
    return [pair[number % 2] for number, pair in enumerate(zip(here, elsewhere, strict=True))]


def _page(site: Site, name: str, way: str, script: str, wanted: Sequence[Design]) -> str:
    marked = inline("performance.mark('begun')") + script + inline("performance.mark('blocked')")
    cards = "".join(_card(str(design.mutations[0]["selector"]).split()[0][1:]) for design in wanted)
    body = f"<h1>Shop</h1>{cards}"
    return site.add(f"/{name}/{way.replace(' ', '-')}", HTML, document(marked, body))


def _card(name: str) -> str:
    return (
        f'<section class="{name}"><h2>Thing</h2><img alt="" width="1" height="1">'
        '<p class="product-description">Nice.</p>'
        '<p class="price">12.00</p><p class="reviews">Good</p><button class="add-to-cart">Add</button></section>'
    )


def loads(browser: Browser, site: Site, paths: dict[str, str], times: int, slow: bool) -> Found:
    """Cold loads of each page in turn: milliseconds of the script and of the main thread, and megabytes of heap."""
    found: Found = defaultdict(list)
    for _ in range(times):
        for way, path in paths.items():
            found[way].append(_load(browser, site.url + path, slow))
    return found


def _load(browser: Browser, url: str, slow: bool) -> dict[str, float]:
    with cold_tab(browser, cpu=slow) as tab:
        browser.start_tracing(page=tab.page, categories=["blink.user_timing"])
        tab.page.goto(url)
        tab.page.wait_for_timeout(500 if slow else 300)
        marks = _marks(browser.stop_tracing())
        metrics = tab.metrics()
        return {
            "blocked": marks["blocked"] - marks["begun"],
            "thread": metrics["TaskDuration"] * 1000,
            "heap": tab.heap_megabytes(),
        }


def _marks(trace: bytes) -> dict[str, float]:
    """The marks of a trace in milliseconds of the thread's processor."""
    events = json.loads(trace)["traceEvents"]
    return {each["name"]: each["tts"] / 1000 for each in events if each["name"] in ("begun", "blocked")}


def _amounts(found: Found, name: str, unit: str) -> dict[str, Amount]:
    return {way: median([each[name] for each in results], unit) for way, results in found.items()}


def _blocking(found: Found, what: str) -> Iterator[Row]:
    spent = _amounts(found, "blocked", "ms")
    given = f"{spent[OURS].times} cold loads each, in turn; half of the experiments run on the page"
    return _judged(f"blocking time, {EXPERIMENTS} experiments{what}", spent, given)


def _thread(found: Found, what: str) -> Iterator[Row]:
    spent = _amounts(found, "thread", "ms")
    more = {way: Amount(spent[way].value - spent[NONE].value, "ms") for way in (OURS, KEEPING, INLINED)}
    given = f"the page without either takes {spent[NONE].value:.0f} ms; treatments included"
    return _judged(f"main thread, all that was added until the page rests{what}", more, given)


def _judged(what: str, spent: dict[str, Amount], given: str) -> Iterator[Row]:
    """Next to GrowthBook with the same work, and next to plain GrowthBook, which sends and keeps nothing."""
    for peer, aim, goal in (
        (KEEPING, SHARE_AIM, "<= half of GrowthBook's, of the same work"),
        (INLINED, PLAIN_AIM, "<= plain GrowthBook's, which counts nothing"),
    ):
        ratio = spent[OURS].value / spent[peer].value
        yield Row(f"{what}, next to {peer}", spent[OURS], [(peer, spent[peer])], ratio, goal, ratio <= aim, given)


def _memory(found: Found) -> Row:
    heaps = _amounts(found, "heap", "MB")
    more = {way: Amount(heaps[way].value - heaps[NONE].value, "MB") for way in (OURS, INLINED)}
    return Row(
        f"JavaScript heap added, {EXPERIMENTS} experiments",
        more[OURS],
        [(INLINED, more[INLINED])],
        more[OURS].value / more[INLINED].value,
        given="after a garbage collection",
    )


WATCH = """
new PerformanceObserver((list) => {
  for (const entry of list.getEntries()) window.headline ??= entry.renderTime || entry.startTime;
}).observe({ type: 'element', buffered: true });
"""


def _headlines(browser: Browser, site: Site, times: int) -> Iterator[Row]:
    """As a tag, beside one that does nothing, and inlined, beside GrowthBook inlined."""
    install = installed(site, "headline", designs(10, "/headline/*"))
    empty = site.add("/headline/empty.js", SCRIPT, "0;")
    heads = {way: install.heads[way] for way in (NONE, OURS, INLINED, HIDING)}
    heads |= {EMPTY: f'<script src="{empty}"></script>', OURS_INLINED: install.inlined[OURS]}
    paths = {way: _headline_page(site, way, head) for way, head in heads.items()}
    found: dict[str, list[float]] = defaultdict(list)
    for _ in range(times):
        for way, path in paths.items():
            with cold_tab(browser) as tab:
                tab.page.goto(site.url + path)
                tab.page.wait_for_function("window.headline")
                found[way].append(tab.page.evaluate("headline"))
    later = {
        way: median([one - bare for one, bare in zip(results, found[NONE], strict=True)], "ms")
        for way, results in found.items()
    }
    for how, ours, others in (("", OURS, (EMPTY, HIDING)), (", inlined", OURS_INLINED, (INLINED,))):
        yield Row(
            f"first headline visible, later than without a snippet{how}",
            later[ours],
            [(way, later[way]) for way in others],
            None,
            f"<= {DELAY_AIM_MS} ms",
            later[ours].value <= DELAY_AIM_MS,
            f"{times} cold loads each, compared pair by pair; without a snippet {median(found[NONE], 'ms')}; "
            "ten experiments, loopback",
        )


def _headline_page(site: Site, way: str, head: str) -> str:
    body = '<h1 elementtiming="headline">Original</h1>' + "<p>Of this page.</p>" * 100
    page = document(inline(WATCH) + head, body)
    return site.add(f"/headline/{way.replace(' ', '-')}", HTML, page)
