"""The catalogue of events: the contract's eight, with the contract's fields; examples and bodies obey the schemas."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any, get_args

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from abtest.domain.guardian.cases import Case
from abtest.domain.guardian.kinds import Action, Kind
from abtest.domain.webhooks import envelope
from abtest.domain.webhooks.catalogue import EVENTS
from abtest.kit import canonical_json
from abtest.kit.clock import ManualClock, timestamp
from abtest.kit.ids import SystemRandomness, uuid7
from abtest.services.context import World
from abtest.services.guardian.notifications import finding_facts, paused_event
from abtest.services.publication.announcements import announce
from abtest.services.publication.pointers import Flipped
from tests.support.memory import MemoryCatalog

NOW = datetime(2026, 11, 21, 20, 0, tzinfo=UTC)
DELIVERY = "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d2f"
FIELDS = {
    "experiment.started": {"experiment_id", "experiment_name"},
    "experiment.completed": {"experiment_id", "experiment_name"},
    "experiment.significant": {
        "experiment_id",
        "experiment_name",
        "goal_id",
        "winning_variation_id",
        "outcome",
        "guardrails",
    },
    "variation.winning": {"experiment_id", "experiment_name", "variation_id", "goal_id"},
    "experiment.guardian_triggered": {
        "experiment_id",
        "experiment_name",
        "kind",
        "action",
        "variation_id",
        "goal_id",
        "details",
    },
    "experiment.guardian_paused": {"experiment_id", "experiment_name", "reason", "variation_id", "goal_id"},
    "screenshots.completed": {"job_id", "experiment_id", "results"},
    "project.published": {"project_id", "revision", "environment_key", "status", "published_at"},
}
each_event = pytest.mark.parametrize("name", EVENTS)


def faults(name: str, body: Any) -> list[str]:
    """Why a body is none of that event."""
    checker = Draft202012Validator(EVENTS[name].schema, format_checker=FormatChecker())
    return [error.message for error in checker.iter_errors(body)]


def body_of(name: str, *, is_test: bool = False, **fields: Any) -> dict[str, Any]:
    """What is sent of the event's example with other values of some fields."""
    payload = {**EVENTS[name].example, **fields}
    sent = envelope.serialized(payload, event=name, delivery_id=DELIVERY, timestamp=timestamp(NOW), is_test=is_test)
    found: dict[str, Any] = canonical_json.loads(sent)
    return found


def test_events__are_the_contracts_eight_in_its_order() -> None:
    assert list(EVENTS) == list(FIELDS)
    assert all(event.name == name and event.description for name, event in EVENTS.items())


@each_event
def test_schema__of_each_event__is_json_schema_and_names_the_contracts_fields(name: str) -> None:
    schema = EVENTS[name].schema
    Draft202012Validator.check_schema(schema)
    assert set(schema["required"]) == FIELDS[name] | {"event", "delivery_id", "timestamp"}
    assert set(schema["properties"]) == {*schema["required"], "test"}
    assert set(EVENTS[name].example) == FIELDS[name]


@each_event
@pytest.mark.parametrize("is_test", [False, True])
def test_body__of_each_example__obeys_the_schema(name: str, is_test: bool) -> None:
    body = body_of(name, is_test=is_test)
    assert faults(name, body) == []
    assert ("test" in body) == is_test


@each_event
def test_body__without_any_one_field__does_not_obey(name: str) -> None:
    body = body_of(name)
    for field in body:
        assert faults(name, {key: value for key, value in body.items() if key != field})


@each_event
def test_body__with_a_field_of_a_later_release__obeys(name: str) -> None:
    assert faults(name, body_of(name, of_a_later_release=1)) == []


@pytest.mark.parametrize(
    ("name", "wrong"),
    [
        ("experiment.started", {"experiment_id": "42"}),
        ("experiment.guardian_triggered", {"kind": "bad_mood"}),
        ("experiment.guardian_triggered", {"details": []}),
        ("experiment.guardian_paused", {"reason": None}),
        ("screenshots.completed", {"results": []}),
        ("project.published", {"revision": 0}),
        ("project.published", {"published_at": "yesterday"}),
    ],
)
def test_body__with_a_value_that_cannot_be__does_not_obey(name: str, wrong: dict[str, Any]) -> None:
    assert faults(name, body_of(name, **wrong))


def test_payload__that_names_fields_of_the_envelope__does_not_replace_them() -> None:
    body = body_of("experiment.started", event="forged", delivery_id="forged", timestamp="forged")
    assert (body["event"], body["delivery_id"], body["timestamp"]) == ("experiment.started", DELIVERY, timestamp(NOW))


def test_project_published__as_publication_tells_it__obeys_the_schema() -> None:
    world = World(catalog=MemoryCatalog(), clock=ManualClock(NOW), random=SystemRandomness())
    shop_id = uuid7(NOW, SystemRandomness())
    announce(world, shop_id, [Flipped(environment="production", revision=7, at=timestamp(NOW))], since=0)
    [row] = world.catalog.outbox("webhook", created_before="9", limit=9)
    body = {**row.payload, "delivery_id": DELIVERY, "timestamp": timestamp(NOW)}
    assert faults("project.published", body) == []


@pytest.mark.parametrize("action", get_args(Action))
@pytest.mark.parametrize("kind", get_args(Kind))
def test_guardian_events__as_they_are_told__obey_the_schemas(kind: Kind, action: Action) -> None:
    case = Case(
        kind=kind,
        metric="m",
        variation_id=None,
        goal_id=DELIVERY,
        measurement_epoch=1,
        since=timestamp(NOW),
        checks=1,
        details={"metric": "m"},
        action=action,
    )
    about = {"experiment_id": DELIVERY, "experiment_name": "Banner"}
    sent = {"delivery_id": DELIVERY, "timestamp": timestamp(NOW)}
    triggered = {"event": "experiment.guardian_triggered", **about, **finding_facts(case), **sent}
    assert faults("experiment.guardian_triggered", triggered) == []
    paused = paused_event(case)
    assert faults(paused.name, {"event": paused.name, **about, **paused.facts, **sent}) == []
