"""Pictures with Pillow: one decoder for each type, chosen by our own recognition of the bytes."""

from collections.abc import Sequence
from io import BytesIO
from typing import TYPE_CHECKING, Any

from abtest.adapters.images.reading import Picture, opened, refusing
from abtest.domain.assets import types
from abtest.domain.assets.containers import require_structure
from abtest.domain.assets.errors import InvalidAssetError
from abtest.domain.assets.png import chunks, color_chunks, display_gamma
from abtest.domain.assets.signatures import recognized
from abtest.ports.images import RENDITION_WIDTHS, ImageInfo, Rendition

if TYPE_CHECKING:
    from PIL import Image

FALLBACK_QUALITY = 92
"""Quality of a JPEG whose own tables cannot be used again."""

RENDITION_QUALITY = 80
THOROUGH_PIXELS = 8_000_000
"""Above this, a PNG is compressed in half the time: a request has less than 30 s, and noise takes the longest."""

MAX_WEBP_SIDE = 16_383
_GPS_DIRECTORY = 0x8825


class PillowCodec:
    """ImageCodec on Pillow. It keeps no state."""

    def inspect(self, content: bytes) -> ImageInfo:
        """Return type, size and frames from the header."""
        asset_type = recognized(content)
        with refusing(asset_type):
            picture = opened(content, asset_type)
            width, height = picture.upright_size
            return ImageInfo(asset_type=asset_type, width=width, height=height, frames=picture.frames)

    def clean(self, content: bytes) -> bytes:
        """Return the picture without metadata, upright and in its colors, after all of it was decoded."""
        asset_type = recognized(content)
        with refusing(asset_type):
            if asset_type is types.PNG:
                return _clean_png(content)
            if asset_type is types.JPEG:
                return _clean_jpeg(content)
            require_structure(asset_type, content)
            _decode_all(content, opened(content, asset_type))
            return content

    def renditions(self, content: bytes, widths: Sequence[int] = RENDITION_WIDTHS) -> tuple[Rendition, ...]:
        """Return the picture in each of the widths that is smaller than its own."""
        asset_type = recognized(content)
        with refusing(asset_type):
            picture = opened(content, asset_type)
            width, height = picture.upright_size
            smaller = sorted({each for each in widths if each < width}, reverse=True)
            if not smaller or picture.frames > 1:
                return ()
            sizes = [(each, max(1, round(height * each / width))) for each in smaller]
            gamma = display_gamma(content) if asset_type is types.PNG and not picture.profile else None
            return tuple(_renditions(picture, [size for size in sizes if size[1] <= MAX_WEBP_SIDE], gamma))


_PLACE = tuple("GPSLatitude".encode(encoding) for encoding in ("ascii", "utf-16-le", "utf-16-be"))
"""Name of a property of XMP, in the encodings that XMP may have."""


def _decode_all(content: bytes, picture: Picture) -> None:
    """Decode each frame of a picture that is stored as it is, and refuse the place where it was taken."""
    for frame in range(picture.frames):
        picture.image.seek(frame)
        picture.image.load()
    if any(spelling in content for spelling in _PLACE) or picture.image.getexif().get_ifd(_GPS_DIRECTORY):
        raise InvalidAssetError(
            f"the file is {picture.asset_type.label} with the place where it was taken (GPS); "
            "save it without its metadata"
        )


def _clean_jpeg(content: bytes) -> bytes:
    """Encode with the same tables and sampling: at equal tables the loss of a second encoding is close to none."""
    from PIL import JpegImagePlugin

    picture = opened(content, types.JPEG)
    source = picture.image
    assert isinstance(source, JpegImagePlugin.JpegImageFile)
    source.load()
    profile = picture.profile_of(source.mode)
    upright = picture.upright(source)
    # Of the metadata, Pillow repeats what `info` has.
    options: dict[str, Any] = {"progressive": "progressive" in source.info, "optimize": True, "icc_profile": profile}
    tables = {"qtables": source.quantization, "subsampling": JpegImagePlugin.get_sampling(source)}
    upright.info = {}
    for quality in (tables, {"quality": FALLBACK_QUALITY}):
        target = BytesIO()
        try:
            upright.save(target, "JPEG", **options, **quality)
        except (OSError, TypeError, ValueError):
            continue
        return target.getvalue()
    raise InvalidAssetError("the file is a JPEG image that cannot be encoded again; save it with another program")


