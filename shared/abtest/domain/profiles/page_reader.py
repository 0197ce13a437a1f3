"""One pass over the HTML of a page. Everything that is taken is bounded, whatever the page sends."""

import hashlib
import re
from collections.abc import Container, Iterator
from itertools import islice
from typing import TypeVar

from ada_url import URL
from turbohtml import Element, Node, parse

from abtest.domain.preview.charsets import of_page
from abtest.domain.profiles.page import MAX_TEXT, Answer, Link, Script, StorePage, words_of
from abtest.domain.profiles.structured_data import objects_in

T = TypeVar("T")

MAX_TAGS = 60_000
"""Opening signs of a page that are read; what comes behind them is cut off."""

MAX_INLINE, MAX_SCRIPT = 256 * 1024, 64 * 1024
"""Characters of all scripts and styles in a page, and of one of them."""

MAX_ITEMS = 400
"""Elements of one kind that are kept."""

MAX_MARKS, MAX_ATTRIBUTES = 1600, 100
"""Ids and names of attributes that are kept, and attributes of an element that are looked at."""

MAX_WORDS = 4_000_000
"""Characters of links, buttons and headings that are read: nested ones repeat the text inside of them."""

MAX_ADDRESS = 2048
_DATA_TYPES = frozenset({"application/ld+json", "application/json", "importmap", "speculationrules"})
_SCRIPT_TYPES = frozenset({"", "text/javascript", "application/javascript", "module"})
_NOT_READ = frozenset({"noscript", "template", "svg", "math"})
_NOT_TEXT = _NOT_READ | {"script", "style"}
_HEADINGS = frozenset({"h1", "h2", "h3"})
_BUTTON_CLASS = re.compile(r"\b(btn|button|cta)\b|(^|[\s_-])(btn|button|cta)([\s_-]|$)", re.IGNORECASE)


def read_store_page(answer: Answer) -> StorePage:
    """Return what a response shows. A response that is not HTML gives a page without elements."""
    page = StorePage(
        url=answer.url,
        status=answer.status,
        fetched_at=answer.fetched_at,
        sha256=hashlib.sha256(answer.body).hexdigest(),
        bytes=len(answer.body),
        is_whole=answer.is_whole,
        headers=tuple((name, words_of(value)) for name, value in answer.headers[:MAX_ITEMS]),
        cookies=tuple(dict.fromkeys(words_of(each.partition("=")[0], 100) for each in answer.cookies[:100])),
    )
    if answer.is_html:
        text = answer.body.decode(of_page(answer.body, answer.content_type).codec, "replace")
        _Reader(page).read(_cut(text))
    return page


def _cut(text: str) -> str:
    """Return the text up to the last tag that is read."""
    if text.count("<") <= MAX_TAGS:
        return text
    return text[: next(islice((match.start() for match in re.finditer("<", text)), MAX_TAGS, None))]


