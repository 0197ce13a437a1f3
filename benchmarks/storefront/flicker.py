"""Frames in which a shopper sees the original although the treatment is theirs: cold loads of a page with nine actions.

The page comes in pieces; in every animation frame, before it is painted, a sampler looks at each of nine targets: is it
there, is it seen (the opacity of all its ancestors), does it show the original? The sampler is checked once against
screenshots of the compositor: the original headline is red, the treated one green.
"""

from collections import defaultdict
from collections.abc import Iterator
from typing import Any

from playwright.sync_api import Browser

from benchmarks.storefront.catalogue import Design
from benchmarks.storefront.chromium import cold_tab, evaluated
from benchmarks.storefront.installs import ASYNC, HIDING, INLINED, OURS, installed
from benchmarks.storefront.report import Amount, Row
from benchmarks.storefront.site import HTML, Progress, Site, document, inline

INSERTED = '<i class="inserted">New</i>'
MUTATIONS: list[dict[str, Any]] = [
    {"selector": "#setStyle", "action": "setStyle", "styles": {"background-color": "rgb(0, 255, 0)"}},
    {"selector": "#text", "action": "text", "text": "New"},
    {"selector": "#setText", "action": "setText", "text": "New"},
    {"selector": "#html", "action": "html", "html": "<b>New</b>"},
    {"selector": "#style", "action": "style", "styles": {"color": "rgb(0, 0, 255)"}},
    {"selector": "#attribute", "action": "attribute", "attributes": {"title": "New"}},
    {"selector": "#remove", "action": "remove"},
    {"selector": "#insertBefore", "action": "insertBefore", "html": INSERTED},
    {"selector": "#insertAfter", "action": "insertAfter", "html": INSERTED},
]
"""The nine actions of the contract."""

SAMPLER = """
const original = {
  setStyle: (el) => getComputedStyle(el).backgroundColor === 'rgb(255, 0, 0)',
  text: (el) => el.textContent === 'Original',
  setText: (el) => el.textContent === 'Original',
  html: (el) => el.textContent === 'Original',
  style: (el) => getComputedStyle(el).color !== 'rgb(0, 0, 255)',
  attribute: (el) => el.title !== 'New',
  remove: () => true,
  insertBefore: (el) => !el.parentElement.querySelector('.inserted'),
  insertAfter: (el) => !el.parentElement.querySelector('.inserted'),
};
const seen = (el) => {
  if (!el.checkVisibility({ visibilityProperty: true })) return false;
  let opacity = 1;
  for (let at = el; at; at = at.parentElement) opacity *= getComputedStyle(at).opacity;
  return opacity > 0.01;
};
window.found = { frames: 0, original: 0, hidden: 0, actions: {}, calm: 0 };
addEventListener('load', () => { window.loaded = performance.now(); });
requestAnimationFrame(function sample() {
  requestAnimationFrame(sample);
  let wrong = 0, hidden = 0;
  for (const name of Object.keys(original)) {
    const el = document.getElementById(name);
    if (!el) continue;
    if (!seen(el)) hidden += name !== 'remove';
    else if (original[name](el)) { wrong++; found.actions[name] = (found.actions[name] || 0) + 1; }
  }
  found.frames++;
  if (wrong) found.original++;
  if (hidden) found.hidden++;
  found.calm = wrong || hidden ? 0 : found.calm + 1;
  const since = performance.now() - window.loaded;
  if (since > 5000 || (since > 150 && found.calm > 8)) window.finished = true;
});
"""
STYLE = "<style>h1{height:400px;background-color:rgb(255,0,0)}</style>"


def _body() -> list[str]:
    names = [mutation["action"] for mutation in MUTATIONS]
    targets = [f'<div><p id="{name}">Original</p></div>' for name in names[1:]]
    filler = "<p>What every shop says of itself, at length.</p>" * 60
    return ['<h1 id="setStyle">Original</h1>', *(f"{target}{filler}" for target in targets)]


