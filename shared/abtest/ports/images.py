"""Decoding and encoding of pictures that callers upload."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

from abtest.domain.assets.types import AssetType

RENDITION_WIDTHS = (480, 960, 1440, 1920)


@dataclass(frozen=True, slots=True, kw_only=True)
class ImageInfo:
    """Type, size in pixels as displayed, and number of frames of a picture."""

    asset_type: AssetType
    width: int
    height: int
    frames: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Rendition:
    """Picture in a smaller size, as WebP."""

    width: int
    height: int
    content: bytes


class ImageCodec(Protocol):
    """Codec for png, jpeg, gif, webp and avif.

    Every call may raise InvalidAssetError or UnsupportedAssetTypeError (abtest.domain.assets.errors), and nothing else,
    for any bytes. Sizes are read from the header and checked against the limits before any pixel is decoded.
    """

    def inspect(self, content: bytes) -> ImageInfo:
        """Return type, size and frames from the header."""
        ...

    def clean(self, content: bytes) -> bytes:
        """Return the picture without metadata, upright and in its colors, after all of it was decoded.

        png and jpeg are encoded again. gif, webp and avif are returned as they are; bytes after their end and places
        where they were taken are refused.
        """
        ...

    def renditions(self, content: bytes, widths: Sequence[int] = RENDITION_WIDTHS) -> tuple[Rendition, ...]:
        """Return the picture in each of the widths that is smaller than its own. Animations have no renditions."""
        ...
