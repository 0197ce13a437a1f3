"""A page as a browser reads it, cut down to what matters to our snippet.

selectolax (lexbor) builds the tree of the HTML standard, as a browser with scripts does: what stands in a comment, in
`noscript`, in a template or a text is no element there. The standard library's parser is no such parser, and takes
minutes for pages that are made to hurt it.
"""

import re
from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from itertools import islice

from ada_url import URL
from selectolax.lexbor import LexborHTMLParser, LexborNode

LOOKED_AT = 512 * 1024
MAX_TAGS = 15_000
"""The snippet stands in the head: what comes later does not matter. Trees as deep as that take seconds to build."""

_TOLD = 3
_SCRIPT_TYPES = re.compile(r"\s*(?:(?:text|application)/(?:x-)?(?:java|ecma)script)?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptTag:
    """A script with an address. `blockers` are the first few stylesheets and synchronous scripts before it."""

    url: str
    attributes: Mapping[str, str]
    in_head: bool
    position: int
    blockers: tuple[str, ...]

    @property
    def kind(self) -> str:
        """`classic`, `module`, or what makes it none."""
        said = self.attributes.get("type", "")
        if _SCRIPT_TYPES.fullmatch(said):
            return "classic"
        return "module" if said.strip().lower() == "module" else said.strip()

    @property
    def waits(self) -> bool:
        """Whether the browser does not run it where it stands."""
        return "async" in self.attributes or "defer" in self.attributes or self.kind != "classic"

    @property
    def holds(self) -> bool:
        """Whether the page, though read meanwhile, is shown only when it has run."""
        return "render" in self.attributes.get("blocking", "").lower().split()


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineScript:
    """A script whose text stands in the page."""

    text: str
    nonce: str
    position: int


@dataclass(slots=True)
class Page:
    """Elements in the order of the document, each with its position."""

    url: str
    base: str
    scripts: list[ScriptTag] = field(default_factory=list)
    inline: list[InlineScript] = field(default_factory=list)
    preconnects: list[tuple[int, str]] = field(default_factory=list)
    policies: list[tuple[int, str]] = field(default_factory=list)
    hidden: list[tuple[str, str]] = field(default_factory=list)
    """Texts that are no elements: where they stand (`comment`, `noscript`, `script`), and what they say."""


def read_page(content: bytes, url: str) -> Page:
    """The page, read as far as it is looked at; the encoding is told by a byte order mark or the page, or is UTF-8."""
    parser = LexborHTMLParser(_looked_at(content), scripting=True, encoding=True)
    page = Page(url=url, base=url)
    blockers: list[str] = []
    for position, node in enumerate(_nodes(parser)):
        _take(page, node, position, blockers)
    return page


def _looked_at(content: bytes) -> bytes:
    start = content[:LOOKED_AT]
    if start.count(b"<") <= MAX_TAGS:
        return start
    found = (match.start() for match in re.finditer(b"<", start))
    return start[: next(islice(found, MAX_TAGS, None))]


def _nodes(parser: LexborHTMLParser) -> Iterator[LexborNode]:
    if parser.root is not None:
        yield from parser.root.traverse(include_text=True)


def _take(page: Page, node: LexborNode, position: int, blockers: list[str]) -> None:
    attributes = {name: value or "" for name, value in node.attributes.items()} if node.is_element_node else {}
    if node.is_comment_node:
        page.hidden.append(("comment", node.comment_content or ""))
    elif node.tag == "noscript":
        page.hidden.append(("noscript", node.text()))
    elif node.tag == "script":
        _take_script(page, node, attributes, position, blockers)
    elif node.tag == "link":
        _take_link(page, attributes, position, blockers)
    elif node.tag == "base" and page.base == page.url:
        page.base = _resolved(attributes.get("href", ""), page.url) or page.url
    elif node.tag == "meta" and attributes.get("http-equiv", "").lower() == "content-security-policy":
        page.policies.append((position, attributes.get("content", "")))


def _take_script(
    page: Page, node: LexborNode, attributes: Mapping[str, str], position: int, blockers: list[str]
) -> None:
    if "src" not in attributes:
        page.hidden.append(("script", node.text()))
        page.inline.append(InlineScript(text=node.text(), nonce=attributes.get("nonce", ""), position=position))
        return
    url = _resolved(attributes["src"], page.base)
    tag = ScriptTag(
        url=url, attributes=attributes, in_head=_in_head(node), position=position, blockers=tuple(blockers[:_TOLD])
    )
    page.scripts.append(tag)
    if not tag.waits:
        blockers.append(url)


def _take_link(page: Page, attributes: Mapping[str, str], position: int, blockers: list[str]) -> None:
    kinds = attributes.get("rel", "").lower().split()
    url = _resolved(attributes.get("href", ""), page.base)
    if "preconnect" in kinds and url:
        page.preconnects.append((position, str(URL(url).origin)))
    is_applied = "alternate" not in kinds and attributes.get("media", "").strip().lower() != "print"
    if "stylesheet" in kinds and url and is_applied and "disabled" not in attributes:
        blockers.append(url)


def _in_head(node: LexborNode) -> bool:
    parent = node.parent
    while parent is not None and parent.tag not in ("head", "body"):
        parent = parent.parent
    return parent is not None and parent.tag == "head"


def _resolved(address: str, base: str) -> str:
    try:
        return str(URL(address.strip(), base=base).href)
    except ValueError:
        return ""
