"""Colours and fonts of a store, counted in its style sheets."""

import re
from collections import Counter, defaultdict
from collections.abc import Iterable, Iterator, Mapping

from abtest.domain.profiles.colour_roles import colour_roles
from abtest.domain.profiles.colours import colour_of_channels, colours_in
from abtest.domain.profiles.css import declarations_of, readable, rules_of, variables_of
from abtest.domain.profiles.model import Colour, ColourRole, Font, Look

MAX_COLOURS, MAX_FONTS = 8, 4
_MIN_SHARE = 0.01
_VARIABLE = re.compile(r"\s*var\(\s*(--[\w-]{1,80})")
_BEFORE_FAMILY = re.compile(r"^.*\d(?:px|em|rem|%|pt|vw)?(?:/[\w.]+)?\s+")
_QUOTED = re.compile("[\"']([^\"']{1,80})[\"']")
_ROLES: tuple[tuple[re.Pattern[str], ColourRole], ...] = (
    (re.compile(r"accent|primary|brand|button|btn|cta|link", re.IGNORECASE), "accent"),
    (re.compile(r"background|^--.*\bbg\b|^bg", re.IGNORECASE), "background"),
    (re.compile(r"border|outline", re.IGNORECASE), "border"),
    (re.compile(r"^color$|text|foreground|^fill$", re.IGNORECASE), "text"),
)
_GENERIC = frozenset(
    {
        "serif",
        "sans-serif",
        "monospace",
        "cursive",
        "fantasy",
        "system-ui",
        "ui-sans-serif",
        "ui-serif",
        "ui-monospace",
        "ui-rounded",
        "math",
        "emoji",
        "-apple-system",
        "blinkmacsystemfont",
        "inherit",
        "initial",
        "unset",
        "revert",
        "auto",
    }
)
_SYSTEM = frozenset({"sfmono-regular", "menlo", "monaco", "consolas", "segoe ui"})
"""Fonts of operating systems, which lists name as a fallback, and not as the store's choice."""

_ICONS = re.compile(r"awesome|icon|glyph|swiper|slick|material symbols|emoji", re.IGNORECASE)


def look_of(styles: Iterable[str]) -> Look:
    """Return the colours and fonts of style sheets; nothing where they have none."""
    colours: Counter[str] = Counter()
    roles: defaultdict[str, Counter[ColourRole]] = defaultdict(Counter)
    properties: defaultdict[str, dict[str, None]] = defaultdict(dict)
    fonts: Counter[str] = Counter()
    sheets = readable(styles)
    rules = [rule for sheet in sheets for rule in rules_of(sheet)]
    variables = variables_of(sheets, rules)
    declarations = (each for sheet in sheets for each in declarations_of(sheet))
    for name, value in declarations:
        if name in ("font-family", "font") and (family := _family(name, value, variables)):
            fonts[family] += 1
        for colour in _colours(name, value, variables):
            colours[colour] += 1
            if role := _role(name):
                roles[colour][role] += 1
            if name.startswith("--"):
                properties[colour][name] = None
    uses = colours.total()
    return Look(
        colours=tuple(
            Colour(
                value=colour,
                share=round(count / uses, 3),
                roles=tuple(role for role, _ in roles[colour].most_common(2)),
                properties=tuple(properties[colour])[:3],
            )
            for colour, count in colours.most_common(MAX_COLOURS)
            if count / uses >= _MIN_SHARE
        ),
        fonts=tuple(
            Font(family=family, share=round(count / fonts.total(), 3)) for family, count in fonts.most_common(MAX_FONTS)
        ),
        roles=colour_roles(rules, variables),
    )


def _role(name: str) -> ColourRole | None:
    return next((role for pattern, role in _ROLES if pattern.search(name)), None)


def _colours(name: str, value: str, variables: Mapping[str, str]) -> Iterator[str]:
    if variable := _VARIABLE.match(value):
        # A property that only names another one would count it twice.
        if not name.startswith("--"):
            yield from _colours(variable[1], variables.get(variable[1], ""), {})
        return
    if name.startswith("--") and "color" in name.lower():
        yield from colour_of_channels(value)
    yield from colours_in(value)


def _family(name: str, value: str, variables: Mapping[str, str]) -> str | None:
    """Return the first family of a list; None where that is the system's font, or draws icons."""
    if variable := _VARIABLE.match(value):
        value = variables.get(variable[1], "")
    first = value.partition(",")[0].partition("!")[0].strip()
    quoted = _QUOTED.search(first)
    # The shorthand has the size before the first family.
    family = quoted[1] if quoted else _BEFORE_FAMILY.sub("", first) if name == "font" else first
    is_name = re.fullmatch(r"\w[\w .-]{1,60}", family) is not None
    is_chosen = is_name and family.lower() not in _GENERIC | _SYSTEM and not _ICONS.search(family)
    return family if is_chosen else None
