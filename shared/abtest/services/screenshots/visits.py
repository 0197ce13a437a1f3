"""Visits of pages for their pictures: with the snippet that shows one variation, or without any experiment."""

from collections.abc import Callable
from dataclasses import dataclass, field
from urllib.parse import urlsplit

from abtest.domain.screenshots.order import ScreenshotOrder, Shot
from abtest.ports.browser import Browser, Fixed, PageFailedError, Picture
from abtest.services.publication.preview_snippets import PreviewSnippet

SnippetOf = Callable[[str, str, str], PreviewSnippet]
"""Snippet that shows a variation: of a shop, an experiment, a variation. Raises NotFoundError."""

NO_EXPERIMENT = PreviewSnippet(text="/* no experiment is shown in this picture */", files={})
EVENTS_PATH = "/_svc/events"

_HEADERS = {"cache-control": "no-store", "access-control-allow-origin": "*"}
_SCRIPT = "text/javascript; charset=utf-8"
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
    _snippets: dict[str, PreviewSnippet] = field(default_factory=dict)

    def picture(self, shot: Shot) -> Picture:
        """Return the picture of a shot. Raises PageFailedError, BrowserLostError, NotFoundError."""
        snippet = self._snippet(shot)
        if snippet is NO_EXPERIMENT or shot.url not in self._without_snippet:
            picture, has_snippet = self._visited(shot, snippet, is_injected=False)
            if snippet is NO_EXPERIMENT or has_snippet:
                return picture
            self._without_snippet.add(shot.url)
        return self._visited(shot, snippet, is_injected=True)[0]

    def _snippet(self, shot: Shot) -> PreviewSnippet:
        # The shop's own snippet would show its experiments by chance, and count the browser as a visitor.
        if self.order.experiment_id is None or shot.variation_id is None:
            return NO_EXPERIMENT
        if shot.variation_id not in self._snippets:
            made = self.snippet_of(self.shop_id, self.order.experiment_id, shot.variation_id)
            self._snippets[shot.variation_id] = made
        return self._snippets[shot.variation_id]

    def _visited(self, shot: Shot, snippet: PreviewSnippet, *, is_injected: bool) -> tuple[Picture, bool]:
        """Return the picture, and whether the page loaded the shop's snippet."""
        requested = list[str]()

        def answer(url: str) -> Fixed | None:
            path = urlsplit(url).path
            folder, _, name = path.rpartition("/")
            if path == EVENTS_PATH:
                return Fixed(204, {}, b"")
            if path.endswith(f"/s/{self.shop_id}.js"):
                requested.append(url)
                text = NO_EXPERIMENT.text if is_injected else snippet.text
                return Fixed(200, {**_HEADERS, "content-type": _SCRIPT}, text.encode())
            if name in snippet.files and folder.endswith(f"/s/{self.shop_id}"):
                file = snippet.files[name]
                return Fixed(200, {**_HEADERS, "content-type": file.content_type}, file.content)
            return None

        script = _EARLY % snippet.text if is_injected else None
        with self.browser.visit(shot.url, shot.viewport, answers=answer, init_script=script) as visit:
            if visit.status >= 400:
                raise PageFailedError(f"answers {visit.status}")
            return visit.picture(full_page=self.order.full_page), bool(requested)
