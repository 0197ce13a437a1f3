"""Objects: conditional writes, listings."""

from functools import partial

import pytest

from abtest.ports.blobs import BlobEntry, PreconditionFailedError
from tests.contract.conftest import Ports
from tests.contract.records import concurrent, race

JSON = "application/json"


def test_get__after_put__returns_content_etag_and_metadata(ports: Ports) -> None:
    content = bytes(range(256))
    etag = ports.blobs.put("objects/é ?#.json", content, content_type=JSON, metadata={"revision": "7"})
    found = ports.another().blobs.get("objects/é ?#.json")
    assert found is not None
    assert (found.content, found.etag, dict(found.metadata)) == (content, etag, {"revision": "7"})


def test_get__absent__returns_none(ports: Ports) -> None:
    assert ports.blobs.get("nothing") is None


def test_put__empty__is_an_object_all_the_same(ports: Ports) -> None:
    ports.blobs.put("empty", b"", content_type=JSON)
    found = ports.blobs.get("empty")
    assert found is not None
    assert found.content == b""


def test_put__if_absent__succeeds_once(ports: Ports) -> None:
    ports.blobs.put("pointer", b"1", content_type=JSON, if_absent=True)
    with pytest.raises(PreconditionFailedError):
        ports.blobs.put("pointer", b"2", content_type=JSON, if_absent=True)
    found = ports.blobs.get("pointer")
    assert found is not None
    assert found.content == b"1"


def test_put__if_match__replaces_the_expected_object_only(ports: Ports) -> None:
    first = ports.blobs.put("pointer", b"1", content_type=JSON)
    second = ports.blobs.put("pointer", b"2", content_type=JSON, if_match=first)
    with pytest.raises(PreconditionFailedError):
        ports.blobs.put("pointer", b"3", content_type=JSON, if_match=first)
    found = ports.blobs.get("pointer")
    assert found is not None
    assert (found.content, found.etag) == (b"2", second)


def test_put__if_match_on_nothing__fails(ports: Ports) -> None:
    etag = ports.blobs.put("pointer", b"1", content_type=JSON)
    ports.blobs.delete("pointer")
    with pytest.raises(PreconditionFailedError):
        ports.blobs.put("pointer", b"2", content_type=JSON, if_match=etag)


def test_put__without_condition__replaces(ports: Ports) -> None:
    ports.blobs.put("object", b"1", content_type=JSON, metadata={"a": "b"})
    ports.blobs.put("object", b"2", content_type=JSON)
    found = ports.blobs.get("object")
    assert found is not None
    assert (found.content, dict(found.metadata)) == (b"2", {})


@concurrent
def test_put__flip_by_many_at_once__exactly_one_wins(ports: Ports) -> None:
    etag = ports.blobs.put("pointer", b"start", content_type=JSON)
    for turn in range(5):
        flips = [
            partial(ports.blobs.put, "pointer", f"{turn}-{who}".encode(), content_type=JSON, if_match=etag)
            for who in range(4)
        ]
        outcomes = race(*flips)
        won = [outcome for outcome in outcomes if isinstance(outcome, str)]
        assert len(won) == 1
        assert sum(isinstance(outcome, PreconditionFailedError) for outcome in outcomes) == 3
        etag = won[0]


@pytest.mark.parametrize(
    ("offset", "length", "expected"), [(0, 3, b"abc"), (2, 2, b"cd"), (4, 100, b"ef"), (6, 1, b""), (100, 5, b"")]
)
def test_part__of_an_object__is_its_bytes_up_to_the_end(
    ports: Ports, offset: int, length: int, expected: bytes
) -> None:
    ports.blobs.put("object", b"abcdef", content_type=JSON)
    assert ports.blobs.part("object", offset, length) == expected


def test_part__of_no_object__is_none(ports: Ports) -> None:
    assert ports.blobs.part("object", 0, 1) is None


@pytest.mark.parametrize(("offset", "length"), [(-1, 1), (0, 0)])
def test_part__that_cannot_be__is_a_mistake_of_the_caller(ports: Ports, offset: int, length: int) -> None:
    with pytest.raises(ValueError, match="length"):
        ports.blobs.part("object", offset, length)


def test_delete__twice__is_fine(ports: Ports) -> None:
    ports.blobs.put("object", b"1", content_type=JSON)
    for _ in range(2):
        ports.blobs.delete("object")
    assert ports.blobs.get("object") is None


def test_list__prefix__gives_its_objects_in_key_order(ports: Ports) -> None:
    for key in ("raw/b", "raw/a", "raw/a/1", "rawx", "spill/a"):
        ports.blobs.put(key, key.encode(), content_type=JSON)
    entries = list(ports.blobs.list("raw/"))
    assert entries == [BlobEntry(key=key, size=len(key)) for key in ("raw/a", "raw/a/1", "raw/b")]
    assert [entry.key for entry in ports.blobs.list("raw/", after="raw/a")] == ["raw/a/1", "raw/b"]
    assert list(ports.blobs.list("none/")) == []


@pytest.mark.parametrize("engine", ["memory", "ministack"], indirect=True, scope="session")  # moto: 7 s for the same
def test_list__more_than_one_page__gives_all(ports: Ports) -> None:
    keys = [f"raw/{number:04d}" for number in range(1005)]
    for key in keys:
        ports.blobs.put(key, b"", content_type=JSON)
    assert [entry.key for entry in ports.blobs.list("raw/")] == keys
