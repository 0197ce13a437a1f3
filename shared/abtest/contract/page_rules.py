"""URL rules and page rules: where something runs, or where a goal counts."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Literal, Self

from pydantic import ConfigDict, Field, model_validator

from abtest.contract.advanced_conditions import AdvancedCondition
from abtest.contract.base import ABSENT, Input, OpenInput, Uuid
from abtest.contract.misplaced import misplaced
from abtest.contract.names import OptionalName
from abtest.contract.triggers import Trigger

MAX_RULES = 50


class UrlRule(Input):
    """One pattern for an address; with `include: false` it is an exception.

    `simple` patterns are parsed as URLs, allow `*` in every part, match the whole address and ignore case. `regex`
    patterns that are too slow or unsupported are `unsafe_regex`.
    """

    type: Literal["simple", "regex"]
    pattern: Annotated[str, Field(min_length=1, max_length=500)]
    include: bool = ABSENT


UrlRules = Annotated[list[UrlRule], Field(max_length=MAX_RULES)]


class PageRules(OpenInput):
    """A page defined by URL rules: a matching exclude rule wins, then any include rule."""

    id: Uuid
    includeRules: UrlRules
    excludeRules: UrlRules
    name: OptionalName = ABSENT
    include: bool = ABSENT
    disabled: bool = ABSENT
    advancedCondition: AdvancedCondition | None = ABSENT
    trigger: Trigger = ABSENT


PageRuleList = Annotated[list[PageRules], Field(max_length=MAX_RULES)]

_OF_ITS_OWN = ("includeRules", "excludeRules", "advancedCondition", "trigger")


class TargetedPage(OpenInput):
    """A page rule of targeting: its own rules, or a page of the shop by `pageId`, which then defines everything but the
    mode."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["includeRules", "excludeRules"]}, {"required": ["pageId"]}]}
    )

    id: Uuid
    pageId: Uuid = ABSENT
    includeRules: UrlRules = ABSENT
    excludeRules: UrlRules = ABSENT
    name: OptionalName = ABSENT
    include: bool = ABSENT
    disabled: bool = ABSENT
    advancedCondition: AdvancedCondition | None = ABSENT
    trigger: Trigger = ABSENT

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        given = self.model_fields_set
        if "pageId" in given:
            wrong = [(name, "is not allowed with pageId; the page defines it") for name in _OF_ITS_OWN if name in given]
        else:
            required = ("includeRules", "excludeRules")
            wrong = [(name, "is required without pageId") for name in required if name not in given]
        if wrong:
            raise misplaced(wrong)
        return self


TargetedPages = Annotated[list[TargetedPage], Field(max_length=MAX_RULES)]
