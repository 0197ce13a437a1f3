"""Workspace files: their paths, kinds and hashes."""

import re
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Literal

from abtest.domain.experiment_files.paths import DEVICES
from abtest.kit.clock import Timestamp
from abtest.kit.errors import ServiceError

FileKind = Literal["note", "brief", "data", "generated"]

MAX_FILES = 2000
MAX_SHOP_BYTES = 50 * 1024 * 1024
MAX_FILE_BYTES = 512 * 1024
MAX_PATH_BYTES = 512

GENERATED_FOLDERS = ("brand/", "store/", "backlog/", "experiments/")
README = "README.md"

_SEGMENT = re.compile(r"[A-Za-z0-9._-]+")
_PLAIN = "text/plain"
_TYPES: Mapping[str, str] = {
    "md": "text/markdown",
    "txt": _PLAIN,
    "html": "text/html",
    "css": "text/css",
    "csv": "text/csv",
    "js": "text/javascript",
    "json": "application/json",
    "ndjson": "application/x-ndjson",
    "xml": "application/xml",
    "yaml": "application/yaml",
    "yml": "application/yaml",
}
_DATA = frozenset(_TYPES.values()) - {"text/markdown", _PLAIN, "text/html"}


class FileReadonlyError(ServiceError):
    """Generated file, which is made when it is read."""

    status = 409
    code = "file_readonly"


@dataclass(frozen=True, slots=True, kw_only=True)
class WorkspaceFile:
    """One file of a shop's team. `sha256` and `size_bytes` are of its UTF-8."""

    id: str
    shop_id: str
    version: int = 0
    path: str
    content: str
    sha256: str
    size_bytes: int
    created_at: Timestamp
    updated_at: Timestamp


def path_problem(path: str) -> str | None:
    """Return why a path is not canonical, and what to do; None for one that is."""
    if len(path.encode("utf-8", "surrogatepass")) > MAX_PATH_BYTES:
        return f"is longer than {MAX_PATH_BYTES} bytes"
    segments = path.split("/")
    if not all(_SEGMENT.fullmatch(segment) for segment in segments):
        return "must have segments of A-Z a-z 0-9 . _ - with one / between them, such as notes/research.md"
    if any(segment in (".", "..") for segment in segments):
        return "must not have . or .. as a segment"
    # The folder of an experiment has the name of its slug, which may be any.
    if not is_generated(path) and any(segment.partition(".")[0].lower() in DEVICES for segment in segments):
        return "has the name of a device; choose another name"
    return None


def clash(path: str, other: str) -> str | None:
    """Return why two files cannot be in one folder of a disk, as words between their paths; None where they can."""
    ours, theirs = path.split("/"), other.split("/")
    for name, other_name in zip(ours, theirs, strict=False):
        if name != other_name:
            return "differs only in upper and lower case from" if name.lower() == other_name.lower() else None
    if len(ours) == len(theirs):
        return None
    return "would be a folder of the file" if len(ours) < len(theirs) else "would be in a folder that is the file"


def is_generated(path: str) -> bool:
    """Return whether the service makes what is at this path, in whatever case the path is written."""
    lower = path.lower()
    return lower == README.lower() or f"{lower}/".startswith(GENERATED_FOLDERS)


def content_type_of(path: str) -> str:
    """Return the media type by the ending of a path."""
    return _TYPES.get(path.rpartition(".")[2].lower(), _PLAIN)


def kind_of(path: str) -> FileKind:
    """Return the kind by the folder and the media type of a path."""
    if is_generated(path):
        return "generated"
    if path.lower().startswith("briefs/"):
        return "brief"
    return "data" if path.lower().startswith("data/") or content_type_of(path) in _DATA else "note"
