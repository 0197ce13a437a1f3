"""Names of folders, of block files and of goals: those that files gave, or derived from names that people read."""

import re
import unicodedata
from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import TypeGuard

from abtest.domain.experiment_files.paths import DEVICES, NAME
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Goal

_LONGEST = 48
_NAME = re.compile(NAME)


def is_name(text: object) -> TypeGuard[str]:
    """Return whether a value can be the name of a part."""
    return isinstance(text, str) and _NAME.fullmatch(text) is not None and text not in DEVICES


def slug_of(text: str, otherwise: str) -> str:
    """Return a name in lower-case ASCII for a text that people read; `otherwise` where it has no letter for it."""
    plain = unicodedata.normalize("NFKD", text).encode("ascii", "ignore").decode().lower()
    slug = re.sub("[^a-z0-9]+", "-", plain)[:_LONGEST].strip("-")
    return f"{slug}-{otherwise}" if slug in DEVICES else slug or otherwise


def distinct(names: Sequence[tuple[str | None, str]]) -> list[str]:
    """Return a name of its own for each pair of a given name, if any, and a derived one.

    The first of equal given names keeps it; every other name that is taken gets a number.
    """
    taken: set[str] = set()
    chosen: list[str | None] = []
    for given, _ in names:
        is_free = given is not None and given not in taken
        chosen.append(given if is_free else None)
        taken |= {given} if given is not None and is_free else set()
    return [name if name is not None else _numbered(pair[1], taken) for name, pair in zip(chosen, names, strict=True)]


def _numbered(derived: str, taken: set[str]) -> str:
    number, name = 1, derived
    while name in taken:
        number += 1
        name = f"{derived}-{number}"
    taken.add(name)
    return name


def folders_of(experiment: Experiment) -> list[tuple[str, Variation]]:
    """Return the variations in use with their folders, in their order."""
    arms, given = in_use(experiment), experiment.file_names or {}
    names = distinct([(given.get(arm.id), slug_of(arm.name, "variation")) for arm in arms])
    return list(zip(names, arms, strict=True))


def keys_of(experiment: Experiment) -> list[tuple[str, Goal]]:
    """Return the goals in use with their keys, in their order."""
    goals, given = [goal for goal in experiment.goals if goal.archived_at is None], experiment.file_names or {}
    names = distinct([(given.get(goal.id), slug_of(goal.name, "goal")) for goal in goals])
    return list(zip(names, goals, strict=True))


def block_names(block_ids: Sequence[str]) -> list[str]:
    """Return the names of the files of blocks: an id that can be one, else derived from the id."""
    return distinct([(each if is_name(each) else None, slug_of(each, "block")) for each in block_ids])


def file_names(experiment: Experiment, folders: Sequence[str], keys: Sequence[str]) -> Mapping[str, str] | None:
    """Return what an experiment must remember to get these names; None where they are the derived ones."""
    arms, goals = folders_of(experiment), keys_of(experiment)
    has_derived = [name for name, _ in arms] == list(folders) and [name for name, _ in goals] == list(keys)
    if has_derived:
        return experiment.file_names
    part_ids = [*(arm.id for _, arm in arms), *(goal.id for _, goal in goals)]
    named = zip((*folders, *keys), part_ids, strict=True)
    return {part_id: name for name, part_id in named}


def with_file_names(experiment: Experiment, folders: Sequence[str], keys: Sequence[str]) -> Experiment:
    """Return the experiment whose variations and goals in use have these names in files."""
    names = file_names(experiment, folders, keys)
    return experiment if names == experiment.file_names else replace(experiment, file_names=names)
