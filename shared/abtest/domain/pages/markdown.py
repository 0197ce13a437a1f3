"""Markdown of a page: emphasis, links, lists and quotes. HTML in it is text.

The library only parses. Elements are made by `kit.markup`, so that all of a page is escaped in one place.
"""

from collections.abc import Iterator
from functools import lru_cache
from typing import NamedTuple

from markdown_it import MarkdownIt
from markdown_it.token import Token

from abtest.domain.pages.links import href_problem
from abtest.kit.markup import Html, el, joined

MAX_MARKDOWN = 10_000
MAX_LEVELS = 6
"""Lists and quotes within each other. The library leaves out what is nested deeper than 20 elements."""

_RULES = ("emphasis", "link", "list", "blockquote", "newline", "escape")
_ELEMENTS = {
    "paragraph": "p",
    "bullet_list": "ul",
    "ordered_list": "ol",
    "list_item": "li",
    "blockquote": "blockquote",
    "em": "em",
    "strong": "strong",
}


class _Parser(MarkdownIt):
    """Parser that leaves addresses as typed: `href_problem` decides, and the page has the text of the spec."""

    def validateLink(self, url: str) -> bool:  # noqa: ARG002, N802 - the library's name
        return True

    def normalizeLink(self, url: str) -> str:  # noqa: N802 - the library's name
        return url


@lru_cache(maxsize=1)
def _parser() -> MarkdownIt:
    return _Parser("zero").enable(list(_RULES))


def rendered(text: str) -> Html:
    """Return the elements of a text. A link with an address that is not allowed is shown as its label."""
    return joined(_elements(iter(_parser().parse(text))))


def links(text: str) -> tuple[str, ...]:
    """Return the addresses of the links in a text, in their order."""
    return _facts(text).links


def paragraphs(text: str) -> Iterator[str]:
    """Yield the paragraphs of a text as readers see them, without markup."""
    for token in _parser().parse(text):
        if token.type == "inline":
            yield "".join(" " if child.type.endswith("break") else child.content for child in token.children or ())


def is_too_deep(text: str) -> bool:
    """Return whether lists and quotes are within each other by more than MAX_LEVELS."""
    return _facts(text).levels > MAX_LEVELS


class _Facts(NamedTuple):
    links: tuple[str, ...]
    levels: int


# The grammar and the rules read each text of a page: the facts are kept, which are small, and not the tokens.
@lru_cache(maxsize=256)
def _facts(text: str) -> _Facts:
    addresses: list[str] = []
    level = deepest = 0
    for token in _parser().parse(text):
        # A list and its item are one level; an item only occurs in a list.
        level += token.nesting if token.type.startswith(("list_item", "blockquote")) else 0
        deepest = max(deepest, level)
        inline = (child for child in token.children or () if child.type == "link_open")
        addresses += [str(child.attrGet("href") or "") for child in inline]
    return _Facts(tuple(addresses), deepest)


def _elements(tokens: Iterator[Token]) -> Iterator[Html]:
    """Yield elements up to the token that closes the current one."""
    for token in tokens:
        if token.nesting < 0:
            return
        if token.type == "inline":
            yield from _elements(iter(token.children or ()))
        elif token.nesting > 0:
            yield _element(token, joined(list(_elements(tokens))))
        elif token.type == "hardbreak":
            yield el("br")
        else:
            yield joined("\n" if token.type == "softbreak" else token.content)


def _element(token: Token, content: Html) -> Html:
    if token.hidden:  # the paragraph of an item in a list without empty lines
        return content
    name = token.type.removesuffix("_open")
    if name == "link":
        href = str(token.attrGet("href") or "")
        return content if href_problem(href) else el("a", content, href=href)
    start = token.attrGet("start")
    return el(_ELEMENTS[name], content, start=None if start is None else str(start))
