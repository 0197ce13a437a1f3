"""Whom a decision is about: who they are, what they are known to have, what they have seen before."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Section 2.1 of docs/data-model.md; an empty id is no id."""

    id: str | None = None
    customer_id: str | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)
    sticky: Mapping[str, object] = field(default_factory=dict)
    """Variation ids by the seed of their experiment."""
    surface: str | None = None
    triggers: frozenset[str] = frozenset()

    @property
    def unit(self) -> str | None:
        """Who is held out, grouped and rolled out to: the visitor, else the customer."""
        return self.id or self.customer_id or None


def visitor_of(raw: object) -> Visitor:
    """The visitor that a JSON document describes, or whose id a text is. What has a wrong type counts as absent."""
    if isinstance(raw, str):
        return Visitor(id=raw or None)
    document = raw if isinstance(raw, Mapping) else {}
    triggers = document.get("triggers")
    return Visitor(
        id=_text(document, "id", "visitor_id", "user_id"),
        customer_id=_text(document, "customer_id"),
        attributes=_object(document, "attributes"),
        sticky=_object(document, "sticky"),
        surface=_text(document, "surface"),
        triggers=frozenset(filter(_is_text, triggers)) if isinstance(triggers, list) else frozenset(),
    )


def _is_text(value: object) -> bool:
    return isinstance(value, str)


def _text(document: Mapping[str, object], *names: str) -> str | None:
    """The first of these properties that is a text with anything in it."""
    return next((value for name in names if isinstance(value := document.get(name), str) and value), None)


def _object(document: Mapping[str, object], name: str) -> Mapping[str, object]:
    value = document.get(name)
    return value if isinstance(value, Mapping) else {}
