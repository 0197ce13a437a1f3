"""The config as a snippet holds it: without what pages have no use for, and what follows from the rest."""

from collections.abc import Iterator, Mapping

from abtest.domain.assignment.hash import fold, seed
from abtest.domain.assignment.shapes import PublishedExperiment, PublishedGoal, PublishedPersonalization
from abtest.domain.delivery.shapes import PublishedConfig

_UNREAD_IN_GROUPS = ("id", "epoch")
_OPAQUE = ("styles", "attributes", "on", "off", "value")
"""What pages get to see as it stands, or goes by its order."""
_RULES = ("pages", "audience")
_FIRST = ("range", "selector")
_LAST = ("variations", "goals", "id")


def inlined(config: PublishedConfig) -> object:
    """The config without goals that servers count and other things that pages do not read (data-model 1.2).

    Its fields are arranged for compression: what differs between neighbours stands at the ends, what is alike together.
    """
    return _arranged(_needed(config))


def _needed(config: PublishedConfig) -> dict[str, object]:
    whole = {name: value for name, value in config.items() if value or name not in ("profile", "signals")}
    if "experiments" in config:
        whole["experiments"] = [dict(_experiment(each)) for each in config["experiments"]]
    if "personalizations" in config:
        whole["personalizations"] = [dict(_measured(each)) for each in config["personalizations"]]
    return whole


def _is_seen_by_pages(goal: PublishedGoal) -> bool:
    """Whether pages count the goal; custom events and orders are told of, and counted by the server."""
    return goal.get("type") not in ("custom", "revenue")


def _experiment(experiment: PublishedExperiment) -> Iterator[tuple[str, object]]:
    for name, value in _measured(experiment):
        if name == "group":
            yield name, _without(experiment["group"], *_UNREAD_IN_GROUPS)
        elif name == "variations" and experiment.get("type") != "redirect":
            yield name, [_without(each, "control") for each in experiment["variations"]]
        elif not _is_plain(experiment, name):
            yield name, value


def _without(part: Mapping[str, object], *fields: str) -> dict[str, object]:
    return {name: value for name, value in part.items() if name not in fields}


def _is_plain(experiment: PublishedExperiment, name: str) -> bool:
    """Whether pages know the field's value without being told."""
    if name == "state" and "id" in experiment:
        return experiment["state"] == fold(seed(experiment["id"], experiment.get("epoch", 1)))
    return name == "type" and experiment["type"] == "mutation"


def _measured(part: PublishedExperiment | PublishedPersonalization) -> Iterator[tuple[str, object]]:
    for name, value in part.items():
        if name == "goals":
            seen = [_goal(goal) for goal in part["goals"] if _is_seen_by_pages(goal)]
            if seen:
                yield name, seen
        else:
            yield name, _rules(value) if name in _RULES and isinstance(value, dict) else value


def _goal(goal: PublishedGoal) -> dict[str, object]:
    return {name: value for name, value in goal.items() if name != "once" or not value}


def _rules(combined: Mapping[str, object]) -> dict[str, object]:
    """Page rules or conditions without the lists that are empty, and without the mode that is understood."""
    return {name: value for name, value in combined.items() if value and (name, value) != ("mode", "any")}


def _arranged(value: object) -> object:
    if isinstance(value, list):
        return [_arranged(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: value[name] if name in _OPAQUE else _arranged(value[name]) for name in sorted(value, key=_place)}


def _place(name: str) -> tuple[int, str]:
    if name in _FIRST:
        return _FIRST.index(name) - len(_FIRST), name
    return _LAST.index(name) + 1 if name in _LAST else 0, name
