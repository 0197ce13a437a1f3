"""Small valid files of every accepted type, and pictures with what callers' files have."""

from __future__ import annotations

import base64
from functools import cache
from io import BytesIO
from typing import Any

from PIL import Image

from abtest.domain.assets import types
from abtest.domain.assets.types import AssetType


def box(name: bytes, payload: bytes = b"") -> bytes:
    """Box of an ISO media file."""
    return (8 + len(payload)).to_bytes(4, "big") + name + payload


def element(identifier: str, payload: bytes = b"") -> bytes:
    """Element of an EBML file, with a size of eight bytes."""
    return bytes.fromhex(identifier) + ((1 << 56) | len(payload)).to_bytes(8, "big") + payload


MP4 = box(b"ftyp", b"isom\0\0\2\0isomiso2avc1mp41") + box(b"moov", box(b"mvhd", b"\0" * 100)) + box(b"mdat", b"\0" * 40)
WEBM = element("1a45dfa3", element("4282", b"webm")) + element(
    "18538067", element("1549a966") + element("1654ae6b") + element("1f43b675", b"\0" * 20)
)
PDF = b"%PDF-1.4\n1 0 obj\n<<>>\nendobj\nxref\n0 1\n0000000000 65535 f \ntrailer\n<<>>\nstartxref\n30\n%%EOF\n"
WOFF2 = b"".join(
    [
        b"wOF2\0\1\0\0",
        (70).to_bytes(4, "big"),
        b"\0\1\0\0",
        (100).to_bytes(4, "big"),
        (20).to_bytes(4, "big"),
        b"\0" * 24,
        b"\0\2" + b"\1" * 20,
    ]
)
SVG = b'<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 16 16"><path d="M1 1h9v9z" fill="#c00"/></svg>'


@cache
def gradient(mode: str = "RGB", size: tuple[int, int] = (64, 48)) -> Image.Image:
    """Picture whose every corner differs, in a mode of Pillow."""
    ramp = Image.linear_gradient("L")
    across, down = ramp.rotate(90).resize(size), ramp.resize(size)
    color = Image.merge("RGB", (across, down, Image.new("L", size, 90)))
    if mode == "I;16":
        return color.convert("L").convert("I").point(lambda value: value * 257).convert("I;16")
    if mode in ("RGBA", "LA"):
        color.putalpha(across)
    return color.convert(mode)


def encoded(image: Image.Image, form: str, **options: Any) -> bytes:
    """Bytes of a picture in a format of Pillow."""
    target = BytesIO()
    image.save(target, form, **options)
    return target.getvalue()


def decoded(content: bytes) -> Image.Image:
    """Pixels of a picture."""
    image = Image.open(BytesIO(content))
    image.load()
    return image


def animation(form: str, frames: int = 3, size: tuple[int, int] = (20, 10)) -> bytes:
    """Frames of one color each."""
    images = [Image.new("RGB", size, (80 * number % 256, 20, 255 - number % 256)) for number in range(frames)]
    return encoded(images[0], form, save_all=True, append_images=images[1:], duration=40, loop=0)


def with_gps(description: str = "secret place") -> bytes:
    """EXIF block with a description and a position."""
    exif = Image.Exif()
    exif[0x010E] = description
    exif.get_ifd(0x8825).update({1: "N", 2: (52.0, 31.0, 12.0), 3: "E", 4: (13.0, 24.0, 18.0)})
    return exif.tobytes()


def turned(orientation: int) -> bytes:
    """EXIF block with an orientation."""
    exif = Image.Exif()
    exif[0x0112] = orientation
    return exif.tobytes()


SAMPLES: dict[AssetType, bytes] = {
    types.PNG: encoded(gradient(), "PNG"),
    types.JPEG: encoded(gradient(), "JPEG"),
    types.GIF: encoded(gradient("P"), "GIF"),
    types.WEBP: encoded(gradient(), "WEBP"),
    types.AVIF: encoded(gradient(), "AVIF"),
    types.MP4: MP4,
    types.WEBM: WEBM,
    types.WOFF2: WOFF2,
    types.PDF: PDF,
    types.SVG: SVG,
}
RASTERS = {each: content for each, content in SAMPLES.items() if each.kind is types.Kind.RASTER}
ZIP = base64.b64decode(
    "UEsDBBQAAAAAAAAAIQAAAAAAAAAAAAAAAAAFAAAAYS50eHRQSwECFAMUAAAAAAAAACEAAAAAAAAAAAAAAAAABQAAAAAAAAAAAAAAgAEAAAAAYS50eHRQSwUGAAAAAAEAAQAzAAAAIwAAAAAA"
)
