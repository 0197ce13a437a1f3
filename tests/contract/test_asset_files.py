"""Uploaded files: immutable objects, parts of them, and signed addresses."""

from hashlib import sha256
from http.client import HTTPConnection
from urllib.parse import urlsplit

import pytest

from abtest.ports.asset_files import RangeNotSatisfiableError
from tests.contract.conftest import Ports

CONTENT = bytes(range(256))


@pytest.fixture
def stored(ports: Ports) -> Ports:
    """Ports with one file."""
    ports.asset_files.put("a/1/f.svg", CONTENT, content_type="image/svg+xml", disposition="attachment")
    return ports


@pytest.mark.parametrize(
    ("first", "last", "part"),
    [(0, 999, (0, 255)), (0, 9, (0, 9)), (250, None, (250, 255)), (None, 6, (250, 255)), (None, 999, (0, 255))],
)
def test_open__part_of_a_file(stored: Ports, first: int | None, last: int | None, part: tuple[int, int]) -> None:
    file = stored.asset_files.open("a/1/f.svg", first, last)
    assert file is not None
    assert (file.content_type, file.disposition, file.size) == ("image/svg+xml", "attachment", 256)
    assert (file.first, file.last, file.read()) == (*part, CONTENT[part[0] : part[1] + 1])


def test_open__behind_the_end__names_the_size(stored: Ports) -> None:
    with pytest.raises(RangeNotSatisfiableError) as refused:
        stored.asset_files.open("a/1/f.svg", 256, 300)
    assert refused.value.size == 256


def test_open__absent__is_none(ports: Ports) -> None:
    assert ports.asset_files.open("a/1/f.svg", 0, 9) is None


def test_keys__of_a_prefix__until_they_are_deleted(stored: Ports) -> None:
    stored.asset_files.put("a/2/f.svg", CONTENT, content_type="image/svg+xml")
    assert list(stored.asset_files.keys("a/1/")) == ["a/1/f.svg"]
    stored.asset_files.delete("a/1/f.svg")
    stored.asset_files.delete("a/1/f.svg")
    assert list(stored.asset_files.keys("a/")) == ["a/2/f.svg"]


@pytest.mark.parametrize("engine", ["ministack"], indirect=True, scope="session")
def test_signed_addresses__take_a_put_and_answer_a_get(ports: Ports) -> None:
    files = ports.asset_files
    digest = sha256(CONTENT).hexdigest()
    upload = files.sign_upload("uploads/1", size=256, content_type="image/png", sha256_hex=digest, seconds=900)
    assert _status("PUT", upload.url, CONTENT, dict(upload.headers)) == 200
    assert files.upload("uploads/1") == CONTENT
    assert _status("GET", files.sign_read("uploads/1", "GET", seconds=60)) == 200
    assert _status("HEAD", files.sign_read("uploads/1", "HEAD", seconds=60)) == 200


def _status(method: str, url: str, body: bytes | None = None, headers: dict[str, str] | None = None) -> int:
    parts = urlsplit(url)
    connection = HTTPConnection(parts.netloc, timeout=30)
    try:
        connection.request(method, f"{parts.path}?{parts.query}", body, headers or {})
        answer = connection.getresponse()
        answer.read()
        return answer.status
    finally:
        connection.close()