def rows(browser: Browser, site: Site, quick: bool, tell: Progress) -> Iterator[Row]:
    """Unthrottled and throttled, then the check of the sampler."""
    install = installed(site, "flicker", [Design("nine actions", "/flicker/*", MUTATIONS, share=1.0, goals=())])
    paths = {way: _page(site, way, install.heads[way]) for way in (OURS, INLINED, ASYNC, HIDING)}
    loads = {OURS: 4, INLINED: 2, ASYNC: 2, HIDING: 1} if quick else {OURS: 30, INLINED: 10, ASYNC: 9, HIDING: 2}
    for what, slow in (("unthrottled", False), ("slow 4G, quarter CPU", True)):
        tell(f"cold loads, {what}")
        yield _loads(browser, site, paths, loads, what, slow)
    tell("sampler against screencast")
    yield _screencast(browser, site, paths)


def _page(site: Site, way: str, head: str) -> str:
    whole = document(inline(SAMPLER) + STYLE + head, "\0".join(_body()))
    return site.add(f"/flicker/{way.replace(' ', '-').replace(',', '')}", HTML, *whole.split("\0"))


def _loads(browser: Browser, site: Site, paths: dict[str, str], loads: dict[str, int], what: str, slow: bool) -> Row:
    found: dict[str, list[Any]] = defaultdict(list)
    for turn in range(max(loads.values())):
        for way, path in paths.items():
            if turn < loads[way]:
                with cold_tab(browser, network=slow, cpu=slow) as tab:
                    found[way].append(evaluated(tab, site.url + path, "window.finished", "found"))
    frames = {way: sum(each["original"] for each in results) for way, results in found.items()}
    touched = {way: sum(each["original"] > 0 for each in results) for way, results in found.items()}
    hidden = sum(each["hidden"] for each in found[HIDING])
    assert sum(each["frames"] for each in found[OURS]) > 5 * loads[OURS], "the sampler has not run"
    return Row(
        f"frames of the original, {loads[OURS]} cold loads, nine actions, {what}",
        Amount(frames[OURS], "frames"),
        [
            (f"{way} ({touched[way]} of {loads[way]} loads)", Amount(frames[way], "frames"))
            for way in paths
            if way != OURS
        ],
        None,
        "0",
        frames[OURS] == 0,
        f"each load with an empty profile; with its anti-flicker GrowthBook hid the page for {hidden} frames",
    )


def _screencast(browser: Browser, site: Site, paths: dict[str, str]) -> Row:
    ours, theirs = (_red_pictures(browser, site.url + paths[way]) for way in (OURS, ASYNC))
    return Row(
        "the same by screencast, one load",
        Amount(ours, "red pictures"),
        [(ASYNC, Amount(theirs, "red pictures"))],
        None,
        "0, and theirs not 0",
        ours == 0 and theirs > 0,
        "pictures of the compositor in which the headline's place is red: the original was painted",
    )


COUNT_RED = """async (pictures) => {
  let red = 0;
  for (const data of pictures) {
    const image = new Image();
    image.src = 'data:image/png;base64,' + data;
    await image.decode();
    const canvas = document.createElement('canvas');
    canvas.width = image.width; canvas.height = image.height;
    const context = canvas.getContext('2d');
    context.drawImage(image, 0, 0);
    const [r, g] = context.getImageData(image.width / 2, 200, 1, 1).data;
    if (r > 200 && g < 60) red++;
  }
  return red;
}"""


def _red_pictures(browser: Browser, url: str) -> int:
    pictures: list[str] = []
    with cold_tab(browser) as tab:

        def keep(event: dict[str, Any]) -> None:
            pictures.append(event["data"])
            tab.cdp.send("Page.screencastFrameAck", {"sessionId": event["sessionId"]})

        tab.cdp.on("Page.screencastFrame", keep)
        tab.cdp.send("Page.startScreencast", {"format": "png", "everyNthFrame": 1})
        evaluated(tab, url, "window.finished", "found")
        tab.page.wait_for_timeout(300)
        tab.cdp.send("Page.stopScreencast")
        assert pictures, "no picture came"
        tab.page.goto("about:blank")
        red: int = tab.page.evaluate(COUNT_RED, pictures)
    return red
