"""Errors in files, each with its place."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abtest.domain.experiment_files.paths import MAX_PATH_BYTES
from abtest.domain.experiment_files.positions import Pointer, Position, positions_of
from abtest.domain.experiment_files.texts import Tree


@dataclass(frozen=True, slots=True)
class Problem:
    """Error at a value of a file; `position` where the text itself is wrong, so that it has no values."""

    path: str
    pointer: Pointer
    message: str
    position: Position | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class FileError:
    """Error of a file. Line and column count from 1; None for an error of the file as a whole."""

    path: str
    line: int | None = None
    column: int | None = None
    message: str


MAX_ERRORS = 100
MAX_SHOWN = 200
"""Characters that an error has of a path that is too long."""


def located(problems: Sequence[Problem], tree: Tree) -> list[FileError]:
    """Return the errors with lines and columns, the first MAX_ERRORS of them."""
    shown = problems[:MAX_ERRORS]
    places: dict[str, Mapping[Pointer, Position]] = {}
    for path in {problem.path for problem in shown if problem.path.endswith(".json") and problem.path in tree}:
        places[path] = positions_of(tree[path], {problem.pointer for problem in shown if problem.path == path})
    return [_located(problem, places.get(problem.path, {})) for problem in shown]


def _located(problem: Problem, places: Mapping[Pointer, Position]) -> FileError:
    line, column = problem.position or places.get(problem.pointer) or (None, None)
    return FileError(path=_shown(problem.path), line=line, column=column, message=problem.message)


def _shown(path: str) -> str:
    """Return a path; the beginning of one that is longer than those that there can be."""
    return path if len(path) <= MAX_PATH_BYTES else f"{path[:MAX_SHOWN]}…"
