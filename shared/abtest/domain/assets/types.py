"""Accepted types of files. Bytes, extension of the name and declared type must agree."""

from dataclasses import dataclass
from enum import StrEnum

from abtest.domain.assets.errors import CONTENT, FILE_NAME, MIME_TYPE, UnsupportedAssetTypeError

MAX_FILE_BYTES = 20 << 20
MAX_PIXELS = 50_000_000
MAX_FRAMES = 1_000
MAX_FRAME_PIXELS = 400_000_000
"""Pixels of all frames of an animation together: about four seconds of decoding."""


class Kind(StrEnum):
    """How a type is examined: decoded as pixels, rebuilt from an allow-list, or by the structure of its container."""

    RASTER = "raster"
    VECTOR = "vector"
    CONTAINER = "container"


@dataclass(frozen=True, slots=True)
class AssetType:
    """Accepted type. Its first extension is the one that new names receive; `label` completes
    the sentence `the bytes are …`."""

    mime_type: str
    extensions: tuple[str, ...]
    label: str
    kind: Kind

    @property
    def is_attachment(self) -> bool:
        """Return whether browsers save a file of this type instead of opening it."""
        return self in (SVG, PDF)


PNG = AssetType("image/png", ("png",), "a PNG image", Kind.RASTER)
JPEG = AssetType("image/jpeg", ("jpg", "jpeg"), "a JPEG image", Kind.RASTER)
GIF = AssetType("image/gif", ("gif",), "a GIF image", Kind.RASTER)
WEBP = AssetType("image/webp", ("webp",), "a WebP image", Kind.RASTER)
AVIF = AssetType("image/avif", ("avif",), "an AVIF image", Kind.RASTER)
MP4 = AssetType("video/mp4", ("mp4",), "an MP4 video", Kind.CONTAINER)
WEBM = AssetType("video/webm", ("webm",), "a WebM video", Kind.CONTAINER)
WOFF2 = AssetType("font/woff2", ("woff2",), "a WOFF2 font", Kind.CONTAINER)
PDF = AssetType("application/pdf", ("pdf",), "a PDF document", Kind.CONTAINER)
SVG = AssetType("image/svg+xml", ("svg",), "an SVG image", Kind.VECTOR)

TYPES = (PNG, JPEG, GIF, WEBP, AVIF, MP4, WEBM, WOFF2, PDF, SVG)
_BY_EXTENSION = {extension: each for each in TYPES for extension in each.extensions}
_BY_MIME_TYPE = {each.mime_type: each for each in TYPES}
ACCEPTED = "accepted are png, jpeg, gif, webp, avif, svg, mp4, webm, woff2 and pdf"


def type_of_name(file_name: str) -> AssetType:
    """Return the type that a file name's extension stands for. Raises UnsupportedAssetTypeError."""
    stem, dot, extension = file_name.rpartition(".")
    if not (dot and stem):
        raise UnsupportedAssetTypeError(FILE_NAME, f"the file name has no extension; {ACCEPTED}")
    asset_type = _BY_EXTENSION.get(extension.lower())
    if asset_type is None:
        raise UnsupportedAssetTypeError(FILE_NAME, f"the file name ends in .{extension[:20]}; {ACCEPTED}")
    return asset_type


def type_of_declaration(mime_type: str) -> AssetType:
    """Return the type of a media type such as `image/png`. Raises UnsupportedAssetTypeError."""
    asset_type = _BY_MIME_TYPE.get(mime_type.partition(";")[0].strip().lower())
    if asset_type is None:
        raise UnsupportedAssetTypeError(MIME_TYPE, f"the declared type is {mime_type[:60]!r}; {ACCEPTED}")
    return asset_type


def require_agreement(content: AssetType, file_name: str, declared: str | None) -> None:
    """Raise UnsupportedAssetTypeError unless the name and the declared type, if given, are those of the content."""
    if type_of_name(file_name) is not content:
        ending = file_name.rpartition(".")[2]
        message = f"the bytes are {content.label}, but the file name ends in .{ending}"
        raise UnsupportedAssetTypeError(FILE_NAME, message)
    if declared is not None and type_of_declaration(declared) is not content:
        message = f"the bytes are {content.label}, but the declared type is {declared[:60]}"
        raise UnsupportedAssetTypeError(MIME_TYPE, message)


def unsupported_content(label: str) -> UnsupportedAssetTypeError:
    """Return the error for bytes of another type."""
    return UnsupportedAssetTypeError(CONTENT, f"the bytes are {label}; {ACCEPTED}")
