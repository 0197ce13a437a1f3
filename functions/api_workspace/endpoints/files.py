"""Routes of workspace files."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf
from abtest.contract.workspace import CanonicalPath, WorkspaceFile, WorkspaceFilePut
from abtest.domain.workspace.files import FileKind, FileReadonlyError
from abtest.http.deps import Caller, IfMatch, Page, carries_code, require, use, versioned
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError
from abtest.services.workspace.files import Workspace

Reader = Annotated[Caller, require("workspace:read")]
Writer = Annotated[Caller, require("workspace:write")]
Uses = Annotated[Workspace, use(Workspace)]

router = Router("/workspace/files", tag="Workspace files")


@router.get("", operation_id="listWorkspaceFiles")
def list_files(
    caller: Reader,
    page: Page,
    files: Uses,
    prefix: Annotated[str, Query(max_length=512, description="Only files whose path begins so.")] = "",
    kind: Annotated[FileKind | None, Query(description="Only files of this kind.")] = None,
) -> ListOf[WorkspaceFile]:
    """List files with their contents, by path: those of the team and generated ones.

    The files of an experiment are listed with a prefix that names its folder: `experiments/<slug>/`. A page ends
    before 4.5 MB, so it may have fewer files than `limit`.
    """
    items, last = files.page(caller.shop_id, prefix=prefix, kind=kind, limit=page.limit, after=page.after)
    return page.page(items, last)


@router.get("/{path:path}", operation_id="getWorkspaceFile", responses=errors(NotFoundError))
@versioned
def get_file(path: CanonicalPath, caller: Reader, files: Uses) -> WorkspaceFile:
    """Return one file. A generated one is made of what is there now."""
    return files.get(caller.shop_id, path)


@router.put(
    "/{path:path}",
    operation_id="putWorkspaceFile",
    responses=errors(ConflictError, FileReadonlyError, LimitReachedError),
)
@versioned
@carries_code
def put_file(
    path: CanonicalPath, body: WorkspaceFilePut, caller: Writer, files: Uses, if_match: IfMatch
) -> WorkspaceFile:
    """Write a file: a new one, or another content in place of the stored one.

    With `expected_sha256` only the content with this hash is replaced, else 409 `conflict`; a file that has the new
    content already is left as it is. A path that differs from another one only in upper and lower case, or is a folder
    of another, is refused as well. README.md and the folders brand, store, backlog and
    experiments are generated: 409 `file_readonly`. A shop has at most 2,000 files and 50 MiB (422 `limit_reached`).
    """
    return files.put(caller, path, body.content, body.provided().get("expected_sha256"), if_match)


@router.delete(
    "/{path:path}",
    operation_id="deleteWorkspaceFile",
    status_code=204,
    responses=errors(NotFoundError, FileReadonlyError),
)
def delete_file(path: CanonicalPath, caller: Writer, files: Uses, if_match: IfMatch) -> None:
    """Delete a file. The audit keeps its hash."""
    files.delete(caller, path, if_match)
