"""A profile run of 22 pages, next to a plain loop of `requests` over the same pages in the same run.

The store is a process of its own that answers each request after 200 ms, with a saved page of a shop made as large
as such pages are. Our side is all that the worker does: robots.txt, sitemap, the pages two at once, the style sheet,
reading, signatures, the snippet's check, and the stored profile; the local engine has the tables. The loop has one
session, requests the pages one after another, and reads nothing of them.

The one request a second of a host does not hold on loopback. The last line is a run under it, as shops have it.
"""

import os
import statistics
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager
from dataclasses import replace
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from multiprocessing import get_context

import requests

from abtest.domain.egress.targets import Target
from abtest.services.profiles.visitor import Pace
from benchmarks.harness import line, peak_megabytes
from benchmarks.local_engine import local_engine
from tests.support.stores import FOLDER
from tests.support.template import Stack
from tools.local.provision.clients import Clients
from tools.local.testing import free_ports

AIM_SECONDS = 60.0
ROUNDS = 5
DELAY_SECONDS = 0.2
PAGE_BYTES = 250_000
STYLES = 'body { background: #fff; color: #1a1a1a; font-family: "Fraunces", serif } .btn { background: #b23a1e }' * 500
EXPENSIVE = ("<b><i>", "<img src=/a>", "<p id=a data-a x-b>", "<script>dataLayer.push(1)</script>", "<div>word ")
"""Pieces of HTML that cost the most for their bytes, in time or in memory."""

PAGES = 22
"""The home page, 20 more, and the style sheet."""


