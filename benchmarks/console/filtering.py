"""Fifty loaded experiments filtered by a word in Chromium, next to a page that the server filters.

The console filters the rows that it has while its request for others is under way: measured from the key to the first
frame with the rows that fit. The baseline is what a page made by a server waits for before it can show anything: the
pause of 150 ms after the last key that such pages have, and the response of the same list with the same filter, read as
JSON. A quarter of the processor, 40 ms, 10 Mbit/s on both sides. The API runs in this process; the session is invented.
"""

import asyncio
import json
import statistics
import threading
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from mimetypes import guess_type
from pathlib import Path
from typing import Any

from playwright.sync_api import Page, sync_playwright

from abtest.domain.credentials.api_keys import SCOPES
from benchmarks.bench_overview import EXPERIMENTS, Screen
from benchmarks.console.table import row
from benchmarks.harness import milliseconds
from benchmarks.storefront.chromium import Tab, cold_tab
from tests.support.browser import launch

FILES = Path("layers/console/console_files")
NETWORK = {"offline": False, "latency": 40, "downloadThroughput": 10e6 / 8, "uploadThroughput": 10e6 / 8}
ROUNDS, PAUSE, AGAINST_PAGES = 9, 0.15, 0.05
FILTER = """async (word) => {
  const field = document.querySelector('input[aria-label="Name contains"]');
  const rows = () => document.querySelectorAll("#main tbody tr").length;
  const many = rows();
  const begun = performance.now();
  field.value = word;
  field.dispatchEvent(new Event("input", { bubbles: true }));
  while (word ? rows() === many || !rows() : rows() < 50) await new Promise(requestAnimationFrame);
  return { seconds: (performance.now() - begun) / 1000, many, left: rows() };
}"""
FETCH = """async ([word, shop]) => {
  const begun = performance.now();
  const address = `/api/v1/experiments?q=${encodeURIComponent(word)}&limit=50`;
  await (await fetch(address, { headers: { "X-Svc-Shop": shop } })).json();
  return (performance.now() - begun) / 1000;
}"""


def report(screen: Screen) -> None:
    """Print the medians of both, in turn, each word once."""
    with _served(screen) as origin, sync_playwright() as playwright:
        browser = launch(playwright, is_whole=False)
        with cold_tab(browser, cpu=True) as tab:
            ours, theirs = _measured(tab, origin, screen.shop.id)
        browser.close()
    print(f"{EXPERIMENTS} loaded experiments filtered by a word")
    row(
        "console",
        milliseconds(ours),
        "pause and response",
        milliseconds(theirs),
        ours / theirs,
        AGAINST_PAGES,
    )


def _measured(tab: Tab, origin: str, shop_id: str) -> tuple[float, float]:
    tab.cdp.send("Network.enable")
    tab.cdp.send("Network.emulateNetworkConditions", dict(NETWORK))
    page: Page = tab.page
    page.goto(f"{origin}/console/{shop_id}/experiments")
    page.wait_for_function("document.querySelectorAll('#main tbody tr').length >= 50", timeout=30_000)
    ours, theirs = [], []
    for number in range(ROUNDS):
        word = f"Test {number + 10}"
        rows = page.evaluate(FILTER, word)
        assert (rows["many"], rows["left"]) == (EXPERIMENTS, 1), rows
        ours.append(rows["seconds"])
        theirs.append(PAUSE + page.evaluate(FETCH, [word, shop_id]))
        page.evaluate(FILTER, "")
        page.wait_for_timeout(1500)
    return statistics.median(ours), statistics.median(theirs)


@contextmanager
def _served(screen: Screen) -> Iterator[str]:
    """Serve the console's files, its API, and a session of the shop. Yields the origin."""
    shop = {"id": screen.shop.id, "name": "Shop", "currency": "EUR", "timezone": "UTC", "org_id": screen.shop.org_id}
    access = {**shop, "role": "owner", "scopes": sorted(SCOPES)}
    user = {"id": screen.shop.org_id, "email": None, "name": "Owner"}
    until = "2100-01-01T00:00:00Z"
    session = {"user": user, "level": "local", "shops": [access], "expires_at": until, "idle_until": until}
    # The handler wants one thread, with a loop of its own.
    api = ThreadPoolExecutor(1, initializer=lambda: asyncio.set_event_loop(asyncio.new_event_loop()))

    class Answers(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            if self.path.startswith("/api/v1/"):
                return self._send(*api.submit(_from_api, screen, self.path.removeprefix("/api/v1")).result())
            if self.path.startswith("/console/identity/"):
                return self._send(200, "application/json", json.dumps(session).encode())
            name = self.path.partition("?")[0].removeprefix("/console/assets/")
            file = FILES / "assets" / name if "/" not in name else FILES / "index.html"
            return self._send(200, guess_type(file)[0] or "text/html", file.read_bytes())

        def _send(self, status: int, kind: str, content: bytes) -> None:
            self.send_response(status)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(content)))
            self.end_headers()
            self.wfile.write(content)

        def log_message(self, *_: object) -> None:
            """Stay silent."""

    server = ThreadingHTTPServer(("127.0.0.1", 0), Answers)
    thread = threading.Thread(target=server.serve_forever, daemon=True)
    thread.start()
    yield f"http://127.0.0.1:{server.server_address[1]}"
    server.shutdown()
    thread.join()
    api.shutdown()


def _from_api(screen: Screen, path: str) -> tuple[int, str, bytes]:
    if not path.startswith("/experiments?"):
        return 404, "application/json", b'{"error": {"code": "not_found", "message": "not in this benchmark"}}'
    answer: Any = screen.call(screen.experiments, "GET", path)
    return 200, "application/json", json.dumps(answer).encode()
