"""Real browsers that show pages, guarded so that a page reaches only what it may."""

from collections.abc import Callable, Collection, Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass
from typing import Any, Literal, Protocol

from abtest.domain.browsing.viewport import Viewport

MAX_VISITS = 20
"""Visits after which a new browser process takes over, because memory of pages is not all given back."""

MAX_VISIT_SECONDS = 30.0
MAX_PIXELS = 50_000_000
"""Pixels of a picture; a longer page is cut at its lower end."""


CANCELLED = "the browser cancelled the request"
"""Failure of a request that the browser gave up by itself, for example of a film whose first part was enough."""


class PageFailedError(Exception):
    """Page that could not be shown; `reason` ends a sentence about it, for people."""

    def __init__(self, reason: str) -> None:
        super().__init__(reason)
        self.reason = reason


class BrowserLostError(Exception):
    """Browser that did not start, or ended by itself: the work has to be begun again."""


@dataclass(frozen=True, slots=True)
class Fixed:
    """Response to a request of a page without the network."""

    status: int
    headers: Mapping[str, str]
    body: bytes


Answers = Callable[[str], Fixed | None]
"""Response by the absolute URL of a request; None lets the request pass to the network."""


@dataclass(frozen=True, slots=True, kw_only=True)
class PageRequest:
    """Request that a page made. `status` is None without an answer, and `failure` is then the browser's reason."""

    url: str
    method: str
    resource_type: str
    status: int | None
    failure: str | None


@dataclass(frozen=True, slots=True, kw_only=True)
class ConsoleEntry:
    """Entry of the console: an uncaught exception, a violation of the page's policy, or a message of this level."""

    level: Literal["exception", "violation", "error", "warning"]
    text: str
    url: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture:
    """PNG of a page, in pixels of the device; `is_truncated` where the page is longer than a picture may be."""

    png: bytes
    width: int
    height: int
    is_truncated: bool


class Visit(Protocol):
    """Page in a browser, loaded and at rest. Its methods raise PageFailedError and BrowserLostError."""

    @property
    def url(self) -> str:
        """Address of the document after redirects."""
        ...

    @property
    def status(self) -> int:
        """HTTP status of the document."""
        ...

    @property
    def requests(self) -> Sequence[PageRequest]:
        """Requests until now, in their order."""
        ...

    @property
    def console(self) -> Sequence[ConsoleEntry]:
        """Entries of the console until now, in their order."""
        ...

    def evaluate(self, script: str, argument: Any = None) -> Any:
        """Call a JavaScript function in the page with an argument, and return its result; both are JSON."""
        ...

    def resize(self, width: int, height: int) -> None:
        """Give the window another size, in pixels of the page."""
        ...

    def picture(self, *, full_page: bool) -> Picture:
        """Return what the window shows, or the whole page."""
        ...


class Browser(Protocol):
    """Browser of one job. At most two visits are open at once; others wait."""

    def visit(
        self,
        url: str,
        viewport: Viewport,
        *,
        answers: Answers | None = None,
        init_script: str | None = None,
        seconds: float = MAX_VISIT_SECONDS,
    ) -> AbstractContextManager[Visit]:
        """Open a page in a profile of its own, and wait until it is at rest: loaded, its images and fonts shown.

        `init_script` runs in each document before its own scripts. Raises PageFailedError, BrowserLostError.
        """
        ...


class Browsers(Protocol):
    """Source of browsers."""

    def open(self, *, may_reach: Collection[str] = ()) -> AbstractContextManager[Browser]:
        """Start a browser that ends with the context, whatever happens in it. Raises BrowserLostError.

        Its pages reach public addresses. `may_reach` are hosts with ports on this machine that they reach as well,
        where the deployment allows loopback addresses at all.
        """
        ...
