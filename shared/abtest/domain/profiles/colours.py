"""Colours in the values of CSS, each as `#rrggbb`."""

import colorsys
import re
from collections.abc import Iterator

_HEX = re.compile(r"#([0-9a-f]{8}|[0-9a-f]{6}|[0-9a-f]{3,4})(?![0-9a-z_-])", re.IGNORECASE)
_FUNCTION = re.compile(r"\b(rgb|hsl)a?\(\s{0,4}([\d.%,\s/-]{5,60})\)", re.IGNORECASE)
_TRIPLE = re.compile(r"\s*(\d{1,3})\s*,\s*(\d{1,3})\s*,\s*(\d{1,3})\s*")
_NAMED = {"white": "#ffffff", "black": "#000000"}
_GREY = 24
"""Largest difference of the channels of a colour that counts as grey, and not as an accent."""


def colours_in(value: str) -> Iterator[str]:
    """Yield the colours of a value that can be seen."""
    if named := _NAMED.get(value.strip().lower()):
        yield named
    for match in _HEX.finditer(value):
        digits = match[1].lower()
        short = digits if len(digits) > 4 else "".join(digit * 2 for digit in digits)
        # An invisible colour is none.
        if short[6:] != "00":
            yield f"#{short[:6]}"
    for match in _FUNCTION.finditer(value):
        yield from _computed(match[1].lower(), match[2])


def colour_of_channels(value: str) -> Iterator[str]:
    """Yield the colour of three bare channels (`178,58,30`), as themes write them into custom properties."""
    if channels := _TRIPLE.fullmatch(value):
        yield from _valid(*(float(part) for part in channels.groups()))


def is_grey(colour: str) -> bool:
    """Return whether a colour has no hue that anyone would notice."""
    channels = [int(colour[place : place + 2], 16) for place in (1, 3, 5)]
    return max(channels) - min(channels) <= _GREY


def _computed(function: str, arguments: str) -> Iterator[str]:
    parts = [part for part in re.split(r"[,\s/]+", arguments.strip()) if part]
    try:
        numbers = [float(part.rstrip("%")) for part in parts[:4]]
    except ValueError:
        return
    if len(numbers) < 3 or (len(numbers) == 4 and numbers[3] == 0):
        return
    if function == "hsl":
        numbers = [
            255 * part for part in colorsys.hls_to_rgb(numbers[0] % 360 / 360, numbers[2] / 100, numbers[1] / 100)
        ]
    elif parts[0].endswith("%"):
        numbers = [part * 2.55 for part in numbers]
    yield from _valid(*numbers[:3])


def _valid(red: float, green: float, blue: float) -> Iterator[str]:
    channels = [round(part) for part in (red, green, blue)]
    if all(0 <= part <= 255 for part in channels):
        yield "#{:02x}{:02x}{:02x}".format(*channels)
