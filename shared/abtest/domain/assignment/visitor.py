"""Visitor of a decision: ids, attributes, and the variations seen before."""

from collections.abc import Mapping
from dataclasses import dataclass, field


@dataclass(frozen=True, slots=True, kw_only=True)
class Visitor:
    """Visitor of section 2.1 of docs/data-model.md; an empty id counts as absent."""

    id: str | None = None
    customer_id: str | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)
    sticky: Mapping[str, object] = field(default_factory=dict)
    """Variation ids by the seed of their experiment."""
    surface: str | None = None
    triggers: frozenset[str] = frozenset()
    served: Mapping[str, object] = field(default_factory=dict)
    """Variation ids by experiment that the page was sent with, of experiments that landing pages show."""

    @property
    def unit(self) -> str | None:
        """Id for holdout, groups and rollouts: the visitor's, else the customer's."""
        # The customer id only appears at log-in; if it came first, a visitor would change buckets within a visit.
        return self.id or self.customer_id or None


def visitor_of(raw: object) -> Visitor:
    """Read a visitor from a JSON document, or from a text that is the id. Values of a wrong type count as absent."""
    if isinstance(raw, str):
        return Visitor(id=raw or None)
    document = raw if isinstance(raw, Mapping) else {}
    triggers = document.get("triggers")
    return Visitor(
        id=first_text(document, "id", "visitor_id", "user_id"),
        customer_id=first_text(document, "customer_id"),
        attributes=object_of(document, "attributes"),
        sticky=object_of(document, "sticky"),
        surface=first_text(document, "surface"),
        triggers=frozenset(each for each in triggers if isinstance(each, str))
        if isinstance(triggers, list)
        else frozenset(),
        served=object_of(document, "served"),
    )


def first_text(document: Mapping[str, object], *names: str) -> str | None:
    """Return the first of these properties that is a text and not empty."""
    return next((value for name in names if isinstance(value := document.get(name), str) and value), None)


def object_of(document: Mapping[str, object], name: str) -> Mapping[str, object]:
    """Return a property that is an object; an empty one for any other."""
    value = document.get(name)
    return value if isinstance(value, Mapping) else {}
