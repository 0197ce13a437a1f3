"""References of a targeting to pages and audiences, and their short form in the heads of records (1 KB)."""

from collections.abc import Collection, Iterator, Mapping

Placed = tuple[str, str]
"""A path below the targeting (`pageRules[0].pageId`) and the id at that path."""

REFERENCES = {"pageRules": "pageId", "segmentRules": "audienceId"}
"""The lists of a targeting, and the field by which their rules refer."""

# A head has 1 kB for all its attributes; with more ids readers open the body.
MOST_IN_HEAD = 8
_TOO_MANY = "*"


def references_of(targeting: Mapping[str, object] | None) -> frozenset[str]:
    """Return the ids of all pages and audiences of a targeting, disabled rules included; tolerate any stored form."""
    return frozenset(id_ for field in REFERENCES for _, id_ in placed_references(targeting, field))


def placed_references(targeting: Mapping[str, object] | None, field: str) -> Iterator[Placed]:
    """Yield the references of one list with their paths."""
    rules = (targeting or {}).get(field)
    for index, rule in enumerate(rules if isinstance(rules, list | tuple) else ()):
        reference = rule.get(REFERENCES[field]) if isinstance(rule, Mapping) else None
        if isinstance(reference, str):
            yield f"{field}[{index}].{REFERENCES[field]}", reference


def refs_attribute(references: Collection[str]) -> str:
    """Return the attribute `refs` of a head: the ids, or a mark for too many."""
    return " ".join(sorted(references)) if len(references) <= MOST_IN_HEAD else _TOO_MANY


def may_refer(refs: object, reference: str) -> bool:
    """Return whether a record may name the id, by the attribute `refs` of its head; if so, read its body."""
    # A head without the attribute proves nothing, so its body is read.
    return not isinstance(refs, str) or refs == _TOO_MANY or reference in refs.split()
