"""The spec of a landing page on the wire, and its reading into the types of the domain."""

from collections.abc import Mapping
from dataclasses import fields
from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from abtest.contract.alternatives import OneOf
from abtest.contract.base import ABSENT, Input, Uuid
from abtest.contract.forms import Form
from abtest.contract.names import READABLE
from abtest.contract.page_blocks import (
    BLOCK_MODELS,
    ComparisonRow,
    FaqItem,
    PageBlock,
    PageFormField,
    PageItem,
    StatItem,
    TestimonialItem,
)
from abtest.contract.page_texts import HttpsUrl, Markdown, PageImage, PageLink
from abtest.domain.pages import spec

MAX_BLOCKS = 60
MAX_FOOTER_LINKS = 12

Colour = Annotated[str, Form("#[0-9A-Fa-f]{6}", "be a colour of a hash and six hexadecimal digits, such as #1f4fd1")]

# A text with a form and not a list of values, so that an object gets the errors of the other type.
FontName = Annotated[
    str, Form("(system|serif|mono)", "be system, serif, mono, or an object with the asset_id of a font")
]


class PageFontAsset(Input):
    """Font of the shop: a woff2 file among its assets."""

    asset_id: Uuid


class PageTheme(Input):
    """Colours, font, radius of corners and width of the content in pixels; each has a default.

    Text on its background needs a contrast of 4.5 to 1 or more: `text` and `primary` with `background` and with
    `muted`, the background of muted blocks (else 422).
    """

    primary: Colour = ABSENT
    background: Colour = ABSENT
    text: Colour = ABSENT
    muted: Colour = ABSENT
    font: Annotated[
        FontName | PageFontAsset, OneOf("system, serif, mono, or an object with the asset_id of a font")
    ] = ABSENT
    radius: Annotated[int, Field(ge=0, le=24)] = ABSENT
    width: Annotated[int, Field(ge=720, le=1440)] = ABSENT


class PageFooter(Input):
    """End of the page: the shop's name, a short text, and links."""

    tone: Literal["plain", "muted", "dark"] = ABSENT
    body: Markdown = ABSENT
    links: Annotated[list[PageLink], Field(max_length=MAX_FOOTER_LINKS)] = ABSENT


class PageSpecInput(Input):
    """Content and design of a page as data. The grammar is in docs/landing-pages.md.

    At most 256 KB as JSON (else 413). Ids of blocks are unique, anchors lead to a block, and colours are legible on
    each other (else 422).
    """

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "format": 1,
                    "lang": "en",
                    "theme": {"primary": "#1f4fd1"},
                    "blocks": [{"type": "hero", "id": "top", "heading": "Light that follows your day"}],
                }
            ]
        }
    )

    # Not a literal: 1 equals true, and both would be accepted.
    format: Annotated[int, Field(ge=spec.FORMAT, le=spec.FORMAT, json_schema_extra={"const": spec.FORMAT})]
    lang: Annotated[
        str,
        Field(max_length=35, examples=["en"]),
        Form("[a-z]{2,3}(-[A-Za-z0-9]{2,8})*", "be a language tag, such as en or de-AT"),
    ]
    theme: PageTheme = ABSENT
    blocks: Annotated[list[PageBlock], Field(min_length=1, max_length=MAX_BLOCKS)]
    footer: PageFooter = ABSENT


class SeoManifestInput(Input):
    """Title and description for search engines and previews of links. `canonical` defaults to the page's address."""

    title: Annotated[str, Field(min_length=1, max_length=70), READABLE]
    description: Annotated[str, Field(min_length=1, max_length=320), READABLE] = ABSENT
    canonical: HttpsUrl = ABSENT
    robots: Literal["index,follow", "noindex,follow", "index,nofollow", "noindex,nofollow"] = ABSENT
    og_image_asset_id: Uuid = ABSENT


_SHAPES: Mapping[type[Input], type[Any]] = {
    PageSpecInput: spec.PageSpec,
    PageTheme: spec.Theme,
    PageFontAsset: spec.FontAsset,
    PageFooter: spec.Footer,
    PageLink: spec.Link,
    PageImage: spec.Image,
    PageItem: spec.Item,
    ComparisonRow: spec.Row,
    TestimonialItem: spec.Testimonial,
    StatItem: spec.Stat,
    FaqItem: spec.Question,
    PageFormField: spec.FormField,
    SeoManifestInput: spec.Seo,
    **{BLOCK_MODELS[shape.type]: shape for shape in spec.BLOCKS},
}
"""Type of the domain that each model becomes. Both have the same fields; a test compares them."""


def spec_of(document: object) -> spec.PageSpec:
    """Return the spec of a JSON document, in the form that it was accepted in. Raises pydantic's ValidationError."""
    page: spec.PageSpec = _shaped(PageSpecInput.model_validate(document))
    return page


def seo_of(document: object) -> spec.Seo:
    """Return the SEO manifest of a JSON document. Raises pydantic's ValidationError."""
    seo: spec.Seo = _shaped(SeoManifestInput.model_validate(document))
    return seo


def _shaped(value: Any) -> Any:
    if isinstance(value, list):
        return tuple(_shaped(item) for item in value)
    if not isinstance(value, Input):
        return value
    shape = _SHAPES[type(value)]
    names = {field.name for field in fields(shape)}
    given = {name.removesuffix("_"): getattr(value, name) for name in value.model_fields_set}
    return shape(**{name: _shaped(item) for name, item in given.items() if name in names})
