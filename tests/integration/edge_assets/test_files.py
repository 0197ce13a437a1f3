"""Responses of the function of public files, in memory."""

from base64 import b64decode
from typing import Any

import pytest

from abtest.kit.content_coding import MAX_SERVED_BYTES
from tests.support.assets import fetched
from tests.support.memory import MemoryAssetFiles

FOLDER = "a/0192e4a0-0000-7000-8000-000000000001/0123456789abcdef"
PICTURE, DRAWING, FILM = f"{FOLDER}/p.png", f"{FOLDER}/d.svg", f"{FOLDER}/f.mp4"
CONTENT = bytes(range(256)) * 4
LARGE = bytes(range(256)) * (MAX_SERVED_BYTES // 256) + b"end"


@pytest.fixture
def files() -> MemoryAssetFiles:
    """A picture, a drawing, and a film that one response cannot have."""
    files = MemoryAssetFiles()
    files.put(PICTURE, CONTENT, content_type="image/png")
    files.put(DRAWING, b"<svg/>", content_type="image/svg+xml", disposition="attachment")
    files.put(FILM, LARGE, content_type="video/mp4")
    return files


def test_get__has_the_headers_of_an_immutable_file_of_another_origin(files: MemoryAssetFiles) -> None:
    answer = fetched(files, f"/{PICTURE}")
    assert (answer["statusCode"], b64decode(answer["body"])) == (200, CONTENT)
    assert answer["headers"] == {
        "Content-Type": "image/png",
        "X-Content-Type-Options": "nosniff",
        "Timing-Allow-Origin": "*",
        "Access-Control-Allow-Origin": "*",
        "Access-Control-Expose-Headers": "Content-Length, Content-Range, ETag",
        "Cross-Origin-Resource-Policy": "cross-origin",
        "Cache-Control": "public, max-age=31536000, immutable",
        "Accept-Ranges": "bytes",
        "ETag": '"0123456789abcdef-p.png"',
    }
    assert fetched(files, f"/{PICTURE}", "HEAD") == answer


def test_drawing__is_a_sandboxed_attachment(files: MemoryAssetFiles) -> None:
    headers = fetched(files, f"/{DRAWING}")["headers"]
    assert headers["Content-Disposition"] == "attachment"
    assert headers["Content-Security-Policy"] == "sandbox; default-src 'none'; style-src 'unsafe-inline'"


def test_held_file__is_304(files: MemoryAssetFiles) -> None:
    answer = fetched(files, f"/{PICTURE}", if_none_match='"0123456789abcdef-p.png"')
    assert (answer["statusCode"], answer["body"]) == (304, "")
    assert answer["headers"]["ETag"] == '"0123456789abcdef-p.png"'
    assert fetched(files, f"/{PICTURE}", if_none_match='"0123456789abcdef-q.png"')["statusCode"] == 200


@pytest.mark.parametrize(
    ("requested", "part", "place"),
    [
        ("bytes=0-3", CONTENT[:4], "bytes 0-3/1024"),
        ("bytes=1000-", CONTENT[1000:], "bytes 1000-1023/1024"),
        ("bytes=-24", CONTENT[1000:], "bytes 1000-1023/1024"),
        ("bytes=-5000", CONTENT, "bytes 0-1023/1024"),
        ("bytes=1020-9999", CONTENT[1020:], "bytes 1020-1023/1024"),
    ],
)
def test_range__is_206(files: MemoryAssetFiles, requested: str, part: bytes, place: str) -> None:
    answer = fetched(files, f"/{PICTURE}", range=requested)
    assert (answer["statusCode"], b64decode(answer["body"])) == (206, part)
    assert answer["headers"]["Content-Range"] == place


@pytest.mark.parametrize("requested", ["bytes=0-1,4-5", "bytes=-", "bytes=x", "items=0-1", "bytes=5-2", "bytes=٣-", ""])
def test_range__that_is_none__is_the_whole_file(files: MemoryAssetFiles, requested: str) -> None:
    assert fetched(files, f"/{PICTURE}", range=requested)["statusCode"] == 200


def test_range__of_another_file__is_the_whole_file(files: MemoryAssetFiles) -> None:
    assert fetched(files, f"/{PICTURE}", range="bytes=0-1", if_range='"other"')["statusCode"] == 200
    tag = '"0123456789abcdef-p.png"'
    assert fetched(files, f"/{PICTURE}", range="bytes=0-1", if_range=tag)["statusCode"] == 206


@pytest.mark.parametrize("requested", ["bytes=1024-", "bytes=-0"])
def test_range__behind_the_end__is_416(files: MemoryAssetFiles, requested: str) -> None:
    answer = fetched(files, f"/{PICTURE}", range=requested)
    assert (answer["statusCode"], answer["headers"]["Content-Range"]) == (416, "bytes */1024")
    assert answer["headers"]["Cache-Control"] == "no-store"


def test_large_file__is_sent_elsewhere_or_in_parts(files: MemoryAssetFiles) -> None:
    answer = fetched(files, f"/{FILM}")
    assert (answer["statusCode"], answer["body"], answer["headers"]["Cache-Control"]) == (307, "", "no-store")
    assert answer["headers"]["Location"].startswith(f"memory:///{FILM}?")
    film, first = b"", 0
    while first < len(LARGE):
        part = fetched(files, f"/{FILM}", range=f"bytes={first}-")
        assert part["statusCode"] == 206
        film += b64decode(part["body"])
        first = len(film)
    assert film == LARGE


@pytest.mark.parametrize(
    "path",
    [
        "/",
        "/a/",
        f"/{FOLDER}",
        f"/{FOLDER}/",
        f"/{FOLDER}/other.png",
        f"/{FOLDER}/../{PICTURE}",
        f"/{PICTURE}/",
        f"//{PICTURE}",
        f"/{FOLDER}/%70.png",
        f"/{FOLDER}/{'x' * 900}",
        "/uploads/0192e4a0-0000-7000-8000-000000000001",
        f"/{PICTURE.upper()}",
        f"/{PICTURE}\n",
    ],
)
def test_unknown_address__is_404_and_not_cached(files: MemoryAssetFiles, path: str) -> None:
    files.put("uploads/0192e4a0-0000-7000-8000-000000000001", b"secret", content_type="image/png")
    answer = fetched(files, path)
    assert (answer["statusCode"], answer["headers"]["Cache-Control"]) == (404, "no-store")
    assert '"not_found"' in answer["body"]


@pytest.mark.parametrize("method", ["POST", "PUT", "DELETE", "OPTIONS", "PATCH"])
def test_other_method__is_405(files: MemoryAssetFiles, method: str) -> None:
    answer = fetched(files, f"/{PICTURE}", method)
    assert (answer["statusCode"], answer["headers"]["Allow"]) == (405, "GET, HEAD")


def test_silent_store__is_503(files: MemoryAssetFiles) -> None:
    files.blobs.available = False
    answer: dict[str, Any] = fetched(files, f"/{PICTURE}")
    assert (answer["statusCode"], answer["headers"]["Retry-After"]) == (503, "1")
