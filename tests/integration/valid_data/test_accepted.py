"""Every operation accepts a request that schemathesis makes from the document: valid data only, in process.

Ids come from things that exist. Hooks bring the thing into the state that an action needs, and put ids into bodies.
"""

from __future__ import annotations

import asyncio
from collections.abc import Callable, Iterator, Mapping
from typing import Any

import pytest

from abtest.kit.clock import timestamp
from tests.integration.bad_input.conftest import OPERATIONS, Operation, World
from tests.support.api import START
from tests.support.client import Client
from tests.support.openapi import contract
from tests.support.valid_data import assert_accepted

KEPT_HEADERS = {"idempotency-key"}
Ids = Mapping[str, str]
Hook = Callable[[Client, Ids], Mapping[str, str]]
Link = Callable[[Client, Ids], Mapping[str, Any]]


def does(*actions: str, at: str = "/experiments/{experiment_id}") -> Hook:
    """Return a hook that calls these actions on the thing at an address."""

    def hook(client: Client, ids: Ids) -> Mapping[str, str]:
        for action in actions:
            answer = client.post(f"{at.format(**ids)}/{action}", {}, checked=False)
            assert answer.status < 300, (action, answer.body)
        return {}

    return hook


def makes(name: str, path: str, body: Mapping[str, Any], member: str = "id") -> Hook:
    """Return a hook that makes a thing of its own, which nothing uses, and takes its id."""
    return lambda client, ids: {name: client.post(path.format(**ids), dict(body)).json()[member]}


EXPORTED = {"from": "2026-01-01T00:00:00.000Z", "to": "2026-01-02T00:00:00.000Z"}
THIRD = {"name": "Third"}
PHONES = {"operator": "and", "conditions": [{"attribute": "device", "operator": "equals", "value": "mobile"}]}

BEFORE: Mapping[str, Hook] = {
    "deleteAudience": makes("audience_id", "/audiences", {"name": "Unused", "rules": PHONES}),
    "deletePage": makes("page_id", "/pages", {"name": "Unused"}),
    "deleteExclusionGroup": makes("group_id", "/exclusion-groups", {"name": "Unused"}),
    "approveExperiment": does("request-approval"),
    "requestChanges": does("request-approval"),
    "markReady": does("start-qa"),
    "pauseExperiment": does("launch"),
    "completeExperiment": does("launch"),
    "restartExperiment": does("launch", "pause"),
    "resumeExperiment": does("launch", "pause"),
    "shipExperiment": does("launch", "pause"),
    "archiveVariation": makes("variation_id", "/experiments/{experiment_id}/variations", THIRD),
    "deleteVariation": makes("variation_id", "/experiments/{experiment_id}/variations", THIRD),
    "deleteVariationAlone": makes("variation_id", "/experiments/{experiment_id}/variations", THIRD),
    "deleteExperience": makes(
        "experience_key", "/personalizations/{personalization_id}/experiences", {"key": "second"}, member="key"
    ),
    "pauseFlag": does("activate", at="/flags/{flag_id}"),
    "pausePersonalization": does("activate", at="/personalizations/{personalization_id}"),
}
"""State that an operation needs, by its id. A hook returns ids that replace those of the world."""


def weights(client: Client, ids: Ids) -> Mapping[str, Any]:
    """Return equal weights of the variations."""
    variations = client.get(f"/experiments/{ids['experiment_id']}").json()["variations"]
    return {"weights": {each["id"]: 1 / len(variations) for each in variations}}


LINKS: Mapping[str, Link] = {
    # Which operators an attribute has is a rule of the domain (422): a random pair is rarely one.
    "createAudience": lambda *_: {"rules": PHONES},
    "createExport": lambda *_: EXPORTED,
    "createShop": lambda *_: {"currency": "EUR"},
    "createWebhook": lambda *_: {"url": "https://hooks.shop.example/in"},
    "orderGoals": lambda _, ids: {"ids": [ids["goal_id"]]},
    "orderPersonalizations": lambda _, ids: {"ids": [ids["personalization_id"]]},
    "recoverWebhook": lambda *_: {"since": timestamp(START)},
    "setPlan": lambda _, ids: {"goal_id": ids["goal_id"], "baseline_rate": 0.05, "mde": 0.1},
    "setSchedule": lambda *_: {"end_at": "2099-01-01T00:00:00Z"},
    "setWeights": weights,
    "shipExperiment": lambda _, ids: {"variation_id": ids["variation_id"]},
    "verifyInstallation": lambda *_: {"url": "https://shop.example/"},
}
"""Properties of a body that must name something real, by operation, and where their values come from."""


@pytest.fixture(scope="module")
def world(event_loop_of_handlers: asyncio.AbstractEventLoop) -> World:
    """One application for all operations."""
    asyncio.set_event_loop(event_loop_of_handlers)
    return World()


@pytest.fixture
def untouched(world: World, operation: Operation) -> Iterator[World]:
    """The application and a shop whose things no other operation has changed."""
    yield world
    if operation.method != "GET":
        world.renew()


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
