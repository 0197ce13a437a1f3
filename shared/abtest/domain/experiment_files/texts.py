"""Texts of files: JSON in one stable form, code with a line break at its end, and their hashes."""

import hashlib
import json
from collections.abc import Mapping

from abtest.kit import canonical_json
from abtest.kit.canonical_json import Json

Tree = Mapping[str, str]
"""Texts of files by path."""

MAX_DEPTH = 40
"""Levels of JSON in a file; the contract allows fewer."""

_FIRST = (
    *("key", "id", "name", "type", "role", "direction", "selector", "action", "page", "pageId", "audience"),
    *("audienceId", "include", "disabled", "attribute", "property", "operator", "source", "match", "pattern"),
)
_LAST = ("includeRules", "excludeRules", "conditions", "groups", "rules", "value", "mutations")
_RANKS = {name: rank - len(_FIRST) for rank, name in enumerate(_FIRST)} | {
    name: rank + 1 for rank, name in enumerate(_LAST)
}
"""Names that come first or last in an object; the others are between them, by the alphabet."""


def json_text(value: Json) -> str:
    """Return JSON with two spaces a level, stable order of names and a line break at the end."""
    return json.dumps(arranged(value), indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def document_text(document: Mapping[str, Json]) -> str:
    """Return the same for an object whose own names keep their order."""
    shown = {name: arranged(value) for name, value in document.items()}
    return json.dumps(shown, indent=2, ensure_ascii=False, allow_nan=False) + "\n"


def arranged(value: Json) -> Json:
    """Return a JSON value with names in stable order, and integral numbers without a fraction."""
    if isinstance(value, Mapping):
        return {name: arranged(value[name]) for name in sorted(value, key=lambda name: (_RANKS.get(name, 0), name))}
    if isinstance(value, list | tuple):
        return [arranged(item) for item in value]
    return int(value) if isinstance(value, float) and value.is_integer() else value


def code_text(code: str | None) -> str | None:
    """Return the text of a code file, which ends with a line break; None for no code."""
    return f"{code}\n" if code else None


def code_of(text: str | None) -> str | None:
    """Return the code of a file; None for no file or an empty one."""
    return (text or "").removesuffix("\n") or None


def sha256_of(text: str) -> str:
    """Return the SHA-256 of a file, in hexadecimal."""
    return hashlib.sha256(text.encode("utf-8", "surrogatepass")).hexdigest()


def hashes_of(tree: Tree) -> dict[str, str]:
    """Return the SHA-256 of each file."""
    return {path: sha256_of(text) for path, text in tree.items()}


def tree_sha256(tree: Tree) -> str:
    """Return the SHA-256 over the paths and hashes of all files, as canonical JSON."""
    return canonical_json.sha256(hashes_of(tree))
