"""Types of uploaded files: bytes, extension and declared type agree, or the file is refused with what they are."""

from __future__ import annotations

import pytest

from abtest.domain.assets import types
from abtest.domain.assets.errors import InvalidAssetError, UnsupportedAssetTypeError
from abtest.domain.assets.names import file_name
from abtest.domain.assets.signatures import recognized
from abtest.domain.assets.types import TYPES, require_agreement
from tests.support.media import SAMPLES


@pytest.mark.parametrize("asset_type", TYPES, ids=lambda each: each.extensions[0])
def test_sample__is_recognized_and_agrees_with_its_name(asset_type: types.AssetType) -> None:
    content_type = recognized(SAMPLES[asset_type])
    assert content_type is asset_type
    for extension in asset_type.extensions:
        require_agreement(content_type, f"Name.{extension.upper()}", f"{asset_type.mime_type.upper()}; charset=x")
        require_agreement(content_type, f"name.{extension}", None)


def test_name_of_another_type__is_refused_with_both() -> None:
    with pytest.raises(UnsupportedAssetTypeError) as refusal:
        require_agreement(types.PNG, "photo.jpg", None)
    error = refusal.value
    assert (error.status, error.code) == (422, "unsupported_asset_type")
    assert [(field.path, field.message) for field in error.fields] == [
        ("file_name", "the bytes are a PNG image, but the file name ends in .jpg")
    ]


def test_declaration_of_another_type__is_refused_with_both() -> None:
    with pytest.raises(
        UnsupportedAssetTypeError, match="mime_type: the bytes are a PNG image, but the declared type is image/gif"
    ):
        require_agreement(types.PNG, "photo.png", "image/gif")


@pytest.mark.parametrize("name", ["a", ".png", "a.", "a.html", "a.js", "a.xml", "a.zip", "a.svgz", "a.png.exe", "png"])
def test_name_of_no_accepted_type__is_refused(name: str) -> None:
    with pytest.raises(UnsupportedAssetTypeError, match=r"file_name: the file name .*accepted are png"):
        require_agreement(types.PNG, name, None)


def test_declaration_of_no_accepted_type__is_refused() -> None:
    with pytest.raises(UnsupportedAssetTypeError, match="text/html"):
        require_agreement(types.PNG, "a.png", "text/html")


OTHERS = [
    (b"<!DOCTYPE html><p>", "an HTML page"),
    (b"\xef\xbb\xbf  <!-- a --><html>", "an HTML page"),
    (b"<script>alert(1)</script>", "an HTML page"),
    (b"<html xmlns='http://www.w3.org/1999/xhtml'><svg/></html>", "an HTML page"),
    (b"<?xml version='1.0'?><feed/>", "an XML document"),
    (b"<?php echo 1;", "markup of another kind"),
    (b"alert(1)", "of no known type"),
    (b"PK\x03\x04abc", "a ZIP archive"),
    (b"\x1f\x8b\x08", "a gzip archive"),
    (b"MZ\x90", "a Windows program"),
    (b"#!/bin/sh", "a script"),
    (b"wOFF\0\1\0\0", "a WOFF font"),
    (b"\0\1\0\0\0\x0f", "a TrueType font"),
    (b"BM6\0", "a BMP image"),
    (b"II*\0", "a TIFF image"),
    (b"RIFF\0\0\0\0WAVEfmt ", "a WAV file"),
    (b"RIFF\0\0\0\0WEBPJUNK", "a RIFF file"),
    (b"\0\0\0\x18ftypheic\0\0\0\0mif1heic", "a HEIC image"),
    (b"\0\0\0\x14ftypqt  \0\0\0\0qt  ", "a QuickTime video"),
    (b"\0\0\0\x14ftypabcd\0\0\0\0abcd", "an MPEG-4 file of another kind"),
    (b"\xff\xff\xff\xffftypavif", "an impossible length"),
    (b"\x1a\x45\xdf\xa3\x8b\x42\x82\x88matroska", "a Matroska video"),
    (b"\x89PNG\r\n\x1a\n", "of no known type"),
    (b"%PDF-9.9", "of no known type"),
    (b" %PDF-1.4", "of no known type"),
    ("\ufeff<html>".encode("utf-16-le"), "an HTML page"),
]


@pytest.mark.parametrize(("content", "label"), OTHERS, ids=lambda each: repr(each)[:40])
def test_bytes_of_another_type__are_refused_by_its_name(content: bytes, label: str) -> None:
    with pytest.raises(UnsupportedAssetTypeError, match=f"content: the bytes are .*{label}"):
        recognized(content)


def test_empty_file__is_refused() -> None:
    with pytest.raises(UnsupportedAssetTypeError, match="content: the file is empty"):
        recognized(b"")


@pytest.mark.parametrize(
    "head",
    [
        b"<svg ",
        b"\xef\xbb\xbf<svg ",
        b"<?xml version='1.0'?>\n<!-- Generator --><!DOCTYPE svg PUBLIC 'a' 'b'>\n<svg ",
        b"<x:svg xmlns:x='http://www.w3.org/2000/svg' ",
        b"<!--" + b"a" * 60_000 + b"--><svg ",
    ],
    ids=["plain", "mark", "doctype", "prefix", "comment"],
)
def test_svg__is_recognized_by_its_first_element(head: bytes) -> None:
    assert recognized(head + b"width='1'><html/></svg>") is types.SVG


@pytest.mark.parametrize(
    ("given", "name"),
    [
        ("photo.png", "photo.png"),
        ("C:\\Users\\a\\My Photo (1).PNG", "My-Photo-1.png"),
        ("../../etc/passwd.png", "passwd.png"),
        ("Größe Café.png", "Gro-e-Cafe.png"),
        ("ｐｈｏｔｏ．ｐｎｇ", "photo.png"),
        ("a\u202egnp.exe.png", "a-gnp.exe.png"),
        ("logo.v2.min.png", "logo.v2.min.png"),
        ("..hidden.png", "hidden.png"),
        ("a" * 300 + ".png", "a" * 96 + ".png"),
        ("a\0b\r\nc.png", "a-b-c.png"),
        ("photo", "photo.png"),
    ],
)
def test_file_name__keeps_plain_characters_of_the_last_part(given: str, name: str) -> None:
    assert file_name(given, types.PNG) == name
    assert file_name(name, types.PNG) == name


@pytest.mark.parametrize("given", ["", ".png", "日本.png", "///", "---.png", "a/"])
def test_file_name__without_letters__is_refused(given: str) -> None:
    with pytest.raises(InvalidAssetError, match=r"file_name: .*letter or digit") as refusal:
        file_name(given, types.PNG)
    assert refusal.value.fields[0].path == "file_name"


def test_jpeg__keeps_the_longer_extension() -> None:
    assert file_name("a.JPEG", types.JPEG) == "a.jpeg"


def test_attachments__are_the_types_that_may_hold_scripts() -> None:
    assert [each.extensions[0] for each in TYPES if each.is_attachment] == ["pdf", "svg"]
