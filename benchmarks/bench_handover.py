"""Clicks that leave for another host of the shop without a token, because it did not arrive within 300 ms.

A browser follows links with a mouse, a finger and the keyboard, at a person's pace; a finger has swiped once before.
The edge is the deployed handler on a local engine, behind a network: a connection takes two round trips, a request one,
and some requests meet a new instance. Ours requests the token when the mouse or the focus comes to a link, or a finger
to the page, and again after 150 ms without a response. Next to it in the same run, in turn, the same SDK requests it
once: at the press, and at the click.

`make bench-handover` takes five minutes; ARGS="--clicks 60" one.
"""

import argparse
import asyncio
import json
import logging
import os
import threading
import time
from collections import Counter, defaultdict
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager, redirect_stdout
from dataclasses import dataclass, field
from http.server import BaseHTTPRequestHandler
from pathlib import Path
from random import Random
from statistics import median, quantiles
from typing import Any
from urllib.parse import parse_qs, urlsplit

from playwright.async_api import Browser, Page, async_playwright

from abtest.adapters.s3 import S3Blobs
from abtest.adapters.secrets import SecretRootKeys
from abtest.domain.credentials.signing import browser_signature
from abtest.kit.clock import SystemClock
from benchmarks.bench_edge import Context
from benchmarks.browser_server import BrowserServer
from benchmarks.local_engine import local_engine
from benchmarks.world import gateway_event
from tests.browser.sdk.shop import SHOP_ID, Shop
from tests.support.browser import FLAGS, browser_path
from tests.support.handovers import HandoverServer
from tests.support.template import Stack

SEED = 20260101
AT_ONCE = 4
CLICKS_OF_A_PAGE = 3
TIMEOUT_MS = 300
PATIENCE = 10.0
ROUND_TRIP = (0.06, 0.6)
"""Median and sigma of a log-normal distribution: of 100 visitors, 5 have more than 160 ms, and 1 more than 240 ms."""
NEW_INSTANCE_SHARE, NEW_INSTANCE_SECONDS = 0.01, 0.9
"""AWS reports new instances for less than 1 of 100 requests; the import takes 0.2 s of a whole processor."""
HOVER = (0.25, 0.5)
"""From the arrival of the mouse or the focus at a link to the press."""
PRESS = (0.085, 0.35)
"""From the press to the click."""
OURS, AT_PRESS, AT_CLICK = "ours", "at the press", "at the click"
WITHOUT: Mapping[str, tuple[str, ...]] = {
    OURS: (),
    AT_PRESS: ("pointerover", "focusin"),
    AT_CLICK: ("pointerover", "focusin", "pointerdown"),
}
"""Events that the SDK does not get, by the way of requesting tokens."""
REPEAT_MS = 150
"""Time after which ours repeats a request. The others do not."""
SHARES = {"mouse": 9, "touch": 10, "keyboard": 1}

Handler = Callable[[Mapping[str, Any], object], Mapping[str, Any]]


def drawn(random: Random, distribution: tuple[float, float]) -> float:
    """Draw seconds from a log-normal distribution of this median and sigma."""
    middle, sigma = distribution
    return middle * random.lognormvariate(0, sigma)


@dataclass
class World:
    """The edge's handler and its responses by status, and the clicks that arrived: whether with a token, and when."""

    handler: Handler
    snippet: str = ""
    random: Random = field(default_factory=lambda: Random(SEED))
    arrived: dict[str, tuple[bool, float]] = field(default_factory=dict)
    statuses: Counter[int] = field(default_factory=Counter)
    lock: threading.Lock = field(default_factory=threading.Lock)


class _Server(BrowserServer):
    def __init__(self, handler: type[BaseHTTPRequestHandler], world: World) -> None:
        super().__init__(handler)
        self.world = world


