"""The config as a snippet holds it: without what pages have no use for, and what follows from the rest."""

from collections.abc import Iterator
from typing import Any

from abtest.domain.assignment.hash import fold, seed
from abtest.domain.delivery.parts import Config

_UNREAD_IN_GROUPS = ("id", "epoch")
_OPAQUE = ("styles", "attributes", "on", "off", "value")
"""What pages get to see as it stands, or goes by its order."""
_RULES = ("pages", "audience")
_FIRST = ("range", "selector")
_LAST = ("variations", "goals", "id")


def inlined(config: Config) -> Config:
    """The config without goals that servers count and other things that pages do not read (data-model 1.2).

    Its fields are arranged for compression: what differs between neighbours stands at the ends, what is alike together.
    """
    arranged: Config = _arranged(_needed(config))
    return arranged


def _needed(config: Config) -> Config:
    whole = {name: value for name, value in config.items() if value or name not in ("profile", "signals")}
    for kind, shown in (("experiments", _experiment), ("personalizations", _measured)):
        if kind in whole:
            whole[kind] = [dict(shown(part)) for part in whole[kind]]
    return whole


def _is_seen_by_pages(goal: Config) -> bool:
    """Whether pages count the goal; custom events and orders are told of, and counted by the server."""
    return goal.get("type") not in ("custom", "revenue")


def _experiment(experiment: Config) -> Iterator[tuple[str, Any]]:
    for name, value in _measured(experiment):
        if name == "group":
            yield name, {field: held for field, held in value.items() if field not in _UNREAD_IN_GROUPS}
        elif name == "variations" and experiment.get("type") != "redirect":
            yield name, [{field: held for field, held in each.items() if field != "control"} for each in value]
        elif not _is_plain(experiment, name):
            yield name, value


def _is_plain(experiment: Config, name: str) -> bool:
    """Whether pages know the field's value without being told."""
    if name == "state" and "id" in experiment:
        return bool(experiment[name] == fold(seed(experiment["id"], experiment.get("epoch", 1))))
    return name == "type" and experiment[name] == "mutation"


def _measured(part: Config) -> Iterator[tuple[str, Any]]:
    for name, value in part.items():
        if name == "goals":
            seen = [_goal(goal) for goal in value if _is_seen_by_pages(goal)]
            if seen:
                yield name, seen
        else:
            yield name, _rules(value) if name in _RULES else value


def _goal(goal: Config) -> Config:
    return {name: value for name, value in goal.items() if name != "once" or not value}


def _rules(combined: Config) -> Config:
    """Page rules or conditions without the lists that are empty, and without the mode that is understood."""
    return {name: value for name, value in combined.items() if value and (name, value) != ("mode", "any")}


def _arranged(value: Any) -> Any:
    if isinstance(value, list):
        return [_arranged(each) for each in value]
    if not isinstance(value, dict):
        return value
    return {name: value[name] if name in _OPAQUE else _arranged(value[name]) for name in sorted(value, key=_place)}


def _place(name: str) -> tuple[int, str]:
    if name in _FIRST:
        return _FIRST.index(name) - len(_FIRST), name
    return _LAST.index(name) + 1 if name in _LAST else 0, name
