"""Headless Chromium for measurements: cold loads, a slower network or processor, figures of the renderer."""

from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from typing import Any

from playwright.sync_api import Browser, CDPSession, Page

SLOW_NETWORK = {"offline": False, "latency": 150, "downloadThroughput": 1_600_000 / 8, "uploadThroughput": 93_750}
"""Slow 4G: 150 ms, 1.6 Mbit/s."""
SLOW_CPU = 4


@dataclass(frozen=True)
class Tab:
    """A page of a fresh profile, and its debugging session."""

    page: Page
    cdp: CDPSession

    def metrics(self) -> dict[str, float]:
        """The renderer's figures; durations are processor seconds of the main thread."""
        found = self.cdp.send("Performance.getMetrics")["metrics"]
        return {each["name"]: each["value"] for each in found}

    def heap_megabytes(self) -> float:
        """JavaScript heap after a collection."""
        self.cdp.send("HeapProfiler.collectGarbage")
        return self.metrics()["JSHeapUsedSize"] / 2**20


@contextmanager
def cold_tab(browser: Browser, *, network: bool = False, cpu: bool = False) -> Iterator[Tab]:
    """A profile without cookies or cache, on a slow network or a quarter of the processor if wanted."""
    context = browser.new_context(viewport={"width": 1280, "height": 800})
    try:
        page = context.new_page()
        cdp = context.new_cdp_session(page)
        cdp.send("Performance.enable", {"timeDomain": "threadTicks"})
        if network:
            cdp.send("Network.enable")
            cdp.send("Network.emulateNetworkConditions", dict(SLOW_NETWORK))
        if cpu:
            cdp.send("Emulation.setCPUThrottlingRate", {"rate": SLOW_CPU})
        yield Tab(page, cdp)
    finally:
        context.close()


def evaluated(tab: Tab, path: str, ready: str, result: str) -> Any:
    """Open a page, wait until `ready` holds, and give `result`."""
    tab.page.goto(path, wait_until="commit")
    tab.page.wait_for_function(ready, timeout=30_000)
    return tab.page.evaluate(result)
