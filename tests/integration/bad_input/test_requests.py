"""Requests that are wrong around the body: methods, parameters, headers."""

from __future__ import annotations

import pytest

from tests.integration.bad_input.conftest import (
    KEYED,
    OPERATIONS,
    WITH_ID,
    WRITING,
    Operation,
    World,
    is_wordless,
    messages_of,
)
from tests.support.client import Client
from tests.support.openapi import contract

METHODS = {"GET", "POST", "PUT", "PATCH", "DELETE", "HEAD", "OPTIONS"}


@pytest.mark.parametrize("path", sorted({operation.path for operation in OPERATIONS}))
def test_method__that_the_address_does_not_have__is_405_and_names_those_it_has(world: World, path: str) -> None:
    operation = next(operation for operation in OPERATIONS if operation.path == path)
    address = world.path(operation, world.my_ids)
    known = {word.upper() for word in contract().item(address)} & METHODS
    known |= {"HEAD"} if "GET" in known else set()
    for method in sorted(METHODS - known):
        answer = Client(world.api.handler).request(method, address)
        assert answer.status == 405
        assert answer.headers["allow"] == ", ".join(sorted(known))


@pytest.mark.parametrize("operation", KEYED, ids=str)
def test_parameter__that_the_route_does_not_take__is_refused_and_named(world: World, operation: Operation) -> None:
    answer = world.send(operation, query={"no_such_parameter": "1"})
    assert (answer.status, answer.code, answer.paths) == (400, "unknown_property", ["no_such_parameter"])
    known = sorted(parameter["name"] for parameter in operation.parameters("query"))
    assert answer.json()["error"]["message"].endswith(f": {', '.join(known) or 'none'}")


@pytest.mark.parametrize("operation", [one for one in KEYED if one.parameters("query")], ids=str)
def test_parameter__of_a_wrong_form__is_400_and_named(world: World, operation: Operation) -> None:
    body = world.examples.fitting(operation.body) if operation.body is not None else None
    for parameter in operation.parameters("query"):
        for value in _wrong(parameter["schema"]):
            answer = world.send(operation, query={parameter["name"]: value}, json_body=body)
            assert (answer.status, answer.code) == (400, "invalid_parameter"), (parameter["name"], value)
            assert answer.paths[0].startswith(parameter["name"])
            assert not any(map(is_wordless, messages_of(answer))), answer.body


NAMES = {"experience_key", "path"}
"""Parameters that may be almost any word, but not white space."""


@pytest.mark.parametrize("operation", WITH_ID, ids=str)
def test_path__of_a_wrong_form__is_400_with_the_rule_in_words(world: World, operation: Operation) -> None:
    body = world.examples.fitting(operation.body) if operation.body is not None else None
    for parameter in operation.parameters("path"):
        schema = contract().resolve(parameter["schema"])
        # Other parameters are any text, and one that is of no thing is 404.
        if "pattern" in schema or "format" in schema:
            wrong = "%20" if parameter["name"] in NAMES else "No_such.thing"
            ids = {**world.my_ids, parameter["name"]: wrong, "shop_goal_id": wrong}
            answer = world.send(operation, ids, json_body=body)
            assert (answer.status, answer.code, answer.paths) == (400, "invalid_parameter", [parameter["name"]])
            assert not any(map(is_wordless, messages_of(answer))), answer.body


@pytest.mark.parametrize(
    "operation", [one for one in KEYED if any(p["name"] == "limit" for p in one.parameters("query"))], ids=str
)
def test_limit__out_of_bounds__is_clamped(world: World, operation: Operation) -> None:
    for sent, used in ((0, 1), (-5, 1), (1, 1), (100, 100), (101, 100), (10**9, 100)):
        answer = world.send(operation, query={"limit": sent})
        assert (answer.status, answer.json()["pagination"]["limit"]) == (200, used)


@pytest.mark.parametrize("operation", [one for one in WRITING if one.method != "PUT"], ids=str)
def test_idempotency_key__of_a_wrong_form__is_400(world: World, operation: Operation) -> None:
    body = world.examples.fitting(operation.body) if operation.body is not None else None
    for key in ("x" * 256, "with\nnewline", "é"):
        answer = world.send(operation, json_body=body, headers={"Idempotency-Key": key})
        assert (answer.status, answer.code) == (400, "invalid_parameter")


@pytest.mark.parametrize(
    "operation", [one for one in WRITING if any(p["name"] == "If-Match" for p in one.parameters("header"))], ids=str
)
def test_if_match__of_another_version__is_412(world: World, operation: Operation) -> None:
    body = world.examples.fitting(operation.body) if operation.body is not None else None
    for tag in ('W/"999999"', '"not-ours"', 'W/"999998", "not, ours", W/"999999"'):
        answer = world.send(operation, json_body=body, headers={"If-Match": tag})
        assert (answer.status, answer.code) == (412, "version_conflict")


@pytest.mark.parametrize(
    "operation", [one for one in WRITING if any(p["name"] == "If-Match" for p in one.parameters("header"))], ids=str
)
def test_if_match__no_list_of_tags__is_400_and_names_the_header(world: World, operation: Operation) -> None:
    body = world.examples.fitting(operation.body) if operation.body is not None else None
    for text in ("garbage", " "):
        answer = world.send(operation, json_body=body, headers={"If-Match": text})
        assert (answer.status, answer.code, answer.paths) == (400, "invalid_parameter", ["If-Match"])


@pytest.mark.parametrize("operation", [one for one in KEYED if one.parameters("query")], ids=str)
def test_parameter__sent_twice__is_400_unless_it_is_a_list(world: World, operation: Operation) -> None:
    for parameter in operation.parameters("query"):
        schema = contract().resolve(parameter["schema"])
        answer = world.send(operation, query={parameter["name"]: ["x", "x"]})
        repeated = "is repeated" in answer.body.decode()
        assert repeated == (schema.get("type") != "array"), (parameter["name"], answer.body)


def _wrong(schema: dict[str, object]) -> list[str]:
    resolved = contract().resolve(schema)
    wrong = {"integer": ["abc", "1.5", ""], "boolean": ["maybe"]}.get(str(resolved.get("type")), [])
    if "enum" in resolved:
        wrong = ["no_such_value", ""]
    if resolved.get("format") in ("uuid", "date-time"):
        wrong = ["x", "2026-13-45"]
    if "pattern" in resolved:
        wrong = [*wrong, "No_such.thing"]
    if "maxLength" in resolved:
        wrong = [*wrong, "x" * (int(str(resolved["maxLength"])) + 1)]
    return wrong
