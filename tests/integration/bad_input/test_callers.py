"""Callers who may not: no key, wrong keys, lacking scopes, other tenants' ids."""

from __future__ import annotations

from datetime import timedelta
from typing import Any

import pytest

from abtest.domain.credentials.api_keys import compose
from abtest.kit.clock import timestamp
from tests.integration.bad_input.conftest import KEYED, UNKNOWN, WITH_ID, Operation, World
from tests.support.client import Client
from tests.support.openapi import contract

SAME = {"X-Request-Id": "the-same-request"}


@pytest.mark.parametrize("operation", KEYED, ids=str)
def test_caller__without_a_key__is_401(world: World, operation: Operation) -> None:
    answer = world.call(Client(world.api.handler), operation, raw="not even JSON")
    assert (answer.status, answer.code) == (401, "invalid_api_key")
    assert answer.headers["www-authenticate"] == "Bearer"


def test_caller__whatever_is_wrong_with_the_key__gets_the_same_words(world: World) -> None:
    now = world.api.clock.now()
    shop: dict[str, Any] = {"shop_id": world.mine.shop.id}
    ended = world.api.key(["shop:read"], **shop, expires_at=timestamp(now - timedelta(seconds=1))).text
    revoked = world.api.key(["shop:read"], **shop, revoked_at=timestamp(now)).text
    unknown = compose("shop", "A" * 12, "B" * 32)
    wrong_secret = compose("shop", world.mine.admin.split("_")[2], "C" * 32)
    keys = [None, "nonsense", unknown, unknown[:-1] + "x", wrong_secret, ended, revoked, "k" * 5000]
    answers = [Client(world.api.handler, key=key, headers=SAME).get("/shop") for key in keys]
    assert {answer.status for answer in answers} == {401}
    assert len({answer.body for answer in answers}) == 1


@pytest.mark.parametrize("operation", [one for one in KEYED if one.scope], ids=str)
def test_caller__lacking_the_scope__is_403_and_told_which(world: World, operation: Operation) -> None:
    assert operation.scope
    client = Client(world.api.handler, key=world.key_without(operation.scope))
    answer = world.call(client, operation, raw="not even JSON")
    assert (answer.status, answer.code) == (403, "insufficient_scope")
    assert answer.json()["required_scope"] == operation.scope
    assert operation.scope in answer.json()["error"]["message"]


@pytest.mark.parametrize("operation", [one for one in KEYED if one.takes_user_keys_only], ids=str)
def test_caller__shop_key_on_a_users_route__is_403(world: World, operation: Operation) -> None:
    answer = world.call(Client(world.api.handler, key=world.mine.admin), operation)
    assert (answer.status, answer.code) == (403, "user_key_required")


NAMED_BY_CALLERS = {"putWorkspaceFile"}
"""Operations that make what does not exist: a path that another shop has is a new one here."""


@pytest.mark.parametrize(
    "operation", [one for one in WITH_ID if one.details["operationId"] not in NAMED_BY_CALLERS], ids=str
)
def test_id__of_another_shop__is_told_as_an_unknown_one(world: World, operation: Operation) -> None:
    body = world.examples.fitting(operation.body) if operation.body is not None else None
    for name in (parameter["name"] for parameter in operation.parameters("path")):
        stored = "shop_goal_id" if operation.path.startswith("/goals/") else name
        answers = [
            world.send(operation, {**world.my_ids, stored: stranger}, json_body=body, headers=SAME)
            for stranger in (world.their_ids[stored], UNKNOWN)
        ]
        assert [answer.status for answer in answers] == [404, 404], (name, answers)
        assert answers[0].body == answers[1].body


MALFORMED = ("x", "123", "0192e4a0-0000-7000-8000-00000000000g", "é", "'; drop", "%00", "-1")


@pytest.mark.parametrize("operation", WITH_ID, ids=str)
def test_id__malformed__is_400(world: World, operation: Operation) -> None:
    body = world.examples.fitting(operation.body) if operation.body is not None else None
    for parameter in operation.parameters("path"):
        name, form = parameter["name"], contract().validator(parameter["schema"])
        stored = "shop_goal_id" if operation.path.startswith("/goals/") else name
        for malformed in MALFORMED:
            if form.is_valid(malformed):
                continue  # a flag's key may look so
            answer = world.send(operation, {**world.my_ids, stored: malformed}, json_body=body)
            assert (answer.status, answer.code) == (400, "invalid_parameter"), malformed
            assert answer.paths == [name]


def test_ids__of_every_kind__are_known_here(world: World) -> None:
    """A new path parameter needs something of its kind in both tenants: add it to World._things."""
    named = {parameter["name"] for operation in WITH_ID for parameter in operation.parameters("path")}
    assert named <= world.my_ids.keys() & world.their_ids.keys()
