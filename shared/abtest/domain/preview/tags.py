"""Start tags of a document, read and edited in place: bytes that no edit names stay as they are."""

import re
from collections.abc import Iterable
from dataclasses import dataclass
from html import escape, unescape
from html.entities import html5
from typing import NamedTuple

from abtest.domain.preview.charsets import Charset

_WS = r"[\t\n\f\r ]*+"
_NAME = re.compile(r"<[^\t\n\f\r />]++")
# The tokenizer of the HTML standard: an equals sign may begin a name, and quotes mean nothing before a value.
_ATTRIBUTE = re.compile(
    r"[\t\n\f\r /]*+(=?[^\t\n\f\r />=]*+)"
    rf"(?:{_WS}={_WS}(\"[^\"]*+\"|'[^']*+'|[^\t\n\f\r >]*+))?+"
)
_QUOTES = frozenset("\"'")
_REFERENCE = re.compile(r"&(?:#[0-9]++;?|#[xX][0-9a-fA-F]++;?|([a-zA-Z][a-zA-Z0-9]*+)(;?)(=?))")


class Attribute(NamedTuple):
    """Place of an attribute in the document. `raw` is its value without quotes, references not read.

    One without a value has `value_start` at its end.
    """

    start: int
    end: int
    value_start: int
    raw: str


@dataclass(slots=True)
class StartTag:
    """A tag with its attributes by lower-case name; of several with one name the first counts."""

    name: str
    start: int
    end: int
    attributes: dict[str, Attribute]

    @property
    def after_name(self) -> int:
        """Return where an attribute may be added."""
        return self.start + 1 + len(self.name)

    def text(self, name: str, charset: Charset) -> str:
        """Return the value of an attribute as a browser reads it; empty where it has none."""
        attribute = self.attributes.get(name)
        return _REFERENCE.sub(_read_reference, charset.read(attribute.raw)) if attribute else ""

    def word(self, name: str) -> str:
        """Return the value of an attribute that is a keyword, in lower case."""
        attribute = self.attributes.get(name)
        return attribute.raw.strip("\t\n\f\r ").lower() if attribute else ""


def read_tag(text: str, start: int, tag_name: str) -> StartTag | None:
    """Return the tag at a place; None if another text is there."""
    opening = _NAME.match(text, start)
    if opening is None or opening[0][1:].lower() != tag_name:
        return None
    attributes: dict[str, Attribute] = {}
    place = opening.end()
    # The pattern matches at each place, if only the empty text, so that one match begins where the last ended.
    for match in _ATTRIBUTE.finditer(text, place):
        name, value = match.groups()
        if not name:
            break
        place = match.end()
        name = name.lower()
        if name in attributes:
            continue
        if value is None:
            attributes[name] = Attribute(match.start(1), match.end(1), match.end(1), "")
        else:
            raw = value[1:-1] if value[:1] in _QUOTES else value
            attributes[name] = Attribute(match.start(1), place, match.start(2), raw)
    end = text.find(">", place)
    return None if end < 0 else StartTag(tag_name, start, end + 1, attributes)


def value_edit(attribute: Attribute, value: str) -> tuple[int, int, str]:
    """Return the edit that gives an attribute another value."""
    written = escape(value).encode("ascii", "xmlcharrefreplace").decode()
    # An attribute without a value has no equals sign either.
    equals = "=" if attribute.value_start == attribute.end else ""
    return attribute.value_start, attribute.end, f'{equals}"{written}"'


def removal(attribute: Attribute) -> tuple[int, int, str]:
    """Return the edit that takes an attribute away."""
    return attribute.start, attribute.end, ""


def apply(text: str, edits: Iterable[tuple[int, int, str]]) -> str:
    """Return the text after edits of places that do not overlap, in any order."""
    parts = []
    place = 0
    for start, end, replacement in sorted(edits, key=lambda edit: edit[:2]):
        parts += [text[place:start], replacement]
        place = end
    return "".join([*parts, text[place:]])


def _read_reference(match: re.Match[str]) -> str:
    """Return the character of a reference in an attribute, where `&copy=1` is part of a query."""
    name, semicolon, equals = match.groups()
    if name is None:
        return unescape(match[0])
    if semicolon:
        return html5.get(f"{name};", match[0].removesuffix(equals)) + equals
    return match[0] if equals else html5.get(name, match[0])
