"""Visit of a store: the pages that were read, and the addresses that were not, with the reason."""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Literal, NamedTuple

from abtest.domain.install.verdict import Verdict
from abtest.domain.profiles.page import StorePage
from abtest.domain.profiles.signatures import PageKind
from abtest.kit.clock import Timestamp

Trouble = Literal["disallowed", "unreachable", "refused", "not_html", "too_late"]
"""Why an address was not read: robots.txt forbids it, no complete answer came, it leads to where no request of ours
may go, it gives something else than HTML, or the run had no more time."""


class SeenPage(NamedTuple):
    """Page of a kind, and the verdict on our snippet in it."""

    kind: PageKind
    page: StorePage
    verdict: Verdict


class Missed(NamedTuple):
    """Address without a page; `reason` is a sentence without its period."""

    kind: PageKind
    url: str
    trouble: Trouble
    reason: str
    at: Timestamp


class Sheet(NamedTuple):
    """Style sheet of the home page."""

    url: str
    text: str
    sha256: str
    fetched_at: Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Visit:
    """Result of a run's requests. The first page is the home page; `notes` are sentences about the sitemap."""

    seen: Sequence[SeenPage]
    missed: Sequence[Missed] = ()
    sheets: Sequence[Sheet] = ()
    notes: Sequence[str] = ()
    at: Timestamp

    @property
    def home(self) -> StorePage:
        """Return the home page."""
        return self.seen[0].page

    @property
    def good(self) -> Sequence[StorePage]:
        """Return the pages that answered as pages, from which a store is learned."""
        return [page for _, page, _ in self.seen if page.status < 400]

    def of_kind(self, kind: PageKind) -> Iterator[StorePage]:
        """Yield the good pages of a kind."""
        yield from (page for seen_kind, page, _ in self.seen if seen_kind == kind and page.status < 400)
