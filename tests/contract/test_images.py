"""ImageCodec: pictures stay as they look, lose what is hidden in them, and hostile ones are refused in our words."""

from __future__ import annotations

import struct
import time
import tracemalloc
import zlib
from io import BytesIO
from typing import Any

import pytest
from PIL import Image, ImageChops, ImageCms, ImageStat, PngImagePlugin

from abtest.adapters.images import PillowCodec
from abtest.domain.assets import types
from abtest.domain.assets.errors import InvalidAssetError, UnsupportedAssetTypeError
from abtest.domain.assets.png import chunks
from abtest.domain.assets.types import MAX_FRAME_PIXELS, MAX_FRAMES, AssetType
from abtest.ports.images import ImageCodec, ImageInfo
from tests.support.media import RASTERS, SAMPLES, ZIP, animation, decoded, encoded, gradient, turned, with_gps

CODEC: ImageCodec = PillowCodec()
HTML = b"<script>alert(1)</script>"
SRGB = ImageCms.ImageCmsProfile(ImageCms.createProfile("sRGB")).tobytes()
each_raster = pytest.mark.parametrize("asset_type", RASTERS, ids=lambda each: each.extensions[0])


def distance(one: Image.Image, other: Image.Image) -> float:
    """Mean difference of two pictures' channels, in steps of 256."""
    assert one.size == other.size
    difference = ImageChops.difference(one.convert("RGBA"), other.convert("RGBA"))
    return sum(ImageStat.Stat(difference).mean) / 4


def png(width: int, height: int, data: bytes = b"", *more: bytes, depth: int = 8, color: int = 2) -> bytes:
    """PNG of any header, whether its pixels agree with it or not."""
    header = struct.pack(">IIBBBBB", width, height, depth, color, 0, 0, 0)
    parts = [chunk(b"IHDR", header), *more, chunk(b"IDAT", zlib.compress(data)), chunk(b"IEND")]
    return b"\x89PNG\r\n\x1a\n" + b"".join(parts)


def chunk(name: bytes, data: bytes = b"") -> bytes:
    """Chunk of a PNG."""
    return struct.pack(">I", len(data)) + name + data + struct.pack(">I", zlib.crc32(name + data))


# ---------------------------------------------------------------- what stays


@each_raster
def test_inspect__returns_type_size_and_frames(asset_type: AssetType) -> None:
    expected = ImageInfo(asset_type=asset_type, width=64, height=48, frames=1)
    assert CODEC.inspect(RASTERS[asset_type]) == expected


@pytest.mark.parametrize("form", ["GIF", "WEBP", "AVIF", "PNG"])
def test_inspect__counts_frames(form: str) -> None:
    assert CODEC.inspect(animation(form)).frames == 3


@pytest.mark.parametrize("mode", ["1", "L", "LA", "P", "RGB", "RGBA", "I;16"])
def test_clean__of_a_png__keeps_every_pixel(mode: str) -> None:
    image = gradient(mode)
    cleaned = decoded(CODEC.clean(encoded(image, "PNG")))
    assert (cleaned.mode, cleaned.tobytes()) == (image.mode, image.tobytes())


def test_clean__of_a_palette__keeps_its_transparency() -> None:
    image = gradient("P").copy()
    cleaned = decoded(CODEC.clean(encoded(image, "PNG", transparency=bytes(range(256)))))
    assert cleaned.info["transparency"][:200] == bytes(range(200))


def test_clean__of_16_bit_colors__keeps_8_bits() -> None:
    row = b"\0" + struct.pack(">6H", 0, 32768, 65535, 257, 514, 771)
    cleaned = decoded(CODEC.clean(png(2, 1, row, depth=16)))
    assert (cleaned.mode, list(cleaned.tobytes())) == ("RGB", [0, 128, 255, 1, 2, 3])


def test_clean__of_an_animated_png__keeps_frames_and_durations() -> None:
    before, after = (decoded(each) for each in (animation("PNG"), CODEC.clean(animation("PNG"))))
    for frame in range(3):
        before.seek(frame)
        after.seek(frame)
        assert before.convert("RGBA").tobytes() == after.convert("RGBA").tobytes()
        assert after.info["duration"] == 40


