"""Visits of pages for their pictures: with the snippet that shows one variation, or without any experiment."""

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from abtest.domain.screenshots.order import ScreenshotOrder, Shot
from abtest.ports.browser import Browser, Fixed, PageFailedError, Picture

PAGE_SECONDS = 30.0

SnippetOf = Callable[[str, str, str], str]
"""Text of the snippet that shows a variation: of a shop, an experiment, a variation. Raises NotFoundError."""

_NOTHING = "/* no experiment is shown in this picture */"
_HEADERS = {"content-type": "text/javascript; charset=utf-8", "cache-control": "no-store"}
# A script that runs before the page may find no element to add its styles to, and also runs in frames.
_EARLY = """\
if (window.top === window) {
  var run = function () {
%s
  };
  if (document.documentElement) run();
  else new MutationObserver(function (_, observer) {
    if (document.documentElement) { observer.disconnect(); run(); }
  }).observe(document, {childList: true});
}"""


@dataclass(frozen=True, slots=True, kw_only=True)
class Visits:
    """Visits of one job, which several threads may make at once."""

    browser: Browser
    shop_id: str
    order: ScreenshotOrder
    snippet_of: SnippetOf
    _without_snippet: set[str] = field(default_factory=set)
    _snippets: dict[str, str] = field(default_factory=dict)

    def picture(self, shot: Shot) -> Picture:
        """Return the picture of a shot. Raises PageFailedError, NotFoundError."""
        snippet = self._snippet(shot)
        if snippet == _NOTHING or shot.url not in self._without_snippet:
            picture, has_snippet = self._visited(shot, snippet, is_injected=False)
            if snippet == _NOTHING or has_snippet:
                return picture
            self._without_snippet.add(shot.url)
        return self._visited(shot, snippet, is_injected=True)[0]

    def _snippet(self, shot: Shot) -> str:
        # Shops that take pictures of each other, or of themselves without an experiment, must not count as visitors.
        if self.order.experiment_id is None or shot.variation_id is None:
            return _NOTHING
        if shot.variation_id not in self._snippets:
            text = self.snippet_of(self.shop_id, self.order.experiment_id, shot.variation_id)
            self._snippets[shot.variation_id] = text
        return self._snippets[shot.variation_id]

    def _visited(self, shot: Shot, snippet: str, *, is_injected: bool) -> tuple[Picture, bool]:
        """Return the picture, and whether the page loaded the shop's snippet."""
        requested = list[str]()

        def answer(url: str) -> Fixed | None:
            if not urlsplit(url).path.endswith(f"/s/{self.shop_id}.js"):
                return None
            requested.append(url)
            return Fixed(200, _HEADERS, (_NOTHING if is_injected else snippet).encode())

        script = _EARLY % snippet if is_injected else None
        with self.browser.visit(
            shot.url, shot.viewport, answers=answer, init_script=script, seconds=PAGE_SECONDS
        ) as visit:
            if visit.status >= 400:
                raise PageFailedError(f"answers {visit.status}")
            return visit.picture(full_page=self.order.full_page), bool(requested)
