"""Differences for the audit: `{field: [before, after]}`, with code and long values as hash and length."""

from collections.abc import Collection, Mapping

from abtest.kit import canonical_json

CODE = frozenset(
    {"experiment_js", "experiment_reset_js", "experiment_css", "custom_css", "custom_js", "reset_js"}
    | {"mutations", "url_blocks"}
)
_LONGEST_VALUE = 500
# A SHA-256 in hexadecimal has as many characters, so a shorter value would grow.
_SHORTEST_HASHED = 64
_LARGEST_DIFF = 100_000

Diff = dict[str, object]


def differences(
    before: Diff, after: Diff, note: Mapping[str, object] | None = None, *, in_full: Collection[str] = ()
) -> Diff:
    """Return the fields that differ, and the fields of `note` as new ones; those named in `in_full` are never hashed.

    Where that exceeds 100 KB, values of more than 64 characters become hashes too: 300 KB at most.
    """
    noted = {name: [None, value] for name, value in (note or {}).items()}
    diff = {**_compare(before, after, _LONGEST_VALUE, in_full), **noted}
    if len(canonical_json.encode(diff)) <= _LARGEST_DIFF:
        return diff
    return {**_compare(before, after, _SHORTEST_HASHED, in_full), **noted}


def by_hash(value: object, length: int) -> Diff:
    """Return hash and length in characters of a value that is too long, or not for every reader of the audit."""
    return {"sha256": canonical_json.sha256(value), "length": length}


def _compare(before: Diff, after: Diff, longest: int, in_full: Collection[str]) -> Diff:
    names = [*before, *(name for name in after if name not in before)]
    pairs = {name: [before.get(name), after.get(name)] for name in names}
    return {
        name: pair if name in in_full else [_shortened(name, value, longest) for value in pair]
        for name, pair in pairs.items()
        if not canonical_json.same(*pair)
    }


def _shortened(name: str, value: object, longest: int) -> object:
    if value is None or isinstance(value, bool | int | float):
        return value
    text = value if isinstance(value, str) else canonical_json.dumps(value)
    if name.rpartition(".")[2] in CODE or len(text) > longest:
        return by_hash(value, len(text))
    return value
