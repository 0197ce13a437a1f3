"""Chromium processes, driven by Playwright: one job has one at a time, behind an egress proxy of its own."""

import resource
import shutil
import threading
from collections.abc import Callable, Collection, Coroutine, Iterator
from contextlib import contextmanager, suppress
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, TypeVar

from abtest.adapters.browser import processes
from abtest.adapters.browser.egress_proxy import EgressProxy
from abtest.adapters.browser.loop import LoopThread
from abtest.adapters.browser.visits import Loading, OpenVisit, Setting
from abtest.adapters.outbound_http.names import Resolve, system_resolve
from abtest.domain.browsing.viewport import Viewport
from abtest.domain.egress.targets import EgressRules
from abtest.ports.browser import (
    MAX_VISIT_SECONDS,
    MAX_VISITS,
    Answers,
    BrowserLostError,
    PageFailedError,
    Visit,
)

if TYPE_CHECKING:
    from playwright.async_api import Browser as Process
    from playwright.async_api import Playwright

PROGRAMS = ("chromium-headless-shell", "chromium", "google-chrome")
"""Programs in the order of preference: the shell is the same engine without windows, for less memory."""

AT_ONCE = 2
START_SECONDS = 60.0
STOP_SECONDS = 10.0

FLAGS = (
    "--no-sandbox",
    "--no-zygote",
    "--disable-gpu",
    "--disable-dev-shm-usage",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-breakpad",
    # The SDK takes automated browsers for bots, and shows them no variation.
    "--disable-blink-features=AutomationControlled",
)
GUARD = (
    # Nothing is resolved or reached but through the proxy: not even this machine, which Chromium exempts by itself.
    "--proxy-bypass-list=<-loopback>",
    "--host-resolver-rules=MAP * ~NOTFOUND, EXCLUDE 127.0.0.1",
    # No UDP: neither WebRTC nor HTTP/3.
    "--force-webrtc-ip-handling-policy=disable_non_proxied_udp",
    "--disable-quic",
)

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class ChromiumBrowsers:
    """Browsers of a program on this machine, by default the first installed one of `PROGRAMS`."""

    rules: EgressRules
    program: str = ""
    resolve: Resolve = system_resolve
    max_bytes: int = EgressProxy.max_bytes
    guard: Collection[str] = GUARD
    setting: Setting = field(default_factory=Setting)

    @contextmanager
    def open(self, *, may_reach: Collection[str] = ()) -> Iterator["ChromiumBrowser"]:
        program = self.program or next(filter(None, map(shutil.which, PROGRAMS)), None)
        if program is None:
            raise BrowserLostError("no browser is installed: `apt-get install chromium`, or set its path")
        # A crash of the browser would write its whole memory to the disk, which is small.
        resource.setrlimit(resource.RLIMIT_CORE, (0, resource.getrlimit(resource.RLIMIT_CORE)[1]))
        thread = LoopThread("browser")
        proxy = EgressProxy(rules=self.rules, may_reach=may_reach, resolve=self.resolve, max_bytes=self.max_bytes)
        browser = ChromiumBrowser(thread, program, proxy, self.guard, self.setting)
        try:
            browser.start()
            yield browser
        finally:
            try:
                browser.stop()
            finally:
                thread.stop()


@dataclass(eq=False, slots=True)
class _Chromium:
    """Process with the number of its visits, and of those that are open."""

    process: "Process"
    visits: int = 0
    open: int = 0


class ChromiumBrowser:
    """Browser of one job. Thread-safe: two visits are open at once, and others wait."""

    def __init__(
        self, thread: LoopThread, program: str, proxy: EgressProxy, guard: Collection[str], setting: Setting
    ) -> None:
        self._thread = thread
        self._program = program
        self._proxy = proxy
        self._guard = guard
        self._setting = setting
        self._proxy_flag = ""
        self._playwright: Playwright | None = None
        self._current: _Chromium | None = None
        self._turns = threading.BoundedSemaphore(AT_ONCE)
        self._lock = threading.Lock()

    def start(self) -> None:
        """Start the proxy and Playwright. Raises BrowserLostError."""
        self._started(self._start)

    def stop(self) -> None:
        """End all processes, Playwright and the proxy, whatever state they are in."""
        processes.end(processes.sessions_of(self._proxy_flag))
        for last in (self._stop_playwright, self._proxy.stop):
            with suppress(Exception):  # a driver that has ended, or does not respond any more
                self._thread.run(last(), STOP_SECONDS)
        # A browser that was being started meanwhile.
        processes.end(processes.sessions_of(self._proxy_flag))

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
        loading = Loading(url, answers, init_script, seconds)
        with self._turns:
            chromium, visit = self._loaded(loading, viewport)
            try:
                yield visit
            finally:
                self._given_back(chromium, is_reusable=visit.close())

    def _loaded(self, loading: Loading, viewport: Viewport) -> tuple[_Chromium, OpenVisit]:
        """Return a loaded page. Its neighbour may have ended the browser, so it gets a second one."""
        for _ in range(2):
            chromium = self._taken()
            visit = OpenVisit(self._thread, chromium.process, viewport, self._setting, self._proxy.refused)
            try:
                visit.load(loading)
                return chromium, visit
            except BrowserLostError:
                self._given_back(chromium, is_reusable=False)
            except BaseException:
                self._given_back(chromium, is_reusable=visit.close())
                raise
        raise PageFailedError("ended the browser twice, for example because it takes too much memory")

    def _taken(self) -> _Chromium:
        """Return the process for one more visit: a new one after the last one's share, or after its end."""
        with self._lock:
            current = self._current
            if current is None or current.visits >= MAX_VISITS or not current.process.is_connected():
                self._started(self._launch)
                current = self._current
                assert current is not None
            current.visits += 1
            current.open += 1
            return current

    def _given_back(self, chromium: _Chromium, *, is_reusable: bool) -> None:
        """End a process after its last visit. One with a page that does not close gets no more visits."""
        with self._lock:
            chromium.open -= 1
            if not is_reusable:
                chromium.visits = MAX_VISITS
            is_over = chromium.open == 0 and chromium.visits >= MAX_VISITS
            if is_over and chromium is self._current:
                self._current = None
        if is_over:
            self._end(chromium)

    def _end(self, chromium: _Chromium) -> None:
        with suppress(Exception):
            self._thread.run(chromium.process.close(), STOP_SECONDS)
            return
        # It does not end by itself. There is another one only while both have visits; those begin again.
        processes.end(processes.sessions_of(self._proxy_flag))

    def _started(self, start: Callable[[], Coroutine[Any, Any, Result]]) -> Result:
        try:
            return self._thread.run(start(), START_SECONDS)
        except Exception as error:
            raise BrowserLostError(f"the browser did not start: {error}") from error

    async def _start(self) -> None:
        from playwright.async_api import async_playwright

        # Tests leave the guard out, to see that it is what holds pages back. The flag also marks our processes.
        name = "--proxy-server" if self._guard else "--no-proxy-server"
        self._proxy_flag = f"{name}=http://127.0.0.1:{await self._proxy.start()}"
        self._playwright = await async_playwright().start()

    async def _launch(self) -> None:
        assert self._playwright is not None
        flags = [*FLAGS, *self._guard, self._proxy_flag]
        process = await self._playwright.chromium.launch(executable_path=self._program, args=flags)
        self._current = _Chromium(process)

    async def _stop_playwright(self) -> None:
        if self._playwright is not None:
            await self._playwright.stop()
