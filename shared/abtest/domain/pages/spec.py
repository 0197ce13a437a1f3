"""The spec of a landing page: a theme, blocks and a footer, as flat data without HTML.

A spec in these types has the right form (contract/page_specs.py); `rules.py` checks what several fields have to
fulfil together.
"""

from dataclasses import dataclass
from typing import ClassVar, Literal, TypeAlias, get_args

FORMAT = 1
"""Number of this grammar. A later grammar has another number, and old specs keep theirs."""

Tone = Literal["plain", "muted", "dark"]
HideOn = Literal["phone", "desktop"]
LinkStyle = Literal["primary", "secondary", "text"]
Font = Literal["system", "serif", "mono"]
FieldType = Literal["text", "email", "tel", "number", "date", "textarea", "select", "checkbox"]


class Markdown(str):
    """Text with emphasis, links, lists and quotes. Any other text of a spec is plain."""

    __slots__ = ()


NO_TEXT = Markdown()


@dataclass(frozen=True, slots=True, kw_only=True)
class FontAsset:
    """Font of the shop, a woff2 file among its assets."""

    asset_id: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Theme:
    """Colours as #rrggbb, the font, the radius of corners, and the width of the content, both in pixels."""

    primary: str = "#1f4fd1"
    background: str = "#ffffff"
    text: str = "#14171c"
    muted: str = "#f4f5f7"
    font: Font | FontAsset = "system"
    radius: int = 10
    width: int = 1120


@dataclass(frozen=True, slots=True, kw_only=True)
class Image:
    """Image by its asset. One without `alt` is decorative: screen readers skip it."""

    asset_id: str
    alt: str = ""
    decorative: bool = False


@dataclass(frozen=True, slots=True, kw_only=True)
class Link:
    """Link or button. Without a style the first of a block is primary, each other one secondary."""

    label: str
    href: str
    style: LinkStyle | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Fields that all blocks share. `id` is also the anchor of the block."""

    type: ClassVar[str] = ""

    id: str
    tone: Tone = "plain"
    hide_on: HideOn | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Hero(Section):
    """Opening of a page."""

    type: ClassVar[str] = "hero"
    heading: str
    body: Markdown = NO_TEXT
    image: Image | None = None
    links: tuple[Link, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class Text(Section):
    """Running text."""

    type: ClassVar[str] = "text"
    body: Markdown
    heading: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Picture(Section):
    """Image in full width, with a caption."""

    type: ClassVar[str] = "image"
    image: Image
    caption: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Video(Section):
    """Video that starts when the visitor starts it."""

    type: ClassVar[str] = "video"
    asset_id: str
    poster_asset_id: str
    title: str


@dataclass(frozen=True, slots=True, kw_only=True)
class Item:
    """Feature or step."""

    heading: str
    body: Markdown = NO_TEXT
    image: Image | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Features(Section):
    """Features next to each other."""

    type: ClassVar[str] = "features"
    heading: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Steps(Section):
    """Steps in their order, with numbers."""

    type: ClassVar[str] = "steps"
    heading: str
    items: tuple[Item, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Product(Section):
    """Product with its price in major units of the currency (ISO 4217)."""

    type: ClassVar[str] = "product"
    name: str
    price: int | float
    currency: str
    link: Link
    image: Image | None = None
    body: Markdown = NO_TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class Row:
    """Row of a comparison: one cell per column, a text, or whether the column has the property."""

    label: str
    cells: tuple[str | bool, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Comparison(Section):
    """Table that compares columns."""

    type: ClassVar[str] = "comparison"
    heading: str
    columns: tuple[str, ...]
    rows: tuple[Row, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Testimonial:
    """Quote of a customer. The evidence is for the gate, visitors do not see it."""

    quote: Markdown
    name: str
    evidence_ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Testimonials(Section):
    """Quotes of customers."""

    type: ClassVar[str] = "testimonials"
    items: tuple[Testimonial, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Stat:
    """Figure and its meaning. The evidence is for the gate, visitors do not see it."""

    value: str
    label: str
    evidence_ref: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Stats(Section):
    """Figures next to each other."""

    type: ClassVar[str] = "stats"
    items: tuple[Stat, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Question:
    """Question with its answer."""

    question: str
    answer: Markdown


@dataclass(frozen=True, slots=True, kw_only=True)
class Faq(Section):
    """Questions that open to their answers."""

    type: ClassVar[str] = "faq"
    heading: str
    items: tuple[Question, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Cta(Section):
    """Call to action."""

    type: ClassVar[str] = "cta"
    heading: str
    links: tuple[Link, ...]
    body: Markdown = NO_TEXT


@dataclass(frozen=True, slots=True, kw_only=True)
class FormField:
    """Field of a form. `options` are those of a select, `autocomplete` is HTML's word for the content."""

    name: str
    label: str
    type: FieldType = "text"
    required: bool = False
    options: tuple[str, ...] = ()
    autocomplete: str | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Form(Section):
    """Form that posts to an https address of the shop."""

    type: ClassVar[str] = "form"
    heading: str
    action: str
    submit: str
    fields: tuple[FormField, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class Footer:
    """End of a page: a short text, and links such as imprint and privacy."""

    tone: Tone = "plain"
    body: Markdown = NO_TEXT
    links: tuple[Link, ...] = ()


Block: TypeAlias = (
    Hero | Text | Picture | Video | Features | Steps | Product | Comparison | Testimonials | Stats | Faq | Cta | Form
)
BLOCKS: tuple[type[Section], ...] = get_args(Block)


@dataclass(frozen=True, slots=True, kw_only=True)
class PageSpec:
    """Whole page. `lang` is a BCP 47 language tag."""

    lang: str
    blocks: tuple[Block, ...]
    theme: Theme = Theme()
    footer: Footer | None = None


@dataclass(frozen=True, slots=True, kw_only=True)
class Seo:
    """Data for search engines and link previews. `canonical` None is the page's own address."""

    title: str
    description: str = ""
    canonical: str | None = None
    robots: str | None = None
    og_image_asset_id: str | None = None
