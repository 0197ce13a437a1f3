"""Runtime environments of a shop: their keys, the active one, and the hosts on which another one replaces it."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from abtest.domain.settings.refusals import Positions, refuse
from abtest.domain.settings.shapes import PublishedEnvironment
from abtest.kit.documents import decode
from abtest.kit.errors import FieldError

MAX_ENVIRONMENTS = 12
MAX_DOMAINS = 50
"""Hosts that one environment may name; the snippet lists all of them."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Environment:
    """One environment. With its sub-snippet enabled, the snippet loads it on `domains`, host names in lower case."""

    key: str
    name: str
    is_default: bool
    sub_snippet_enabled: bool
    domains: tuple[str, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Environments:
    """Environments of a shop; the one with `active_key` is served where a request names none."""

    active_key: str
    items: tuple[Environment, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Return their keys, in order."""
        return tuple(item.key for item in self.items)

    def with_sub_snippets(self) -> list[PublishedEnvironment]:
        """Return `{key, domains}` of the inactive ones that have hosts and a snippet of their own."""
        return [
            {"key": item.key, "domains": list(item.domains)}
            for item in self.items
            if item.sub_snippet_enabled and item.domains and item.key != self.active_key
        ]


UNTOUCHED = Environments(
    active_key="production",
    items=(Environment(key="production", name="Production", is_default=True, sub_snippet_enabled=False),),
)
"""Environments of a shop that never changed them."""


def from_document(document: Mapping[str, object]) -> Environments:
    """Return the environments of a stored form."""
    return decode(Environments, document)


def refuse_contradictions(environments: Environments) -> None:
    """Raise ValidationFailedError unless keys and domains are unique, one is the default and the active one exists."""
    refuse("the environments contradict each other", _contradictions(environments))


def _contradictions(environments: Environments) -> Iterator[FieldError]:
    keys, domains = Positions(), Positions()
    for index, item in enumerate(environments.items):
        place = f"environments.items[{index}]"
        yield from keys.repeated(item.key, f"{place}.key")
        for position, domain in enumerate(item.domains):
            yield from domains.repeated(domain, f"{place}.domains[{position}]")
    if sum(item.is_default for item in environments.items) != 1:
        yield FieldError("environments.items", "must have exactly one default environment")
    if environments.active_key not in environments.keys:
        yield FieldError("environments.activeKey", "must be the key of one of the items")
