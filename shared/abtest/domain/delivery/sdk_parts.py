"""Selection of the SDK parts that a config calls for: its snippet has no others (section 1.2 of docs/data-model.md).

The requirements of a part are declared next to its source (`abtest.storefront.parts`). A part too many costs some
bytes; a missing part costs the shop the feature. In doubt a part is included, and for an unknown field all are.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from abtest.domain.assignment.shapes import (
    PublishedExperiment,
    PublishedGoal,
    PublishedMutation,
    PublishedPersonalization,
)
from abtest.domain.delivery.mutations import CONTEXTUAL, POSITIONAL, UNSURE, WHOLE
from abtest.domain.delivery.shapes import PublishedConfig
from abtest.storefront import parts


@dataclass(frozen=True, slots=True)
class Contents:
    """A config, and the names of all fields in it, at any depth."""

    config: PublishedConfig
    names: frozenset[str]

    def has(self, *names: str) -> bool:
        """Return whether the config has a field of one of these names at any depth."""
        return not self.names.isdisjoint(names)

    def sets(self, name: str) -> bool:
        """Return whether the runtime has this setting."""
        return self.config["runtime"].get(name) is not None

    @property
    def delivered(self) -> list[PublishedExperiment | PublishedPersonalization]:
        """Experiments and personalizations."""
        return [*self.config["experiments"], *self.config.get("personalizations", ())]

    @property
    def goals(self) -> list[PublishedGoal]:
        """Goals of everything delivered."""
        return [goal for part in self.delivered for goal in part.get("goals", ())]

    @property
    def mutations(self) -> Iterator[PublishedMutation]:
        """Mutations that pages apply; a flag's value may look like one."""
        for experiment in self.config["experiments"]:
            for variation in experiment.get("variations", ()):
                yield from variation.get("mutations", ())
                for block in variation.get("blocks", ()):
                    yield from block.get("mutations", ())
        for personalization in self.config.get("personalizations", ()):
            for experience in personalization.get("experiences", ()):
                yield from experience.get("mutations", ())

    def acts(self, *actions: str) -> bool:
        """Return whether a mutation has one of these actions."""
        return any(mutation.get("action") in actions for mutation in self.mutations)

    def is_any(self, kinds: int) -> bool:
        """Return whether the selector of a mutation is of one of these kinds."""
        return any(mutation.get("kind", 0) & kinds for mutation in self.mutations)


_CALLS: Mapping[str, Callable[[Contents], bool] | None] = {
    "parsing": None,
    "ids": None,
    "exclusion": lambda contents: contents.has("group", "holdout"),
    "addresses": lambda contents: contents.has("re", "query"),
    "weekdays": lambda contents: contents.has("dark", "zones"),
    "audiences": lambda contents: contents.has("audience", "when"),
    "data_layer": None,
    "triggers": lambda contents: (
        contents.has("trigger") or any(name.startswith("data_layer") for name in contents.names)
    ),
    "goals": None,
    "clicks": lambda contents: any(goal.get("type") == "click" for goal in contents.goals),
    "views": lambda contents: any(goal.get("type") == "pageview" for goal in contents.goals),
    "captures": lambda contents: any(not goal.keys().isdisjoint({"text", "capture"}) for goal in contents.goals),
    "blocks": lambda contents: contents.has("blocks"),
    "selectors": lambda contents: contents.is_any(UNSURE),
    "trusted": None,
    "mutations": lambda contents: contents.has("mutations"),
    "breadth": lambda contents: contents.is_any(WHOLE | CONTEXTUAL),
    "positions": lambda contents: contents.is_any(POSITIONAL),
    "displaced": None,
    "content": None,
    "text": lambda contents: contents.acts("text"),
    "html": lambda contents: contents.acts("html"),
    "removal": lambda contents: contents.acts("remove"),
    "values": lambda contents: contents.acts("style", "attribute"),
    "insertion": lambda contents: contents.acts("insertBefore", "insertAfter"),
    "dropping": None,
    "scripts": lambda contents: contents.has("js", "reset_js"),
    "css": lambda contents: contents.has("css"),
    "redirect": lambda contents: contents.has("redirect_url"),
    "personalizations": lambda contents: contents.has("personalizations"),
    "waiting": lambda contents: contents.has("hide"),
    "chunks": lambda contents: contents.sets("assets_url"),
    "flags": lambda contents: contents.has("flags"),
    "signals": lambda contents: bool(contents.config.get("signals")),
    "environments": lambda contents: contents.sets("environments"),
    "consent": lambda contents: contents.sets("consent"),
    "adopting": None,
    "handover": lambda contents: contents.sets("handover"),
    # Purchases are counted on checkouts, also those of parts that show nothing there.
    "checkout": lambda contents: (
        any(part.get("surface") == "checkout" for part in contents.delivered)
        or any(goal.get("type") == "revenue" for goal in contents.goals)
    ),
    "sharing": lambda contents: contents.sets("domains"),
    "served": lambda contents: contents.has("served"),
    "preview": lambda contents: contents.sets("preview"),
    "destinations": lambda contents: contents.sets("exposures"),
    "recorder": None,
}
"""Condition under which a config calls for a part: the counterpart of the conditions under which core calls its parts.

None: no config calls for the part itself; it comes with those that require it, or as rendering needs it."""

_SETTINGS = "consent handover environments assets_url domains exposures preview"
_RUNTIME = f"environment currency events_url events_signature {_SETTINGS}"
_CONFIG = "shop_id runtime signals profile delivery zones holdout experiments personalizations flags"
_TARGETED = "id name state pages audience dark goals"
_CONTENT = "mutations css js"
_MUTATION = "selector action kind text html styles attributes"
_FIELDS: Mapping[str, frozenset[str]] = {
    name: frozenset(fields.split())
    for name, fields in {
        "config": _CONFIG,
        "runtime": _RUNTIME,
        "signals": "triggers",
        "experiments": f"{_TARGETED} type epoch surface group identity served css js reset_js variations",
        "variations": f"{_CONTENT} id name control range blocks redirect_url",
        "blocks": f"{_CONTENT} rules",
        "mutations": _MUTATION,
        "personalizations": f"{_TARGETED} key type surface below rules experiences",
        "experiences": f"{_CONTENT} id key name value reset_js hide profile",
        "flags": f"{_TARGETED} key below on off paused",
        "goals": "id type once event selector text url pages capture",
    }.items()
}
"""Fields that the table above was written for, by the kind of part that has them."""


def parts_of(config: PublishedConfig) -> frozenset[str]:
    """Return the parts that the config calls for, without those they require; all where it has an unknown field.

    A part without a row in the table is always included.
    """
    if not _is_known("config", config):
        return frozenset(parts())
    contents = Contents(config, frozenset(_names(config)))
    idle = {name for name, calls in _CALLS.items() if calls is None or not calls(contents)}
    return frozenset(name for name in parts() if name not in idle)


def _is_known(kind: str, part: object) -> bool:
    """Return whether a part of a config, and each part in it, has known fields only."""
    if not isinstance(part, dict) or not part.keys() <= _FIELDS[kind]:
        return False
    held = [(name, part[name]) for name in part if name in _FIELDS]
    return all(
        _is_known(name, each) for name, value in held for each in (value if isinstance(value, list) else [value])
    )


def _names(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _names(each)