def _clean_png(content: bytes) -> bytes:
    from PIL.PngImagePlugin import PngInfo

    for _ in chunks(content):  # raises where the end is missing
        pass
    picture = opened(content, types.PNG)
    colors = PngInfo()
    for name, data in color_chunks(content).items():
        colors.add(name, data)
    source = picture.image
    level = 6 if source.width * source.height <= THOROUGH_PIXELS else 4
    options: dict[str, Any] = {
        "pnginfo": colors,
        "icc_profile": picture.profile_of(source.mode),
        "compress_level": level,
    }
    target = BytesIO()
    if picture.frames > 1:
        # Frames are read as composed, so each replaces what is there.
        animated = {"default_image": source.info.get("default_image", False), "loop": source.info.get("loop", 0)}
        source.save(target, "PNG", save_all=True, disposal=0, blend=0, **animated, **options)
    else:
        source.load()
        upright = picture.upright(source)
        upright.encoderinfo = {}
        upright.save(target, "PNG", **options)
    return target.getvalue()


def _renditions(picture: Picture, sizes: Sequence[tuple[int, int]], gamma: float | None) -> list[Rendition]:
    """Return renditions, the narrowest first; each is made from the next larger one."""
    if not sizes:
        return []
    source = picture.image
    stored = [size[::-1] if picture.is_turned else size for size in sizes]
    if picture.asset_type is types.JPEG:
        source.draft(source.mode, stored[0])  # the decoder halves the picture on its way, to this size or above
    source.load()
    profile = picture.profile_of(source.mode)
    image = _with_channels(source)
    if gamma is not None:  # WebP has no such chunk, so the values themselves change
        image = _brightened(image, gamma)
    made: list[Rendition] = []
    for size in stored:
        image = image.resize(size, resample=_lanczos(), reducing_gap=2.0)
        displayed = _in_srgb(picture.upright(image), profile)
        made.append(_webp(displayed, profile if displayed.mode == image.mode else None))
    return made[::-1]


def _lanczos() -> "Image.Resampling":
    from PIL import Image

    return Image.Resampling.LANCZOS


def _with_channels(image: "Image.Image") -> "Image.Image":
    """Return the picture in a mode that can be resized: colors instead of palettes, eight bits a channel."""
    if image.mode.startswith("I"):
        return image.convert("I").point(lambda value: value / 257).convert("L")
    if image.mode == "P" or "transparency" in image.info:
        return image.convert("RGBA" if "transparency" in image.info else "RGB")
    return image if image.mode in ("L", "LA", "RGB", "RGBA", "CMYK") else image.convert("RGB")


def _brightened(image: "Image.Image", gamma: float) -> "Image.Image":
    """Return the picture with an exponent applied to its colors, and its transparency as it is."""
    curve = [round(255 * (value / 255) ** gamma) for value in range(256)]
    colors = image.mode.removesuffix("A")
    return image.point(curve * len(colors) + list(range(256)) * (len(image.mode) - len(colors)))


def _in_srgb(image: "Image.Image", profile: bytes | None) -> "Image.Image":
    """Return the picture in a mode of WebP. CMYK is converted by its profile, as WebP has none for it."""
    if image.mode == "CMYK" and profile is not None:
        from PIL import ImageCms

        converted = ImageCms.profileToProfile(image, BytesIO(profile), ImageCms.createProfile("sRGB"), outputMode="RGB")
        return converted or image.convert("RGB")
    if image.mode in ("RGB", "RGBA"):
        return image
    return image.convert("RGBA" if image.mode == "LA" else "RGB")


def _webp(image: "Image.Image", profile: bytes | None) -> Rendition:
    target = BytesIO()
    image.info = {}
    image.save(target, "WEBP", quality=RENDITION_QUALITY, method=4, icc_profile=profile or b"")
    return Rendition(width=image.width, height=image.height, content=target.getvalue())
