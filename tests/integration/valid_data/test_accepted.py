"""Every operation accepts a request that schemathesis makes from the document: valid data only, in process.

Ids come from things that exist. Hooks bring the thing into the state that an action needs, and put ids into bodies.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import pytest

from tests.integration.bad_input.conftest import OPERATIONS, Operation, World
from tests.integration.valid_data.requests import BEFORE, KEPT_HEADERS, LINKS
from tests.support.client import Client
from tests.support.openapi import contract
from tests.support.valid_data import assert_accepted


@pytest.mark.parametrize("operation", OPERATIONS, ids=str)
def test_operation__with_valid_data__accepts_it(untouched: World, operation: Operation) -> None:
    client, name = untouched.client(operation), operation.details["operationId"]
    ids = {**untouched.my_ids, **(BEFORE[name](client, untouched.my_ids) if name in BEFORE else {})}

    def send(case: Any) -> tuple[int, bytes]:
        body = case.body if isinstance(case.body, dict | list) else None
        if name in LINKS and isinstance(body, dict):
            body |= LINKS[name](client, ids)
        headers = {key: value for key, value in (case.headers or {}).items() if key.lower() in KEPT_HEADERS}
        answer = untouched.call(client, operation, ids, json_body=body, query=case.query, headers=headers)
        return answer.status, answer.body

    assert_accepted(operation.method, operation.path, send)


@pytest.mark.parametrize(
    ("more", "is_valid"),
    [({}, False), ({"preset": "admin"}, True), ({"scopes": ["shop:read"]}, True), ({"kind": "tracking_source"}, True)],
)
def test_key__without_scopes_or_preset__is_valid_only_for_tracking(
    world: World, more: Mapping[str, Any], *, is_valid: bool
) -> None:
    body = {"name": "Key", **more}
    schema = contract().schema("ApiKeyCreate")
    assert contract().validator(schema).is_valid(body) is is_valid
    answer = Client(world.api.handler, key=world.mine.admin).post("/api-keys", body)
    assert (answer.status == 201) is is_valid
