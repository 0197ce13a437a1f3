"""Chunks of PNG files."""

from collections.abc import Iterator

from abtest.domain.assets.errors import InvalidAssetError

COLOR_CHUNKS = (b"cHRM", b"cICP", b"gAMA", b"sBIT", b"sRGB")
"""Chunks that change how colors are displayed. Each has at most one short value."""


def chunks(content: bytes) -> Iterator[tuple[bytes, bytes]]:
    """Yield names and data of the chunks up to the end of the image. Raises InvalidAssetError when it is truncated."""
    place = 8
    while True:
        length, name = int.from_bytes(content[place : place + 4], "big"), content[place + 4 : place + 8]
        if len(content) < place + 12 + length:
            raise InvalidAssetError("the file is a PNG image that ends too early; upload the whole file")
        yield name, content[place + 8 : place + 8 + length]
        if name == b"IEND":
            return
        place += 12 + length


def display_gamma(content: bytes) -> float | None:
    """Return the exponent that browsers apply to a PNG's colors; None where its `gAMA` chunk has no effect.

    Profiles and the chunks `sRGB` and `cICP` replace it.
    """
    colors = color_chunks(content)
    stored = int.from_bytes(colors.get(b"gAMA", b""), "big") / 100_000
    if not 0.01 < stored < 10 or b"sRGB" in colors or b"cICP" in colors or abs(stored * 2.2 - 1) < 0.02:
        return None
    return 1 / (stored * 2.2)


def color_chunks(content: bytes) -> dict[bytes, bytes]:
    """Return the chunks before the pixels that change how colors are displayed."""
    kept: dict[bytes, bytes] = {}
    for name, data in chunks(content):
        if name == b"IDAT":
            break
        if name in COLOR_CHUNKS and len(data) <= 32:
            kept[name] = data
    return kept
