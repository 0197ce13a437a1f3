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

MAX_ATTRIBUTES = 300
"""Attributes of one tag. The parser compares each with all before it: 130,000 of them take a minute."""

# Attributes as the HTML standard (13.2.5) reads them. A quotation mark without its partner ends the tag there, and
# begins another attribute here.
_TAG = re.compile(rb"<[A-Za-z][^\t\n\f\r />]*+")
_ATTRIBUTE = re.compile(
    rb"[\t\n\f\r /]*+[^\t\n\f\r />][^\t\n\f\r />=]*+"
    rb"(?:[\t\n\f\r ]*+=[\t\n\f\r ]*+(?:\"[^\"]*+\"|'[^']*+'|[^\t\n\f\r >\"'][^\t\n\f\r >]*+)?+)?+"
)

REPORTED = 3
"""Style sheets and scripts before a script that are listed."""

_SCRIPT_TYPES = re.compile(r"\s*(?:(?:text|application)/(?:x-)?(?:java|ecma)script)?\s*", re.IGNORECASE)


@dataclass(frozen=True, slots=True, kw_only=True)
class ScriptTag:
    """A script with an address, or with a text that is part of the page.

    `stylesheets` and `scripts` are the first few style sheets and synchronous scripts before it.
    """

    attributes: Mapping[str, str]
    in_head: bool
    position: int
    stylesheets: tuple[str, ...]
    scripts: tuple[str, ...]
    url: str = ""
    text: str = ""

    @property
    def kind(self) -> str:
        """`classic`, `module`, or the type with which browsers do not run the script."""
        declared = self.attributes.get("type", "")
        if _SCRIPT_TYPES.fullmatch(declared):
            return "classic"
        return "module" if declared.strip().lower() == "module" else declared.strip()

    @property
    def runs(self) -> bool:
        """Return whether browsers run the script at all."""
        return self.kind in ("classic", "module") and "nomodule" not in self.attributes

    @property
    def nonce(self) -> str:
        """Nonce for the page's content security policy, "" for none."""
        return self.attributes.get("nonce", "")

    @property
    def waits(self) -> bool:
        """Return whether the browser parses on before it runs the script."""
        if self.kind != "classic":
            return True
        return bool(self.url) and ("async" in self.attributes or "defer" in self.attributes)

    @property
    def holds(self) -> bool:
        """Return whether the page is parsed meanwhile, but shown only when the script has run."""
        return "render" in self.attributes.get("blocking", "").lower().split()


@dataclass(slots=True)
class Page:
    """Elements in the order of the document, each with its position."""

    url: str
    base: str
    scripts: list[ScriptTag] = field(default_factory=list)
    inline: list[ScriptTag] = field(default_factory=list)
    preconnects: list[tuple[int, str]] = field(default_factory=list)
    policies: list[tuple[int, str]] = field(default_factory=list)
    hidden: list[tuple[str, str]] = field(default_factory=list)
    """Texts in which an address loads nothing: place (`comment`, `noscript`, `script`, `attribute`) and content."""
    blocking_stylesheets: list[str] = field(default_factory=list)
    blocking_scripts: list[str] = field(default_factory=list)


def read_page(content: bytes, url: str) -> Page:
    """Parse the beginning of a page; its encoding is given by a byte order mark or the page, else UTF-8."""
    start = _in_bytes(content)[:LOOKED_AT]
    # An upper bound that needs no parser: signs in scripts and texts are counted as well.
    if start.count(b"<") > MAX_TAGS:
        tags = (match.start() for match in re.finditer(b"<", start))
        start = start[: next(islice(tags, MAX_TAGS, None))]
    start = start[: _end_of_sane_tags(start)]
    parser = LexborHTMLParser(start, scripting=True, encoding=True)
    page = Page(url=url, base=url)
    for position, node in enumerate(parser.root.traverse(include_text=True) if parser.root is not None else ()):
        _take(page, node, position)
    return page


def _in_bytes(content: bytes) -> bytes:
    """Return a page whose signs are bytes: one in UTF-16 as UTF-8."""
    if content[:2] in (b"\xff\xfe", b"\xfe\xff"):
        return b"\xef\xbb\xbf" + content[: 2 * LOOKED_AT].decode("utf-16", "replace").encode("utf-8", "replace")
    return content


def _end_of_sane_tags(content: bytes) -> int:
    """Return where the first tag with too many attributes begins, or the end.

    Every sign that could begin a tag counts as one, also in texts and scripts, so that none is missed.
    """
    for tag in _TAG.finditer(content):
        place = tag.end()
        for _ in range(MAX_ATTRIBUTES + 1):
            attribute = _ATTRIBUTE.match(content, place)
            if attribute is None:
                break
            place = attribute.end()
        else:
            return tag.start()
    return len(content)


def _take(page: Page, node: LexborNode, position: int) -> None:
    attributes = {name: value or "" for name, value in node.attributes.items()} if node.is_element_node else {}
    if node.is_comment_node:
        page.hidden.append(("comment", node.comment_content or ""))
    elif node.tag == "noscript":
        page.hidden.append(("noscript", node.text()))
    elif node.tag == "script":
        _take_script(page, node, attributes, position)
    elif node.tag == "link":
        _take_link(page, attributes, position)
    # As in browsers, the first base element with an address counts.
    elif node.tag == "base" and page.base == page.url:
        page.base = _resolved(attributes.get("href", ""), page.url) or page.url
    elif node.tag == "meta" and attributes.get("http-equiv", "").lower() == "content-security-policy":
        page.policies.append((position, attributes.get("content", "")))


def _take_script(page: Page, node: LexborNode, attributes: Mapping[str, str], position: int) -> None:
    section = node.parent
    while section is not None and section.tag not in ("head", "body"):
        section = section.parent
    is_inline = "src" not in attributes
    tag = ScriptTag(
        url="" if is_inline else _resolved(attributes["src"], page.base),
        text=node.text() if is_inline else "",
        attributes=attributes,
        in_head=section is not None and section.tag == "head",
        position=position,
        stylesheets=tuple(page.blocking_stylesheets),
        scripts=tuple(page.blocking_scripts),
    )
    # Plugins that delay scripts move the address to an attribute of their own.
    if others := " ".join(value for name, value in attributes.items() if name != "src"):
        page.hidden.append(("attribute", others))
    if is_inline:
        page.hidden.append(("script", tag.text))
        page.inline.append(tag)
    else:
        page.scripts.append(tag)
        if not tag.waits and len(page.blocking_scripts) < REPORTED:
            page.blocking_scripts.append(tag.url)


def _take_link(page: Page, attributes: Mapping[str, str], position: int) -> None:
    kinds = attributes.get("rel", "").lower().split()
    url = _resolved(attributes.get("href", ""), page.base)
    if "preconnect" in kinds and url:
        page.preconnects.append((position, str(URL(url).origin)))
    # Browsers load alternate, print and disabled style sheets without waiting for them.
    is_applied = "alternate" not in kinds and attributes.get("media", "").strip().lower() != "print"
    is_applied = is_applied and "disabled" not in attributes
    if "stylesheet" in kinds and url and is_applied and len(page.blocking_stylesheets) < REPORTED:
        page.blocking_stylesheets.append(url)


def _resolved(address: str, base: str) -> str:
    try:
        return str(URL(address.strip(), base=base).href)
    except ValueError:
        return ""
