"""Colours of a page's background, its text and its accent, where the style sheets declare them.

The most used colour is none of these by itself: buttons with white text outnumber the one rule about the page.
"""

import re
from collections import Counter
from collections.abc import Iterator, Mapping, Sequence

from abtest.domain.profiles.colours import colour_of_channels, colours_in, is_grey
from abtest.domain.profiles.css import Rule, computed
from abtest.domain.profiles.model import ColourRole, RoleColour

_PROPERTIES: Mapping[ColourRole, Sequence[str]] = {
    "background": ("background", "background-color"),
    "text": ("color",),
}
_ACCENT = re.compile(r"^--(?:[a-z]+-{1,2}){0,4}(accent|brand|primary)(?:-colou?r)?(?:-[56]00)?$", re.IGNORECASE)
_BUTTON = re.compile(r"^(?:button|[\w-]*\.(?:btn|button|cta)(?:-{1,2}primary)?)$")


def colour_roles(rules: Sequence[Rule], variables: Mapping[str, str]) -> tuple[RoleColour, ...]:
    """Return one colour for each role that the rules declare without doubt."""
    roles = (
        _of_page("background", rules, variables),
        _of_page("text", rules, variables),
        _named_accent(variables) or _of_buttons(rules, variables),
    )
    return tuple(each for each in roles if each is not None)


def _of_page(role: ColourRole, rules: Sequence[Rule], variables: Mapping[str, str]) -> RoleColour | None:
    """Return the colour that the last rule about the body declares, else that of the root."""
    for selectors in ({"body"}, {"html", ":root"}):
        declared = [
            (selector, name, value)
            for rule in rules
            for selector in rule.selectors
            if selector in selectors
            for name, value in rule.declarations
            if name in _PROPERTIES[role]
        ]
        for selector, name, value in declared[::-1]:
            colours = set(_colours(value, variables))
            # A gradient has several, and none of them is the colour of the page.
            if len(colours) == 1:
                return RoleColour(role=role, value=colours.pop(), declared=f"{selector} {{ {name}: {value} }}")
    return None


def _named_accent(variables: Mapping[str, str]) -> RoleColour | None:
    """Return the accent by the name of its custom property."""
    named = [(match[1].lower(), name) for name in variables if (match := _ACCENT.match(name))]
    for _, name in sorted(named, key=lambda each: (each[0], len(each[1]))):
        bare = computed(variables[name], variables)
        for colour in (*colours_in(bare), *colour_of_channels(bare)):
            if not is_grey(colour):
                return RoleColour(role="accent", value=colour, declared=f"{name}: {variables[name]}")
    return None


def _of_buttons(rules: Sequence[Rule], variables: Mapping[str, str]) -> RoleColour | None:
    """Return the background that most rules about buttons have."""
    uses = Counter(_backgrounds_of_buttons(rules, variables))
    for (colour, declared), _ in uses.most_common(1):
        return RoleColour(role="accent", value=colour, declared=declared)
    return None


def _backgrounds_of_buttons(rules: Sequence[Rule], variables: Mapping[str, str]) -> Iterator[tuple[str, str]]:
    for rule in rules:
        selector = next((each for each in rule.selectors if _BUTTON.match(each)), None)
        for name, value in rule.declarations if selector else ():
            colours = set(_colours(value, variables)) if name in _PROPERTIES["background"] else set()
            if len(colours) == 1 and not is_grey(colour := colours.pop()):
                yield colour, f"{selector} {{ {name}: {value} }}"


def _colours(value: str, variables: Mapping[str, str]) -> Iterator[str]:
    return colours_in(computed(value, variables))
