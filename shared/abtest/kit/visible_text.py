"""Characters of text that people read in lists: which have no glyph, and which change the text around them."""

import re

# Control characters, line and paragraph separators, and the characters that embed, override or isolate a direction of
# writing: in a list they break lines, or show a name as another one. Marks that right-to-left names need are allowed.
# Noncharacters stand for nothing, and not every store holds them.
UNSAFE = r"\u0000-\u001f\u007f-\u009f\u2028-\u202e\u2066-\u2069\ufdd0-\ufdef\ufffe\uffff"

# Characters without a glyph: spaces, fillers, joiners, marks of direction, variation selectors.
INVISIBLE = (
    r" \u00a0\u00ad\u034f\u061c\u115f\u1160\u1680\u17b4\u17b5\u180b-\u180f\u2000-\u200f\u202f\u205f-\u2065\u206a-\u206f"
    r"\u2800\u3000\u3164\ufe00-\ufe0f\ufeff\uffa0\ufff0-\ufffb"
)

# Characters beyond U+FFFF are left out of the patterns above, which the API's document shows: validators without the
# mode for Unicode would read halves of them. The last two of each plane are noncharacters; tags have no glyph.
_UNSAFE_BEYOND = "".join(rf"\U{plane:04x}fffe\U{plane:04x}ffff" for plane in range(1, 17))
_INVISIBLE_BEYOND = r"\U0001d173-\U0001d17a\U000e0000-\U000e0fff"

_HAS_UNSAFE = re.compile(f"[{UNSAFE}{_UNSAFE_BEYOND}]")
_HAS_VISIBLE = re.compile(f"[^{UNSAFE}{INVISIBLE}{_UNSAFE_BEYOND}{_INVISIBLE_BEYOND}]")


def has_unsafe(text: str) -> bool:
    """Return whether a text has line breaks, control characters, noncharacters or overrides of the direction."""
    return _HAS_UNSAFE.search(text) is not None


def has_visible(text: str) -> bool:
    """Return whether a text has a character with a glyph."""
    return _HAS_VISIBLE.search(text) is not None


def without_unsafe(text: str) -> str:
    """Return the text with a space for each line break, control character, noncharacter or override."""
    return _HAS_UNSAFE.sub(" ", text)
