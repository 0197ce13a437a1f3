"""Store of the team's own files: written, deleted, counted."""

from collections.abc import Mapping, Sequence
from dataclasses import replace

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.experiment_files.texts import sha256_of
from abtest.domain.workspace.files import (
    MAX_FILES,
    MAX_SHOP_BYTES,
    FileReadonlyError,
    WorkspaceFile,
    clash,
    is_generated,
)
from abtest.kit.documents import decode, encode
from abtest.kit.errors import ConflictError, FieldError, VersionConflictError
from abtest.ports.catalog import Commit, NameTakenError
from abtest.services.aggregates import Aggregates, Saved
from abtest.services.context import Caller, World
from abtest.services.listing import every_head
from abtest.services.names import Names
from abtest.services.quotas import QUOTA_ATTEMPTS, Limit, quota_put
from abtest.services.resources import Resource, Summary
from abtest.services.retries import Versions, retried

QUOTA_ID = "FILES"
LIMITS: Mapping[str, Limit] = {
    "files": Limit(MAX_FILES, f"{MAX_FILES:,} files"),
    "bytes": Limit(MAX_SHOP_BYTES, f"{MAX_SHOP_BYTES // 2**20} MiB of files"),
}


def _name_taken(subject: WorkspaceFile, _error: NameTakenError) -> Exception:
    return ConflictError(f"another file differs from {subject.path} only in upper and lower case")


FILES: Resource[WorkspaceFile] = Resource(
    kind="FILE",
    noun="workspace file",
    plural="files",
    to_document=lambda file: encode(file, omit=("version",)),
    from_record=lambda record: decode(WorkspaceFile, record.body, version=record.head.version),
    summary=lambda file: Summary(name=file.path),
    audited=lambda file: {"path": file.path, "sha256": file.sha256, "size_bytes": file.size_bytes},
    # File systems of readers may not tell names of different case apart.
    names=lambda file: Names(own={f"FILE#{file.path.lower()}"}),
    name_taken=_name_taken,
    record_id=lambda file: file.path,
)


class WorkspaceFiles(Aggregates[WorkspaceFile]):
    """Own files of shops, by path."""

    def __init__(self, world: World) -> None:
        super().__init__(world, FILES)

    def put(
        self,
        caller: Caller,
        path: str,
        content: str,
        *,
        expected_sha256: str | None,
        expected_version: Versions,
    ) -> Saved[WorkspaceFile]:
        """Write a file in place of another content or, unless a version is expected, a new one.

        Raises FileReadonlyError, LimitReachedError, VersionConflictError, and ConflictError when the stored content is
        another one than the caller expects.
        """
        refuse_generated(path)
        new_id, mark = self.world.new_id(), self.world.audit_row_id()

        def attempt() -> Saved[WorkspaceFile]:
            if self.get_many(caller.shop_id, [path]):
                return self.change(caller, path, decide, expected_version=expected_version, row_id=mark, attempts=1)
            if expected_sha256 is not None:
                raise _unexpected("there is no file at this path; leave expected_sha256 out to create it")
            if expected_version is not None:
                raise VersionConflictError("there is no file at this path; leave If-Match out to create it")
            self._refuse_clash(caller.shop_id, path)
            return self.add(
                caller, path, lambda occasion: self._made(caller, new_id, path, content, occasion), attempts=1
            )

        def decide(before: WorkspaceFile, occasion: Occasion) -> Change[WorkspaceFile]:
            after = self._made(caller, before.id, path, content, occasion)
            if after.sha256 == before.sha256:  # also a request that comes again
                return Change(before=before, after=before, action="workspace_file.update")
            if expected_sha256 not in (None, before.sha256):
                raise _unexpected(f"the file has the SHA-256 {before.sha256}; read it again")
            changed = replace(after, created_at=before.created_at)
            return Change(before=before, after=changed, action="workspace_file.update")

        return retried(attempt, QUOTA_ATTEMPTS)

    def delete(self, caller: Caller, path: str, *, expected_version: Versions) -> None:
        """Delete a file. Raises NotFoundError, FileReadonlyError."""
        refuse_generated(path)
        self.remove(caller, path, expected_version=expected_version, attempts=QUOTA_ATTEMPTS)

    def companions(self, pairs: Sequence[tuple[WorkspaceFile | None, WorkspaceFile | None]]) -> Commit:
        """Return the quota of the shop after these changes."""
        (before, after) = pairs[0]
        sizes = [file.size_bytes if file else 0 for file in (before, after)]
        gained = {"files": (after is not None) - (before is not None), "bytes": sizes[1] - sizes[0]}
        shop_id = (after or before).shop_id  # type: ignore[union-attr]
        return Commit(puts=[quota_put(self.world.catalog, shop_id, QUOTA_ID, gained, LIMITS, self.world.now())])

    def _refuse_clash(self, shop_id: str, path: str) -> None:
        for head in every_head(self.world.catalog, shop_id, "FILE"):
            if problem := clash(path, head.id):
                raise ConflictError(f"{path} {problem} {head.id}")

    @staticmethod
    def _made(caller: Caller, file_id: str, path: str, content: str, occasion: Occasion) -> WorkspaceFile:
        return WorkspaceFile(
            id=file_id,
            shop_id=caller.shop_id,
            path=path,
            content=content,
            sha256=sha256_of(content),
            size_bytes=len(content.encode()),
            created_at=occasion.now,
            updated_at=occasion.now,
        )


def refuse_generated(path: str) -> None:
    """Raise FileReadonlyError for a path that the service generates."""
    if is_generated(path):
        raise FileReadonlyError(
            f"{path} is generated when it is read; README.md and the folders brand, store, backlog and experiments "
            "cannot be written"
        )


def _unexpected(problem: str) -> ConflictError:
    return ConflictError(problem, fields=[FieldError("expected_sha256", problem)])
