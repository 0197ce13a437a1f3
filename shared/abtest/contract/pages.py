"""Reusable pages on the wire, their consumers, and the rule tester."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Any, Literal, Self

from pydantic import BeforeValidator, ConfigDict, Field, model_validator
from pydantic_core import PydanticCustomError

from abtest.contract.advanced_conditions import AdvancedCondition
from abtest.contract.base import ABSENT, AsStored, DateTime, Id, Input, Output, PublicationWarning, Uuid
from abtest.contract.consent import LiveEdit
from abtest.contract.errors import LiveConsumer
from abtest.contract.names import Name
from abtest.contract.page_rules import MAX_RULES, TargetedPage, UrlRule, UrlRules
from abtest.contract.triggers import Trigger
from abtest.domain.reusable.matching import Because, Verdict
from abtest.domain.reusable.model import Target
from abtest.kit.json_objects import present

_PRODUCTS: dict[str, Any] = {"type": "simple", "pattern": "/products/*"}
_A_RULE: dict[str, Any] = {
    "id": "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d38",
    "includeRules": [_PRODUCTS],
    "excludeRules": [],
}


class PageFields(Input):
    """Fields of a page. A page without include rules is every page. Conditions and triggers are replaced whole."""

    includeRules: UrlRules = ABSENT
    excludeRules: UrlRules = ABSENT
    trigger: Trigger | None = ABSENT
    advancedCondition: AdvancedCondition | None = ABSENT


class PageCreate(PageFields):
    """A new page."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"name": "Product pages", "includeRules": [_PRODUCTS]}]})

    name: Name


class PageUpdate(PageFields, LiveEdit):
    """Changes to a page: each given field is replaced, null clears, absent fields keep their value."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"excludeRules": [_PRODUCTS]}]})

    name: Name = ABSENT


class Page(Output):
    """A reusable page. Targeting refers to it by `pageId`."""

    id: Id
    name: str
    includeRules: Annotated[list[Any], AsStored(list[UrlRule])]
    excludeRules: Annotated[list[Any], AsStored(list[UrlRule])]
    trigger: Annotated[Any, AsStored(Trigger | None)]
    advancedCondition: Annotated[Any, AsStored(dict[str, Any] | None)]
    created_at: DateTime
    updated_at: DateTime
    publication_warning: PublicationWarning = ABSENT

    @classmethod
    def of(cls, page: Target, warning: PublicationWarning | None = None) -> Self:
        """Return the response of a page."""
        return cls(
            id=page.id,
            name=page.name,
            includeRules=list(page.fields["includeRules"]),
            excludeRules=list(page.fields["excludeRules"]),
            trigger=page.fields["trigger"],
            advancedCondition=page.fields["advancedCondition"],
            created_at=page.created_at,
            updated_at=page.updated_at,
            **present(publication_warning=warning),
        ).at(page.version)


class PageConsumer(LiveConsumer):
    """An item that uses a page and is not archived; `live` means that shoppers see it."""

    live: bool


class PageMatchInput(Input):
    """An address, and either page rules (one, or several combined as in targeting) or a page of the shop."""

    model_config = ConfigDict(
        json_schema_extra={
            "anyOf": [{"required": ["rules"]}, {"required": ["page_id"]}],
            "examples": [{"url": "https://shop.example/products/1", "rules": _A_RULE}],
        }
    )

    url: Annotated[str, Field(min_length=1, max_length=2048)]
    rules: Annotated[
        list[TargetedPage],
        Field(min_length=1, max_length=MAX_RULES),
        BeforeValidator(
            lambda rules: [rules] if isinstance(rules, dict) else rules,
            json_schema_input_type=TargetedPage | list[TargetedPage],
        ),
    ] = ABSENT
    page_id: Uuid = ABSENT

    @model_validator(mode="after")
    def _is_one_of_both(self) -> Self:
        if len(self.model_fields_set & {"rules", "page_id"}) != 1:
            raise PydanticCustomError("one_of", "either rules or page_id is required")
        return self


class PageMatch(Output):
    """Result of the test. `rule_id` is the page rule that decided, null when no single rule did; `reason` is for
    people, `step` and `because` are the words of explanations (docs/explanations.md)."""

    matched: bool
    rule_id: Id | None
    step: Literal["page_rule"] | None
    because: Because
    reason: str

    @classmethod
    def of(cls, verdict: Verdict) -> Self:
        """Return the response of a verdict."""
        return cls(
            matched=verdict.matched,
            rule_id=verdict.rule_id,
            step=None if verdict.matched else "page_rule",
            because=verdict.because,
            reason=verdict.reason,
        )
