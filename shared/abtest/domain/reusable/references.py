"""Which pages and audiences a targeting names, and how heads of records tell it within their 1 KB."""

from collections.abc import Collection, Iterator, Mapping

Placed = tuple[str, str]
"""A path below the targeting (`pageRules[0].pageId`) and the id that stands there."""

REFERENCES = {"pageRules": "pageId", "segmentRules": "audienceId"}
"""The lists of a targeting, and the field by which their rules refer."""

MOST_IN_HEAD = 8
_TOO_MANY = "*"


def references_of(targeting: Mapping[str, object] | None) -> frozenset[str]:
    """Ids of all pages and audiences that the targeting names, in disabled rules too; tolerant of any stored form."""
    return frozenset(found for field in REFERENCES for _, found in placed_references(targeting, field))


def placed_references(targeting: Mapping[str, object] | None, field: str) -> Iterator[Placed]:
    """What the rules of one list refer to, each with its path."""
    rules = (targeting or {}).get(field)
    for index, rule in enumerate(rules if isinstance(rules, list | tuple) else ()):
        found = rule.get(REFERENCES[field]) if isinstance(rule, Mapping) else None
        if isinstance(found, str):
            yield f"{field}[{index}].{REFERENCES[field]}", found


def refs_attribute(references: Collection[str]) -> str:
    """The attribute `refs` of a head: the ids, or a mark that there are too many of them."""
    return " ".join(sorted(references)) if len(references) <= MOST_IN_HEAD else _TOO_MANY


def may_refer(refs: object, reference: str) -> bool:
    """Whether a head's attribute `refs` leaves it possible that its record names the id; True asks for the body."""
    return not isinstance(refs, str) or refs == _TOO_MANY or reference in refs.split()
