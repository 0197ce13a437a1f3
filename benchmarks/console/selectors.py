"""Selectors that outlive a change of the page: those of the editor next to `@medv/finder` with its defaults.

For every visible text of a page, each side makes one selector. Then every class gets another name, and one element is
inserted before a child of each text's parent, at random: a `div`, as other tools of a shop insert it, or, harder, one
of the tag of that child. A selector is alive when it still matches its element and no other. Pages: two of the demo
shop, two templates of Bootstrap as their makers deliver them, and a page as React leaves it, whose classes a tool made.
"""

import asyncio
import json
import subprocess
from collections import Counter
from collections.abc import Iterator
from pathlib import Path

from playwright.sync_api import Browser, sync_playwright

from benchmarks import npm
from benchmarks.harness import line
from tests.support.browser import launch
from tools.local.store.server import Store
from tools.local.web.messages import Request

HERE = Path(__file__).parent
PACKAGES = Path("tests/browser/pages/node_modules")
TEMPLATES = ("startbootstrap-shop-homepage", "startbootstrap-shop-item")
SEEDS = range(5)
AGAINST_FINDER, SHARE = 1.2, 0.95
BUNDLE = """const { buildSync } = require("esbuild");
const options = { bundle: true, format: "iife", write: false };
process.stdout.write(buildSync({ entryPoints: [%s], ...options }).outputFiles[0].text);"""


def report() -> None:
    """Print the share of selectors that are alive on each page, and the time that making one takes."""
    npm.install(HERE)
    print("Selectors alive after classes were renamed and siblings inserted")
    pages = list(_pages())
    with sync_playwright() as playwright:
        browser = launch(playwright, is_whole=False)
        script = _script()
        for title, is_alike in (("a div inserted", False), ("one of the same tag inserted", True)):
            print(f" {title}")
            alive: Counter[str] = Counter()
            for name, text in pages:
                counts = _counted(browser, text, script, is_alike)
                _show(name, counts)
                alive += counts
            _show("all pages", alive)
        browser.close()
    print(f"    goal, a div inserted: at least {AGAINST_FINDER}, and {SHARE:.0%}")
    for way in ("ours", "finder"):
        print(f"  {way}: {alive[f'{way} µs'] / alive[f'{way} of']:.0f} µs a selector")


def _show(name: str, counts: Counter[str]) -> None:
    ours, finder = (counts[way] / counts[f"{way} of"] for way in ("ours", "finder"))
    line(f"{name}, {counts['ours of'] // len(SEEDS)} texts", f"{ours:.1%}", "finder", f"{finder:.1%}", ours / finder)


def _counted(browser: Browser, text: str, script: str, is_alike: bool) -> Counter[str]:
    counts: Counter[str] = Counter()
    for seed in SEEDS:
        page = browser.new_page(viewport={"width": 1280, "height": 900})
        page.set_content(text, wait_until="domcontentloaded")
        page.evaluate(script)
        for side in page.evaluate("(order) => selectorsAlive(order)", [seed, is_alike]):
            way = side["way"]
            counts += Counter(
                {way: side["count"], f"{way} of": side["of"], f"{way} µs": round(1000 * side["milliseconds"])}
            )
        page.close()
    return counts


def _pages() -> Iterator[tuple[str, str]]:
    store = Store("https://edge.example")
    for path in ("/", "/product"):
        request = Request("GET", path, "", [], b"", "127.0.0.1", 80, "http")
        yield f"demo shop {path}", asyncio.run(store.handle(request)).body.decode()
    for name in TEMPLATES:
        yield name, (PACKAGES / name / "dist" / "index.html").read_text()
    yield "React, hashed classes", (HERE / "pages" / "react.html").read_text()


def _script() -> str:
    code = BUNDLE % json.dumps(str((HERE / "selecting.mjs").resolve()))
    return subprocess.run(["node", "-e", code], cwd="console", capture_output=True, text=True, check=True).stdout
