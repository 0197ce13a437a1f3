"""Shapes of experiments under the names of the contract: content of variations, plans, overrides of settings."""

from collections.abc import Sequence
from typing import NotRequired, TypedDict

from abtest.domain.targeting.shapes import UrlRule


class AttributeChange(TypedDict):
    """One attribute and its value; null removes it."""

    name: str
    value: str | None


class Mutation(TypedDict):
    """A change to elements."""

    selector: str
    action: str
    text: NotRequired[str]
    html: NotRequired[str]
    styles: NotRequired[dict[str, str]]
    attribute: NotRequired[AttributeChange]
    attributes: NotRequired[dict[str, str | None]]
    description: NotRequired[str]


class Content(TypedDict):
    """Changes to a page."""

    mutations: Sequence[Mutation]
    css: NotRequired[str | None]
    js: NotRequired[str | None]


class UrlBlock(Content):
    """Content of a variation on the pages of some rules."""

    id: str
    name: str
    urlRules: list[UrlRule]


class ResultsWeekdays(TypedDict):
    """Days on which visitors must have been exposed to count."""

    days: list[str]
    timezone: str


class VariationFields(TypedDict, total=False):
    """Fields of a variation of a request."""

    id: str
    name: str
    weight: float
    is_control: bool
    mutations: Sequence[Mutation]
    url_blocks: Sequence[UrlBlock] | None
    custom_css: str | None
    custom_js: str | None
    redirect_url: str | None