@pytest.mark.parametrize("mode", ["L", "RGB", "CMYK"])
@pytest.mark.parametrize("options", [{}, {"progressive": True}, {"quality": 95, "subsampling": 0}], ids=str)
def test_clean__of_a_jpeg__keeps_looks_tables_and_order(mode: str, options: dict[str, object]) -> None:
    content = encoded(gradient(mode), "JPEG", **options)
    cleaned = CODEC.clean(content)
    before, after = Image.open(BytesIO(content)), Image.open(BytesIO(cleaned))
    assert distance(before, after) < 2
    assert before.quantization == after.quantization  # type: ignore[attr-defined]  # of JPEG files only
    assert after.info.get("progressive") == before.info.get("progressive")
    assert len(cleaned) <= len(content) * 1.1


@pytest.mark.parametrize("asset_type", [types.GIF, types.WEBP, types.AVIF], ids=lambda each: each.extensions[0])
def test_clean__of_other_types__returns_the_file(asset_type: AssetType) -> None:
    assert CODEC.clean(SAMPLES[asset_type]) == SAMPLES[asset_type]


@pytest.mark.parametrize("orientation", range(1, 9))
@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_clean__turns_pictures_upright(form: str, orientation: int) -> None:
    content = encoded(gradient(), form, exif=turned(orientation))
    cleaned, info = CODEC.clean(content), CODEC.inspect(content)
    displayed = gradient().transpose(TURNS[orientation]) if orientation > 1 else gradient()
    assert distance(decoded(cleaned), displayed) < 2
    assert (info.width, info.height) == displayed.size
    assert not decoded(cleaned).getexif()
    rendition = CODEC.renditions(content, [24])[0]
    assert distance(decoded(rendition.content), displayed.resize((rendition.width, rendition.height))) < 5


TURNS = {
    2: Image.Transpose.FLIP_LEFT_RIGHT,
    3: Image.Transpose.ROTATE_180,
    4: Image.Transpose.FLIP_TOP_BOTTOM,
    5: Image.Transpose.TRANSPOSE,
    6: Image.Transpose.ROTATE_270,
    7: Image.Transpose.TRANSVERSE,
    8: Image.Transpose.ROTATE_90,
}


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_clean__keeps_a_profile_of_the_pictures_colors(form: str) -> None:
    assert decoded(CODEC.clean(encoded(gradient(), form, icc_profile=SRGB))).info["icc_profile"] == SRGB


@pytest.mark.parametrize("profile", [b"<script>" * 30, SRGB + HTML, SRGB[:16] + b"CMYK" + SRGB[20:]], ids=len)
@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_clean__drops_other_profiles(form: str, profile: bytes) -> None:
    assert "icc_profile" not in decoded(CODEC.clean(encoded(gradient(), form, icc_profile=profile))).info


def test_clean__keeps_chunks_that_change_colors() -> None:
    info = PngImagePlugin.PngInfo()
    info.add(b"gAMA", struct.pack(">I", 100_000))
    info.add(b"cHRM", struct.pack(">8I", 31270, 32900, 64000, 33000, 30000, 60000, 15000, 6000))
    cleaned = CODEC.clean(encoded(gradient(), "PNG", pnginfo=info))
    assert {name for name, _ in chunks(cleaned)} == {b"IHDR", b"cHRM", b"gAMA", b"IDAT", b"IEND"}


# ---------------------------------------------------------------- what goes


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
def test_clean__removes_metadata(form: str) -> None:
    text = PngImagePlugin.PngInfo()
    text.add_text("Comment", "secret text")
    text.add_itxt("XML:com.adobe.xmp", "secret xmp", zip=False)
    text.add(b"teSt", b"secret chunk")
    forms: dict[str, dict[str, Any]] = {
        "JPEG": {"comment": b"secret text", "xmp": b"secret xmp"},
        "PNG": {"pnginfo": text},
    }
    content = encoded(gradient(), form, exif=with_gps(), dpi=(72, 72), **forms[form])
    assert content.count(b"secret") >= 3
    cleaned = CODEC.clean(content)
    assert b"secret" not in cleaned
    assert b"Exif" not in cleaned
    assert not decoded(cleaned).getexif()


