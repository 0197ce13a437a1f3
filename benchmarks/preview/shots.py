"""Screenshots of a job of twelve, next to a Chromium process for each; and a whole job of sixty, with its memory."""

from __future__ import annotations

import subprocess
import tempfile
import threading
import time
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import contextmanager
from pathlib import Path

from abtest.adapters.browser import ChromiumBrowsers
from abtest.adapters.browser.chromium import ChromiumBrowser
from abtest.domain.browsing.viewport import DESKTOP, PHONE, Viewport
from abtest.domain.egress.targets import PublicOnly
from benchmarks.harness import line
from tests.support.browser import whole_browser_path
from tests.support.sites import Answer, Site, site

SHOTS, JOB, DELAY = 12, 60, 0.2
RETINA = Viewport(390, 844, 3, touch=True)
SECTION = "<section><h2>Lamp {n}</h2><p>{text}</p><img width=360 height=240 src='/lamp.svg?{n}'></section>"


def report() -> None:
    """Print the rows of screenshots."""
    with site() as shop:
        serve(shop)
        ours, our_memory = measured(lambda: job(shop, [PHONE, DESKTOP] * (SHOTS // 2)))
        theirs, their_memory = measured(lambda: processes(shop, [PHONE, DESKTOP] * (SHOTS // 2)))
        figure = f"{ours / SHOTS:.2f} s a shot, {our_memory:.0f} MB"
        baseline = f"{theirs / SHOTS:.2f} s, {their_memory:.0f} MB"
        line(f"a shot in a job of {SHOTS}", figure, "chromium --screenshot each", baseline, ours / theirs)
        seconds, memory = measured(lambda: job(shop, [RETINA] * JOB))
        figure = f"{seconds:.0f} s, {memory:.0f} MB"
        line(f"a job of {JOB} whole pages at 3x, page of 200 ms", figure, "limits", "900 s, 3008 MB", seconds / 900)


def serve(shop: Site) -> None:
    """Serve a page of a shop, whose document takes 200 ms."""
    sections = "".join(SECTION.format(n=n, text="Warm light. " * 40) for n in range(12))
    html = f"<!doctype html><meta name=viewport content='width=device-width'><title>Lamps</title>{sections}".encode()
    drawing = b"<svg xmlns='http://www.w3.org/2000/svg'><rect width='100%' height='100%' fill='teal'/></svg>"

    def page() -> Answer:
        time.sleep(DELAY)
        return Answer(html)

    shop.pages["/"] = page
    shop.pages["/lamp.svg"] = lambda: Answer(drawing, "image/svg+xml")


def job(shop: Site, viewports: list[Viewport]) -> None:
    """Take the shots in one browser, two at once."""
    browsers = ChromiumBrowsers(rules=PublicOnly(allow_loopback=True))
    with browsers.open(may_reach={shop.host}) as browser, ThreadPoolExecutor(2) as pool:
        list(pool.map(lambda viewport: shot(browser, shop, viewport), viewports))


def shot(browser: ChromiumBrowser, shop: Site, viewport: Viewport) -> None:
    with browser.visit(shop.url(), viewport) as visit:
        assert visit.picture(full_page=True).png


def processes(shop: Site, viewports: list[Viewport]) -> None:
    """Take the shots in a process each, two at once."""
    with tempfile.TemporaryDirectory() as folder, ThreadPoolExecutor(2) as pool:

        def alone(number: int) -> None:
            viewport = viewports[number]
            target = Path(folder) / f"{number}.png"
            command = [whole_browser_path(), "--headless", "--no-sandbox", "--disable-gpu", "--hide-scrollbars"]
            command += [f"--user-data-dir={folder}/{number}", f"--force-device-scale-factor={viewport.device_scale}"]
            command += [f"--window-size={viewport.width},4800", f"--screenshot={target}", shop.url()]
            subprocess.run(command, check=True, capture_output=True, timeout=60)
            assert target.stat().st_size

        list(pool.map(alone, range(len(viewports))))


def measured(work: Callable[[], None]) -> tuple[float, float]:
    """Return the seconds of the work, and the most memory in MB that this process and all below it had."""
    with watched() as memory:
        started = time.perf_counter()
        work()
        return time.perf_counter() - started, max(memory)


@contextmanager
def watched() -> Iterator[list[float]]:
    most, is_over = [0.0], threading.Event()

    def watch() -> None:
        while not is_over.wait(0.1):
            most.append(tree_megabytes())

    thread = threading.Thread(target=watch)
    thread.start()
    try:
        yield most
    finally:
        is_over.set()
        thread.join()


def tree_megabytes() -> float:
    """Return the proportional memory of this process and its descendants: shared pages are counted once."""
    total, left = 0, [Path("/proc/self").resolve()]
    while left:
        process = left.pop()
        try:
            rollup = (process / "smaps_rollup").read_text()
            total += next(int(row.split()[1]) for row in rollup.splitlines() if row.startswith("Pss:"))
            for children in process.glob("task/*/children"):
                left += [Path("/proc") / child for child in children.read_text().split()]
        except (OSError, StopIteration):
            continue
    return total / 1000
