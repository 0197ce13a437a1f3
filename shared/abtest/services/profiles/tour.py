"""Tour of a store: home page, sitemap, pages of each kind, two at once, and the style sheets of the home page."""

import hashlib
from collections.abc import Callable, Iterator, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass, field
from functools import partial

from abtest.domain.install.page import read_page
from abtest.domain.install.verdict import Expected, Verdict, judge
from abtest.domain.preview.charsets import of_style
from abtest.domain.profiles.choice import MAX_SITEMAP_FILES, candidates, chosen, sitemaps_first
from abtest.domain.profiles.page import Answer
from abtest.domain.profiles.page_reader import read_store_page, resolved
from abtest.domain.profiles.runs import RunPage, RunReport
from abtest.domain.profiles.signatures import PageKind
from abtest.domain.profiles.sitemap import read_sitemap
from abtest.domain.profiles.visit import Missed, SeenPage, Sheet, Visit
from abtest.kit.clock import Timestamp
from abtest.services.profiles.visitor import UnreadError, Visitor

AT_ONCE = 2
MAX_SHEETS, MAX_SHEET_ADDRESSES = 3, 20
TOUR_SECONDS = 180.0
"""Seconds after which no further request begins; the function has 300."""

MAX_REASON = 300


class NoStoreError(Exception):
    """Home page that cannot be read; the message is a sentence for the customer."""


@dataclass(slots=True, kw_only=True)
class Tour:
    """One tour. `note` hears of each page; it raises to end the tour."""

    visitor: Visitor
    expected: Expected
    now: Callable[[], Timestamp]
    note: Callable[[RunReport], None]
    _notes: list[str] = field(default_factory=list)
    _pages: list[RunPage] = field(default_factory=list)

    def visit(self, url: str) -> tuple[Visit, RunReport]:
        """Return what the store shows, and the report of all requests. Raises NoStoreError, and what `note` raises."""
        self.visitor.until = self.visitor.clock() + TOUR_SECONDS
        self.note(RunReport(done=0, of=1, url=url))
        home = self._home(url)
        choice = chosen(home.page.url, candidates(home.page, self._located(home.page.url)))
        results = list(self._read_all(choice))
        # A home page without a sitemap may only lead to collections, and these to the products.
        links = [link.url for each in results if isinstance(each, SeenPage) for link in each.page.links]
        results += self._read_all(chosen(home.page.url, links, choice))
        seen = [home, *(each for each in results if isinstance(each, SeenPage))]
        missed = [each for each in results if isinstance(each, Missed)]
        report = RunReport(done=len(self._pages), of=len(self._pages), pages=tuple(self._pages))
        sheets = list(self._sheets(home.page.stylesheets[:MAX_SHEET_ADDRESSES]))
        return Visit(seen=seen, missed=missed, sheets=sheets, notes=self._notes, at=self.now()), report

    def _home(self, url: str) -> SeenPage:
        try:
            answer = self.visitor.open(url)
        except UnreadError as error:
            raise NoStoreError(f"the home page {url} was not read: {error}") from error
        if answer.status >= 400:
            raise NoStoreError(f"the home page {answer.url} answers {answer.status}")
        if not answer.is_html:
            raise NoStoreError(f"the home page {answer.url} is not HTML: {_type_of(answer)}")
        self._pages.append(RunPage(kind="home", url=answer.url, status=answer.status))
        return self._seen("home", answer)

    def _seen(self, kind: PageKind, answer: Answer) -> SeenPage:
        page = read_store_page(answer)
        if kind == "content" and (page.products or page.meta("og:type") == "product"):
            kind = "product"
        return SeenPage(kind, page, self._verdict(answer))

    def _verdict(self, answer: Answer) -> Verdict:
        policy = next((value for name, value in answer.headers if name == "content-security-policy"), "")
        return judge(read_page(answer.body, answer.url), policy, self.expected)

    def _read_all(self, pages: Sequence[tuple[PageKind, str]]) -> Iterator[SeenPage | Missed]:
        """Yield the pages in their order, as they come, two at once."""
        of = len(self._pages) + len(pages)
        pool = ThreadPoolExecutor(AT_ONCE, thread_name_prefix="profile")
        try:
            futures = [pool.submit(partial(self._read, kind, url)) for kind, url in pages]
            for future, (_, url) in zip(futures, pages, strict=True):
                self.note(RunReport(done=len(self._pages), of=of, url=url, pages=tuple(self._pages)))
                result = future.result()
                self._pages.append(_shown(result))
                yield result
        finally:
            # A tour that ends early leaves nothing behind that still requests pages.
            pool.shutdown(cancel_futures=True)

    def _read(self, kind: PageKind, url: str) -> SeenPage | Missed:
        try:
            answer = self.visitor.open(url)
        except UnreadError as error:
            return Missed(kind, url, error.trouble, str(error)[:MAX_REASON], self.now())
        if answer.status < 400 and not answer.is_html:
            return Missed(kind, url, "not_html", f"gives {_type_of(answer)}", answer.fetched_at)
        return self._seen(kind, answer)

    def _located(self, home: str) -> Iterator[str]:
        """Yield the addresses of the sitemaps."""
        robots = self.visitor.robots(home)
        named = [resolved(each, home) for each in robots.sitemaps] if robots else []
        waiting = [url for url in named if url] or [resolved("/sitemap.xml", home)]
        opened: set[str] = set()
        while waiting and len(opened) < MAX_SITEMAP_FILES:
            url = waiting.pop(0)
            opened.add(url)
            answer = self._sitemap(url, is_named=bool(named) or len(opened) > 1)
            if answer is None:
                continue
            sitemap = read_sitemap(answer.body)
            if sitemap.is_cut or not answer.is_whole:
                self._notes.append(f"the sitemap {url} is too large; only its beginning was read")
            if not sitemap.is_index:
                yield from sitemap.locations
                continue
            if opened & set(sitemap.locations):
                self._notes.append(f"the sitemap {url} names itself, or one that names it")
            waiting = sitemaps_first([*waiting, *(each for each in sitemap.locations if each not in opened)])

    def _sitemap(self, url: str, *, is_named: bool) -> Answer | None:
        try:
            answer = self.visitor.open(url)
        except UnreadError as error:
            self._notes.append(f"the sitemap {url} was not read: {error}")
            return None
        if answer.status < 400:
            return answer
        # A store does not need one at the usual address.
        if is_named:
            self._notes.append(f"the sitemap {url} answers {answer.status}")
        return None

    def _sheets(self, urls: Sequence[str]) -> Iterator[Sheet]:
        """Yield style sheets that the shop's own hosts serve; those of others are none of a run's business."""
        left = MAX_SHEETS
        for url in urls:
            if not left:
                return
            try:
                answer = self.visitor.open(url)
            except UnreadError as error:
                # Most stores name those of other hosts first, which cost no request.
                left -= error.trouble != "refused"
                continue
            left -= 1
            if answer.status < 400 and "css" in answer.content_type.lower():
                text = answer.body.decode(of_style(answer.body, answer.content_type).codec, "replace")
                yield Sheet(answer.url, text, hashlib.sha256(answer.body).hexdigest(), answer.fetched_at)


def _shown(result: SeenPage | Missed) -> RunPage:
    if isinstance(result, Missed):
        return RunPage(kind=result.kind, url=result.url, problem=result.reason)
    return RunPage(kind=result.kind, url=result.page.url, status=result.page.status)


def _type_of(answer: Answer) -> str:
    return answer.content_type.partition(";")[0].strip()[:60] or "a response without a content type"