@pytest.mark.parametrize("form", ["JPEG", "PNG"])
@pytest.mark.parametrize("more", [HTML, ZIP], ids=["html", "zip"])
def test_clean__removes_bytes_after_the_end(form: str, more: bytes) -> None:
    assert more not in CODEC.clean(encoded(gradient(), form) + more)


@pytest.mark.parametrize("asset_type", [types.GIF, types.WEBP, types.AVIF], ids=lambda each: each.extensions[0])
@pytest.mark.parametrize("more", [HTML, ZIP, b"\0"], ids=["html", "zip", "byte"])
def test_clean__refuses_bytes_after_the_end_of_files_that_are_kept(asset_type: AssetType, more: bytes) -> None:
    with pytest.raises(InvalidAssetError, match=r"follow|ends too early"):
        CODEC.clean(SAMPLES[asset_type] + more)


@pytest.mark.parametrize("form", ["WEBP", "AVIF"])
def test_clean__refuses_the_place_in_files_that_are_kept(form: str) -> None:
    for options in ({"exif": with_gps()}, {"xmp": b"<x exif:GPSLatitude='52,31N'/>"}):
        with pytest.raises(InvalidAssetError, match="place where it was taken"):
            CODEC.clean(encoded(gradient(), form, **options))
    assert CODEC.clean(encoded(gradient(), form, exif=turned(1)))


def test_clean__of_a_jpeg_with_a_second_one__keeps_the_first() -> None:
    target = BytesIO()
    gradient().save(target, "MPO", save_all=True, append_images=[Image.new("RGB", (64, 48))])
    cleaned = CODEC.clean(target.getvalue())
    assert (decoded(cleaned).format, cleaned.count(b"\xff\xd8\xff")) == ("JPEG", 1)


# ---------------------------------------------------------------- what is refused


POLYGLOTS = {
    "gif-script": b"GIF89a/*" + b"\0" * 40 + b"*/=1;alert(1)",
    "gif-script-with-screen": b"GIF89a\1\0\1\0\0\0\0/*" + HTML + b"*/=1;alert(1)",
    "jpeg-script": b"\xff\xd8\xff\xe0/*" + b"\0" * 40 + b"*/=alert(1);/*\xff\xd9",
    "png-signature": b"\x89PNG\r\n\x1a\n\0\0\0\rIHDR" + HTML,
    "png-without-pixels": b"\x89PNG\r\n\x1a\n" + chunk(b"IHDR", b"\0\0\0\1\0\0\0\1\x08\2\0\0\0") + chunk(b"IEND"),
    "webp-script": b"RIFF\x40\0\0\0WEBPVP8 /*" + b"\0" * 60,
    "avif-script": b"\0\0\0\x14ftypavif\0\0\0\0avif" + HTML,
    "bad-crc": SAMPLES[types.PNG][:29] + b"\0\0\0\0" + SAMPLES[types.PNG][33:],
    "no-size": png(0, 0),
}


@pytest.mark.parametrize("name", POLYGLOTS)
def test_file_with_a_signature_alone__is_refused(name: str) -> None:
    with pytest.raises(InvalidAssetError, match=r"^content: "):
        CODEC.clean(POLYGLOTS[name])


@pytest.mark.parametrize("content", [b"", HTML, ZIP, SAMPLES[types.SVG], SAMPLES[types.PDF]], ids=len)
def test_file_of_another_type__is_refused(content: bytes) -> None:
    for call in (CODEC.inspect, CODEC.clean, CODEC.renditions):
        with pytest.raises((UnsupportedAssetTypeError, InvalidAssetError)):
            call(content)


@each_raster
def test_truncated_file__is_refused(asset_type: AssetType) -> None:
    content = encoded(gradient(size=(200, 150)), asset_type.label.split()[1])
    for part in (0.1, 0.5, 0.9):
        with pytest.raises((InvalidAssetError, UnsupportedAssetTypeError)):
            CODEC.clean(content[: int(len(content) * part)])


