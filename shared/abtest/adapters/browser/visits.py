"""Views of pages: loaded, brought to rest, looked at, and closed, each within its time."""

import asyncio
import struct
from collections.abc import Callable, Coroutine, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Literal, TypeVar
from urllib.parse import urlsplit

from abtest.adapters.browser.loop import LoopThread
from abtest.domain.browsing.viewport import Viewport
from abtest.ports.browser import (
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
    from playwright.async_api import BrowserContext, ConsoleMessage, Page, Request, Route

LOCALE, TIME_ZONE = "en-US", "UTC"
REST_SECONDS = 3.0
"""Time that images and fonts have to arrive after the page has loaded."""

CALL_SECONDS = 20.0
"""Time for a call of a script in the page, and for a picture."""

CLOSE_SECONDS = 5.0
MAX_ENTRIES = 1000
"""Requests, and entries of the console, that are kept of one visit; a page can make any number."""

MAX_TEXT = 2000

_REST = """async ([milliseconds]) => {
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


@dataclass(frozen=True, slots=True)
class Settled:
    """Wishes for the loading of a page, see `Browser.visit`."""

    answers: Answers | None
    init_script: str | None
    seconds: float


class OpenVisit:
    """Visit of a page in a profile of its own. `refused` are the proxy's reasons by host and port."""

    def __init__(self, thread: LoopThread, process: "Process", viewport: Viewport, refused: Mapping[str, str]) -> None:
        self._thread = thread
        self._process = process
        self._viewport = viewport
        self._refused = refused
        self._context: BrowserContext | None = None
        self._shown: Page | None = None
        self._status = 0
        self._requests: list[Request] = []
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
        return self._thread.run(self._request_list(), CALL_SECONDS)

    @property
    def console(self) -> Sequence[ConsoleEntry]:
        return tuple(self._console)

    def load(self, url: str, wishes: Settled) -> None:
        """Open the page and wait until it is at rest. Raises PageFailedError, BrowserLostError."""
        late = f"did not load within {wishes.seconds:g} s"
        self._call(self._load(url, wishes), wishes.seconds + CALL_SECONDS, late)

    def evaluate(self, script: str, argument: Any = None) -> Any:
        return self._call(self._page.evaluate(script, argument), CALL_SECONDS)

    def resize(self, width: int, height: int) -> None:
        self._call(self._page.set_viewport_size({"width": width, "height": height}), CALL_SECONDS)

    def picture(self, *, full_page: bool) -> Picture:
        return self._call(self._picture(full_page=full_page), CALL_SECONDS)

    def close(self) -> bool:
        """End the visit. Return False when the page does not let itself be closed, or its browser is gone."""
        if self._context is None:
            return self._process.is_connected()
        try:
            self._thread.run(self._context.close(), CLOSE_SECONDS)
        except Exception:  # the process is ended instead, whatever it was
            return False
        return True

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
        url = text.partition(" at ")[2].partition("\n")[0].strip()
        return PageFailedError(self._reason(url, code) if code else f"failed: {text.splitlines()[0][:MAX_TEXT]}")

    def _reason(self, url: str, code: str) -> str:
        parts = urlsplit(url)
        with suppress(ValueError):
            port = parts.port or (443 if parts.scheme == "https" else 80)
            for name in (f"{parts.hostname}:{port}", parts.netloc):
                if name in self._refused:
                    return self._refused[name]
        if code.startswith(("ERR_CERT", "ERR_SSL")):
            return f"has no valid certificate ({code})"
        return _REASONS.get(code, f"cannot be loaded ({code})")

    async def _load(self, url: str, wishes: Settled) -> None:
        page = await self._opened(wishes)
        async with asyncio.timeout(wishes.seconds):
            # A document of scripts only may load before its navigation is committed; `load` waits for both.
            response = await page.goto(url, wait_until="load", timeout=wishes.seconds * 1000)
            self._status = response.status if response else 0
            with suppress(asyncio.TimeoutError):
                async with asyncio.timeout(REST_SECONDS + CLOSE_SECONDS):
                    await page.evaluate(_REST, [REST_SECONDS * 1000])
            await page.evaluate("1")  # raises when the page does not respond any more

    async def _opened(self, wishes: Settled) -> "Page":
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
            locale=LOCALE,
            timezone_id=TIME_ZONE,
            reduced_motion="reduce",
            accept_downloads=False,
            service_workers="block",
        )
        if wishes.init_script is not None:
            await self._context.add_init_script(wishes.init_script)
        if wishes.answers is not None:
            await self._context.route("**/*", _routed(wishes.answers))
        page = self._shown = await self._context.new_page()
        self._context.on("page", lambda popup: asyncio.ensure_future(_closed(popup)))
        page.on("dialog", lambda dialog: asyncio.ensure_future(dialog.dismiss()))
        page.on("crash", lambda _: self._note_crash())
        page.on("request", lambda request: self._note(self._requests, request))
        page.on("console", self._note_message)
        page.on("pageerror", lambda error: self._note_entry("exception", str(error), ""))
        return page

    def _note_crash(self) -> None:
        self._has_crashed = True

    def _note(self, entries: list[Result], entry: Result) -> None:
        if len(entries) < MAX_ENTRIES:
            entries.append(entry)

    def _note_message(self, message: "ConsoleMessage") -> None:
        if message.type in ("error", "warning"):
            is_violation = "Content Security Policy" in message.text
            level: Literal["violation", "error", "warning"] = "error" if message.type == "error" else "warning"
            self._note_entry("violation" if is_violation else level, message.text, message.location.get("url", ""))

    def _note_entry(self, level: Literal["exception", "violation", "error", "warning"], text: str, url: str) -> None:
        self._note(self._console, ConsoleEntry(level=level, text=text[:MAX_TEXT], url=url[:MAX_TEXT]))

    async def _request_list(self) -> Sequence[PageRequest]:
        return [await self._request(request) for request in tuple(self._requests)]

    async def _request(self, request: "Request") -> PageRequest:
        response = None
        if request.failure is None:
            with suppress(Exception):  # a request whose response is not there yet
                async with asyncio.timeout(0.05):
                    response = await request.response()
        failure = request.failure
        if failure is not None and failure.startswith(_NETWORK):
            failure = self._reason(request.url, failure.removeprefix(_NETWORK))
        return PageRequest(
            url=request.url,
            method=request.method,
            resource_type=request.resource_type,
            status=response.status if response else None,
            failure=failure,
        )

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


async def _closed(popup: "Page") -> None:
    with suppress(Exception):  # it may be gone by itself
        await popup.close()


def _routed(answers: Answers) -> "Callable[[Route], Coroutine[Any, Any, None]]":
    async def handle(route: "Route") -> None:
        answer = answers(route.request.url)
        if answer is None:
            await route.continue_()
        else:
            await route.fulfill(status=answer.status, headers=dict(answer.headers), body=answer.body)

    return handle
