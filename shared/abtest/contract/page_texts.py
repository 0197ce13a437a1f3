"""Texts, addresses and images of a landing page's spec."""

from typing import Annotated, Literal, Self

from pydantic import AfterValidator, Field, model_validator
from pydantic_core import PydanticCustomError

from abtest.contract.base import ABSENT, Input, Uuid
from abtest.contract.forms import Form
from abtest.contract.misplaced import misplaced
from abtest.contract.names import READABLE
from abtest.domain.pages import markdown, spec
from abtest.domain.pages.links import MAX_HREF, SLUG, href_problem, is_https
from abtest.kit.money import CURRENCIES
from abtest.kit.visible_text import has_unsafe, has_visible

Text = Annotated[str, Field(min_length=1, max_length=200), READABLE]
"""Plain text on one line."""

Slug = Annotated[
    str,
    Field(max_length=60),
    Form(SLUG, "be lower-case letters and digits in words joined by hyphens, such as our-lamps"),
]
Evidence = Annotated[str, Field(min_length=1, max_length=200), READABLE]


def _allowed(href: str) -> str:
    if problem := href_problem(href):
        raise PydanticCustomError("href", "must {problem}", {"problem": problem})
    return href


def _secure(address: str) -> str:
    if not is_https(address):
        raise PydanticCustomError("https", "must be an absolute https address without credentials or spaces")
    return address


def _markdown(text: str) -> spec.Markdown:
    if text and not has_visible(text):
        raise PydanticCustomError("blank", "must have at least one visible character")
    # Line breaks and tabs are part of Markdown, other control characters are not.
    if has_unsafe(text.translate(_LINES)):
        raise PydanticCustomError(
            "unsafe_characters", "must not have control characters, noncharacters or overrides of the writing direction"
        )
    if markdown.is_too_deep(text):
        raise PydanticCustomError(
            "too_deep", "has lists or quotes nested more than {levels} deep", {"levels": markdown.MAX_LEVELS}
        )
    for href in markdown.links(text):
        if problem := href_problem(href):
            raise PydanticCustomError("href", "has a link whose address must {problem}", {"problem": problem})
    return spec.Markdown(text)


def _currency(code: str) -> str:
    if code not in CURRENCIES:
        raise PydanticCustomError("currency", "must be a currency code of ISO 4217, such as EUR")
    return code


_LINES = {ord(each): " " for each in "\n\r\t"}

Href = Annotated[str, Field(min_length=1, max_length=MAX_HREF), AfterValidator(_allowed)]
HttpsUrl = Annotated[
    str,
    Field(max_length=MAX_HREF, json_schema_extra={"format": "uri", "pattern": "^[Hh][Tt][Tt][Pp][Ss]://"}),
    AfterValidator(_secure),
]
Markdown = Annotated[str, Field(max_length=markdown.MAX_MARKDOWN), AfterValidator(_markdown)]
RequiredMarkdown = Annotated[str, Field(min_length=1, max_length=markdown.MAX_MARKDOWN), AfterValidator(_markdown)]
Currency = Annotated[
    str, AfterValidator(_currency), Field(json_schema_extra={"pattern": "^[A-Z]{3}$"}, examples=["EUR"])
]


class PageLink(Input):
    """Link or button. `href` is an https address, a path, the `#id` of a block, a `mailto:` or a `tel:` address.

    Without `style` the first link of a block is `primary`, each other one `secondary`.
    """

    label: Annotated[str, Field(min_length=1, max_length=80), READABLE]
    href: Href
    style: Literal["primary", "secondary", "text"] = ABSENT


class PageImage(Input):
    """Image of the shop's assets, with a text for people who do not see it, or marked as decorative."""

    asset_id: Uuid
    alt: Annotated[str, Field(min_length=1, max_length=250), READABLE] = ABSENT
    decorative: bool = ABSENT

    @model_validator(mode="after")
    def _has_one_of_both(self) -> Self:
        has_text = "alt" in self.model_fields_set
        if not has_text and not self.decorative:
            raise misplaced([("alt", "is required, unless decorative is true")])
        if has_text and self.decorative:
            raise misplaced([("alt", "must be absent when decorative is true")])
        return self
