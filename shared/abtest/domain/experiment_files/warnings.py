"""Consequences of an edit that are allowed, and that a person should know before."""

from collections.abc import Iterator

from abtest.domain.experiment_files import paths
from abtest.domain.experiment_files.part_names import folders_of
from abtest.domain.experiment_files.problems import FileError
from abtest.domain.experiment_files.texts import Tree
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.variations import is_untested


def warnings_of(before: Experiment | None, after: Experiment | None, given: Tree, tree: Tree) -> list[FileError]:
    """Return the warnings of an edit; `given` are the files of the request, `tree` those that will be read back."""
    if after is None:
        return []
    return [*_of_form(given, tree), *(_of_experiment(before, after) if before is not None else ())]


def _of_form(given: Tree, tree: Tree) -> Iterator[FileError]:
    for path in sorted(given.keys() | tree.keys()):
        if path not in tree:
            yield FileError(path=path, message="is empty, which is the same as no file; it will not be kept")
        elif path in given and given[path] != tree[path]:
            yield FileError(path=path, message="will be kept in another form of the same contents; read it again")


def _of_experiment(before: Experiment, after: Experiment) -> Iterator[FileError]:
    if before.approval != after.approval:
        yield _about("the approval of the design is withdrawn, because the design changes")
    if before.status != after.status:
        yield _about(f"the experiment returns from {before.status} to {after.status}")
    if before.measurement_epoch != after.measurement_epoch:
        yield _about("a new measurement begins, because weights or variations of a started test change")
    kept = {arm.id for _, arm in folders_of(after)}
    for folder, arm in folders_of(before):
        if arm.id not in kept:
            path = paths.in_variation(folder, "variation.json")
            verb = "deleted" if is_untested(before) else "archived"
            yield FileError(path=path, message=f"the variation {arm.name} is {verb}")


def _about(message: str) -> FileError:
    return FileError(path=paths.EXPERIMENT, message=message)
