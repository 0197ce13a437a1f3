"""Browser whose pages are scripted: each is a plain picture of the window, in the color of what its snippet shows."""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from hashlib import sha256
from threading import Lock
from typing import Any

from PIL import Image

from abtest.domain.browsing.viewport import Viewport
from abtest.ports.browser import Answers, Browser, PageFailedError, Picture, Visit
from tests.support.media import encoded

SHOP_SNIPPET = "https://edge.test/s/{shop_id}.js"
PAGE_HEIGHT = 2
"""Heights of the window that a whole page has."""


@dataclass(frozen=True)
class ScriptedPage:
    """Behaviour of a page: its status, whether it loads the shop's snippet, why it fails, what happens on its way."""

    status: int = 200
    has_snippet: bool = True
    failure: str | None = None
    happens: Callable[[], object] = lambda: None


@dataclass(frozen=True)
class Visited:
    """One visit: its address and window, the text of the snippet that the page loaded, the script before the page."""

    url: str
    viewport: Viewport
    snippet: str | None
    init_script: str | None


def color_of(script: str | None) -> tuple[int, int, int]:
    """Return the color of a page that ran a script."""
    digest = sha256((script or "").encode()).digest()
    return digest[0], digest[1], digest[2]


class _ScriptedVisit:
    def __init__(self, url: str, status: int, viewport: Viewport, script: str | None) -> None:
        self.url, self.status, self._viewport, self._script = url, status, viewport, script
        self.requests: Any = ()
        self.console: Any = ()

    def evaluate(self, script: str, argument: Any = None) -> Any:
        raise NotImplementedError(script, argument)

    def resize(self, width: int, height: int) -> None:
        self._viewport = Viewport(width, height, self._viewport.device_scale, self._viewport.touch)

    def picture(self, *, full_page: bool) -> Picture:
        scale = self._viewport.device_scale
        width = self._viewport.width * scale
        height = self._viewport.height * scale * (PAGE_HEIGHT if full_page else 1)
        png = encoded(Image.new("RGB", (width, height), color_of(self._script)), "PNG")
        return Picture(png=png, width=width, height=height, is_truncated=False)


@dataclass
class ScriptedBrowsers:
    """Browsers of tests. Addresses without a script are pages with the shop's snippet."""

    shop_id: str
    pages: dict[str, ScriptedPage] = field(default_factory=dict)
    visits: list[Visited] = field(default_factory=list)
    reachable: list[frozenset[str]] = field(default_factory=list)
    most_at_once: int = 0
    _open: int = 0
    _lock: Lock = field(default_factory=Lock)

    @contextmanager
    def open(self, *, may_reach: Collection[str] = ()) -> Iterator[Browser]:
        self.reachable.append(frozenset(may_reach))
        yield self

    @contextmanager
    def visit(
        self,
        url: str,
        viewport: Viewport,
        *,
        answers: Answers | None = None,
        init_script: str | None = None,
        seconds: float = 30.0,
    ) -> Iterator[Visit]:
        assert seconds > 0
        page = self.pages.get(url, ScriptedPage())
        with self._lock:
            self._open += 1
            self.most_at_once = max(self.most_at_once, self._open)
        try:
            page.happens()
            if page.failure is not None:
                raise PageFailedError(page.failure)
            snippet = self._snippet(answers) if page.has_snippet else None
            with self._lock:
                self.visits.append(Visited(url, viewport, snippet, init_script))
            yield _ScriptedVisit(url, page.status, viewport, init_script or snippet)
        finally:
            with self._lock:
                self._open -= 1

    def _snippet(self, answers: Answers | None) -> str | None:
        assert answers is not None
        assert answers("https://shop.example/theme.css") is None
        fixed = answers(SHOP_SNIPPET.format(shop_id=self.shop_id))
        return None if fixed is None else fixed.body.decode()
