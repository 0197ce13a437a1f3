"""Views of pages: loaded, brought to rest, looked at, and closed, each within its time."""

import asyncio
import logging
import struct
from collections.abc import Callable, Coroutine, Iterator, Mapping, Sequence
from contextlib import contextmanager, suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from abtest.adapters.browser.loop import LoopThread
from abtest.domain.browsing.viewport import Viewport
from abtest.ports.browser import (
    CANCELLED,
    MAX_PIXELS,
    Answers,
    BrowserLostError,
    ConsoleEntry,
    PageFailedError,
    PageRequest,
    Picture,
)

if TYPE_CHECKING:
    from playwright.async_api import Browser as Process
    from playwright.async_api import BrowserContext, ConsoleMessage, Page, Request, Response, Route

REST_SECONDS = 3.0
"""Time that images and fonts have to arrive after the page has loaded."""

CALL_SECONDS = 20.0
"""Time for a call of a script in the page, and for a picture."""

CLOSE_SECONDS = 5.0
MAX_ENTRIES = 1000
"""Requests, and entries of the console, that are kept of one visit; a page can make any number."""

MAX_TEXT = 2000
MAX_NAVIGATIONS = 5
"""Pages that a page may lead to by itself, by a script or a refresh."""

_REST = """async milliseconds => {
  const until = new Promise(done => setTimeout(done, milliseconds));
  for (const image of document.querySelectorAll('img[loading=lazy], iframe[loading=lazy]')) image.loading = 'eager';
  const step = Math.max(200, innerHeight), frame = () => new Promise(done => setTimeout(done, 20));
  for (let top = 0, steps = 0; top < document.documentElement.scrollHeight && steps < 60; top += step, steps++) {
    scrollTo(0, top);
    await frame();
  }
  scrollTo(0, 0);
  const shown = [...document.images].map(image => image.complete || new Promise(done => {
    image.addEventListener('load', done);
    image.addEventListener('error', done);
  }));
  await Promise.race([until, Promise.all([document.fonts.ready, ...shown])]);
  await Promise.race([until, new Promise(done => requestAnimationFrame(() => requestAnimationFrame(done)))]);
}"""
_SIZE = """() => {
  const root = document.documentElement, body = document.body;
  return [innerWidth, Math.max(root.scrollHeight, body ? body.scrollHeight : 0, innerHeight)];
}"""
_NAVIGATED = ("interrupted by another navigation", "Execution context was destroyed", "Cannot find context")
_NETWORK = "net::"
_REASONS: Mapping[str, str] = {
    "ERR_NAME_NOT_RESOLVED": "does not resolve",
    "ERR_CONNECTION_REFUSED": "does not answer: the connection was refused",
    "ERR_CONNECTION_CLOSED": "closed the connection before a complete response",
    "ERR_CONNECTION_RESET": "closed the connection before a complete response",
    "ERR_EMPTY_RESPONSE": "closed the connection before a complete response",
    "ERR_TOO_MANY_REDIRECTS": "redirects too often",
    "ERR_ABORTED": "is a download, not a page",
    "ERR_TUNNEL_CONNECTION_FAILED": "cannot be reached",
    "ERR_INVALID_RESPONSE": "did not send a valid response",
}
"""Ends of sentences about a page by the browser's code of a failure."""

Result = TypeVar("Result")
_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Setting:
    """Language and time zone of the browser: the same for every picture, so that pictures can be compared."""

    locale: str = "en-US"
    time_zone: str = "UTC"


@dataclass(frozen=True, slots=True)
class Loading:
    """Page to be loaded, see `Browser.visit`."""

    url: str
    answers: Answers | None
    init_script: str | None
    seconds: float


