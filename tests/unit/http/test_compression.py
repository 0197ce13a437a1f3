"""Compression of responses, and the entity tags of both variants."""

import gzip
import json
from collections.abc import Iterator
from types import UnionType
from typing import Any, Union, get_args, get_origin
from uuid import UUID

import pytest
from pydantic import BaseModel
from starlette.responses import Response

from abtest.contract.base import Confidential, Output
from abtest.http import reference
from abtest.http.deps import AnyCaller, PathId, confidential
from abtest.http.openapi import build
from abtest.http.route import Operation, Route, Router
from tests.support.api import MemoryApi
from tests.support.client import Answer, Client
from tests.unit.http.conftest import Loose, Thing
from tools.openapi import routers

GZIP = {"Accept-Encoding": "gzip, deflate, br"}
ID = str(UUID(int=1))
SECRET_NAMES = ("secret", "token", "password", "signature", "private", "credential")


class Wide(Output):
    """A response of any size."""

    id: str
    text: str


def made() -> Router:
    router = Router("/wide", tag="Wide")

    @router.get("/{size}", operation_id="getWide")
    def one(size: int, _caller: AnyCaller) -> Wide:
        return Wide(id=ID, text="x" * size).at(3)

    @router.post("/{size}", operation_id="makeWide")
    def make(size: int, _caller: AnyCaller) -> Wide:
        return Wide(id=ID, text="x" * size).at(3)

    @router.post("/{thing_id}/reveal", operation_id="reveal")
    @confidential
    def reveal(thing_id: PathId, _caller: AnyCaller) -> Thing:
        return Thing(id=thing_id, name="s" * 5000, size=1).at(1)

    @router.get("/open/document", operation_id="getDocument", response_class=Response)
    def document() -> Response:
        return reference.document()

    return router


@pytest.fixture(scope="module")
def client() -> Client:
    router = made()
    api = MemoryApi([router], {})
    return Client(api.handler, key=api.tenant().admin, against=Loose(build([router])))


def body_of(answer: Answer) -> Any:
    content = gzip.decompress(answer.body) if answer.headers.get("content-encoding") == "gzip" else answer.body
    return json.loads(content)


@pytest.mark.parametrize(
    ("accepted", "coding"),
    [
        (None, None),
        ("gzip", "gzip"),
        ("gzip, deflate, br, zstd", "gzip"),
        ("x-gzip", "gzip"),
        ("*", "gzip"),
        ("br", None),
        ("identity", None),
        ("gzip;q=0", None),
        ("gzip;q=0.5, identity", None),
        ("gzip;q=0, *", None),
    ],
)
def test_response__large__has_the_coding_that_the_client_accepts(
    client: Client, accepted: str | None, coding: str | None
) -> None:
    answer = client.get("/wide/5000", headers={"Accept-Encoding": accepted} if accepted else {}, checked=False)
    assert answer.headers.get("content-encoding") == coding
    assert body_of(answer) == {"id": ID, "text": "x" * 5000}
    assert int(answer.headers["content-length"]) == len(answer.body)
    assert (len(answer.body) < 200) is (coding == "gzip")
    assert answer.headers["vary"] == "Accept-Encoding"


def test_response__under_a_kilobyte__is_plain_but_varies(client: Client) -> None:
    overhead = len(client.get("/wide/0").body)
    small, large = (client.get(f"/wide/{size - overhead}", headers=GZIP, checked=False) for size in (1023, 1024))
    assert "content-encoding" not in small.headers
    assert small.headers["vary"] == "Accept-Encoding"
    assert large.headers["content-encoding"] == "gzip"


def test_response__with_a_secret__is_never_compressed(client: Client) -> None:
    answer = client.post(f"/wide/{ID}/reveal", headers=GZIP)
    assert len(answer.body) > 5000
    assert "content-encoding" not in answer.headers


def test_etag__weak__names_the_version_in_both_codings(client: Client) -> None:
    for headers in ({}, GZIP):
        answer = client.get("/wide/5000", headers=headers, checked=False)
        assert answer.headers["etag"] == 'W/"3"'
        for sent in ('W/"3"', '"3"', 'W/"3-gzip"'):  # a proxy that compresses adds the suffix
            held = client.get("/wide/5000", headers={**headers, "If-None-Match": sent})
            assert (held.status, held.headers["etag"], held.headers["vary"]) == (304, 'W/"3"', "Accept-Encoding")


def test_etag__strong__differs_by_coding_and_either_is_304(client: Client) -> None:
    plain = client.get("/wide/open/document", checked=False)
    packed = client.get("/wide/open/document", headers=GZIP, checked=False)
    assert packed.headers["etag"] == plain.headers["etag"][:-1] + '-gzip"'
    assert gzip.decompress(packed.body) == plain.body
    for tag in (plain.headers["etag"], packed.headers["etag"]):
        for headers in ({}, GZIP):
            held = client.get("/wide/open/document", headers={**headers, "If-None-Match": tag}, checked=False)
            # The tag of the copy that the client has: with another one its cache could not use the 304.
            assert (held.status, held.headers["etag"], held.body) == (304, tag, b"")


def test_replayed_response__is_compressed_for_those_who_accept_it(client: Client) -> None:
    same = {"Idempotency-Key": "one and the same"}
    first = client.post("/wide/5000", headers=same)
    packed = client.post("/wide/5000", headers={**same, **GZIP}, checked=False)
    assert (packed.headers["idempotent-replayed"], packed.headers["content-encoding"]) == ("true", "gzip")
    assert body_of(packed) == body_of(first)


def operations() -> Iterator[Operation]:
    for router in routers():
        yield from (route.operation for route in router.routes if isinstance(route, Route))


def fields_of(model: Any, seen: set[Any]) -> Iterator[tuple[str, Any, bool]]:
    """Yield name, type and mark of every field that a response of this model can have."""
    if get_origin(model) in (list, dict, tuple, Union, UnionType) or hasattr(model, "__metadata__"):
        for part in get_args(model):
            yield from fields_of(part, seen)
    elif isinstance(model, type) and issubclass(model, BaseModel) and model not in seen:
        seen.add(model)
        for name, field in model.model_fields.items():
            yield name, field.annotation, any(isinstance(mark, Confidential) for mark in field.metadata)
            yield from fields_of(field.annotation, seen)


def test_routes__with_a_confidential_field__are_those_marked_as_confidential() -> None:
    marked = {each.operation_id: getattr(each.endpoint, "confidential", False) for each in operations()}
    secret = {
        each.operation_id: any(mark for _, _, mark in fields_of(each.response_model, set())) for each in operations()
    }
    assert marked == secret
    assert sum(marked.values()) >= 10


def test_fields__named_like_a_secret__are_confidential() -> None:
    unmarked = {
        (each.operation_id, name)
        for each in operations()
        for name, kind, marked in fields_of(each.response_model, set())
        if not marked and kind is not bool and any(word in name.lower() for word in SECRET_NAMES)
    }
    assert unmarked == set(), "declare them as `Secret`"