class _Site(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    server: _Server

    def answer(self, status: int, kind: str, body: bytes, **headers: str) -> None:
        """Send a whole response."""
        self.send_response(status)
        for name, value in {"content-type": kind, "content-length": str(len(body)), **headers}.items():
            self.send_header(name, value)
        self.end_headers()
        self.wfile.write(body)

    def log_message(self, *_: object) -> None:
        """Log nothing."""


class _Pages(_Site):
    """The shop, and the other host: its response leaves the browser on the page, ready for the next click."""

    def do_GET(self) -> None:
        url = urlsplit(self.path)
        query = parse_qs(url.query)
        if url.path == "/pay":
            self.server.world.arrived[query["click"][0]] = "svc_handover" in query, time.time()
            self.send_response(204)
            self.end_headers()
            return
        edge, pay = query.get("edge", [""])[0], f"http://pay.example:{self.server.server_address[1]}/pay"
        without = WITHOUT[query.get("way", [OURS])[0]]
        once = f"const timer = setTimeout; setTimeout = (fn, ms) => ms === {REPEAT_MS} || timer(fn, ms);"
        stop_later = "document.addEventListener('pointerdown', (e) => e.stopPropagation());"
        stop = "addEventListener(name, (e) => e.stopImmediatePropagation(), true);"
        head = (
            f"<script>{once + stop_later if without else ''} for (const name of {json.dumps(without)}) {stop}"
            "addEventListener('click', (e) => { window.clickedAt ||= Date.now() }, true)</script>"
            f"<link rel=preconnect href='{edge}'><script src='{edge}/s.js'></script>"
        )
        body = f"<h1>Basket</h1><p style='margin:200px'><a id=pay href='{pay}'>Pay now</a></p>"
        self.answer(200, "text/html", f"<!doctype html><title>Shop</title>{head}{body}".encode())


class _Edge(_Site):
    """The edge behind a network."""

    def setup(self) -> None:
        super().setup()
        self.round_trip = drawn(self.server.world.random, ROUND_TRIP)
        time.sleep(2 * self.round_trip)

    def do_GET(self) -> None:
        time.sleep(self.round_trip)
        self.answer(200, "text/javascript", self.server.world.snippet.encode())

    def do_POST(self) -> None:
        world = self.server.world
        body = self.rfile.read(int(self.headers["content-length"] or 0)).decode()
        time.sleep(self.round_trip)
        allowed = {"access-control-allow-origin": "*"}
        if "handover" not in self.path:
            self.answer(202, "application/json", b"{}", **allowed)
            return
        if world.random.random() < NEW_INSTANCE_SHARE:
            time.sleep(NEW_INSTANCE_SECONDS)
        event = gateway_event("POST", self.path, headers={"content-type": "text/plain"}, body=body)
        # Each connection is another household, because the limit of one is not measured here.
        port = self.client_address[1]
        event["requestContext"]["http"]["sourceIp"] = f"203.0.{port >> 8}.{port & 255}"
        with world.lock:  # an instance answers one request at a time
            answer = world.handler(event, Context())
        world.statuses[answer["statusCode"]] += 1
        self.answer(answer["statusCode"], "application/json", answer["body"].encode(), **allowed)


@contextmanager
def served(world: World) -> Iterator[tuple[int, int]]:
    """Yield the ports of the pages and of the edge."""
    with _Server(_Pages, world) as pages, _Server(_Edge, world) as edge:
        for server in (pages, edge):
            threading.Thread(target=server.serve_forever, kwargs={"poll_interval": 0.05}, daemon=True).start()
        yield pages.server_address[1], edge.server_address[1]
        pages.shutdown()
        edge.shutdown()


@dataclass(frozen=True)
class Visit:
    """A visitor who follows the link some times."""

    number: int
    way: str
    pointer: str


async def click(page: Page, pointer: str, random: Random) -> None:
    """Follow the link as a person does."""
    if pointer == "keyboard":
        await page.evaluate("document.activeElement.blur()")
        await page.focus("#pay")
        await asyncio.sleep(drawn(random, HOVER))
        await page.keyboard.press("Enter")
        return
    box = await page.locator("#pay").bounding_box()
    assert box is not None
    x, y = box["x"] + box["width"] / 2, box["y"] + box["height"] / 2
    if pointer == "mouse":
        await page.mouse.move(5, 5)
        await page.mouse.move(x, y, steps=4)
        await asyncio.sleep(drawn(random, HOVER))
        await page.mouse.down()
        await asyncio.sleep(drawn(random, PRESS))
        await page.mouse.up()
        return
    session = await page.context.new_cdp_session(page)
    touch = [{"x": x, "y": y}]
    await session.send("Input.dispatchTouchEvent", {"type": "touchStart", "touchPoints": touch})
    await asyncio.sleep(drawn(random, PRESS))
    await session.send("Input.dispatchTouchEvent", {"type": "touchEnd", "touchPoints": []})


async def swipe(page: Page) -> None:
    """Scroll as a person does on a phone before following a link."""
    session = await page.context.new_cdp_session(page)
    for kind, y in (("touchStart", 300), ("touchMove", 250), ("touchEnd", None)):
        points = [] if y is None else [{"x": 20, "y": y}]
        await session.send("Input.dispatchTouchEvent", {"type": kind, "touchPoints": points})


async def visit(browser: Browser, world: World, ports: tuple[int, int], who: Visit) -> list[tuple[bool, float]]:
    """Return of each click whether it had a token, and the milliseconds from the click to its arrival."""
    pages, edge = ports
    random = Random(SEED + who.number)  # the same person for each way
    context = await browser.new_context(has_touch=who.pointer == "touch")
    results = []
    try:
        page = await context.new_page()
        await page.goto(f"http://shop.example:{pages}/?way={who.way}&edge=http://edge.example:{edge}")
        await asyncio.sleep(random.uniform(0.4, 1.2))
        if who.pointer == "touch":
            await swipe(page)
        for turn in range(CLICKS_OF_A_PAGE):
            await asyncio.sleep(random.uniform(0.4, 1.2))
            name = f"{who.way}-{who.number}-{turn}"
            await page.evaluate("(name) => { clickedAt = 0; pay.search = `click=${name}` }", name)
            await click(page, who.pointer, random)
            until = time.monotonic() + PATIENCE
            while name not in world.arrived and time.monotonic() < until:
                await asyncio.sleep(0.01)
            has_token, at = world.arrived[name]
            results.append((has_token, at * 1000 - await page.evaluate("clickedAt")))
    finally:
        await context.close()
    return results


async def measure(world: World, ports: tuple[int, int], clicks: int) -> dict[tuple[str, str], list[tuple[bool, float]]]:
    """Return the clicks by way and pointer."""
    random = Random(SEED)
    kinds = random.choices(list(SHARES), list(SHARES.values()), k=-(-clicks // CLICKS_OF_A_PAGE))
    visits = [Visit(number, way, kind) for number, kind in enumerate(kinds) for way in WITHOUT]
    clicked: dict[tuple[str, str], list[tuple[bool, float]]] = defaultdict(list)
    gate = asyncio.Semaphore(AT_ONCE)
    async with async_playwright() as playwright:
        browser = await playwright.chromium.launch(executable_path=browser_path(), args=FLAGS)

        async def one(who: Visit) -> None:
            async with gate:
                clicked[who.way, who.pointer] += await visit(browser, world, ports, who)

        await asyncio.gather(*map(one, visits))
        await browser.close()
    return clicked


def show(clicked: Mapping[tuple[str, str], list[tuple[bool, float]]]) -> None:
    """Print the table."""
    for pointer in (*SHARES, "all"):
        for way in WITHOUT:
            rows = [row for (w, p), each in clicked.items() if w == way and pointer in (p, "all") for row in each]
            if not rows:
                continue
            misses, waits = sum(not has for has, _ in rows), [ms for _, ms in rows]
            late = quantiles(waits, n=20)[-1]
            print(
                f"  {pointer:<9} token requested {way:<13} {misses:>4} of {len(rows):<4} without a token "
                f"({misses / len(rows):6.2%})   click to arrival: median {median(waits):5.0f} ms, p95 {late:5.0f} ms"
            )


def deployed(stack: Stack) -> World:
    """The function as the template configures it, with a published shop."""
    os.environ.update(stack.environment("EdgeHandover"))
    with redirect_stdout(Path(os.devnull).open("w")):
        from edge_handover.app import handler
    clock = SystemClock()
    HandoverServer(clock=clock, blobs=S3Blobs(stack.name("DeliveryBucket"))).publish("pay.example", shop_id=SHOP_ID)  # type: ignore[arg-type]
    return World(handler)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--clicks", type=int, default=300, help="clicks of each way")
    clicks = parser.parse_args().clicks
    logging.disable(logging.WARNING)  # a busy machine makes the limiter's table late, which it reports each time
    with local_engine() as (clients, endpoint):
        stack = Stack.planned(endpoint=endpoint)
        stack.create(clients)
        world = deployed(stack)
        roots = SecretRootKeys(stack.name("SigningSecret"), SystemClock()).current()
        with served(world) as ports:
            shop = Shop()
            edge = f"http://edge.example:{ports[1]}"
            shop.runtime = {
                "events_url": f"{edge}/events",
                "events_signature": browser_signature(roots, SHOP_ID),
                "handover": {
                    "param": "svc_handover",
                    "domains": ["pay.example"],
                    "timeout": TIMEOUT_MS,
                    "ttl": 120,
                    "signed": True,
                    "url": f"{edge}/_svc/handover",
                },
            }
            world.snippet = shop.snippet()
            print(
                f"Handovers, {clicks} clicks of each way, at most {TIMEOUT_MS} ms from the click (aim: < 1 % without)"
            )
            show(asyncio.run(measure(world, ports, clicks)))
            print(f"  responses of the edge by status: {dict(world.statuses)}")


if __name__ == "__main__":
    main()