class OpenVisit:
    """Visit of a page in a profile of its own. `refused` are the proxy's reasons by host and port."""

    def __init__(
        self,
        thread: LoopThread,
        process: "Process",
        viewport: Viewport,
        setting: Setting,
        refused: Mapping[str, str],
    ) -> None:
        self._thread = thread
        self._process = process
        self._viewport = viewport
        self._setting = setting
        self._refused = refused
        self._context: BrowserContext | None = None
        self._shown: Page | None = None
        self._status = 0
        self._document = ""
        """Address of the document that is being loaded, which after a redirect is not the one that was given."""
        self._requests: dict[Request, PageRequest] = {}
        self._console: list[ConsoleEntry] = []
        self._has_crashed = False

    @property
    def url(self) -> str:
        return self._page.url

    @property
    def status(self) -> int:
        return self._status

    @property
    def requests(self) -> Sequence[PageRequest]:
        return tuple(self._requests.copy().values())  # one step, while the other thread adds to them

    @property
    def console(self) -> Sequence[ConsoleEntry]:
        return tuple(self._console)

    def load(self, loading: Loading) -> None:
        """Open the page and wait until it is at rest. Raises PageFailedError, BrowserLostError."""
        if urlsplit(loading.url).scheme not in ("http", "https"):  # files of this machine, for example
            raise PageFailedError("has an address that does not begin with https://")
        self._call(self._load(loading), loading.seconds, f"did not load within {loading.seconds:g} s")

    def evaluate(self, script: str, argument: Any = None) -> Any:
        return self._call(self._page.evaluate(script, argument), CALL_SECONDS)

    def resize(self, width: int, height: int) -> None:
        self._call(self._page.set_viewport_size({"width": width, "height": height}), CALL_SECONDS)

    def picture(self, *, full_page: bool) -> Picture:
        return self._call(self._picture(full_page=full_page), CALL_SECONDS)

    def close(self) -> bool:
        """End the visit. Return False when the page does not let itself be closed, or its browser is gone."""
        try:
            if self._context is not None:
                self._thread.run(self._context.close(), CLOSE_SECONDS)
        except Exception:  # the process is ended instead, whatever it was
            return False
        return self._process.is_connected()

    @property
    def _page(self) -> "Page":
        assert self._shown is not None
        return self._shown

    def _call(
        self,
        work: Coroutine[Any, Any, Result],
        seconds: float,
        late: str = "does not respond: one of its scripts does not end",
    ) -> Result:
        """Return the result of work in the page. Raises PageFailedError, BrowserLostError."""
        from playwright.async_api import Error

        try:
            return self._thread.run(work, seconds)
        except TimeoutError as error:
            raise PageFailedError(late) from error
        except Error as error:
            raise self._failure(error, late) from error

    def _failure(self, error: Exception, late: str) -> Exception:
        text = str(error)
        if self._has_crashed or "Page crashed" in text:
            return PageFailedError("crashed the browser's tab, for example because it takes too much memory")
        if not self._process.is_connected():
            return BrowserLostError("the browser ended")
        if "Timeout" in text:
            return PageFailedError(late)
        if "Download is starting" in text:
            return PageFailedError("is a download, not a page")
        code = text.partition(_NETWORK)[2].partition(" ")[0].partition("\n")[0]
        return PageFailedError(
            self._reason(self._document, code) if code else f"failed: {text.splitlines()[0][:MAX_TEXT]}"
        )

    def _reason(self, url: str, code: str) -> str:
        parts = urlsplit(url)
        with suppress(ValueError):
            port = parts.port or (443 if parts.scheme == "https" else 80)
            if (host := f"{parts.hostname}:{port}") in self._refused:
                return self._refused[host]
        if code.startswith(("ERR_CERT", "ERR_SSL")):
            return f"has no valid certificate ({code})"
        return _REASONS.get(code, f"cannot be loaded ({code})")

    async def _load(self, loading: Loading) -> None:
        from playwright.async_api import Error
        from playwright.async_api import TimeoutError as StillLoading

        page = await self._opened(loading)
        with _ignoring(Error, _NAVIGATED):
            await page.goto(loading.url, wait_until="domcontentloaded", timeout=loading.seconds * 1000)
        for _ in range(MAX_NAVIGATIONS):
            with _ignoring(Error, _NAVIGATED):
                # One resource that never arrives, such as a tracking pixel, must not cost the whole picture.
                with suppress(StillLoading):
                    await page.wait_for_load_state("load", timeout=loading.seconds * 500)
                await page.evaluate(_REST, REST_SECONDS * 1000)
                return
        raise PageFailedError("does not come to rest: it keeps loading other pages")

    async def _opened(self, loading: Loading) -> "Page":
        major = self._process.version.partition(".")[0]
        platform = "Linux; Android 10; K" if self._viewport.touch else "X11; Linux x86_64"
        mobile = "Mobile " if self._viewport.touch else ""
        self._context = await self._process.new_context(
            viewport={"width": self._viewport.width, "height": self._viewport.height},
            device_scale_factor=self._viewport.device_scale,
            has_touch=self._viewport.touch,
            is_mobile=self._viewport.touch,
            # Pages and their filters see the browser that shoppers have.
            user_agent=f"Mozilla/5.0 ({platform}) AppleWebKit/537.36 (KHTML, like Gecko) "
            f"Chrome/{major}.0.0.0 {mobile}Safari/537.36",
            locale=self._setting.locale,
            timezone_id=self._setting.time_zone,
            reduced_motion="reduce",
            accept_downloads=False,
            service_workers="block",
        )
        if loading.init_script is not None:
            await self._context.add_init_script(loading.init_script)
        if loading.answers is not None:
            await self._context.route("**/*", _routed(loading.answers))
        page = self._shown = await self._context.new_page()
        self._context.on("page", lambda popup: asyncio.ensure_future(_closed(popup)))
        page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.dismiss()))
        page.on("crash", lambda _: self._note_crash())
        page.on("request", self._note_request)
        page.on("request", self._note_document)
        page.on("response", self._note_response)
        page.on("requestfailed", lambda request: self._note_request(request, failure=request.failure or ""))
        page.on("console", self._note_message)
        page.on("pageerror", lambda error: self._note_entry("exception", str(error), ""))
        return page

    def _note_crash(self) -> None:
        self._has_crashed = True

    def _note_request(self, request: "Request", status: int | None = None, failure: str | None = None) -> None:
        if request not in self._requests and len(self._requests) >= MAX_ENTRIES:
            return
        if failure == f"{_NETWORK}ERR_ABORTED":
            failure = CANCELLED
        elif failure is not None and failure.startswith(_NETWORK):
            failure = self._reason(request.url, failure.removeprefix(_NETWORK))
        # A request that fails may have a response: a script that is answered with an error.
        if status is None and request in self._requests:
            status = self._requests[request].status
        self._requests[request] = PageRequest(
            url=request.url[:MAX_TEXT],
            method=request.method,
            resource_type=request.resource_type,
            status=status,
            failure=failure,
        )

    def _note_document(self, request: "Request") -> None:
        if request.is_navigation_request() and request.frame == self._page.main_frame:
            self._document = request.url

    def _note_response(self, response: "Response") -> None:
        self._note_request(response.request, status=response.status)
        if response.request.is_navigation_request() and response.frame == self._page.main_frame:
            self._status = response.status

    def _note_message(self, message: "ConsoleMessage") -> None:
        if message.type in ("error", "warning"):
            is_violation = "Content Security Policy" in message.text
            level: Literal["violation", "error", "warning"] = "error" if message.type == "error" else "warning"
            self._note_entry("violation" if is_violation else level, message.text, message.location.get("url", ""))

    def _note_entry(self, level: Literal["exception", "violation", "error", "warning"], text: str, url: str) -> None:
        if len(self._console) < MAX_ENTRIES:
            self._console.append(ConsoleEntry(level=level, text=text[:MAX_TEXT], url=url[:MAX_TEXT]))

    async def _picture(self, *, full_page: bool) -> Picture:
        scale, (width, height) = self._viewport.device_scale, (self._viewport.width, self._viewport.height)
        is_truncated = False
        if full_page:
            width, length = await self._page.evaluate(_SIZE)
            height = min(length, MAX_PIXELS // (scale * scale * max(1, width)))
            is_truncated = height < length
            clip = {"x": 0, "y": 0, "width": width, "height": height}
            png = await self._page.screenshot(full_page=True, clip=clip, timeout=CALL_SECONDS * 1000)  # type: ignore[arg-type]
        else:
            png = await self._page.screenshot(timeout=CALL_SECONDS * 1000)
        # The header of a PNG has its size in bytes 16 to 23 (ISO/IEC 15948, section 11.2.2).
        width, height = struct.unpack(">II", png[16:24])
        return Picture(png=png, width=width, height=height, is_truncated=is_truncated)


@contextmanager
def _ignoring(error: type[Exception], signs: Sequence[str]) -> Iterator[None]:
    """Suppress errors of this type whose text has one of the signs."""
    try:
        yield
    except error as raised:
        if not any(sign in str(raised) for sign in signs):
            raise


async def _closed(popup: "Page") -> None:
    with suppress(Exception):  # it may be gone by itself
        await popup.close()


def _routed(answers: Answers) -> "Callable[[Route], Coroutine[Any, Any, None]]":
    async def handle(route: "Route") -> None:
        try:
            # In a thread: an answer may be read from storage, and the proxy must not stand still meanwhile.
            answer = await asyncio.to_thread(answers, route.request.url)
        except Exception:
            _log.exception("browser.answer_failed")
            await route.abort()
            return
        if answer is None:
            await route.continue_()
        else:
            await route.fulfill(status=answer.status, headers=dict(answer.headers), body=answer.body)

    return handle
