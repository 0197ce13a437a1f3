"""Workspace files on the wire."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Any, Self

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from abtest.contract.base import ABSENT, DateTime, Input, Output
from abtest.contract.hashes import Sha256
from abtest.domain.experiment_files.texts import sha256_of
from abtest.domain.workspace.files import MAX_FILE_BYTES, FileKind, content_type_of, kind_of, path_problem
from abtest.domain.workspace.files import WorkspaceFile as Aggregate


def _storable(content: str) -> str:
    """Return the content unchanged. Raises PydanticCustomError."""
    if "\0" in content:
        raise PydanticCustomError("nul", "must not have the character NUL")
    try:
        size = len(content.encode())
    except UnicodeEncodeError:
        raise PydanticCustomError("utf_8", "must be text that UTF-8 can encode, without half characters") from None
    if size > MAX_FILE_BYTES:
        raise PydanticCustomError(
            "too_large", "must have at most {most} bytes of UTF-8, not {size}", {"most": MAX_FILE_BYTES, "size": size}
        )
    return content


def _canonical(path: str) -> str:
    """Return the path unchanged. Raises PydanticCustomError."""
    if problem := path_problem(path):
        raise PydanticCustomError("path", "{problem}", {"problem": problem})
    return path


CanonicalPath = Annotated[
    str,
    AfterValidator(_canonical),
    WithJsonSchema({"type": "string", "maxLength": 512, "pattern": "^[A-Za-z0-9._-]+(/[A-Za-z0-9._-]+)*$"}),
]
"""Path of a workspace file in an address."""


class WorkspaceFilePut(Input):
    """Content of a file. `expected_sha256` is the hash of the content that it replaces."""

    model_config = ConfigDict(
        json_schema_extra={"examples": [{"content": "# Exit survey\n\nA third name shipping.\n"}]}
    )

    content: Annotated[str, AfterValidator(_storable)]
    expected_sha256: Sha256 = ABSENT


class WorkspaceFile(Output):
    """A file of the shop's team, or one that the service generates (`readonly`)."""

    path: str
    kind: FileKind
    contentType: str
    content: str
    sha256: Sha256
    sizeBytes: Annotated[int, Field(ge=0)]
    updatedAt: DateTime = ABSENT
    readonly: bool

    @classmethod
    def of(cls, file: Aggregate) -> Self:
        """Return the response of a stored file."""
        made = cls._made(file.path, file.content, updatedAt=file.updated_at, readonly=False)
        # A file that was deleted and written again begins with version 1, so one version may have two contents.
        return made.at(file.version, shows_others=True)

    @classmethod
    def generated(cls, path: str, content: str) -> Self:
        """Return the response of a generated file, which is made of what is there now."""
        return cls._made(path, content, readonly=True).at(1, shows_others=True)

    @classmethod
    def _made(cls, path: str, content: str, **more: Any) -> Self:
        return cls(
            path=path,
            kind=kind_of(path),
            contentType=content_type_of(path),
            content=content,
            sha256=sha256_of(content),
            sizeBytes=len(content.encode()),
            **more,
        )
