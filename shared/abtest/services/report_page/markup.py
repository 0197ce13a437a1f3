"""HTML and SVG that cannot be broken by what people typed: whatever is not `Html` is text, and is escaped."""

import re
from collections.abc import Iterable
from html import escape
from typing import TypeAlias

_VOID = frozenset({"meta", "br", "col"})
_UNSEEN = re.compile("[\u200e\u200f\u202a-\u202e\u2066-\u2069\ufeff]")
_FORBIDDEN = re.compile("[\x00-\x08\x0b\x0c\x0e-\x1f\x7f-\x9f\ud800-\udfff\ufffe\uffff]")


class Html(str):
    """Markup made by this module. Nothing else may make it of text that people typed."""

    __slots__ = ()


Child: TypeAlias = "str | Iterable[Child] | None"
"""What an element may hold: text, markup, several of them, or nothing."""


def clean(text: str) -> str:
    """Text without what no document may hold, and without controls that would turn the rest of a line around."""
    return _FORBIDDEN.sub("\ufffd", _UNSEEN.sub("", text))


def el(name: str, /, *children: Child, **attributes: str | float | None) -> Html:
    """An element. `class_` is class, `aria_label` is aria-label; attributes that are None are left out."""
    written = "".join(_attribute(key, value) for key, value in attributes.items() if value is not None)
    if name in _VOID:
        return Html(f"<{name}{written}>")
    return Html(f"<{name}{written}>{joined(children)}</{name}>")


def joined(child: Child) -> Html:
    """One after the other."""
    if child is None:
        return Html("")
    if isinstance(child, Html):
        return child
    if isinstance(child, str):
        return Html(escape(clean(child)))
    return Html("".join(joined(part) for part in child))


def typed(text: str) -> Html:
    """A name that people typed, in whatever script: it keeps its own direction and leaves that of its surroundings."""
    return el("bdi", text)


def _attribute(key: str, value: str | float) -> str:
    name = key.removesuffix("_").replace("_", "-")
    text = value if isinstance(value, str) else f"{value:.2f}".rstrip("0").rstrip(".")
    return f' {name}="{escape(clean(text))}"'
