"""Events of tabs that are closed right after DOMContentLoaded, or after `load`, next to bare beacons in the same run.

Each tab of a real browser shows a host of its own, so that it is a new visitor and sends no events of another tab. The
tabs of all sides are opened in turn, by a page that stays. A tab is closed in three ways: by the browser, as people do;
by the page itself (`window.close()`); by the debugging protocol, as test tools do. Ours is the snippet with two
experiments: a page view and two exposures. The bare pages send one event, with one call of `sendBeacon`: on `pagehide`,
or at once in the head.

`make bench-closed-tabs` takes four minutes; ARGS="--tabs 10" less.
"""

import argparse
import json
import threading
import time
from collections import Counter
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from typing import Literal
from urllib.parse import parse_qs, urlsplit

from playwright.sync_api import Error, Page, sync_playwright

from benchmarks.browser_server import BrowserServer
from tests.browser.sdk.configs import experiment
from tests.browser.sdk.shop import Shop
from tests.support.browser import launch

PATIENCE = 3.0
"""Seconds after the last tab in which events may still arrive."""
LATE_SECONDS = 0.15
"""Time that the picture of a page takes, between DOMContentLoaded and `load`."""
OURS, ON_PAGEHIDE, AT_ONCE = "the snippet", "sendBeacon on pagehide", "sendBeacon in the head"
EVENTS: Mapping[str, tuple[str, ...]] = {
    OURS: ("pageview", "experiment_viewed", "experiment_viewed"),
    ON_PAGEHIDE: ("bare",),
    AT_ONCE: ("bare",),
}
"""Events that a tab of each side should deliver."""
Moment = Literal["domcontentloaded", "load"]
MOMENTS: tuple[Moment, ...] = ("domcontentloaded", "load")


def by_browser(page: Page) -> None:
    """Close as people do, with the page's own handlers."""
    page.close(run_before_unload=True)


def by_page(page: Page) -> None:
    """Close by the page's own script."""
    try:
        page.evaluate("window.close()")
    except Error:
        return  # it was closed before it could answer


def by_protocol(page: Page) -> None:
    """Close as test tools do."""
    page.close(run_before_unload=False)


CLOSINGS: Mapping[str, Callable[[Page], None]] = {
    "closed by the browser": by_browser,
    "window.close()": by_page,
    "Target.closeTarget": by_protocol,
}


@dataclass
class World:
    """The snippet, and the events that arrived: (tab, type, event id)."""

    snippet: str = ""
    arrived: list[tuple[str, str, str]] = field(default_factory=list)


class _Server(BrowserServer):
    def __init__(self, world: World) -> None:
        super().__init__(_Handler)
        self.world = world


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        if url.path == "/s.js":
            self._answer("text/javascript", self.server.world.snippet)
        elif url.path == "/picture":
            time.sleep(LATE_SECONDS)
            self._answer("image/svg+xml", '<svg xmlns="http://www.w3.org/2000/svg"/>')
        else:
            self._answer("text/html", document(url.query, self.server.server_address[1]))

    def do_POST(self) -> None:
        body = json.loads(self.rfile.read(int(self.headers["content-length"] or 0)))
        for event in body["events"]:
            tab = parse_qs(urlsplit(event["url"]).query)["tab"][0]
            self.server.world.arrived.append((tab, event["type"], event["eventId"]))
        self._answer("application/json", "{}")

    def _answer(self, kind: str, text: str) -> None:
        self.send_response(200)
        headers = {"content-type": kind, "content-length": str(len(text.encode())), "access-control-allow-origin": "*"}
        for name, value in {**headers, "cache-control": "no-store"}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(text.encode())

    def log_message(self, *_: object) -> None:
        """Log nothing."""


def document(query: str, port: int) -> str:
    """Page of a side; its bare event has the form of ours."""
    side = parse_qs(query).get("side", [""])[0]
    events = f"http://localhost:{port}/events"
    send = (
        f"navigator.sendBeacon('{events}', JSON.stringify({{events: [{{type: 'bare', url: location.href, "
        "eventId: String(Math.random())}]}))"
    )
    head = {
        OURS: f"<script src='http://localhost:{port}/s.js'></script>",
        ON_PAGEHIDE: f"<script>addEventListener('pagehide', () => {send})</script>",
        AT_ONCE: f"<script>{send}</script>",
    }.get(side, "")
    products = "".join(f"<p class=product>Product {number}</p>" for number in range(200))
    return f"<!doctype html><title>Shop</title>{head}<h1>Shop</h1>{products}<img src=/picture alt=''>"


@contextmanager
def served(world: World) -> Iterator[int]:
    """Yield the port."""
    with _Server(world) as server:
        threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.02}, daemon=True).start()
        yield server.server_address[1]
        server.shutdown()


def opened(opener: Page, url: str, moment: Moment) -> Page:
    """Open a tab as links do, which lets its page close it."""
    with opener.expect_popup() as popup:
        opener.evaluate("(url) => void open(url)", url)
    popup.value.wait_for_load_state(moment)
    return popup.value


def measure(opener: Page, world: World, port: int, moment: Moment, closing: str, tabs: int) -> dict[str, Counter[str]]:
    """Open and close tabs of all sides in turn. Return by side how many events were expected, arrived, and doubled."""
    world.arrived.clear()
    for number in range(tabs):
        for side, name in enumerate(EVENTS):
            host = f"shop-{side}-{number}-{moment}-{list(CLOSINGS).index(closing)}.example"
            page = opened(opener, f"http://{host}:{port}/?side={name}&tab={side}-{number}", moment)
            with page.expect_event("close"):
                CLOSINGS[closing](page)
    time.sleep(PATIENCE)
    counts = {}
    for side, (name, types) in enumerate(EVENTS.items()):
        arrived = Counter(each for each in world.arrived if each[0].startswith(f"{side}-"))
        counts[name] = Counter(
            expected=tabs * len(types),
            arrived=len(arrived),
            doubled=sum(arrived.values()) - len(arrived),
            empty=tabs - len({tab for tab, _, _ in arrived}),
        )
    return counts


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--tabs", type=int, default=34, help="tabs of each side, moment and closing")
    tabs = parser.parse_args().tabs
    world, shop = World(), Shop()
    shop.experiments = [experiment(), experiment(name="e2")]
    with served(world) as port, sync_playwright() as playwright:
        shop.port = port
        world.snippet = shop.snippet()
        browser = launch(playwright, is_whole=True)
        opener = browser.new_page()
        opener.goto(f"http://opener.example:{port}/")
        print("Events that arrive from closed tabs (aim: as many as the beacon's, and 99 of 100 after load)")
        for moment in MOMENTS:
            for closing in CLOSINGS:
                for side, count in measure(opener, world, port, moment, closing, tabs).items():
                    print(
                        f"  {moment:<17} {closing:<22} {side:<23} "
                        f"{count['arrived']:>4} of {count['expected']:<4} events, {count['doubled']} doubled, "
                        f"{count['empty']:>2} of {tabs} tabs without any",
                        flush=True,
                    )
        browser.close()


if __name__ == "__main__":
    main()
