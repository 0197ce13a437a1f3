"""Bodies that are wrong: types, limits, unknown and read-only properties, JSON, media types, sizes."""

from __future__ import annotations

import re

import pytest

from tests.integration.bad_input.conftest import WITH_BODY, WRITING, Json, Operation, World, is_wordless, messages_of
from tests.integration.bad_input.examples import UNREADABLE
from tests.support.openapi import contract

READ_ONLY = (
    "id",
    "public_id",
    "shop_id",
    "org_id",
    "status",
    "started_at",
    "ended_at",
    "approval_state",
    "archived_at",
    "created_at",
    "updated_at",
    "created_by",
    "version",
    "tier",
    "operator_enabled",
    "weekday_schedule",
    "planned_test",
    "linked_idea",
    "publication_warning",
    "last_used_at",
    "revoked_at",
    "rotated_to",
    "secret",
    "sha256",
)
READ_ONLY_MESSAGE = "is read-only: this request cannot set it"
LIBRARY_WORDS = re.compile("Input should|Field required|Extra inputs|should (be|have|match)|Value error|valid dict")
"""Wording of pydantic, which no message may have."""

MALFORMED = (
    b"{",
    b'{"name": "a", "name": "b"}',
    b'{"name": NaN}',
    b'{"name": Infinity}',
    b'{"name": 1e999}',
    b"[1,]",
    b"\xff\xfe",
    b'{"name": "\\ud800"}',
    b"[" * 100_000,
    b'{"a":' * 50_000,
    b"nul",
    b"{} {}",
)


@pytest.mark.parametrize("operation", WITH_BODY, ids=str)
def test_body__one_thing_wrong__is_400_and_names_the_field(world: World, operation: Operation) -> None:
    assert operation.body is not None
    missed = []
    for fault in world.examples.faults(operation.body):
        answer = world.send(operation, json_body=fault.body)
        named = answer.status == 400 and any(_within(path, fault.path) for path in answer.paths)
        if not named or LIBRARY_WORDS.search(answer.body.decode()) or any(map(is_wordless, messages_of(answer))):
            missed.append(f"{fault} -> {answer.status} {answer.body[:200]!r}")
    assert missed == []


@pytest.mark.parametrize("operation", WITH_BODY, ids=str)
def test_body__exactly_on_a_limit__is_not_what_is_refused(world: World, operation: Operation) -> None:
    assert operation.body is not None
    refused = []
    for fault in world.examples.borders(operation.body):
        answer = world.send(operation, json_body=fault.body)
        if answer.status == 400 and fault.path in answer.paths:
            refused.append(f"{fault} -> {answer.body[:200]!r}")
    assert refused == []


@pytest.mark.parametrize("text", ["", *UNREADABLE])
@pytest.mark.parametrize("values", ["attributes", "styles"])
def test_body__key_that_no_list_can_show__is_400(world: World, values: str, text: str) -> None:
    action = "attribute" if values == "attributes" else "style"
    mutation = {"selector": "h1", "action": action, values: {text: "red"}}
    variations = [{"name": "A", "mutations": [mutation]}, {"name": "B"}]
    operation = next(one for one in WITH_BODY if str(one) == "POST /experiments")
    answer = world.send(operation, json_body={"name": "N", "variations": variations})
    assert (answer.status, answer.code) == (400, "invalid_request")
    assert [path.startswith(f"variations[0].mutations[0].{values}") for path in answer.paths] == [True]


@pytest.mark.parametrize("text", ["Two\nlines\tand a tab", "\u202eover\u202c", " "])
def test_body__free_text__keeps_its_characters(world: World, text: str) -> None:
    operation = next(one for one in WITH_BODY if str(one) == "POST /experiments")
    mutations = [{"selector": "h1", "action": "text", "text": text, "description": text}]
    changed = {"name": "A", "custom_css": text, "mutations": mutations}
    body = {"name": "N", "description": text, "variations": [changed, {"name": "B"}]}
    answer = world.send(operation, json_body={**body, "experiment_js": "\n\tvoid 0;\n"})
    assert answer.status == 201
    stored = answer.json()
    assert (stored["description"], stored["experiment_js"]) == (text, "\n\tvoid 0;\n")
    assert (stored["variations"][0]["mutations"], stored["variations"][0]["custom_css"]) == (mutations, text)


