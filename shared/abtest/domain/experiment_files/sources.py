"""Places in files of the values that the contract and the rules of experiments refuse by their paths in a body."""

import re
from collections.abc import Mapping, Sequence

from abtest.domain.experiment_files import paths
from abtest.domain.experiment_files.part_names import folders_of
from abtest.domain.experiment_files.positions import Pointer, Position
from abtest.domain.experiment_files.problems import Problem
from abtest.domain.experiments.model import Experiment

_STEP = re.compile(r"([^.\[\]]+)|\[(\d+)\]")
_SCRIPT = re.compile(r"line (\d+), column (\d+): (.*)", re.DOTALL)
_IN_EXPERIMENT = {name: file for file, name in paths.CODE.items()}
_IN_VARIATION = {name: file for file, name in paths.VARIATION_CODE.items()}
_RENAMED = {"pageId": "page", "audienceId": "audience", "page_id": "page", "goal_id": "shop_goal", "is_primary": "role"}
"""Names of files for fields of the API, where a file has the other name."""


def pointer_of(path: str) -> Pointer:
    """Return the steps of a path such as `variations[0].weight`."""
    return tuple(int(index) if index else name for name, index in _STEP.findall(path))


def folders_in_body(folders: Sequence[str], has_variations: bool, stored: Experiment | None) -> Sequence[str]:
    """Return the folder of each variation, by the index that errors name: of the body's list, else the stored one."""
    if has_variations or stored is None:
        return folders
    names = {arm.id: folder for folder, arm in folders_of(stored)}
    return [names.get(arm.id, "") for arm in stored.variations]


def problem_at(location: Pointer, message: str, folders: Sequence[str], blocks: Mapping[str, Sequence[str]]) -> Problem:
    """Return the problem of a file for an error at a location of the body."""
    path, pointer = _place(location, folders, blocks)
    if path.endswith(".js") and (script := _SCRIPT.match(message)):
        return Problem(path, pointer, script[3], Position(int(script[1]), int(script[2])))
    return Problem(path, pointer, message)


def _place(location: Pointer, folders: Sequence[str], blocks: Mapping[str, Sequence[str]]) -> tuple[str, Pointer]:
    start, rest = location[:1], location[1:]
    if start and start[0] in _IN_EXPERIMENT:
        return _IN_EXPERIMENT[str(start[0])], ()
    if start == ("goals",):
        return paths.GOALS, _renamed(rest)
    if start == ("variations",) and rest and isinstance(rest[0], int) and rest[0] < len(folders):
        folder = folders[rest[0]]
        return _in_variation(folder, rest[1:], blocks.get(folder, ())) if folder else (paths.EXPERIMENT, start)
    return paths.EXPERIMENT, _renamed(location)


def _in_variation(folder: str, location: Pointer, blocks: Sequence[str]) -> tuple[str, Pointer]:
    start, rest = location[:1], location[1:]
    if start and start[0] in _IN_VARIATION:
        return paths.in_variation(folder, _IN_VARIATION[str(start[0])]), ()
    if start == ("mutations",):
        return paths.in_variation(folder, "mutations.json"), rest
    if start == ("url_blocks",) and rest and isinstance(rest[0], int) and rest[0] < len(blocks):
        block, inside = blocks[rest[0]], rest[1:]
        if inside[:1] in (("css",), ("js",)):
            return paths.in_block(folder, block, str(inside[0])), ()
        return paths.in_block(folder, block, "json"), inside
    return paths.in_variation(folder, "variation.json"), location


def _renamed(location: Pointer) -> Pointer:
    return tuple(_RENAMED.get(step, step) if isinstance(step, str) else step for step in location)