def bombs() -> dict[str, bytes]:
    """Files of a few bytes that would fill the memory."""
    jpeg, gif, webp = SAMPLES[types.JPEG], SAMPLES[types.GIF], encoded(gradient(), "WEBP", exif=b"x")
    frame = jpeg.index(b"\xff\xc0")
    at = gif.index(b",\0\0\0\0")
    canvas = webp.index(b"VP8X") + 12
    return {
        "png": png(50_001, 50_001, b"\0" * 1000),
        "png-widest": png(2**31 - 1, 1),
        "jpeg": jpeg[: frame + 5] + b"\xff\xff\xff\xff" + jpeg[frame + 9 :],
        "gif-screen": gif[:6] + b"\xff\xff\xff\xff" + gif[10:],
        "gif-frame": gif[: at + 5] + b"\xff\xff\xff\xff" + gif[at + 9 :],
        "webp": webp[:canvas] + b"\xff\x3f\0\xff\x3f\0" + webp[canvas + 6 :],
    }


@pytest.mark.parametrize("name", bombs())
def test_picture_of_many_pixels__is_refused_by_its_header(name: str) -> None:
    content = bombs()[name]
    tracemalloc.start()
    started = time.process_time()
    for call in (CODEC.inspect, CODEC.clean, CODEC.renditions):
        with pytest.raises(InvalidAssetError, match="at most 50 megapixels"):
            call(content)
    assert tracemalloc.get_traced_memory()[1] < 10 << 20
    tracemalloc.stop()
    assert time.process_time() - started < 1


