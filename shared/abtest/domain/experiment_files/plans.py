"""Plans: operations between two trees with unified diffs, and the edits that a request makes to a tree."""

from collections import Counter
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Literal

from abtest.domain.changes.errors import LiveConsumer
from abtest.domain.experiment_files import paths
from abtest.domain.experiment_files.diffs import Budget, unified
from abtest.domain.experiment_files.guide import GUIDE_TEXT
from abtest.domain.experiment_files.paths import place_of, problem_of
from abtest.domain.experiment_files.problems import FileError, Problem
from abtest.domain.experiment_files.texts import Tree, hashes_of, sha256_of
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp

MAX_FILES = 2000
"""Files of one request. The largest experiment has 1,546."""

Verb = Literal["create", "update", "delete"]


@dataclass(frozen=True, slots=True, kw_only=True)
class TreeEdit:
    """Files that a request writes and paths that it deletes; files that it does not name stay as they are."""

    files: Sequence[tuple[str, str]]
    deletes: Sequence[str] = ()

    def sha256(self) -> str:
        """Return the SHA-256 by which the same edit is recognised."""
        files = sorted((path, sha256_of(text)) for path, text in self.files)
        return canonical_json.sha256([files, sorted(self.deletes)])


@dataclass(frozen=True, slots=True, kw_only=True)
class Operation:
    """Change of one file, from the text that it has to the one that it will have."""

    op: Verb
    path: str
    resource: str
    before_sha256: str | None
    after_sha256: str | None
    diff: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Plan:
    """Everything that an edit would do. `sha256` and `expires_at` are null for a plan with errors."""

    experiment_id: str
    base_tree_sha256: str
    sha256: str | None = None
    operations: Sequence[Operation] = ()
    errors: Sequence[FileError] = ()
    warnings: Sequence[FileError] = ()
    live_impact: Sequence[LiveConsumer] = ()
    expires_at: Timestamp | None = None

    @property
    def ok(self) -> bool:
        """True where the plan can be applied."""
        return not self.errors


def edited(tree: Tree, edit: TreeEdit) -> tuple[dict[str, str], list[Problem]]:
    """Return the tree after an edit, and the problems of its paths, whose files are left out."""
    problems = _problems_of_paths(edit)
    refused = {problem.path for problem in problems}
    files = {path: text for path, text in edit.files if path not in refused and path != paths.GUIDE}
    deleted = set(edit.deletes)
    return {**{path: text for path, text in tree.items() if path not in deleted}, **files}, problems


def operations_of(before: Tree, after: Tree) -> list[Operation]:
    """Return the changes between two trees, by path."""
    budget = Budget()
    return [
        _operation(path, before.get(path), after.get(path), budget)
        for path in sorted(before.keys() | after.keys())
        if before.get(path) != after.get(path)
    ]


def moved_paths(known: Mapping[str, str], tree: Tree) -> list[str]:
    """Return the paths whose files are others than those that a plan knew, by their hashes."""
    present = short_hashes(tree)
    return sorted(path for path in known.keys() | present.keys() if known.get(path) != present.get(path))


def short_hashes(tree: Tree) -> dict[str, str]:
    """Return the beginning of each file's hash, by which a plan remembers its base."""
    return {path: digest[:16] for path, digest in hashes_of(tree).items()}


def _problems_of_paths(edit: TreeEdit) -> list[Problem]:
    written = [path for path, _ in edit.files]
    problems = [_path_problem(path) for path in dict.fromkeys((*written, *edit.deletes))]
    counted = Counter((*written, *edit.deletes))
    problems += [Problem(path, (), "is in the request twice") for path, count in counted.items() if count > 1]
    if any(text != GUIDE_TEXT for path, text in edit.files if path == paths.GUIDE) or paths.GUIDE in edit.deletes:
        problems.append(Problem(paths.GUIDE, (), "is generated and cannot be changed; leave it out"))
    return [problem for problem in problems if problem is not None]


def _path_problem(path: str) -> Problem | None:
    message = problem_of(path)
    return None if message is None else Problem(path, (), message)


def _operation(path: str, before: str | None, after: str | None, budget: Budget) -> Operation:
    place = place_of(path)
    verb: Verb = "create" if before is None else "delete" if after is None else "update"
    return Operation(
        op=verb,
        path=path,
        resource=place.resource if place else "experiment",
        before_sha256=None if before is None else sha256_of(before),
        after_sha256=None if after is None else sha256_of(after),
        diff=unified(path, before, after, budget),
    )
