"""URL rules and page rules: where something runs, or where a goal counts."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Any, Literal

from pydantic import Field

from abtest.contract.base import ABSENT, Input, OpenInput, Uuid

MAX_RULES = 50


class UrlRule(Input):
    """One pattern that an address is tested against. `include` false makes it an exception."""

    type: Literal["simple", "regex"]
    pattern: Annotated[str, Field(min_length=1, max_length=500)]
    include: bool = ABSENT


class PageRules(OpenInput):
    """A page by its URL rules: any exclude rule that matches wins, then any include rule."""

    id: Uuid
    includeRules: Annotated[list[UrlRule], Field(max_length=MAX_RULES)]
    excludeRules: Annotated[list[UrlRule], Field(max_length=MAX_RULES)]
    name: Annotated[str, Field(max_length=255)] = ABSENT
    include: bool = ABSENT
    disabled: bool = ABSENT
    advancedCondition: Any = ABSENT
    trigger: dict[str, Any] = ABSENT


PageRuleList = Annotated[list[PageRules], Field(max_length=MAX_RULES)]
