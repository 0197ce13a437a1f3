"""Refused applications of plans."""

from collections.abc import Sequence

from abtest.domain.experiment_files.problems import FileError
from abtest.kit.errors import ConflictError, FieldError, ServiceError, ValidationFailedError

_SHOWN = 50


class TreeConflictError(ServiceError):
    """Files that changed since the plan was made, or since they were read; `paths` names those that are known."""

    status = 409
    code = "tree_conflict"

    def __init__(self, tree_sha256: str, paths: Sequence[str] = ()) -> None:
        named = f": {', '.join(paths[:5])}{' …' if len(paths) > 5 else ''}" if paths else ""
        super().__init__(
            f"files of the experiment changed meanwhile{named}; read them again, repeat your edit and plan it",
            facts={"tree_sha256": tree_sha256, "paths": list(paths)},
        )


def no_such_plan() -> ConflictError:
    """Return the error for a plan that expired, or that belongs to another experiment or another shop."""
    return ConflictError(
        "there is no such plan of this experiment: it expired after 15 minutes, or was made for another one; plan again"
    )


def other_files() -> ConflictError:
    """Return the error for files that are not those of the plan."""
    return ConflictError("these are not the files of the plan; send what you planned, or plan again")


def refused_files(errors: Sequence[FileError]) -> ValidationFailedError:
    """Return the error for files that the rules refuse now, such as for a page that was deleted since the plan."""
    fields = [FieldError(_place(each), each.message) for each in errors[:_SHOWN]]
    return ValidationFailedError("files are refused; nothing was changed", fields=fields)


def _place(error: FileError) -> str:
    path = error.path[:200]
    return path if error.line is None else f"{path}:{error.line}:{error.column}"