def test_animation__of_too_many_frames_or_pixels__is_refused() -> None:
    frame = b",\0\0\0\0\1\0\1\0\0\2\2D\1\0"
    with pytest.raises(InvalidAssetError, match=r"1,001 frames; at most 1,000"):
        CODEC.inspect(b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff" + frame * (MAX_FRAMES + 1) + b";")
    wide = b",\0\0\0\0\x88\x13\x88\x13\0\2\2D\1\0"  # 5,000 x 5,000
    count = MAX_FRAME_PIXELS // 25_000_000 + 1
    with pytest.raises(InvalidAssetError, match="in all frames together"):
        CODEC.clean(b"GIF89a\1\0\1\0\x80\0\0\0\0\0\xff\xff\xff" + wide * count + b";")


def test_jpeg_of_many_scans__is_refused() -> None:
    content = encoded(Image.new("L", (5000, 4000)), "JPEG", progressive=True)
    scan = content.rindex(b"\xff\xda")
    with pytest.raises(InvalidAssetError, match="too many scans"):
        CODEC.clean(content[:-2] + content[scan:-2] * 60 + b"\xff\xd9")


def test_file_of_more_than_20_mib__is_refused() -> None:
    with pytest.raises(InvalidAssetError, match="20 MiB"):
        CODEC.inspect(SAMPLES[types.PNG] + b"\0" * (20 << 20))


def test_compressed_text_and_profile__do_not_fill_the_memory() -> None:
    bomb = zlib.compress(b"\0" * (100 << 20), 9)
    for name, data in ((b"zTXt", b"a\0\0" + bomb), (b"iCCP", b"a\0\0" + bomb), (b"iTXt", b"a\0\1\0\0\0" + bomb)):
        content = png(1, 1, b"\0\1\2\3", chunk(name, data))
        with pytest.raises(InvalidAssetError, match="cannot be decoded"):
            CODEC.clean(content)


# ---------------------------------------------------------------- renditions


def test_renditions__are_webp_of_the_smaller_widths() -> None:
    content = encoded(gradient(size=(1000, 501)), "PNG")
    made = CODEC.renditions(content)
    assert [(each.width, each.height) for each in made] == [(480, 240), (960, 481)]
    for each in made:
        info = CODEC.inspect(each.content)
        assert (info.asset_type, info.width, info.height) == (types.WEBP, each.width, each.height)


@each_raster
def test_renditions__of_a_small_picture__are_none(asset_type: AssetType) -> None:
    assert CODEC.renditions(RASTERS[asset_type]) == ()


@pytest.mark.parametrize("form", ["GIF", "WEBP", "AVIF", "PNG"])
def test_renditions__of_an_animation__are_none(form: str) -> None:
    assert CODEC.renditions(animation(form, size=(600, 10))) == ()


@pytest.mark.parametrize(
    ("mode", "form"),
    [
        ("1", "PNG"),
        ("L", "PNG"),
        ("LA", "PNG"),
        ("P", "PNG"),
        ("RGBA", "PNG"),
        ("I;16", "PNG"),
        ("L", "JPEG"),
        ("RGB", "JPEG"),
        ("CMYK", "JPEG"),
        ("P", "GIF"),
        ("RGBA", "WEBP"),
        ("RGBA", "AVIF"),
    ],
)
def test_renditions__look_as_the_picture(mode: str, form: str) -> None:
    image = gradient(mode, (600, 300))
    rendition = decoded(CODEC.renditions(encoded(image, form), [300])[0].content)
    eight_bits = gradient("L", (600, 300)) if mode == "I;16" else decoded(encoded(image, form)).convert("RGBA")
    expected = eight_bits.convert("RGBA").resize((300, 150))
    # Of transparent pixels only the share that is visible counts; dithering of one bit is noise.
    over = [
        Image.alpha_composite(Image.new("RGBA", each.size, "white"), each)
        for each in (rendition.convert("RGBA"), expected)
    ]
    assert distance(*over) < (20 if mode == "1" else 4)


def test_renditions__keep_a_profile_and_no_metadata() -> None:
    image = gradient(size=(600, 300))
    content = CODEC.renditions(encoded(image, "JPEG", icc_profile=SRGB, exif=with_gps()))[0].content
    assert decoded(content).info["icc_profile"] == SRGB
    assert b"secret" not in content
    assert "exif" not in decoded(content).info


@pytest.mark.parametrize(
    ("mode", "color"), [("L", 64), ("LA", (64, 200)), ("RGB", (64,) * 3), ("RGBA", (64, 64, 64, 200))]
)
def test_renditions__of_a_png_with_a_gamma__have_the_colors_that_browsers_display(mode: str, color: Any) -> None:
    gamma = PngImagePlugin.PngInfo()
    gamma.add(b"gAMA", struct.pack(">I", 100_000))
    content = encoded(Image.new(mode, (600, 300), color), "PNG", pnginfo=gamma)
    rendition = decoded(CODEC.renditions(content)[0].content).convert("RGBA").getpixel((100, 100))
    assert isinstance(rendition, tuple)
    assert abs(rendition[0] - 255 * (64 / 255) ** (1 / 2.2)) < 4
    assert abs(rendition[3] - (200 if mode.endswith("A") else 255)) < 4


@pytest.mark.parametrize("chunks_of_png", [{b"gAMA": 45_455}, {b"gAMA": 0}, {b"gAMA": 100_000, b"sRGB": 0}], ids=str)
def test_renditions__of_a_png_with_a_gamma_of_no_effect__keep_its_values(chunks_of_png: dict[bytes, int]) -> None:
    info = PngImagePlugin.PngInfo()
    for name, value in chunks_of_png.items():
        info.add(name, struct.pack(">I" if name == b"gAMA" else "B", value))
    content = encoded(Image.new("RGB", (600, 300), (64, 64, 64)), "PNG", pnginfo=info)
    rendition = decoded(CODEC.renditions(content)[0].content).getpixel((100, 100))
    assert isinstance(rendition, tuple)
    assert abs(rendition[0] - 64) < 4


def test_renditions__too_tall_for_webp__are_left_out() -> None:
    assert CODEC.renditions(encoded(Image.new("L", (500, 20_000)), "PNG")) == ()


def riff(*chunks: tuple[bytes, bytes]) -> bytes:
    """Return a WebP file of chunks."""
    body = b"".join(name + len(data).to_bytes(4, "little") + data + bytes(len(data) % 2) for name, data in chunks)
    return b"RIFF" + (4 + len(body)).to_bytes(4, "little") + b"WEBP" + body


@pytest.mark.parametrize("metadata", [(b"EXIF",), (b"XMP ",), (b"EXIF", b"EXIF")])
def test_webp__with_metadata_that_its_header_does_not_announce__is_refused(metadata: tuple[bytes, ...]) -> None:
    plain = encoded(gradient(size=(8, 8)), "WEBP")
    picture = (plain[12:16], plain[20:])
    flags = bytes([0x08 if len(metadata) > 1 else 0, 0, 0, 0, 7, 0, 0, 7, 0, 0])
    content = riff((b"VP8X", flags), picture, *((name, bytes(with_gps())) for name in metadata))
    with pytest.raises(InvalidAssetError, match="metadata that its header does not announce"):
        CODEC.clean(content)
