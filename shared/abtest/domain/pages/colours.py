"""Colours of a page's tones, derived from its theme so that all text keeps a contrast of 4.5 to 1 (WCAG 2.2, 1.4.3)."""

from dataclasses import dataclass

from abtest.domain.pages.spec import Theme, Tone

TEXT_RATIO = 4.5
CONTROL_RATIO = 3.0
"""Least contrast of the border of a control with what is around it (WCAG 2.2, 1.4.11)."""

_MARGIN = 0.05
_STEPS = 20
WHITE, BLACK = "#ffffff", "#000000"


@dataclass(frozen=True, slots=True, kw_only=True)
class Palette:
    """Colours of one tone. Each text colour is legible on `surface` and on `card`."""

    surface: str
    card: str
    text: str
    soft: str
    line: str
    edge: str
    link: str
    button: str
    on_button: str
    pressed: str
    error: str


def luminance(colour: str) -> float:
    """Return the relative luminance of #rrggbb, from 0 to 1, as WCAG defines it."""
    red, green, blue = (_linear(channel / 255) for channel in _channels(colour))
    return 0.2126 * red + 0.7152 * green + 0.0722 * blue


def contrast(one: str, other: str) -> float:
    """Return the contrast ratio of two colours, from 1 to 21."""
    lighter, darker = sorted((luminance(one), luminance(other)), reverse=True)
    return (lighter + 0.05) / (darker + 0.05)


def mixed(colour: str, other: str, share: float) -> str:
    """Return a colour with this share of another one."""
    pairs = zip(_channels(colour), _channels(other), strict=True)
    return "#" + "".join(f"{round(a + (b - a) * share):02x}" for a, b in pairs)


def palette(theme: Theme, tone: Tone) -> Palette:
    """Return the colours of a tone. The theme has passed `rules.contrast_problems`."""
    if tone == "dark":
        return _dark(theme)
    surface, card = (theme.background, theme.background) if tone == "plain" else (theme.muted, theme.background)
    return _palette(surface, card, theme.text, theme.primary, theme)


def _dark(theme: Theme) -> Palette:
    darker, lighter = sorted((theme.background, theme.text), key=luminance)
    # A theme that is dark already gets a tone that is darker still.
    surface = mixed(darker, BLACK, 0.4) if darker == theme.background else darker
    card = mixed(surface, lighter, 0.07)
    link = legible(theme.primary, lighter, (surface, card), TEXT_RATIO)
    return _palette(surface, card, lighter, link, theme)


def _palette(surface: str, card: str, text: str, link: str, theme: Theme) -> Palette:
    surfaces = (surface, card)
    is_visible = min(contrast(theme.primary, each) for each in surfaces) >= CONTROL_RATIO
    button = theme.primary if is_visible else text
    on_button = next(
        (each for each in (theme.background, theme.text) if contrast(each, button) >= TEXT_RATIO),
        max(WHITE, BLACK, key=lambda each: contrast(each, button)),
    )
    away = BLACK if luminance(on_button) > luminance(button) else WHITE
    red = "#b3261e" if luminance(text) < luminance(surface) else "#ffb4ab"
    return Palette(
        surface=surface,
        card=card,
        text=text,
        soft=legible(mixed(text, surface, 0.36), text, surfaces, TEXT_RATIO),
        line=mixed(surface, text, 0.13),
        edge=legible(mixed(surface, text, 0.4), text, surfaces, CONTROL_RATIO),
        link=link,
        button=button,
        on_button=on_button,
        pressed=mixed(button, away, 0.16),
        error=legible(red, text, surfaces, TEXT_RATIO),
    )


def legible(colour: str, towards: str, surfaces: tuple[str, ...], ratio: float) -> str:
    """Return the colour, mixed with a legible one as far as it takes to reach the ratio on each surface."""
    candidates = (mixed(colour, towards, step / _STEPS) for step in range(_STEPS))
    fits = (each for each in candidates if min(contrast(each, on) for on in surfaces) >= ratio + _MARGIN)
    return next(fits, towards)


def _channels(colour: str) -> tuple[int, int, int]:
    return int(colour[1:3], 16), int(colour[3:5], 16), int(colour[5:7], 16)


def _linear(channel: float) -> float:
    return channel / 12.92 if channel <= 0.04045 else ((channel + 0.055) / 1.055) ** 2.4
