"""Blocks of a landing page's spec."""

from dataclasses import dataclass
from typing import Annotated, Any, Literal, TypeAlias

from pydantic import Field
from pydantic.annotated_handlers import GetCoreSchemaHandler, GetJsonSchemaHandler
from pydantic.json_schema import JsonSchemaValue
from pydantic_core import CoreSchema, core_schema

from abtest.contract.alternatives import OneOf
from abtest.contract.base import ABSENT, Input, Unique, Uuid
from abtest.contract.forms import Form as Pattern
from abtest.contract.misplaced import misplaced
from abtest.contract.page_texts import (
    Currency,
    Evidence,
    HttpsUrl,
    Markdown,
    PageImage,
    PageLink,
    RequiredMarkdown,
    Slug,
    Text,
)

MAX_PRICE = 999_999_999


class _Block(Input):
    """Fields that all blocks share. `id` is unique in the page, and its anchor. `hide_on` hides the block by width."""

    id: Slug
    tone: Literal["plain", "muted", "dark"] = ABSENT
    hide_on: Literal["phone", "desktop"] = ABSENT


class HeroBlock(_Block):
    """Opening of a page, with up to two buttons and an image."""

    type: Literal["hero"]
    heading: Text
    body: Markdown = ABSENT
    image: PageImage = ABSENT
    links: Annotated[list[PageLink], Field(max_length=2)] = ABSENT


class TextBlock(_Block):
    """Running text."""

    type: Literal["text"]
    heading: Text = ABSENT
    body: RequiredMarkdown


class ImageBlock(_Block):
    """Image in full width."""

    type: Literal["image"]
    image: PageImage
    caption: Text = ABSENT


class VideoBlock(_Block):
    """Video that starts when the visitor starts it."""

    type: Literal["video"]
    asset_id: Uuid
    poster_asset_id: Uuid
    title: Text


class PageItem(Input):
    """Feature or step."""

    heading: Text
    body: Markdown = ABSENT
    image: PageImage = ABSENT


class FeaturesBlock(_Block):
    """Features next to each other. Drawings and images of at most 200 pixels are shown as icons."""

    type: Literal["features"]
    heading: Text
    items: Annotated[list[PageItem], Field(min_length=2, max_length=12)]


class StepsBlock(_Block):
    """Steps with numbers: up to four in a row, more from top to bottom."""

    type: Literal["steps"]
    heading: Text
    items: Annotated[list[PageItem], Field(min_length=2, max_length=12)]


class ProductBlock(_Block):
    """Product with its price in major units, written as in the language of the page."""

    type: Literal["product"]
    name: Text
    price: Annotated[float, Field(ge=0, le=MAX_PRICE)]
    currency: Currency
    image: PageImage = ABSENT
    body: Markdown = ABSENT
    link: PageLink


class ComparisonRow(Input):
    """Row of a comparison, with one cell per column. True and false become a tick and a dash."""

    label: Text
    cells: Annotated[list[Annotated[Text | bool, OneOf("a text, true or false")]], Field(min_length=2, max_length=4)]


class ComparisonBlock(_Block):
    """Table that compares two to four columns."""

    type: Literal["comparison"]
    heading: Text
    columns: Annotated[list[Text], Field(min_length=2, max_length=4)]
    rows: Annotated[list[ComparisonRow], Field(min_length=1, max_length=30)]


class TestimonialItem(Input):
    """Quote of a customer. `evidence_ref` names its evidence for the gate and is not shown."""

    quote: RequiredMarkdown
    name: Text
    evidence_ref: Evidence = ABSENT


class TestimonialsBlock(_Block):
    """Quotes of customers. A single one is shown large."""

    type: Literal["testimonials"]
    items: Annotated[list[TestimonialItem], Field(min_length=1, max_length=12)]


class StatItem(Input):
    """Figure and its meaning. `evidence_ref` names its evidence for the gate and is not shown."""

    value: Text
    label: Text
    evidence_ref: Evidence = ABSENT


class StatsBlock(_Block):
    """Figures next to each other."""

    type: Literal["stats"]
    items: Annotated[list[StatItem], Field(min_length=2, max_length=6)]


class FaqItem(Input):
    """Question with its answer."""

    question: Text
    answer: RequiredMarkdown


class FaqBlock(_Block):
    """Questions that open to their answers."""

    type: Literal["faq"]
    heading: Text
    items: Annotated[list[FaqItem], Field(min_length=1, max_length=30)]


class CtaBlock(_Block):
    """Call to action, with one or two buttons."""

    type: Literal["cta"]
    heading: Text
    body: Markdown = ABSENT
    links: Annotated[list[PageLink], Field(min_length=1, max_length=2)]


Autocomplete = Literal[
    "off",
    "name",
    "given-name",
    "family-name",
    "organization",
    "organization-title",
    "email",
    "tel",
    "street-address",
    "address-line1",
    "address-line2",
    "postal-code",
    "address-level2",
    "country-name",
    "bday",
    "url",
]


class PageFormField(Input):
    """Field of a form; `type` defaults to text. `options` belong to a select, and to no other type (else 422)."""

    name: Annotated[
        str,
        Field(max_length=60),
        Pattern("[A-Za-z][A-Za-z0-9_-]*", "be letters A to Z, digits, _ and -, beginning with a letter"),
    ]
    label: Text
    type: Literal["text", "email", "tel", "number", "date", "textarea", "select", "checkbox"] = ABSENT
    required: bool = ABSENT
    options: Annotated[list[Text], Field(min_length=1, max_length=50), Unique] = ABSENT
    autocomplete: Autocomplete = ABSENT


class FormBlock(_Block):
    """Form that posts to an https address on one of the shop's domains."""

    type: Literal["form"]
    heading: Text
    action: HttpsUrl
    submit: Annotated[Text, Field(max_length=80)]
    fields_: Annotated[list[PageFormField], Field(alias="fields", min_length=1, max_length=12)]


AnyBlock: TypeAlias = (
    HeroBlock
    | TextBlock
    | ImageBlock
    | VideoBlock
    | FeaturesBlock
    | StepsBlock
    | ProductBlock
    | ComparisonBlock
    | TestimonialsBlock
    | StatsBlock
    | FaqBlock
    | CtaBlock
    | FormBlock
)


@dataclass(frozen=True, slots=True)
class _ByType:
    """Mark a union of models that differ in `type`. A value gets the errors of its type, at their own places."""

    def __get_pydantic_core_schema__(self, source: Any, handler: GetCoreSchemaHandler) -> CoreSchema:
        return core_schema.no_info_wrap_validator_function(self.validate, handler(source))

    def __get_pydantic_json_schema__(self, schema: CoreSchema, handler: GetJsonSchemaHandler) -> JsonSchemaValue:
        return handler(schema)

    def validate(self, value: Any, check: core_schema.ValidatorFunctionWrapHandler) -> Any:
        """Return the validated model. Its errors have no step for the type, which is not a place in the request."""
        if not isinstance(value, dict):
            return check(value)
        kind = value.get("type")
        if isinstance(kind, str) and kind in BLOCK_MODELS:
            return BLOCK_MODELS[kind].model_validate(value)
        reason = f"must be one of {', '.join(BLOCK_MODELS)}" if "type" in value else "is required"
        raise misplaced([("type", reason)])


PageBlock = Annotated[AnyBlock, Field(discriminator="type"), _ByType()]
"""Block of a page, by its type."""

BLOCK_MODELS: dict[str, type[_Block]] = {
    model.model_fields["type"].annotation.__args__[0]: model for model in AnyBlock.__args__
}
