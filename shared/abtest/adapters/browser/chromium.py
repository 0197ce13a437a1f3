"""Chromium processes, driven by Playwright: one job has one at a time, behind an egress proxy of its own."""

import resource
import shutil
import threading
from collections.abc import Collection, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING

from abtest.adapters.browser.egress_proxy import EgressProxy
from abtest.adapters.browser.loop import LoopThread
from abtest.adapters.browser.visits import OpenVisit, Settled
from abtest.adapters.outbound_http.names import Resolve, system_resolve
from abtest.domain.browsing.viewport import Viewport
from abtest.domain.egress.targets import EgressRules
from abtest.ports.browser import MAX_VISIT_SECONDS, MAX_VISITS, Answers, BrowserLostError, Visit

if TYPE_CHECKING:
    from playwright.async_api import Browser as Process
    from playwright.async_api import Playwright

PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
"""Programs in the order of preference: the shell is the same engine without windows, for less memory."""

AT_ONCE = 2
START_SECONDS = 60.0

FLAGS = (
    "--no-sandbox",
    "--no-zygote",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-breakpad",
    "--disable-blink-features=AutomationControlled",
    # The guard: nothing is resolved or reached but through the proxy, not even this machine, nor by UDP.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
)


@dataclass(frozen=True, slots=True, kw_only=True)
class ChromiumBrowsers:
    """Browsers of a program on this machine, by default the first installed one of `PROGRAMS`."""

    rules: EgressRules
    program: str = ""
    resolve: Resolve = system_resolve

    @contextmanager
    def open(self, *, may_reach: Collection[str] = ()) -> Iterator["ChromiumBrowser"]:
        program = self.program or next(filter(None, map(shutil.which, PROGRAMS)), None)
        if program is None:
            raise BrowserLostError(f"no browser is installed: there is none of {', '.join(PROGRAMS)}")
        # A crash of the browser would write its whole memory to the disk, which is small.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        thread = LoopThread("browser")
        browser = ChromiumBrowser(thread, program, EgressProxy(self.rules, may_reach, self.resolve))
        try:
            browser.start()
            yield browser
        finally:
            try:
                browser.stop()
            finally:
                thread.stop()


class ChromiumBrowser:
    """Browser of one job. Thread-safe: two visits are open at once, and others wait."""

    def __init__(self, thread: LoopThread, program: str, proxy: EgressProxy) -> None:
        self._thread = thread
        self._program = program
        self._proxy = proxy
        self._port = 0
        self._playwright: Playwright | None = None
        self._process: Process | None = None
        self._visits = 0
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self._lock = threading.Lock()
        self._open = 0

    def start(self) -> None:
        """Start the proxy and Playwright. Raises BrowserLostError."""
        try:
            self._thread.run(self._start(), START_SECONDS)
        except Exception as error:
            raise BrowserLostError(f"the browser did not start: {error}") from error

    def stop(self) -> None:
        """End the process, Playwright and the proxy."""
        self._thread.run(self._stop(), START_SECONDS)

    @contextmanager
    def visit(
        self,
        url: str,
        viewport: Viewport,
        *,
        answers: Answers | None = None,
        init_script: str | None = None,
        seconds: float = MAX_VISIT_SECONDS,
    ) -> Iterator[Visit]:
        with self._turns:
            visit = OpenVisit(self._thread, self._taken(), viewport, self._proxy.refused)
            try:
                visit.load(url, Settled(answers, init_script, seconds))
                yield visit
            finally:
                is_closed = visit.close()
                self._given_back(is_reusable=is_closed)

    async def _start(self) -> None:
        from playwright.async_api import async_playwright

        self._port = await self._proxy.start()
        self._playwright = await async_playwright().start()

    async def _stop(self) -> None:
        await self._end_process()
        if self._playwright is not None:
            await self._playwright.stop()
        await self._proxy.stop()

    def _taken(self) -> "Process":
        """Return the process for one more visit: a new one after the last one's share, or after its end."""
        with self._lock:
            process = self._process
            is_used_up = self._visits >= MAX_VISITS and self._open == 0
            if process is None or not process.is_connected() or is_used_up:
                try:
                    process = self._thread.run(self._replaced(), START_SECONDS)
                except Exception as error:
                    raise BrowserLostError(f"the browser did not start: {error}") from error
                self._visits = 0
            self._visits += 1
            self._open += 1
            return process

    def _given_back(self, *, is_reusable: bool) -> None:
        with self._lock:
            self._open -= 1
            if not is_reusable:
                # A page that cannot be closed keeps a core busy for as long as its process lives.
                with suppress(Exception):
                    self._thread.run(self._end_process(), START_SECONDS)

    async def _replaced(self) -> "Process":
        await self._end_process()
        assert self._playwright is not None
        self._process = await self._playwright.chromium.launch(
            executable_path=self._program, args=[*FLAGS, f"--proxy-server=http://127.0.0.1:{self._port}"]
        )
        return self._process

    async def _end_process(self) -> None:
        if self._process is not None:
            process, self._process = self._process, None
            await process.close()
