"""Each block of a page as HTML. Forms and tables have modules of their own."""

from functools import singledispatch

from abtest.domain.pages.comparison import comparison
from abtest.domain.pages.form import form
from abtest.domain.pages.prices import price
from abtest.domain.pages.sections import (
    Setting,
    buttons,
    columns,
    heading,
    image,
    inner_heading,
    is_icon,
    prose,
    section,
)
from abtest.domain.pages.spec import (
    Cta,
    Faq,
    Features,
    Hero,
    Item,
    Picture,
    Product,
    Section,
    Stats,
    Steps,
    Testimonials,
    Text,
    Video,
)
from abtest.kit.markup import Html, el

_HALF = "(min-width: 56em) 50vw, 92vw"
_STEPS_OF_A_ROW = 4
_THIRD = "(min-width: 64em) 33vw, (min-width: 40em) 50vw, 92vw"


@singledispatch
def rendered(block: Section, _setting: Setting) -> Html:
    """Return the section of a block. Raises TypeError for a type without a rendering."""
    raise TypeError(f"there is no rendering of {type(block).__name__}")


rendered.register(comparison)
rendered.register(form)


@rendered.register
def _hero(block: Hero, setting: Setting) -> Html:
    words = el("div", heading(block, block.heading, setting), prose(block.body, "lead"), buttons(block.links))
    if block.image is None:
        return section(block, el("div", words, class_="solo"))
    shown = image(block.image, setting, _HALF)
    return section(block, el("div", words, el("div", shown, class_="media"), class_="split"))


@rendered.register
def _text(block: Text, setting: Setting) -> Html:
    if block.heading is None:
        return section(block, prose(block.body), is_narrow=True)
    return section(block, el("div", heading(block, block.heading, setting), prose(block.body), class_="aside"))


@rendered.register
def _picture(block: Picture, setting: Setting) -> Html:
    shown = image(block.image, setting, f"(min-width: {setting.spec.theme.width}px) {setting.spec.theme.width}px, 92vw")
    return section(block, el("figure", shown, el("figcaption", block.caption) if block.caption else None))


@rendered.register
def _video(block: Video, setting: Setting) -> Html:
    video, poster = setting.assets[block.asset_id], setting.assets[block.poster_asset_id]
    player = el(
        "video",
        src=video.url,
        poster=poster.url,
        # The poster is what a visitor sees first, and some videos have no stored size.
        width=video.width or poster.width,
        height=video.height or poster.height,
        preload="none",
        controls="",
        playsinline="",
        aria_label=block.title,
    )
    return section(block, el("figure", player, el("figcaption", block.title)))


@rendered.register
def _features(block: Features, setting: Setting) -> Html:
    items = [el("li", _item(block, each, setting)) for each in block.items]
    grid = el("ul", items, class_=f"grid {columns(len(items))}", role="list")
    return section(block, heading(block, block.heading, setting), grid)


@rendered.register
def _steps(block: Steps, setting: Setting) -> Html:
    items = [el("li", _item(block, each, setting)) for each in block.items]
    title = heading(block, block.heading, setting)
    if len(items) <= _STEPS_OF_A_ROW:
        return section(block, title, el("ol", items, class_=f"grid row {columns(len(items))}", role="list"))
    return section(block, el("div", title, el("ol", items, class_="column", role="list"), class_="aside"))


def _item(block: Features | Steps, item: Item, setting: Setting) -> list[Html | None]:
    shown = None
    if item.image:
        name = "sign" if is_icon(setting.assets[item.image.asset_id]) else "media"
        shown = el("div", image(item.image, setting, _THIRD), class_=name)
    return [shown, inner_heading(block, item.heading, setting), prose(item.body, "prose soft")]


@rendered.register
def _product(block: Product, setting: Setting) -> Html:
    words = el(
        "div",
        heading(block, block.name, setting),
        el("p", price(block.price, block.currency, setting.spec.lang), class_="price"),
        prose(block.body, "prose soft"),
        buttons((block.link,)),
    )
    if block.image is None:
        return section(block, el("div", words, class_="card"), is_narrow=True)
    shown = image(block.image, setting, _HALF)
    return section(block, el("div", el("div", shown, class_="media"), words, class_="card split"))


@rendered.register
def _testimonials(block: Testimonials, _setting: Setting) -> Html:
    items = [
        el(
            "li",
            el(
                "figure",
                el("blockquote", prose(each.quote, "prose")),
                el("figcaption", el("span", _initials(each.name), class_="initials", aria_hidden="true"), each.name),
                class_="card",
            ),
        )
        for each in block.items
    ]
    count = len(items)
    shape = "single" if count == 1 else f"grid {'two' if count in (2, 4) else 'three'}"
    return section(block, el("ul", items, class_=shape, role="list"))


def _initials(name: str) -> str:
    """Return the first letters of the first and the last name. What follows a comma, such as a profession, is none."""
    letters = [word[0].upper() for word in name.partition(",")[0].split() if word[0].isalpha()]
    return "".join(letters[:1] + letters[1:][-1:])


@rendered.register
def _stats(block: Stats, _setting: Setting) -> Html:
    items = [el("div", el("dt", each.label), el("dd", each.value)) for each in block.items]
    return section(block, el("dl", items, class_=f"of{len(items)}"))


@rendered.register
def _faq(block: Faq, setting: Setting) -> Html:
    items = [el("details", el("summary", each.question), prose(each.answer, "prose soft")) for each in block.items]
    return section(block, el("div", heading(block, block.heading, setting), el("div", items), class_="aside"))


@rendered.register
def _cta(block: Cta, setting: Setting) -> Html:
    words = [heading(block, block.heading, setting), prose(block.body, "lead"), buttons(block.links)]
    # On the page's own background a panel sets the call apart; the other tones fill the width of the window.
    panel = "panel muted" if block.tone == "plain" else "panel"
    return section(block, el("div", words, class_=panel))
