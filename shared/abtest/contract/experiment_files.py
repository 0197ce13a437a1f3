"""Files of experiments on the wire: trees, plans, and their application."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Literal, Self

from pydantic import Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output
from abtest.contract.consent import LiveEdit
from abtest.contract.errors import LiveConsumer, PlanConflictEnvelope, TransitionErrorBody
from abtest.contract.experiments import Experiment
from abtest.contract.hashes import Sha256
from abtest.domain.experiment_files.paths import GUIDE
from abtest.domain.experiment_files.plans import MAX_FILES, TreeEdit
from abtest.domain.experiment_files.plans import Plan as Planned
from abtest.domain.experiment_files.problems import FileError as Problem
from abtest.domain.experiment_files.texts import sha256_of

Path = Annotated[str, Field(description="Path below the experiment, such as `variations/dated/mutations.json`.")]


class ExperimentFilesystemFile(Output):
    """One file of an experiment. A readonly one is generated."""

    path: str
    content: str
    sha256: str
    readonly: bool = ABSENT

    @classmethod
    def of(cls, path: str, content: str) -> Self:
        """Return the response of a file."""
        return cls(path=path, content=content, sha256=sha256_of(content), readonly=path == GUIDE)


class ExperimentTree(Output):
    """The files of an experiment by path. `tree_sha256` is the hash of all that are not readonly."""

    files: list[ExperimentFilesystemFile]
    tree_sha256: str


class WrittenFile(Input):
    """A file of a request. `sha256` and `readonly`, which a read returns, may be sent back; they are ignored."""

    path: Path
    content: str
    sha256: Sha256 = ABSENT
    readonly: bool = ABSENT


class NewTree(Input):
    """The files of a new experiment."""

    files: Annotated[list[WrittenFile], Field(max_length=MAX_FILES)]

    def edit(self) -> TreeEdit:
        """Return the edit of the tree."""
        return TreeEdit(files=[(file.path, file.content) for file in self.files])


class EditedTree(NewTree):
    """Files to write and paths to delete; files that are not named stay as they are."""

    deletes: Annotated[list[Path], Field(max_length=MAX_FILES)] = ABSENT
    base_tree_sha256: Annotated[
        Sha256, Field(description="The `tree_sha256` that was read; 409 `tree_conflict` when files changed since.")
    ] = ABSENT

    def edit(self) -> TreeEdit:
        """Return the edit of the tree."""
        return TreeEdit(files=[(file.path, file.content) for file in self.files], deletes=tuple(self.deletes or ()))


class PlannedNewTree(NewTree):
    """The files of the plan, and the plan."""

    plan_sha256: Sha256


class PlannedTree(EditedTree, LiveEdit):
    """The same files and deletes as those of the plan, and the plan."""

    plan_sha256: Sha256


class FileOperation(Output):
    """Change of one file. `diff` is a unified diff; a hash is null where there is no file."""

    op: Literal["create", "update", "delete"]
    path: str
    resource: Literal["experiment", "variation", "url_block", "goals", "guide"]
    before_sha256: str | None
    after_sha256: str | None
    diff: str


class FileProblem(Output):
    """Error or warning of a file. Line and column count from 1, columns in characters; null for the whole file."""

    path: str
    line: int | None
    column: int | None
    message: str

    @classmethod
    def of(cls, problem: Problem) -> Self:
        """Return the response of an error or a warning."""
        return cls(path=problem.path, line=problem.line, column=problem.column, message=problem.message)


class ExperimentPlan(Output):
    """Everything that the files would change. A plan with errors has no `planSha256` and cannot be applied."""

    ok: bool
    experimentId: Annotated[Id, Field(description="For a new experiment the id that it will have.")]
    baseTreeSha256: str
    planSha256: str | None
    operations: list[FileOperation]
    errors: list[FileProblem]
    warnings: list[FileProblem]
    live_impact: list[LiveConsumer]
    expiresAt: DateTime | None

    @classmethod
    def of(cls, plan: Planned) -> Self:
        """Return the response of a plan."""
        return cls(
            ok=plan.ok,
            experimentId=plan.experiment_id,
            baseTreeSha256=plan.base_tree_sha256,
            planSha256=plan.sha256,
            operations=[
                FileOperation.model_validate({name: getattr(each, name) for name in FileOperation.model_fields})
                for each in plan.operations
            ],
            errors=[FileProblem.of(each) for each in plan.errors],
            warnings=[FileProblem.of(each) for each in plan.warnings],
            live_impact=[LiveConsumer(id=each.id, name=each.name, consumer=each.kind) for each in plan.live_impact],
            expiresAt=plan.expires_at,
        )


class AppliedPlan(Output):
    """The experiment after a plan. `applied` is false where this request changed nothing: it was applied before."""

    ok: bool
    experimentId: Id
    applied: bool
    experiment: Experiment


class TreeConflictBody(TransitionErrorBody):
    """`tree_conflict`: the files that changed, where they are known, and the hash of the current tree."""

    tree_sha256: str = ABSENT
    paths: list[str] = ABSENT


class TreeConflictEnvelope(PlanConflictEnvelope):
    """The files changed (`tree_conflict`), shoppers notice the change, or the state does not allow it."""

    error: TreeConflictBody
    tree_sha256: str = ABSENT
    paths: list[str] = ABSENT
