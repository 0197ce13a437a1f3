"""A page as a browser reads it, cut down to what matters to our snippet.

selectolax (lexbor) builds the tree of the HTML standard, as a browser with scripts does: a script in a comment, in
`noscript`, in a template or in text is not an element there. The standard library's parser does not follow it,
and takes minutes for hostile pages.
"""

import re
from collections.abc import Mapping
from dataclasses import dataclass, field
from itertools import islice

from ada_url import URL
from selectolax.lexbor import LexborHTMLParser, LexborNode

LOOKED_AT = 512 * 1024
MAX_TAGS = 15_000
"""The snippet belongs in the head, so later tags do not matter. A tree of this depth takes seconds to build."""

REPORTED_BLOCKERS = 3
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
        """`classic`, `module`, or the type with which browsers do not run the script."""
        declared = self.attributes.get("type", "")
        if _SCRIPT_TYPES.fullmatch(declared):
            return "classic"
        return "module" if declared.strip().lower() == "module" else declared.strip()

    @property
    def waits(self) -> bool:
        """Return whether the browser parses on before it runs the script."""
        return "async" in self.attributes or "defer" in self.attributes or self.kind != "classic"

    @property
    def holds(self) -> bool:
        """Return whether the page is parsed meanwhile, but shown only when the script has run."""
        return "render" in self.attributes.get("blocking", "").lower().split()


@dataclass(frozen=True, slots=True, kw_only=True)
class InlineScript:
    """A script whose text is part of the page."""

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
    """Texts that are not parsed as elements: their place (`comment`, `noscript`, `script`) and their content."""


def read_page(content: bytes, url: str) -> Page:
    """Parse the beginning of a page; its encoding is given by a byte order mark or the page, else UTF-8."""
    start = content[:LOOKED_AT]
    # An upper bound that needs no parser: signs in scripts and texts are counted as well.
    if start.count(b"<") > MAX_TAGS:
        tags = (match.start() for match in re.finditer(b"<", start))
        start = start[: next(islice(tags, MAX_TAGS, None))]
    parser = LexborHTMLParser(start, scripting=True, encoding=True)
    page = Page(url=url, base=url)
    blockers: list[str] = []
    for position, node in enumerate(parser.root.traverse(include_text=True) if parser.root is not None else ()):
        _take(page, node, position, blockers)
    return page


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
    # As in browsers, the first base element with an address counts.
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
    section = node.parent
    while section is not None and section.tag not in ("head", "body"):
        section = section.parent
    tag = ScriptTag(
        url=_resolved(attributes["src"], page.base),
        attributes=attributes,
        in_head=section is not None and section.tag == "head",
        position=position,
        blockers=tuple(blockers[:REPORTED_BLOCKERS]),
    )
    page.scripts.append(tag)
    if not tag.waits:
        blockers.append(tag.url)


def _take_link(page: Page, attributes: Mapping[str, str], position: int, blockers: list[str]) -> None:
    kinds = attributes.get("rel", "").lower().split()
    url = _resolved(attributes.get("href", ""), page.base)
    if "preconnect" in kinds and url:
        page.preconnects.append((position, str(URL(url).origin)))
    # Browsers load alternate, print and disabled style sheets without waiting for them.
    is_applied = "alternate" not in kinds and attributes.get("media", "").strip().lower() != "print"
    if "stylesheet" in kinds and url and is_applied and "disabled" not in attributes:
        blockers.append(url)


def _resolved(address: str, base: str) -> str:
    try:
        return str(URL(address.strip(), base=base).href)
    except ValueError:
        return ""