class _Reader:
    """One pass over the elements of a page."""

    def __init__(self, page: StorePage) -> None:
        self._page = page
        self._base = page.url
        self._room = MAX_INLINE
        self._marks: dict[str, None] = {}
        self._currencies: dict[str, None] = {}
        self._texts: list[str] = []
        self._text_room = MAX_SCRIPT
        self._words_room = MAX_WORDS

    def read(self, text: str) -> None:
        """Read a document."""
        page = self._page
        # With scripts, as browsers read it: `noscript` is text, and does not end the head.
        for element in _elements(parse(text, scripting=True)):
            self._mark(element)
            if take := _TAKERS.get(element.tag):
                take(self, element)
        page.marks = list(self._marks)
        page.has_elements = "<" in text
        page.currencies = list(self._currencies)
        page.text = " ".join(self._texts)

    def _mark(self, element: Element) -> None:
        for name, value in islice(element.attrs.items(), MAX_ATTRIBUTES):
            if name == "id" and value:
                self._add_mark(f"#{value}")
            elif name.startswith(("data-", "x-", "ng-", "hx-")):
                self._add_mark(name)
            elif name == "itemprop" and value == "priceCurrency":
                self._currency(_attribute(element, "content"))

    def _add_mark(self, mark: str) -> None:
        if len(self._marks) < MAX_MARKS:
            self._marks[mark[:100]] = None

    def html(self, element: Element) -> None:
        self._page.language = _attribute(element, "lang")[:35]

    def body(self, element: Element) -> None:
        self._page.body_class = _attribute(element, "class")[: MAX_TEXT * 4]
        for piece in _texts(element):
            if self._text_room <= 0:
                break
            words = words_of(piece, self._text_room)
            self._text_room -= len(words) + 1
            self._texts.append(words)

    def title(self, element: Element) -> None:
        self._page.title = self._page.title or self._words(element)

    def base(self, element: Element) -> None:
        if self._base == self._page.url:
            self._base = self._resolved(element, "href") or self._base

    def meta(self, element: Element) -> None:
        name = (_attribute(element, "name") or _attribute(element, "property")).strip().lower()
        content = words_of(_attribute(element, "content"))
        if name and len(self._page.metas) < MAX_ITEMS:
            self._page.metas.append((name[:100], content))
        if name in ("product:price:currency", "og:price:currency"):
            self._currency(content)

    def link(self, element: Element) -> None:
        page, kinds, url = self._page, _attribute(element, "rel").lower().split(), self._resolved(element, "href")
        if not url:
            return
        if "stylesheet" in kinds:
            _add(page.stylesheets, url)
            _add(page.loaded, url)
        if "alternate" in kinds and (language := _attribute(element, "hreflang")):
            _add(page.alternates, (language[:35], url))
        if "icon" in kinds or "apple-touch-icon" in kinds:
            _add(page.icons, url)

    def script(self, element: Element) -> None:
        page, kind = self._page, _attribute(element, "type").strip().lower()
        if kind not in _SCRIPT_TYPES:
            self._add_mark(f"type={kind}")
        if url := self._resolved(element, "src"):
            waits = kind == "module" or "async" in element.attrs or "defer" in element.attrs
            _add(page.scripts, Script(url, waits))
            _add(page.loaded, url)
        elif kind == "application/ld+json":
            self._structured(element.text)
        elif kind not in _DATA_TYPES and (text := self._kept(element.text)):
            page.inline.append(text)

    def style(self, element: Element) -> None:
        if text := self._kept(element.text):
            self._page.styles.append(text)

    def image(self, element: Element) -> None:
        page, url = self._page, self._resolved(element, "src")
        page.images += 1
        if url:
            _add(page.loaded, url)
        # An empty alternative is right for a picture that only decorates; a missing one is not.
        if "alt" not in element.attrs and _attribute(element, "role") not in ("presentation", "none"):
            _add(page.images_without_alternative, url)
        names = f"{_attribute(element, 'class')} {_attribute(element, 'id')} {_attribute(element, 'alt')} {url}"
        if url and "logo" in names.lower():
            _add(page.logos, url)

    def frame(self, element: Element) -> None:
        if url := self._resolved(element, "src"):
            _add(self._page.loaded, url)

    def anchor(self, element: Element) -> None:
        text = self._words(element)
        if url := self._resolved(element, "href"):
            _add(self._page.links, Link(url, text))
        if text and _BUTTON_CLASS.search(_attribute(element, "class")):
            _add(self._page.buttons, text)

    def button(self, element: Element) -> None:
        if text := self._words(element):
            _add(self._page.buttons, text)

    def input(self, element: Element) -> None:
        text = words_of(_attribute(element, "value"))
        if text and _attribute(element, "type").lower() == "submit":
            _add(self._page.buttons, text)

    def heading(self, element: Element) -> None:
        if text := self._words(element):
            _add(self._page.headings, text)

    def _structured(self, text: str) -> None:
        for item in islice(objects_in(text), MAX_ITEMS):
            _add(self._page.data, item)
            self._currency(item.get("priceCurrency"))

    def _currency(self, code: object) -> None:
        if isinstance(code, str) and re.fullmatch("[A-Z]{3}", code.strip()) and len(self._currencies) < MAX_ITEMS:
            self._currencies[code.strip()] = None

    def _words(self, element: Element) -> str:
        if self._words_room <= 0:
            return ""
        text = element.text
        self._words_room -= len(text)
        return words_of(text)

    def _kept(self, text: str) -> str:
        kept = text[: min(MAX_SCRIPT, self._room)]
        self._room -= len(kept)
        return kept

    def _resolved(self, element: Element, name: str) -> str:
        return resolved(_attribute(element, name), self._base)


_TAKERS = {
    "html": _Reader.html,
    "body": _Reader.body,
    "title": _Reader.title,
    "base": _Reader.base,
    "meta": _Reader.meta,
    "link": _Reader.link,
    "script": _Reader.script,
    "style": _Reader.style,
    "img": _Reader.image,
    "iframe": _Reader.frame,
    "a": _Reader.anchor,
    "button": _Reader.button,
    "input": _Reader.input,
    **dict.fromkeys(_HEADINGS, _Reader.heading),
}


def resolved(address: str, base: str) -> str:
    """Return the absolute web address; "" for any other text."""
    address = address.strip()
    if not address or len(address) > MAX_ADDRESS:
        return ""
    try:
        url = str(URL(address, base=base).href)
    except ValueError:
        return ""
    return url if url.startswith(("https://", "http://")) and len(url) <= MAX_ADDRESS else ""


def _elements(root: Node) -> Iterator[Element]:
    """Yield the elements that browsers show or run, in the order of the document."""
    return (node for node in _nodes(root, _NOT_READ) if isinstance(node, Element))


def _texts(root: Node) -> Iterator[str]:
    for node in _nodes(root, _NOT_TEXT):
        if type(node).__name__ == "Text" and (text := node.text.strip()):
            yield text


def _nodes(root: Node, closed: Container[str]) -> Iterator[Node]:
    """Yield the nodes below this one in the order of the document, none of those inside of closed elements."""
    # With a stack of our own, because pages nest elements deeper than Python nests calls.
    waiting = [iter(root.children)]
    while waiting:
        node = next(waiting[-1], None)
        if node is None:
            waiting.pop()
            continue
        yield node
        if isinstance(node, Element) and node.tag not in closed:
            waiting.append(iter(node.children))


def _attribute(element: Element, name: str) -> str:
    value = element.attrs.get(name)
    return " ".join(value) if isinstance(value, list) else value or ""


def _add(items: list[T], item: T) -> None:
    if len(items) < MAX_ITEMS and item not in items:
        items.append(item)
