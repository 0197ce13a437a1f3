"""Frames of the original over three navigations without a page load: two history API shops, and Turbo.

Four pages, an experiment on the headline of each. The sampler counts frames, from the click on, in which the headline
reads as the shop wrote it. GrowthBook's tag looks at the address twice a second; told by its event it looks at once.
One shop has the next page before it changes the address, the other changes the address and shows the page that was
left for 200 ms more: what stands there then is the original of the page that was left, once its treatment has gone.
"""

from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser

from benchmarks.storefront import peers
from benchmarks.storefront.catalogue import Design
from benchmarks.storefront.chromium import cold_tab
from benchmarks.storefront.installs import INLINED, OURS, TOLD, Install, installed
from benchmarks.storefront.report import Row, median
from benchmarks.storefront.site import HTML, Progress, Site, document, inline

WAYS = (OURS, INLINED, TOLD)
PAGES = "abcd"
KINDS = {
    "history": "history API",
    "late": "address first, page 200 ms later",
    "turbo": "Turbo",
}
"""What the address begins with, and in words."""
SETTLED_MS = 800

SAMPLER = """
window.original = 0;
window.frames_ = 0;
requestAnimationFrame(function sample() {
  const headline = document.querySelector('h1');
  frames_++;
  if (headline && headline.textContent.startsWith('Original')) original++;
  requestAnimationFrame(sample);
});
"""
ROUTER = """
addEventListener('click', async (event) => {
  const link = event.target.closest('a');
  if (!link) return;
  event.preventDefault();
  const move = () => { history.pushState({}, '', link.href); %s };
  if (%s) { move(); await new Promise((resolve) => setTimeout(resolve, 200)); }
  const answer = await fetch(link.href);
  const page = new DOMParser().parseFromString(await answer.text(), 'text/html');
  if (!%s) move();
  document.querySelector('main').replaceWith(page.querySelector('main'));
});
"""
REFRESH = "document.dispatchEvent(new CustomEvent('growthbookrefresh'));"
TURBO_REFRESH = f"addEventListener('turbo:load', () => {{ {REFRESH} }});"


def rows(browser: Browser, site: Site, quick: bool, tell: Progress) -> Iterator[Row]:
    """One row a kind of shop."""
    times = 1 if quick else 3
    for kind in KINDS:
        tell(f"navigations, {kind}")
        wanted = [
            Design(f"{kind} {page}", f"/{kind}/*/{page}", [_headline(page)], share=1.0, goals=()) for page in PAGES
        ]
        install = installed(site, kind, wanted)
        starts = {way: _pages(site, kind, number, way, install) for number, way in enumerate(WAYS)}
        yield _row(browser, site, kind, starts, times)


def _headline(page: str) -> dict[str, Any]:
    return {"selector": f"main #headline-{page}", "action": "text", "text": f"Treated {page}"}


def _pages(site: Site, kind: str, number: int, way: str, install: Install) -> str:
    told = way == TOLD
    if kind == "turbo":
        moves = [peers.turbo(), *([TURBO_REFRESH] if told else [])]
    else:
        early = "true" if kind == "late" else "false"
        moves = [ROUTER % (REFRESH if told else "", early, early)]
    head = install.heads[way] + inline(SAMPLER, *moves)
    for page in PAGES:
        links = "".join(f'<a id="{other}" href="/{kind}/{number}/{other}">{other}</a> ' for other in PAGES)
        headline = f'<h1 id="headline-{page}">Original {page}</h1>'
        body = f"<main>{headline}{links}{'<p>Of this page.</p>' * 40}</main>"
        site.add(f"/{kind}/{number}/{page}", HTML, document(head, body))
    return f"/{kind}/{number}/{PAGES[0]}"


def _row(browser: Browser, site: Site, kind: str, starts: dict[str, str], times: int) -> Row:
    found: dict[str, list[float]] = {way: [] for way in WAYS}
    for _ in range(times):
        for way, path in starts.items():
            found[way].append(_frames(browser, site.url + path))
    amounts = {way: median(counts, "frames") for way, counts in found.items()}
    return Row(
        f"frames of the original over 3 navigations, {KINDS[kind]}",
        amounts[OURS],
        [(way, amounts[way]) for way in WAYS if way != OURS],
        None,
        "" if kind == "late" else "0",
        None if kind == "late" else max(found[OURS]) == 0,
        f"{times} visits; a navigation is watched for {SETTLED_MS} ms",
    )


def _frames(browser: Browser, url: str) -> int:
    with cold_tab(browser) as tab:
        tab.page.goto(url)
        tab.page.wait_for_function("document.querySelector('h1').textContent === 'Treated a'")
        tab.page.evaluate("original = frames_ = 0")
        for page in PAGES[1:]:
            tab.page.click(f"#{page}")
            tab.page.wait_for_timeout(SETTLED_MS)
            assert tab.page.text_content("h1") == f"Treated {page}", f"{url}: page {page} was not treated at all"
        seen, frames = tab.page.evaluate("[original, frames_]")
        assert frames > 20, "the sampler has not run"
    return int(seen)
