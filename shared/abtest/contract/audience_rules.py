"""Audience rules: comparisons of visitor attributes, joined by and and or (docs/targeting.md)."""

from collections.abc import Iterator
from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from abtest.contract.alternatives import OneOf
from abtest.contract.base import ABSENT, Input
from abtest.contract.misplaced import misplaced
from abtest.contract.names import READABLE
from abtest.contract.weekdays import TimeZone
from abtest.domain.targeting.shapes import Attribute, Operator

MAX_CONDITIONS = 50
MAX_GROUPS = 20
MAX_GROUP_DEPTH = 5
MAX_ALL_CONDITIONS = 200

Text = Annotated[str, Field(max_length=500)]
Scalar = Annotated[Text | bool | int | float, OneOf("a text, a number or a boolean")]
Value = Annotated[
    Text | bool | int | float | Annotated[list[Scalar], Field(min_length=1, max_length=100)],
    OneOf("a text, a number, a boolean, or a list of these"),
]


class Comparison(Input):
    """Comparison of one attribute with a value. The attribute determines the allowed operators, values and keys."""

    attribute: Attribute
    operator: Operator
    value: Value = ABSENT
    key: Annotated[str, Field(min_length=1, max_length=200), READABLE] = ABSENT
    timezone: TimeZone = ABSENT


class AudienceRulesTree(Input):
    """Comparisons and groups: all must match (`and`), or at least one (`or`)."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["conditions"]}, {"required": ["groups"]}]},
    )

    operator: Literal["and", "or"]
    conditions: Annotated[list[Comparison], Field(min_length=1, max_length=MAX_CONDITIONS)] = ABSENT
    groups: Annotated[list["AudienceRulesTree"], Field(min_length=1, max_length=MAX_GROUPS)] = ABSENT

    @model_validator(mode="after")
    def _has_parts(self) -> Self:
        if self.model_fields_set == {"operator"}:
            raise PydanticCustomError("empty_group", "must have conditions, groups, or both")
        return self


def bounded(rules: Any) -> Any:
    """Return the rules, or raise for too many levels or conditions. Other errors are detected later."""
    total = 0
    for at, group in groups_of(rules, ()):
        # Each level adds two steps, `groups` and an index. The generator is lazy, so its recursion ends here, too.
        if len(at) >= 2 * MAX_GROUP_DEPTH:
            raise misplaced([(at, f"groups are nested more than {MAX_GROUP_DEPTH} levels deep")])
        conditions = group.get("conditions")
        total += len(conditions) if isinstance(conditions, list) else 0
    if total > MAX_ALL_CONDITIONS:
        raise PydanticCustomError(
            "too_many", "must have at most {most} conditions in all groups", {"most": MAX_ALL_CONDITIONS}
        )
    return rules


def groups_of(rules: Any, at: tuple[str | int, ...]) -> Iterator[tuple[tuple[str | int, ...], dict[str, Any]]]:
    """Yield every group with its location, outer groups first."""
    if not isinstance(rules, dict):
        return
    yield at, rules
    groups = rules.get("groups")
    for index, group in enumerate(groups if isinstance(groups, list) else ()):
        yield from groups_of(group, (*at, "groups", index))


# Before pydantic: its own validation of the tree is recursive and would visit every condition first.
AudienceRules = Annotated[AudienceRulesTree, BeforeValidator(bounded)]
"""Audience rules that are at most 5 groups deep and 200 conditions long."""
