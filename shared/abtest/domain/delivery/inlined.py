"""The config as a snippet holds it: without what pages have no use for, and what follows from the rest."""

from collections.abc import Iterator, Mapping
from typing import Any

from abtest.domain.assignment.hash import fold, seed
from abtest.domain.delivery.parts import Config

_UNREAD_IN_GROUPS = ("id", "epoch")


def inlined(config: Config) -> Config:
    """The config without goals that servers count and other things that pages do not read (data-model 1.2)."""
    whole = {name: value for name, value in config.items() if value or name not in ("profile", "signals")}
    for kind, shown in (("experiments", _experiment), ("personalizations", _measured)):
        if kind in whole:
            whole[kind] = [dict(shown(part)) for part in whole[kind]]
    return whole


def is_seen_by_pages(goal: Mapping[str, Any]) -> bool:
    """Whether pages count the goal; custom events and orders are told of, and counted by the server."""
    return goal.get("type") not in ("custom", "revenue")


def _experiment(experiment: Config) -> Iterator[tuple[str, Any]]:
    for name, value in _measured(experiment):
        if name == "group":
            yield name, {field: held for field, held in value.items() if field not in _UNREAD_IN_GROUPS}
        elif not _is_plain(experiment, name):
            yield name, value


def _is_plain(experiment: Config, name: str) -> bool:
    """Whether pages know the field's value without being told."""
    if name == "state" and "id" in experiment:
        return bool(experiment[name] == fold(seed(experiment["id"], experiment.get("epoch", 1))))
    return name == "type" and experiment[name] == "mutation"


def _measured(part: Config) -> Iterator[tuple[str, Any]]:
    for name, value in part.items():
        seen = [goal for goal in value if is_seen_by_pages(goal)] if name == "goals" else value
        if seen or name != "goals":
            yield name, seen
