"""Page of a store: what a profile needs of it, and quotations from it."""

import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import NamedTuple

from abtest.kit.clock import Timestamp
from abtest.kit.markup import clean

MAX_TEXT = 300
MAX_EXCERPT = 500
_SPACE = re.compile(r"\s+")


@dataclass(frozen=True, slots=True)
class Script:
    """Script with an address; `waits` is whether the page is parsed meanwhile."""

    url: str
    waits: bool


@dataclass(frozen=True, slots=True)
class Link:
    """Link of a page to an address, with its text."""

    url: str
    text: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Response for an address after its redirects, as far as the limits allowed."""

    url: str
    status: int
    content_type: str
    body: bytes
    is_whole: bool
    headers: tuple[tuple[str, str], ...]
    cookies: tuple[str, ...]
    fetched_at: Timestamp

    @property
    def is_html(self) -> bool:
        """Return whether the response is a page: declared as one, or undeclared with a tag in it."""
        kind = self.content_type.partition(";")[0].strip().lower()
        return kind in ("text/html", "application/xhtml+xml") or (not kind and b"<" in self.body[:512])


class Clue(NamedTuple):
    """Quotation that supports a statement: the address and hash of its source, and when that was fetched."""

    url: str
    excerpt: str
    sha256: str
    fetched_at: Timestamp


@dataclass(slots=True, kw_only=True)
class StorePage:
    """Contents of a page. Addresses are absolute; names of metas and headers are in lower case."""

    url: str
    status: int
    fetched_at: Timestamp
    sha256: str
    bytes: int
    is_whole: bool
    headers: tuple[tuple[str, str], ...]
    cookies: tuple[str, ...]
    title: str = ""
    language: str = ""
    has_elements: bool = False
    metas: list[tuple[str, str]] = field(default_factory=list)
    alternates: list[tuple[str, str]] = field(default_factory=list)
    """Languages and addresses of the same page in other languages (hreflang)."""
    icons: list[str] = field(default_factory=list)
    scripts: list[Script] = field(default_factory=list)
    inline: list[str] = field(default_factory=list)
    stylesheets: list[str] = field(default_factory=list)
    styles: list[str] = field(default_factory=list)
    loaded: list[str] = field(default_factory=list)
    """Addresses that the page loads: scripts, styles, images, frames."""
    links: list[Link] = field(default_factory=list)
    headings: list[str] = field(default_factory=list)
    buttons: list[str] = field(default_factory=list)
    images: int = 0
    images_without_alternative: list[str] = field(default_factory=list)
    logos: list[str] = field(default_factory=list)
    marks: list[str] = field(default_factory=list)
    """Ids (`#id`), names of data attributes, and types of scripts (`type=…`), each once."""
    body_class: str = ""
    data: list[Mapping[str, object]] = field(default_factory=list)
    """Objects of structured data, nested ones as well."""
    currencies: list[str] = field(default_factory=list)
    text: str = ""

    def meta(self, name: str) -> str:
        """Return the content of the first meta element of a name or property; "" without one."""
        return next((content for key, content in self.metas if key == name), "")

    def header(self, name: str) -> str:
        """Return the value of a header; "" without it."""
        return next((value for key, value in self.headers if key == name), "")

    def clue(self, excerpt: str) -> Clue:
        """Return a quotation from the page."""
        return Clue(self.url, words_of(excerpt, MAX_EXCERPT), self.sha256, self.fetched_at)

    @property
    def products(self) -> list[Mapping[str, object]]:
        """Return the products of the structured data."""
        return [each for each in self.data if "Product" in types_of(each) or "ProductGroup" in types_of(each)]


def types_of(item: Mapping[str, object]) -> Sequence[str]:
    """Return the types of an object of structured data, without the address of the vocabulary."""
    declared = item.get("@type")
    types = declared if isinstance(declared, list) else [declared]
    return [each.rpartition("/")[2] for each in types if isinstance(each, str)]


def words_of(text: str, limit: int = MAX_TEXT) -> str:
    """Return a text on one line, without characters that no text may have, cut to a length."""
    return clean(_SPACE.sub(" ", text[: limit * 4]).strip()[:limit])
