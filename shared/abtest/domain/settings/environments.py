"""Runtime environments of a shop: which there are, which one storefronts get, and where another one stands in."""

from collections.abc import Iterator, Mapping
from dataclasses import dataclass

from abtest.domain.settings.refusals import Positions, refuse
from abtest.domain.settings.shapes import PublishedEnvironment
from abtest.kit.documents import decode
from abtest.kit.errors import FieldError

MAX_ENVIRONMENTS = 12
MAX_DOMAINS = 50
"""Hosts that one environment may name; all of them stand in the snippet."""


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
    """All of them; `active_key` is the one that is served where none is named."""

    active_key: str
    items: tuple[Environment, ...]

    @property
    def keys(self) -> tuple[str, ...]:
        """Their keys, in order."""
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
"""What holds in a shop that never said anything."""


def from_document(document: Mapping[str, object]) -> Environments:
    """The environments of a stored form."""
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
        yield FieldError("environments.items", "exactly one environment is the default")
    if environments.active_key not in environments.keys:
        yield FieldError("environments.activeKey", "no item has this key")
