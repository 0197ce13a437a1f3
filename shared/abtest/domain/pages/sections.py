"""Parts that several blocks share: the frame of a section, headings, images, links, Markdown."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abtest.domain.assets.facts import AssetFacts
from abtest.domain.pages import markdown
from abtest.domain.pages.links import href_problem
from abtest.domain.pages.spec import Image, Link, Markdown, PageSpec, Section
from abtest.domain.pages.words import Language
from abtest.kit.markup import Child, Html, el

_WIDTHS = range(480, 1921)
_ICON = 200
"""Widest image, in pixels, that is shown as an icon. Drawings (SVG) are icons at any size."""

_HIDDEN = {None: None, "phone": "no-phone", "desktop": "no-desktop"}


@dataclass(frozen=True, slots=True)
class Setting:
    """Facts that blocks need. `title` is the block with the page's h1, `lead` the first image."""

    spec: PageSpec
    assets: Mapping[str, AssetFacts]
    language: Language
    title: Section | None
    lead: Image | None


def section(block: Section, *content: Child, is_narrow: bool = False) -> Html:
    """Return the frame of a block: its anchor, its tone, and content within the page's width."""
    names = (block.type, block.tone, _HIDDEN[block.hide_on])
    inner = el("div", content, class_="wrap narrow" if is_narrow else "wrap")
    return el("section", inner, id=block.id, class_=" ".join(name for name in names if name))


def heading(block: Section, text: str | None, setting: Setting) -> Html | None:
    """Return the heading of a block: h1 in the block that has the title of the page, else h2."""
    return el("h1" if block is setting.title else "h2", text) if text else None


def inner_heading(block: Section, text: str, setting: Setting) -> Html:
    """Return the heading of an item, one level below that of its block."""
    return el("h2" if block is setting.title else "h3", text, class_="item")


def prose(text: Markdown, class_: str = "prose") -> Html | None:
    """Return the elements of a Markdown text, None when it is empty."""
    return el("div", markdown.rendered(text), class_=class_) if text else None


def buttons(links: Sequence[Link]) -> Html | None:
    """Return links in a row, the first as primary button unless it has another style."""
    if not links:
        return None
    styles = [link.style or ("secondary" if place else "primary") for place, link in enumerate(links)]
    return el("p", [anchor(link, style) for link, style in zip(links, styles, strict=True)], class_="actions")


def anchor(link: Link, style: str | None = None) -> Html:
    """Return a link. One whose address is not allowed is its label, as in Markdown."""
    class_ = None if style is None else "more" if style == "text" else f"button {style}"
    return el("span", link.label) if href_problem(link.href) else el("a", link.label, href=link.href, class_=class_)


def image(shown: Image, setting: Setting, sizes: str) -> Html:
    """Return an image in all its widths. Its place is reserved before it is loaded."""
    asset = setting.assets[shown.asset_id]
    renditions = [(width, url) for width, url in asset.renditions if width in _WIDTHS]
    is_lead = shown is setting.lead
    return el(
        "img",
        src=asset.url,
        srcset=", ".join(f"{url} {width}w" for width, url in renditions) or None,
        sizes=sizes if renditions else None,
        width=asset.width,
        height=asset.height,
        alt="" if shown.decorative else shown.alt,
        loading=None if is_lead else "lazy",
        fetchpriority="high" if is_lead else None,
        decoding="async",
        class_="icon" if is_icon(asset) else None,
    )


def is_icon(asset: AssetFacts) -> bool:
    """Return whether an image is a sign rather than a picture."""
    return asset.mime_type == "image/svg+xml" or (asset.width or 0) <= _ICON


def columns(count: int) -> str:
    """Return the class of a grid that leaves no single item in its last row where another grid fits."""
    return "two" if count in (2, 4) else "four" if count % 4 == 0 else "three"