def _fields(operation: Operation) -> Json | None:
    """The schema of the object that the body is, or may be; None where it is a list or there is none."""
    if operation.body is None:
        return None
    schema = contract().resolve(operation.body)
    variants = [contract().resolve(variant) for variant in (schema, *schema.get("anyOf", ()), *schema.get("oneOf", ()))]
    return next((variant for variant in variants if "properties" in variant), None)


def _returned(operation: Operation) -> Json:
    """The properties of the object in the answer of a success."""
    answer = next(answer for status, answer in operation.details["responses"].items() if status.startswith("2"))
    schema = contract().resolve(answer.get("content", {}).get("application/json", {}).get("schema", {}))
    properties: Json = schema.get("properties", {})
    return properties


WITH_FIELDS = [operation for operation in WITH_BODY if _fields(operation) is not None]
WITHOUT_FIELDS = [operation for operation in WRITING if operation.body is None]


def test_bodies__that_are_no_objects__are_known() -> None:
    lists = {str(operation) for operation in WITH_BODY if _fields(operation) is None}
    assert lists == {
        "PUT /experiments/{experiment_id}/goal-page-rules",
        "PUT /flags/{flag_id}/variants",
        "PUT /personalizations/{personalization_id}/rules",
    }


@pytest.mark.parametrize("operation", WITH_FIELDS, ids=str)
def test_body__unknown_property__has_its_own_code(world: World, operation: Operation) -> None:
    schema = _fields(operation)
    assert schema is not None
    assert schema.get("additionalProperties") is False
    body = {**world.examples.fitting(schema), "no_such_property": 1}
    answer = world.send(operation, json_body=body)
    assert (answer.status, answer.code, answer.paths) == (400, "unknown_property", ["no_such_property"])


@pytest.mark.parametrize("operation", WITH_FIELDS + WITHOUT_FIELDS, ids=str)
def test_body__read_only_field__is_refused_and_named(world: World, operation: Operation) -> None:
    schema = _fields(operation) or {}
    base = world.examples.fitting(schema) if schema else {}
    for field in set(READ_ONLY) - set(schema.get("properties", {})):
        answer = world.send(operation, json_body={**base, field: None})
        assert (answer.status, answer.code, answer.paths) == (400, "unknown_property", [field]), field
        if operation.body is not None and field in _returned(operation):
            assert messages_of(answer) == [READ_ONLY_MESSAGE], field


@pytest.mark.parametrize("operation", WRITING, ids=str)
def test_body__malformed_json__is_400_invalid_json(world: World, operation: Operation) -> None:
    for raw in MALFORMED:
        answer = world.send(operation, raw=raw)
        assert (answer.status, answer.code) == (400, "invalid_json"), raw[:40]


@pytest.mark.parametrize("operation", WRITING, ids=str)
def test_body__not_declared_as_json__is_415(world: World, operation: Operation) -> None:
    for media_type in (
        "text/plain",
        "application/x-www-form-urlencoded",
        "multipart/form-data",
        "",
        "application/jsonx",
    ):
        answer = world.send(operation, raw="{}", headers={"Content-Type": media_type})
        assert (answer.status, answer.code) == (415, "unsupported_media_type"), media_type


@pytest.mark.parametrize("operation", [one for one in WITH_BODY if one.needs_body], ids=str)
def test_body__empty__is_400(world: World, operation: Operation) -> None:
    for raw in (None, b"null"):
        answer = world.send(operation, raw=raw)
        assert (answer.status, answer.code) == (400, "invalid_request")


@pytest.mark.parametrize("operation", WRITING, ids=str)
def test_body__larger_than_the_route_takes__is_413(world: World, operation: Operation) -> None:
    announced = world.send(operation, raw="{}", headers={"Content-Length": str((5 << 20) + 1)})
    assert (announced.status, announced.code) == (413, "payload_too_large")


def test_body__really_too_large__is_413_where_no_code_is_carried(world: World) -> None:
    operation = next(one for one in WRITING if str(one) == "POST /api-keys")
    at_limit = b'{"name":"K","preset":"editor"}'.ljust(1 << 20)
    assert world.send(operation, raw=at_limit).status == 201
    assert world.send(operation, raw=at_limit + b" ").status == 413


def _within(named: str, expected: str) -> bool:
    """Whether the API named the place or something in it (a union names the form that it tried)."""
    return named == expected or named.startswith((f"{expected}.", f"{expected}["))
