"""Changes a variation makes to a page: mutations, and URL blocks of mutations."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Literal

from pydantic import Field

from abtest.contract.base import ABSENT, Input
from abtest.contract.code import MAX_CODE, Code
from abtest.contract.names import BY_LABEL, READABLE, Label, LabelKey, Name
from abtest.contract.page_rules import UrlRule

MAX_MUTATIONS = 200
Text = Annotated[str, Field(max_length=MAX_CODE)]


class SingleAttribute(Input):
    """The older form that sets one attribute; null removes it."""

    name: Label
    value: Text | None


class Mutation(Input):
    """One change to the elements that a CSS selector matches.

    `text` (older: `setText`) needs `text`; `html`, `insertBefore` and `insertAfter` need `html`; `style` (`setStyle`)
    needs `styles`, by property name; `attribute` needs `attributes`, where null removes one, or the older `attribute`.
    """

    selector: Annotated[str, Field(min_length=1, max_length=2000)]
    action: Literal[
        "text", "setText", "html", "style", "setStyle", "attribute", "remove", "insertBefore", "insertAfter"
    ]
    text: Text = ABSENT
    html: Text = ABSENT
    attribute: SingleAttribute = ABSENT
    attributes: Annotated[dict[LabelKey, Text | None], BY_LABEL] = ABSENT
    styles: Annotated[dict[LabelKey, Text], BY_LABEL] = ABSENT
    description: Annotated[str, Field(max_length=2000)] = ABSENT


MutationList = Annotated[list[Mutation], Field(max_length=MAX_MUTATIONS)]


class UrlBlock(Input):
    """Changes for certain addresses. The first block that matches replaces the variation's own changes."""

    id: Annotated[str, Field(min_length=1, max_length=100), READABLE]
    name: Name
    urlRules: Annotated[list[UrlRule], Field(min_length=1, max_length=50)]
    mutations: MutationList
    css: Code = ABSENT
    js: Code = ABSENT


UrlBlocks = Annotated[list[UrlBlock], Field(max_length=50)]
