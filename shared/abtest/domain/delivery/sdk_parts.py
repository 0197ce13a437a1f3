"""Which parts of the SDK a config calls for: the rest is cut out of its snippet (docs/data-model.md section 1.2).

What a part requires stands beside its source (`abtest.storefront.parts`). Too much costs shoppers some bytes and too
little costs the shop the feature, so that in doubt a part is included, and for what is not known here all are.
"""

from collections.abc import Callable, Iterator, Mapping
from dataclasses import dataclass

from abtest.domain.assignment.shapes import (
    PublishedExperiment,
    PublishedGoal,
    PublishedMutation,
    PublishedPersonalization,
)
from abtest.domain.delivery.mutations import POSITIONAL
from abtest.domain.delivery.shapes import PublishedConfig
from abtest.storefront import parts


@dataclass(frozen=True, slots=True)
class _Asked:
    """A config, and the names of all fields in it, at any depth."""

    config: PublishedConfig
    names: frozenset[str]

    def runtime(self, name: str) -> bool:
        return self.config["runtime"].get(name) is not None

    @property
    def delivered(self) -> list[PublishedExperiment | PublishedPersonalization]:
        return [*self.config["experiments"], *self.config.get("personalizations", ())]

    @property
    def goals(self) -> Iterator[PublishedGoal]:
        return (goal for part in self.delivered for goal in part.get("goals", ()))

    def acts(self, *actions: str) -> bool:
        return any(mutation.get("action") in actions for mutation in _mutations(self.config))


def _is_paid_for(part: PublishedExperiment | PublishedPersonalization) -> bool:
    """Whether a checkout shows it, or its purchases count."""
    return part.get("surface") == "checkout" or any(goal.get("type") == "revenue" for goal in part.get("goals", ()))


def _has_goal(asked: _Asked, kind: str) -> bool:
    return any(goal.get("type") == kind for goal in asked.goals)


def _is_captured(asked: _Asked) -> bool:
    """Whether a goal looks closer at what was clicked."""
    return any(not goal.keys().isdisjoint({"text", "capture"}) for goal in asked.goals)


def _is_positional(asked: _Asked) -> bool:
    return any(mutation.get("kind", 0) & POSITIONAL for mutation in _mutations(asked.config))


def _only_required(_: _Asked) -> bool:
    """No config calls for the part itself: it comes with those that require it, or as rendering needs it."""
    return False


_CALLS: Mapping[str, Callable[[_Asked], bool]] = {
    "parsing": _only_required,
    "exclusion": lambda asked: not asked.names.isdisjoint({"group", "holdout"}),
    "addresses": lambda asked: not asked.names.isdisjoint({"re", "query"}),
    "weekdays": lambda asked: not asked.names.isdisjoint({"dark", "zones"}),
    "audiences": lambda asked: not asked.names.isdisjoint({"audience", "when"}),
    "data_layer": _only_required,
    "triggers": lambda asked: "trigger" in asked.names or any(name.startswith("data_layer") for name in asked.names),
    "goals": _only_required,
    "clicks": lambda asked: _has_goal(asked, "click"),
    "views": lambda asked: _has_goal(asked, "pageview"),
    "captures": _is_captured,
    "blocks": lambda asked: "blocks" in asked.names,
    "selectors": _only_required,
    "trusted": _only_required,
    "mutations": lambda asked: "mutations" in asked.names,
    "positions": _is_positional,
    "content": lambda asked: asked.acts("text", "html", "remove"),
    "values": lambda asked: asked.acts("style", "attribute"),
    "insertion": lambda asked: asked.acts("insertBefore", "insertAfter"),
    "dropping": _only_required,
    "scripts": lambda asked: not asked.names.isdisjoint({"js", "reset_js"}),
    "css": lambda asked: "css" in asked.names,
    "redirect": lambda asked: "redirect_url" in asked.names,
    "personalizations": lambda asked: "personalizations" in asked.names,
    "waiting": lambda asked: "hide" in asked.names,
    "chunks": lambda asked: asked.runtime("assets_url"),
    "flags": lambda asked: "flags" in asked.names,
    "signals": lambda asked: bool(asked.config.get("signals")),
    "environments": lambda asked: asked.runtime("environments"),
    "consent": lambda asked: asked.runtime("consent"),
    "adopting": _only_required,
    "handover": lambda asked: asked.runtime("handover"),
    "checkout": lambda asked: any(map(_is_paid_for, asked.delivered)),
    "sharing": lambda asked: asked.runtime("domains"),
}
"""Part → whether the config calls for it: the counterpart of the conditions under which core calls its parts."""

_RUNTIME = "environment currency events_url events_signature consent handover environments assets_url domains"
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
        "experiments": f"{_TARGETED} type epoch surface group identity css js reset_js variations",
        "variations": f"{_CONTENT} id name control range blocks redirect_url",
        "blocks": f"{_CONTENT} rules",
        "mutations": _MUTATION,
        "personalizations": f"{_TARGETED} key type surface below rules experiences",
        "experiences": f"{_CONTENT} id key name value reset_js hide profile",
        "flags": f"{_TARGETED} key below on off paused",
        "goals": "id type once event selector text url pages capture",
    }.items()
}
"""Fields that the table above was written for, by what they are fields of."""


def parts_of(config: PublishedConfig) -> frozenset[str]:
    """The parts that the config calls for, without those they require; all where it holds what is not known here."""
    if not _is_known("config", config):
        return frozenset(parts())
    asked = _Asked(config, frozenset(_names(config)))
    return frozenset(name for name in parts() if name not in _CALLS or _CALLS[name](asked))


def _is_known(kind: str, part: object) -> bool:
    """Whether a part of a config, and what it holds, has known fields only."""
    if not isinstance(part, dict) or not part.keys() <= _FIELDS[kind]:
        return False
    held = [(name, part[name]) for name in part if name in _FIELDS]
    return all(_is_known(name, each) for name, value in held for each in _each(value))


def _each(value: object) -> list[object]:
    return value if isinstance(value, list) else [value]


def _names(value: object) -> Iterator[str]:
    if isinstance(value, dict):
        yield from value
        value = list(value.values())
    if isinstance(value, list):
        for each in value:
            yield from _names(each)


def _mutations(config: PublishedConfig) -> Iterator[PublishedMutation]:
    """Those that pages apply, not what looks like one in a value of the shop's own."""
    for experiment in config["experiments"]:
        for variation in experiment.get("variations", ()):
            yield from variation.get("mutations", ())
            for block in variation.get("blocks", ()):
                yield from block.get("mutations", ())
    for personalization in config.get("personalizations", ()):
        for experience in personalization.get("experiences", ()):
            yield from experience.get("mutations", ())
