"""What changed, for the audit: `{field: [before, after]}`; code and long values stand there as hash and length."""

from collections.abc import Mapping

from abtest.kit import canonical_json

CODE = frozenset(
    {"experiment_js", "experiment_reset_js", "experiment_css", "custom_css", "custom_js", "reset_js"}
    | {"mutations", "url_blocks"}
)
_LONGEST_VALUE = 500
_SHORTEST_HASHED = 64
_LARGEST_DIFF = 100_000

Diff = dict[str, object]


def differences(before: Diff, after: Diff, note: Mapping[str, object] | None = None) -> Diff:
    """What differs between two sets of fields, `note` told with it.

    Beyond 100 KB every long value is told by its hash: 300 KB at most.
    """
    told = {**_compare(before, after, _LONGEST_VALUE), **_noted(note or {})}
    if len(canonical_json.encode(told)) <= _LARGEST_DIFF:
        return told
    return {**_compare(before, after, _SHORTEST_HASHED), **_noted(note or {})}


def by_hash(value: object, length: int) -> Diff:
    """A value that is too long, or not for everybody who reads: its hash, and its length in characters."""
    return {"sha256": canonical_json.sha256(value), "length": length}


def _noted(note: Mapping[str, object]) -> Diff:
    return {name: [None, value] for name, value in note.items()}


def _compare(before: Diff, after: Diff, longest: int) -> Diff:
    names = [*before, *(name for name in after if name not in before)]
    return {
        name: [_told(name, before.get(name), longest), _told(name, after.get(name), longest)]
        for name in names
        if not canonical_json.same(before.get(name), after.get(name))
    }


def _told(name: str, value: object, longest: int) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else canonical_json.dumps(value)
    if name.rpartition(".")[2] in CODE or len(text) > longest:
        return by_hash(value, len(text))
    return value
