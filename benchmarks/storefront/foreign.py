"""Pages of other makers: two templates of shops from npm, and two pages of django-oscar, with ten experiments.

Each page is served as its makers deliver it, without what it loads from other hosts; those of django-oscar are served
without their styles. Both SDKs are inline in its head.

Amplitude's tag, which changes pages as well, cannot run here: npm answers 404 to `@amplitude/experiment-tag` (November
2026), and its documentation loads it from Amplitude's servers with the key of an account. The client that `peers`
installs makes decisions and changes no page.
"""

import re
from collections.abc import Iterator
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any
from urllib.parse import urljoin

import requests
from playwright.sync_api import Browser

from benchmarks.storefront import blocking
from benchmarks.storefront.catalogue import Design
from benchmarks.storefront.installs import INLINED, KEEPING, NONE, OURS, installed
from benchmarks.storefront.report import Amount, Row, median
from benchmarks.storefront.site import HTML, Progress, Site, inline
from tests.e2e.oscar.server import running_shop

PACKAGES = Path("tests/browser/pages/node_modules")
TEMPLATES = ("startbootstrap-shop-homepage", "startbootstrap-shop-item")
CHANGES: list[dict[str, Any]] = [
    {"selector": "h1", "action": "text", "text": "New headline"},
    {"selector": ".navbar-brand", "action": "text", "text": "New brand"},
    {"selector": ".lead", "action": "html", "html": "<em>New</em> lead"},
    {"selector": "header, .page-header", "action": "style", "styles": {"outline-color": "#0a7d4f"}},
    {"selector": ".card, .product_pod", "action": "style", "styles": {"border-color": "#c8102e"}},
    {"selector": "img", "action": "attribute", "attributes": {"alt": "New picture"}},
    {"selector": ".badge", "action": "remove"},
    {"selector": "footer p", "action": "text", "text": "New footer"},
    {"selector": ".btn", "action": "style", "styles": {"letter-spacing": "1px"}},
    {"selector": ".price_color, .text-center h5", "action": "html", "html": "<b>New</b>"},
]
_ELSEWHERE = re.compile(r"""<(link|script)\b[^>]*(href|src)="https?://[^>]*>(</script>)?""")
_PICTURES = re.compile(r'src="https?://[^"]*"')


def rows(browser: Browser, site: Site, quick: bool, tell: Progress) -> Iterator[Row]:
    """The main thread's time on each page."""
    designs = [Design(f"change {number}", "/foreign/*", [each], share=1.0) for number, each in enumerate(CHANGES)]
    install = installed(site, "foreign", designs)
    for name, text in _pages(site):
        tell(name)
        paths = {
            way: site.add(f"/foreign/{name}/{number}", HTML, _with(text, script))
            for number, (way, script) in enumerate(install.inlined.items())
            if way != KEEPING
        }
        loads = blocking.loads(browser, site, paths, 3 if quick else 12, slow=True)
        yield _row(name, {way: median([each["thread"] for each in results], "ms") for way, results in loads.items()})


def _pages(site: Site) -> Iterator[tuple[str, str]]:
    for package in TEMPLATES:
        folder = PACKAGES / package / "dist"
        for path in (*folder.glob("css/*.css"), *folder.glob("js/*.js")):
            kind = "text/css" if path.suffix == ".css" else "text/javascript"
            site.add(f"/foreign/{package}/{path.relative_to(folder)}", kind, path.read_text())
        yield package, (folder / "index.html").read_text()
    with TemporaryDirectory() as database, running_shop(Path(database), "http://127.0.0.1:9/s/none.js") as product:
        for name, url in (("product", product), ("catalogue", urljoin(product, "/catalogue/"))):
            yield f"django-oscar-{name}", requests.get(url, timeout=30).text


def _with(text: str, script: str) -> str:
    """The page with both marks and the script first in its head, and nothing from other hosts."""
    marked = inline("performance.mark('begun')") + script + inline("performance.mark('blocked')")
    return _PICTURES.sub('src="data:,"', _ELSEWHERE.sub("", text)).replace("<head>", f"<head>{marked}", 1)


def _row(name: str, spent: dict[str, Amount]) -> Row:
    more = {way: Amount(spent[way].value - spent[NONE].value, "ms") for way in (OURS, INLINED)}
    return Row(
        f"main thread, {name}, ten experiments, quarter CPU",
        more[OURS],
        [(INLINED, more[INLINED])],
        more[OURS].value / more[INLINED].value,
        given=f"{spent[OURS].times} cold loads each, in turn; the page without either takes {spent[NONE].value:.0f} ms",
    )
