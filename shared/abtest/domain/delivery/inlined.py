"""Config as the snippet holds it: without fields that pages do not read, and without those that follow from others."""

from collections.abc import Iterator, Mapping

from abtest.domain.assignment.hash import fold, seed
from abtest.domain.assignment.shapes import PublishedExperiment, PublishedPersonalization
from abtest.domain.delivery.ids import together
from abtest.domain.delivery.shapes import PublishedConfig

_UNREAD_IF_EMPTY = ("profile", "signals")
_UNREAD_IN_GROUPS = ("id", "epoch")
_OPAQUE = ("styles", "attributes", "on", "off", "value")
"""Fields whose value pages see unchanged, or whose order matters."""
_RULES = ("pages", "audience")
_FIRST = ("range", "selector")
_LAST = ("variations", "goals", "id")


def inlined(config: PublishedConfig) -> dict[str, object]:
    """Return the config without goals that servers count and other fields that pages do not read (data-model 1.2).

    Its fields are ordered for compression: those that differ between neighbours are at the ends, equal ones together.
    With many experiments `ids` has the ids of all.
    """
    whole: dict[str, object] = {name: value for name, value in config.items() if value or name not in _UNREAD_IF_EMPTY}
    if "delivery" in config:
        whole["delivery"] = _without(config["delivery"], "format")
    runtime = whole.get("runtime")
    if isinstance(runtime, dict) and not runtime.get("environments"):
        whole["runtime"] = _without(runtime, "environment")
    if "experiments" in config:
        experiments = [dict(_experiment(each)) for each in config["experiments"]]
        ids = together(experiments)
        whole |= {"experiments": experiments} | ({"ids": ids} if ids else {})
    if "personalizations" in config:
        whole["personalizations"] = [dict(_measured(each)) for each in config["personalizations"]]
    return {name: _arranged(whole[name]) for name in sorted(whole)}


def _experiment(experiment: PublishedExperiment) -> Iterator[tuple[str, object]]:
    # The SDK derives the state from id and epoch, and takes an experiment without a type for one with mutations.
    derived: dict[str, object] = {"type": "mutation"}
    if "id" in experiment:
        derived |= {"state": fold(seed(experiment["id"], experiment.get("epoch", 1)))}
    for name, value in _measured(experiment):
        if name == "group":
            yield name, _without(experiment["group"], *_UNREAD_IN_GROUPS)
        elif name == "variations":
            unread = () if experiment.get("type") == "redirect" else ("control",)
            yield name, [_without(each, *unread) for each in experiment["variations"]]
        elif name not in derived or value != derived[name]:
            yield name, value


def _without(part: Mapping[str, object], *fields: str) -> dict[str, object]:
    return {name: value for name, value in part.items() if name not in fields}


def _measured(part: PublishedExperiment | PublishedPersonalization) -> Iterator[tuple[str, object]]:
    for name, value in part.items():
        if name == "goals":
            # Servers count custom events and orders; pages take a goal without `once` for one that counts once.
            counted = [goal for goal in part["goals"] if goal.get("type") not in ("custom", "revenue")]
            if counted:
                yield name, [_without(goal, *(["once"] if goal.get("once") else [])) for goal in counted]
        elif name in _RULES and isinstance(value, dict):
            # Empty lists mean nothing here, and "any" is the mode of rules that name none.
            yield name, {key: held for key, held in value.items() if held and (key, held) != ("mode", "any")}
        else:
            yield name, value


def _arranged(value: object) -> object:
    if isinstance(value, list):
        return [_arranged(each) for each in value]
    if not isinstance(value, dict):
        return value
    first = [name for name in _FIRST if name in value]
    last = [name for name in _LAST if name in value]
    names = [*first, *sorted(value.keys() - {*first, *last}), *last]
    return {name: value[name] if name in _OPAQUE else _arranged(value[name]) for name in names}
