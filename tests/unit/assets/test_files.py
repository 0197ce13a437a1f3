"""Uploads as a whole: what is stored of a file of each type."""

from __future__ import annotations

import base64

import pytest
from PIL import Image

from abtest.adapters.images import PillowCodec
from abtest.domain.assets import types
from abtest.domain.assets.errors import InvalidAssetError, UnsupportedAssetTypeError
from abtest.domain.assets.types import TYPES, AssetType
from abtest.services.assets.files import prepared
from tests.support.media import SAMPLES, decoded, encoded, gradient, with_gps

CODEC = PillowCodec()


@pytest.mark.parametrize("asset_type", TYPES, ids=lambda each: each.extensions[0])
def test_sample__is_stored_under_a_plain_name(asset_type: AssetType) -> None:
    extension = asset_type.extensions[0]
    file = prepared(CODEC, SAMPLES[asset_type], f"folder/My file.{extension}", asset_type.mime_type)
    assert (file.asset_type, file.file_name) == (asset_type, f"My-file.{extension}")
    sizes = {types.Kind.RASTER: (64, 48), types.Kind.VECTOR: (16, 16), types.Kind.CONTAINER: (None, None)}
    assert (file.width, file.height) == sizes[asset_type.kind]


def test_photo__is_stored_without_its_place_and_in_smaller_widths() -> None:
    photo = encoded(gradient(size=(1000, 700)), "JPEG", exif=with_gps())
    file = prepared(CODEC, photo, "photo.jpg")
    assert not decoded(file.content).getexif()
    assert [(each.width, each.height) for each in file.renditions] == [(480, 336), (960, 672)]


def test_bytes_of_another_type_than_the_name__are_refused() -> None:
    with pytest.raises(UnsupportedAssetTypeError, match=r"file name ends in \.jpg"):
        prepared(CODEC, SAMPLES[types.PNG], "photo.jpg")


def test_file_over_20_mib__is_refused_before_it_is_read() -> None:
    with pytest.raises(InvalidAssetError, match="20 MiB"):
        prepared(CODEC, b"\0" * (types.MAX_FILE_BYTES + 1), "a.png")


def drawing(*images: bytes) -> bytes:
    """SVG with embedded images."""
    sources = "".join(f'<image href="data:image/png;base64,{base64.b64encode(each).decode()}"/>' for each in images)
    return f'<svg xmlns="http://www.w3.org/2000/svg" onload="x">{sources}</svg>'.encode()


def test_image_within_a_drawing__is_cleaned_and_named_by_its_bytes() -> None:
    file = prepared(CODEC, drawing(encoded(gradient(), "JPEG", exif=with_gps())), "a.svg")
    assert (file.removed, file.width) == (("onload",), None)
    source = file.content.decode().partition("data:image/jpeg;base64,")[2].partition('"')[0]
    assert not decoded(base64.b64decode(source)).getexif()


def test_images_within_a_drawing__share_the_limit_of_one_picture() -> None:
    flat = encoded(Image.new("1", (5001, 5000)), "PNG")
    with pytest.raises(InvalidAssetError, match="embedded images have more than 50 megapixels"):
        prepared(CODEC, drawing(flat, flat), "a.svg")


def test_broken_image_within_a_drawing__refuses_it() -> None:
    with pytest.raises(InvalidAssetError, match="a PNG image"):
        prepared(CODEC, drawing(SAMPLES[types.PNG][:60]), "a.svg")


def test_drawing__longer_than_the_limit_once_it_is_written__is_refused() -> None:
    quotes = b"<svg xmlns='http://www.w3.org/2000/svg'><path d='" + b'"' * 1_000_000 + b"'/></svg>"
    with pytest.raises(InvalidAssetError, match="more than 4 MiB once it is written again"):
        prepared(CODEC, quotes, "a.svg")