def usual_pages(port: int) -> Callable[[str], tuple[str, bytes]]:
    """Return the type and the content of each path of a store."""
    head, _, rest = (FOLDER / "shopify.html").read_text().partition("</head>")
    card = '<li class="card"><a href="/products/lamp-1"><img src="/lamp.jpg" alt="Lamp"><h3>Lamp for you</h3></a></li>'
    cards = card * ((PAGE_BYTES - len(head) - len(rest)) // len(card))
    page = f'{head}<link rel="stylesheet" href="/theme.css"></head>{rest}{cards}'.encode()
    locations = "".join(f"<url><loc>http://127.0.0.1:{port}/products/lamp-{number}</loc></url>" for number in range(40))
    files = {
        "/robots.txt": ("text/plain", b"User-agent: *\nDisallow: /account\n"),
        "/sitemap.xml": ("application/xml", f"<urlset>{locations}</urlset>".encode()),
        "/theme.css": ("text/css", STYLES.encode()),
    }
    return lambda path: files.get(path, ("text/html; charset=utf-8", page))


def hostile_pages(_port: int) -> Callable[[str], tuple[str, bytes]]:
    """Return the same of a store whose pages are the most expensive ones to read, 3 MiB each."""
    links = "".join(f"<a href=/products/{number}>L</a>" for number in range(20))
    pages = [f"<title>L</title>{links}{piece * (3_145_000 // len(piece))}".encode() for piece in EXPENSIVE]

    def page(path: str) -> tuple[str, bytes]:
        number = path.rpartition("/")[2]
        return "text/html", pages[int(number) % len(pages)] if number.isdigit() else b"" if number else pages[0]

    return page


def serve(port: int, is_hostile: bool) -> None:
    """Serve a store, each request in a thread of its own."""
    content = hostile_pages(port) if is_hostile else usual_pages(port)

    class Store(BaseHTTPRequestHandler):
        protocol_version = "HTTP/1.1"

        def do_GET(self) -> None:
            time.sleep(DELAY_SECONDS)
            kind, body = content(self.path)
            self.send_response(200)
            self.send_header("Content-Type", kind)
            self.send_header("Content-Length", str(len(body)))
            self.end_headers()
            self.wfile.write(body)

        def log_message(self, *_: object) -> None:
            pass

    ThreadingHTTPServer(("127.0.0.1", port), Store).serve_forever()


@contextmanager
def store(*, is_hostile: bool = False) -> Iterator[str]:
    """Run a store. Yield its address."""
    (port,) = free_ports(1)
    process = get_context("spawn").Process(target=serve, args=(port, is_hostile), daemon=True)
    process.start()
    try:
        yield await_answer(f"http://127.0.0.1:{port}")
    finally:
        process.terminate()
        process.join()


def await_answer(url: str) -> str:
    """Return the address once the store answers there."""
    for _ in range(100):
        try:
            requests.get(f"{url}/robots.txt", timeout=10)
        except requests.ConnectionError:
            time.sleep(0.1)
        else:
            return url
    raise RuntimeError("the store did not start")


class Polite(Pace):
    """Pace that treats this machine like any other host."""

    def take_turn(self, target: Target, delay: float = 0.0) -> None:
        """Wait for the turn of a host."""
        super().take_turn(replace(target, is_local=False), delay)


def timed(call: Callable[[], object]) -> float:
    """Return the seconds of one call."""
    began = time.perf_counter()
    call()
    return time.perf_counter() - began


def fetch(urls: Sequence[str]) -> None:
    """Fetch the pages one after another."""
    with requests.Session() as session:
        for url in urls:
            assert session.get(url, timeout=10).ok


def measure(clients: Clients, endpoint: str, url: str) -> None:
    """Profile the store in turn with the loop, and print both."""
    stack = Stack.planned(endpoint=endpoint)
    stack.create(clients)
    loopback = {"ALLOW_LOOPBACK_EGRESS": "true"}
    os.environ.update(stack.environment("ApiWorkspace") | stack.environment("WorkerProfiles") | loopback)
    from abtest.domain.profiles.runs import report_from
    from abtest.services.experiments.system import system_caller
    from abtest.services.jobs import Jobs, job_message
    from abtest.services.shops import Shops
    from abtest.wiring.api import management
    from abtest.wiring.settings import settings
    from abtest.wiring.worker_profiles import profiler

    base = management()
    fields = {"name": "Shop", "domain": "shop.example", "currency": "EUR"}
    shop, _ = Shops(base.world, base.publication).found(base.world.new_id(), fields)
    jobs = Jobs(base.world, "store_profile", base.profile_queue)
    worker = profiler(settings(), base.world)

    def profile(url: str, paces: Callable[[], Pace] = Pace) -> tuple[float, list[str]]:
        caller = system_caller(shop.id, "benchmark")
        job = jobs.create(caller, {"url": f"{url}/"})
        seconds = timed(lambda: replace(worker, paces=paces).carry_out(job_message(job)))
        ended = jobs.get(shop.id, job.id)
        urls = [page.url for page in report_from(ended.result).pages if page.status == 200]
        assert (ended.status, len(urls)) == ("completed", PAGES - 1), ended
        return seconds, [*urls, f"{url}/theme.css"]

    imported = peak_megabytes()
    _, urls = profile(url)
    rounds = [(profile(url)[0], timed(lambda: fetch(urls))) for _ in range(ROUNDS)]
    ours, loop = statistics.median(a for a, _ in rounds), statistics.median(b for _, b in rounds)
    ratio = statistics.median(a / b for a, b in rounds)
    print(f"store profile, {PAGES} pages of {PAGE_BYTES // 1000} KB after 200 ms each (medians of {ROUNDS})")
    line(
        "a run, from message to profile", f"{ours:.2f} s", "requests, one after another, unread", f"{loop:.2f} s", ratio
    )
    print(
        f"  slowest {max(a for a, _ in rounds):.2f} s, peak memory {peak_megabytes():.0f} MB, before {imported:.0f} MB"
    )
    polite, _ = profile(url, Polite)
    print(f"  one request a second of the host: {polite:.1f} s, aim under {AIM_SECONDS:.0f} s")
    with store(is_hostile=True) as hostile:
        worst, _ = profile(hostile)
    print(f"  21 pages of 3 MiB that are expensive to read: {worst:.1f} s, peak memory {peak_megabytes():.0f} MB")
    assert max(polite, worst, *(a for a, _ in rounds)) < AIM_SECONDS


def main() -> None:
    """Run against an engine of its own, which is removed afterwards."""
    with local_engine() as (clients, endpoint), store() as url:
        measure(clients, endpoint, url)


if __name__ == "__main__":
    main()
