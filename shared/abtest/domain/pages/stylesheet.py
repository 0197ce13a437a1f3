"""The style sheet of a page: what its blocks, tones and theme need, and no more."""

from collections.abc import Iterator, Mapping
from dataclasses import asdict

from abtest.domain.assets.facts import AssetFacts
from abtest.domain.pages import block_styles, page_styles
from abtest.domain.pages.colours import luminance, palette
from abtest.domain.pages.spec import Cta, FontAsset, Hero, Markdown, PageSpec, Theme, Tone
from abtest.domain.pages.walk import parts
from abtest.domain.pages.words import language

_STACKS = {
    "system": 'system-ui,-apple-system,"Segoe UI",Roboto,"Helvetica Neue",Arial,sans-serif',
    "serif": '"Iowan Old Style","Palatino Linotype",Palatino,"Source Serif 4",Georgia,serif',
    "mono": 'ui-monospace,SFMono-Regular,Menlo,Consolas,"Liberation Mono",monospace',
}


def stylesheet(spec: PageSpec, assets: Mapping[str, AssetFacts]) -> str:
    """Return the style sheet without line breaks."""
    return "".join(_rules(spec, assets)).replace("\n", "")


def font_url(font: FontAsset, assets: Mapping[str, AssetFacts]) -> str:
    """Return the address of a shop's font."""
    return assets[font.asset_id].url


def _rules(spec: PageSpec, assets: Mapping[str, AssetFacts]) -> Iterator[str]:
    yield _font(spec.theme, assets)
    yield _root(spec.theme)
    for tone in _tones(spec):
        yield f".{tone}{{{_colours(spec.theme, tone)}background:var(--surface);color:var(--text)}}"
    yield page_styles.BASE
    used = _parts(spec)
    yield from (rules for name, rules in block_styles.PARTS.items() if name in used)
    if language(spec.lang).direction:
        yield "*{letter-spacing:0!important}"  # Arabic letters are joined
    yield page_styles.MEDIA


def _root(theme: Theme) -> str:
    stack = _STACKS["system"] if isinstance(theme.font, FontAsset) else _STACKS[theme.font]
    own = "shop," if isinstance(theme.font, FontAsset) else ""
    return f":root{{--font:{own}{stack};--radius:{theme.radius}px;--width:{theme.width}px;{_colours(theme, 'plain')}}}"


def _font(theme: Theme, assets: Mapping[str, AssetFacts]) -> str:
    if not isinstance(theme.font, FontAsset):
        return ""
    # Optional: a font that comes late is used on the next page, and moves nothing on this one.
    address = font_url(theme.font, assets)
    return f'@font-face{{font-family:shop;src:url("{_quoted(address)}") format("woff2");font-display:optional}}'


def _quoted(address: str) -> str:
    return "".join(f"\\{ord(each):x} " if each in '"\\<>\n' else each for each in address)


def _colours(theme: Theme, tone: Tone) -> str:
    colours = palette(theme, tone)
    is_dark = luminance(colours.surface) < luminance(colours.text)
    # Browsers draw check boxes and lists of selects by the scheme; a shadow on a dark surface cannot be seen.
    scheme = "dark;--shadow:none" if is_dark else "light"
    written = (f"--{name.replace('_', '-')}:{colour};" for name, colour in asdict(colours).items())
    return f"color-scheme:{scheme};{''.join(written)}"


def _tones(spec: PageSpec) -> list[Tone]:
    """Return the tones that change a colour. A call to action on the plain background has a muted panel."""
    sections = [*spec.blocks, *([spec.footer] if spec.footer else [])]
    used: set[Tone] = {each.tone for each in sections}
    if any(isinstance(block, Cta) and block.tone == "plain" for block in spec.blocks):
        used.add("muted")
    order: tuple[Tone, ...] = ("plain", "muted", "dark")
    return [tone for tone in order if tone in used]


def _parts(spec: PageSpec) -> set[str]:
    """Return the names of the rules that a page needs: its blocks, and what several blocks share."""
    used = {block.type for block in spec.blocks}
    used |= {name for name, types in block_styles.SHARED.items() if used & types}
    if any(isinstance(part, Markdown) and part for _, part in parts(spec)):
        used.add("prose")
    if any(isinstance(block, Hero) and block.image for block in spec.blocks):
        used.add("split")
    if spec.footer:
        used.add("footer")
    return used | {f"no-{block.hide_on}" for block in spec.blocks if block.hide_on}
