"""Opened pictures: limits that hold before any pixel is decoded, orientation, color profile."""

import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from functools import cache
from io import BytesIO
from typing import TYPE_CHECKING

from abtest.domain.assets import types
from abtest.domain.assets.containers import gif_layout, webp_size
from abtest.domain.assets.errors import InvalidAssetError, UnsupportedAssetTypeError
from abtest.domain.assets.profiles import ColorSpace, color_space
from abtest.domain.assets.types import MAX_FRAME_PIXELS, MAX_FRAMES, MAX_PIXELS, AssetType

if TYPE_CHECKING:
    from PIL import Image
    from PIL.ImageFile import ImageFile

MAX_SCAN_PIXELS = 1_000_000_000
"""Pixels of all scans of a progressive JPEG together. Each scan is decoded in full, however short it is."""

_ORIENTATION = 0x0112
_SPACES = {"L": ColorSpace.GRAY, "LA": ColorSpace.GRAY, "1": ColorSpace.GRAY, "CMYK": ColorSpace.CMYK}


@contextmanager
def refusing(asset_type: AssetType) -> Iterator[None]:
    """Turn whatever Pillow raises or warns of into InvalidAssetError.

    For damaged files Pillow's decoders raise a dozen types, IndexError and struct.error among them, so all are caught.
    """
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        try:
            yield
        except (InvalidAssetError, UnsupportedAssetTypeError):
            raise
        except Exception as error:
            message = f"the file is {asset_type.label} that cannot be decoded: it is damaged, or ends too early"
            raise InvalidAssetError(message) from error


@dataclass(frozen=True, slots=True)
class Picture:
    """Picture whose header was read and is within the limits."""

    asset_type: AssetType
    image: "ImageFile"
    frames: int
    orientation: int
    profile: bytes

    @property
    def is_turned(self) -> bool:
        """Return whether width and height change places when the picture is displayed."""
        return self.orientation >= 5

    @property
    def upright_size(self) -> tuple[int, int]:
        """Return width and height as displayed."""
        width, height = self.image.size
        return (height, width) if self.is_turned else (width, height)

    def upright(self, image: "Image.Image") -> "Image.Image":
        """Return pixels of this picture as they are displayed."""
        from PIL.Image import Transpose

        turn = {
            2: Transpose.FLIP_LEFT_RIGHT,
            3: Transpose.ROTATE_180,
            4: Transpose.FLIP_TOP_BOTTOM,
            5: Transpose.TRANSPOSE,
            6: Transpose.ROTATE_270,
            7: Transpose.TRANSVERSE,
            8: Transpose.ROTATE_90,
        }.get(self.orientation)
        return image if turn is None else image.transpose(turn)

    def profile_of(self, mode: str) -> bytes | None:
        """Return the color profile if it is one for pixels of this mode: browsers ignore others."""
        return self.profile if color_space(self.profile) is _SPACES.get(mode, ColorSpace.RGB) else None


def opened(content: bytes, asset_type: AssetType) -> Picture:
    """Read the header of a picture and check its limits; no pixel is decoded. Call it within `refusing`."""
    if len(content) > types.MAX_FILE_BYTES:
        raise InvalidAssetError(f"the file has more than {types.MAX_FILE_BYTES >> 20} MiB")
    if asset_type is types.GIF:  # its frames are counted before Pillow, which would look at each
        layout = gif_layout(content)
        _require_limits(asset_type, layout.width, layout.height, layout.frames)
    if asset_type is types.WEBP:
        _require_limits(asset_type, *webp_size(content), frames=1)
    image = _decoder(asset_type.mime_type)(BytesIO(content))
    frames = int(getattr(image, "n_frames", 1))
    _require_limits(asset_type, image.width, image.height, frames)
    if asset_type is types.JPEG and content.count(b"\xff\xda") * image.width * image.height > MAX_SCAN_PIXELS:
        raise InvalidAssetError(
            "the file is a progressive JPEG image with too many scans; save it with another program"
        )
    # Of the other types, browsers turn AVIF by its own boxes, as the decoder does, and the rest not at all.
    is_turnable = asset_type is types.JPEG or (asset_type is types.PNG and frames == 1 and "exif" in image.info)
    orientation = image.getexif().get(_ORIENTATION, 1) if is_turnable else 1
    profile = image.info.get("icc_profile") or b""
    return Picture(asset_type, image, frames, orientation if orientation in range(1, 9) else 1, profile)


def _require_limits(asset_type: AssetType, width: int, height: int, frames: int) -> None:
    size = f"{width:,} x {height:,} pixels"
    if not width or not height:
        raise InvalidAssetError(f"the file is {asset_type.label} without pixels")
    if width * height > MAX_PIXELS:
        raise InvalidAssetError(
            f"the file is {asset_type.label} of {size}; at most {MAX_PIXELS // 10**6} megapixels are accepted"
        )
    if frames > MAX_FRAMES:
        raise InvalidAssetError(
            f"the file is {asset_type.label} of {frames:,} frames; at most {MAX_FRAMES:,} are accepted"
        )
    if frames > 1 and frames * width * height > MAX_FRAME_PIXELS:
        raise InvalidAssetError(
            f"the file is {asset_type.label} of {frames:,} frames of {size}; "
            f"at most {MAX_FRAME_PIXELS // 10**6} megapixels in all frames together are accepted"
        )


@cache
def _decoder(mime_type: str) -> Callable[[BytesIO], "ImageFile"]:
    """Return the decoder of one type. `Image.open` would try others, and turn a JPEG with a second one into MPO."""
    from PIL import AvifImagePlugin, GifImagePlugin, JpegImagePlugin, PngImagePlugin, WebPImagePlugin

    decoders: dict[str, Callable[[BytesIO], ImageFile]] = {
        "image/png": PngImagePlugin.PngImageFile,
        "image/jpeg": JpegImagePlugin.JpegImageFile,
        "image/gif": GifImagePlugin.GifImageFile,
        "image/webp": WebPImagePlugin.WebPImageFile,
        "image/avif": AvifImagePlugin.AvifImageFile,
    }
    return decoders[mime_type]
