"""What really happens is told as the catalogue says: each event by the use case that it is of, through the outbox."""

from __future__ import annotations

import json
from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

import pytest
from jsonschema import Draft202012Validator, FormatChecker

from abtest.domain.browsing.viewport import Viewport
from abtest.domain.screenshots.order import ScreenshotOrder
from abtest.domain.webhooks import envelope
from abtest.domain.webhooks.catalogue import EVENTS
from abtest.ports.catalog import Catalog, Commit
from abtest.services.experiments.records import EXPERIMENTS
from tests.support.api import MemoryApi
from tests.support.autostopping import Shopkeeper, running
from tests.support.openapi import contract
from tests.support.screenshots import Studio
from tests.support.storefronts import Storefront
from tests.unit.autostop.test_sequential import WON
from tests.unit.delivery.test_publication_environments import publish
from tests.unit.delivery.test_runtime import listened
from tests.unit.experiments.examples import experiment
from tests.unit.experiments.test_store import CALLER, House
from tests.unit.guardian.stands import HARMED, HEALTHY, Stand

DELIVERY, MOMENT = "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d2f", "2026-11-21T20:15:00.000Z"
Json = Any


def waiting(catalog: Catalog) -> list[Json]:
    """Payloads of events that wait, in their order."""
    return [row.payload for row in catalog.outbox("webhook", created_before="9999", limit=100)]


def life() -> list[Json]:
    """An experiment that is launched and completed."""
    house = House()
    made = house.create()
    house.lifecycle.act(CALLER, made, "launch")
    house.clock.advance(seconds=1)
    house.lifecycle.act(CALLER, made, "complete")
    return waiting(house.catalog)


def schedule() -> list[Json]:
    """An experiment that wins, looked at by auto-stop."""
    keeper = Shopkeeper()
    keeper.keep(running())
    keeper.count(1, WON)
    keeper.one()
    return [row.payload for row in keeper.outbox("webhook")]


def harm() -> list[Json]:
    """An experiment that does harm, looked at by Guardian."""
    stand = Stand()
    stand.counted(**HARMED)
    stand.round()
    return waiting(stand.catalog)


def alert() -> list[Json]:
    """An experiment whose visitors see both variations, looked at by Guardian."""
    stand = Stand()
    stand.counted(**HEALTHY, multiple_exposure=200)
    stand.round()
    return waiting(stand.catalog)


def mismatch() -> list[Json]:
    """An experiment whose visitors are not split as its weights demand, looked at by Guardian."""
    stand = Stand()
    stand.counted(visitors=(9520, 8720), buys=(500, 490))
    stand.round()
    return waiting(stand.catalog)


def publication() -> list[Json]:
    """A shop that is published, and wants to be told."""
    storefront = Storefront()
    listened(storefront)
    publish(storefront)
    return waiting(storefront.catalog)


def pictures() -> list[Json]:
    """A screenshot job of one page with an experiment."""
    api = MemoryApi([])
    studio = Studio(api, api.tenant())
    shown = replace(experiment(), shop_id=studio.shop_id, version=1)
    api.world.catalog.commit(Commit(puts=[EXPERIMENTS.put(shown)]))
    order = ScreenshotOrder(
        urls=("https://shop.example/",),
        viewports=(Viewport(320, 320),),
        experiment_id=shown.id,
        variation_ids=(shown.variations[0].id,),
    )
    studio.order(order)
    studio.photographer().carry_out(studio.queue.bodies[0])
    return studio.events()


HAPPENINGS: Sequence[tuple[Callable[[], list[Json]], list[str]]] = [
    (life, ["experiment.started", "experiment.completed"]),
    (schedule, ["experiment.significant", "variation.winning"]),
    (harm, ["experiment.guardian_paused"]),
    (alert, ["experiment.guardian_triggered"]),
    (mismatch, ["experiment.guardian_triggered"]),
    (publication, ["project.published"]),
    (pictures, ["screenshots.completed"]),
]


def faults(payload: Any) -> list[str]:
    """What the schema of the event has against the body that is sent."""
    event = payload["event"]
    fields = {name: value for name, value in payload.items() if name != "event"}
    body = json.loads(envelope.serialized(fields, event=event, delivery_id=DELIVERY, timestamp=MOMENT))
    checker = Draft202012Validator(EVENTS[event].schema, format_checker=FormatChecker())
    return [error.message for error in checker.iter_errors(body)]


@pytest.mark.parametrize(("happens", "told"), HAPPENINGS, ids=lambda each: getattr(each, "__name__", None))
def test_events__of_what_really_happens__are_those_of_the_catalogue(
    happens: Callable[[], list[Json]], told: list[str]
) -> None:
    payloads = happens()
    assert [payload["event"] for payload in payloads] == told
    for payload in payloads:
        assert payload.keys() == {"event", *EVENTS[payload["event"]].fields}
        assert faults(payload) == []


def shape(value: Any) -> Any:
    """Keys and kinds of values; numbers are one kind."""
    if isinstance(value, Mapping):
        return {key: shape(part) for key, part in value.items()}
    return "number" if isinstance(value, int | float) else type(value).__name__


@pytest.mark.parametrize("happens", [happens for happens, _ in HAPPENINGS if happens is not alert])
def test_examples__in_the_document__have_the_form_of_what_is_emitted(happens: Callable[[], list[Json]]) -> None:
    operations = contract().document["webhooks"]
    for payload in happens():
        event = payload["event"]
        media = operations[event]["post"]["requestBody"]["content"]["application/json"]
        (example,) = [contract().resolve(each)["value"] for each in media["examples"].values()]
        assert list(contract().validator(media["schema"]).iter_errors(example)) == []
        fields = {name: value for name, value in payload.items() if name != "event"}
        sent = envelope.serialized(
            fields, event=event, delivery_id=example["delivery_id"], timestamp=example["timestamp"]
        )
        assert shape(json.loads(sent)) == shape(example), event
        if "kind" in payload:
            assert [payload["kind"], payload["action"]] == [example["kind"], example["action"]]
            fixed = ("metric", "expected", "threshold", "sample", "consecutive_checks")
            assert [payload["details"][key] for key in fixed] == [example["details"][key] for key in fixed]


def test_examples__in_the_document__are_of_all_eight_events() -> None:
    for event, item in contract().document["webhooks"].items():
        media = item["post"]["requestBody"]["content"]["application/json"]
        (example,) = [contract().resolve(each)["value"] for each in media["examples"].values()]
        sent = {name: value for name, value in example.items() if name not in ("event", "delivery_id", "timestamp")}
        assert (example["event"], sent) == (event, EVENTS[event].example)
        assert list(contract().validator(media["schema"]).iter_errors(example)) == []


def test_events__of_the_catalogue__all_happen() -> None:
    assert set(EVENTS) == {event for _, events in HAPPENINGS for event in events}
