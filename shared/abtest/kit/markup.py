"""HTML and SVG that typed text cannot break: a string that is not `Html` is text, and is escaped."""

import json
import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias

_VOID = frozenset({"meta", "link", "br", "col", "img", "input"})
_UNSEEN = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Html(str):
    """Markup made by this module. No other code may make it from typed text."""

    __slots__ = ()


Child: TypeAlias = "str | Iterable[Child] | None"
"""Content of an element: text, markup, several of them, or nothing."""


def clean(text: str) -> str:
    """Return text without forbidden characters, and without controls that reverse the rest of a line."""
    return _FORBIDDEN.sub("\ufffd", _UNSEEN.sub("", text))


def el(name: str, /, *children: Child, **attributes: str | float | None) -> Html:
    """Return an element. `class_` is class, `aria_label` is aria-label; attributes that are None are left out."""
    written = ""
    for key, value in attributes.items():
        if value is not None:
            text = value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
            written += f' {key.removesuffix("_").replace("_", "-")}="{escape(clean(text))}"'
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{joined(children)}</{name}>")


def joined(child: Child) -> Html:
    """Return children one after the other, text escaped."""
    if child is None:
        return Html("")
    # Before `str`, its base class: markup must not be escaped twice, and plain text never passes unescaped.
    if isinstance(child, Html):
        return child
    if isinstance(child, str):
        return Html(escape(clean(child)))
    return Html("".join(joined(part) for part in child))


def data_block(value: object) -> Html:
    """Return JSON-LD: a script element that holds data and is not executed."""
    text = json.dumps(value, ensure_ascii=False, separators=(",", ":"))
    # Inside of a script entities mean nothing, so the characters that could end it become escapes of JSON.
    safe = re.sub("[<>&\u2028\u2029]", lambda character: f"\\u{ord(character[0]):04x}", clean(text))
    return el("script", Html(safe), type="application/ld+json")


def typed(text: str) -> Html:
    """Return typed text in any script: its direction does not affect the text around it."""
    return el("bdi", text)
