"""The listing of quarantined events: whose, in which order, how it is narrowed, and what a page costs."""

from __future__ import annotations

import gzip
from collections.abc import Iterator
from dataclasses import dataclass
from datetime import timedelta
from typing import Any

import pytest

from abtest.kit.clock import timestamp, to_milliseconds
from abtest.ports.blobs import Blob, BlobEntry
from abtest.services.ledger import KnownGoals, LedgerWriter, Message
from abtest.services.quarantine import OBJECTS_A_PAGE, Quarantined
from api_analytics.endpoints.quarantine import router as quarantine
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.memory import MemoryBlobs, MemoryCatalog
from tests.unit.ingest.edge import Edge, event, signed_headers


class Counting(MemoryBlobs):
    """A store that remembers what was read of it."""

    def __init__(self) -> None:
        super().__init__()
        self.read: list[str] = []
        self.listed: list[str] = []

    def get(self, key: str) -> Blob | None:
        self.read.append(key)
        return super().get(key)

    def list(self, prefix: str, *, after: str | None = None) -> Iterator[BlobEntry]:
        self.listed.append(prefix)
        return super().list(prefix, after=after)


@dataclass
class Lab:
    """An API with the listing, and the edge before the same ledger and clock."""

    api: MemoryApi
    tenant: Tenant
    ledger: Counting
    edge: Edge

    def send(self, *events: Any, shop_id: str = "") -> None:
        """A batch to the edge."""
        headers = signed_headers(shop_id or self.tenant.shop.id)
        assert self.edge.call(list(events), headers=headers).status == 202

    def bad(self, name: str, **changes: Any) -> dict[str, Any]:
        """An event of a type that there is not."""
        return event(**({"eventId": name, "shopId": ..., "type": "?", "ts": self.now} | changes))

    @property
    def now(self) -> int:
        return to_milliseconds(self.api.clock.now())

    def client(self, tenant: Tenant | None = None) -> Client:
        return self.api.client((tenant or self.tenant).admin)

    def page(self, **query: Any) -> dict[str, Any]:
        """One page, by the shop's admin."""
        answer = self.client().get("/analytics/quarantine", query=query)
        assert answer.status == 200, answer.body
        found: dict[str, Any] = answer.json()
        return found

    def all(self, **query: Any) -> list[str]:
        """The ids on all pages."""
        found, cursor = [], None
        while True:
            page = self.page(**query, **({"cursor": cursor} if cursor else {}))
            found += [item["event_id"] for item in page["data"]]
            cursor = page["pagination"]["next_cursor"]
            assert page["pagination"]["has_more"] == (cursor is not None)
            if cursor is None:
                return found


@pytest.fixture
def lab() -> Lab:
    ledger = Counting()
    uses: dict[type, object] = {}
    api = MemoryApi([quarantine], uses)
    uses[Quarantined] = Quarantined(ledger, api.clock)
    edge = Edge(clock=api.clock, ledger=ledger)
    return Lab(api, api.tenant(), ledger, edge)


def test_listing__of_a_shop_with_bad_events__tells_what_was_sent_and_why(lab: Lab) -> None:
    lab.send(lab.bad("e-1"), event(shopId=..., ts=lab.now), event(eventId="e-2", shopId=..., ts=1), {"x": "👍"})
    found = lab.page()["data"]
    assert [(item["event_id"], item["reason"]) for item in found] == [
        ("e-1", "unknown_type"),
        ("e-2", "ts_too_old"),
        (None, "unknown_type"),
    ]
    assert {item["received_at"] for item in found} == {timestamp(lab.api.clock.now())}
    assert (found[2]["sample"], sorted(found[0])) == (
        r'{"x":"\U0001f44d"}',
        ["event_id", "reason", "received_at", "sample"],
    )


def test_listing__of_several_days__is_newest_first_and_pages_meet_without_gap_or_repeat(lab: Lab) -> None:
    sent = []
    for day in range(5):
        for batch in range(3):
            names = [f"{day}-{batch}-{number}" for number in range(4)]
            lab.send(*(lab.bad(name) for name in names))
            sent.append(names)
            lab.api.clock.advance(hours=1)
        lab.api.clock.advance(hours=21)
    expected = [name for names in reversed(sent) for name in names]
    for limit in (1, 3, 4, 7, 100):
        assert lab.all(limit=limit) == expected


def test_listing__while_events_come_in__repeats_nothing(lab: Lab) -> None:
    lab.send(*(lab.bad(f"old-{number}") for number in range(3)))
    lab.api.clock.advance(seconds=1)
    first = lab.page(limit=2)
    lab.send(lab.bad("new"))
    rest = lab.page(limit=2, cursor=first["pagination"]["next_cursor"])
    assert [item["event_id"] for item in first["data"] + rest["data"]] == ["old-0", "old-1", "old-2"]


def test_listing__narrowed__holds_what_passes(lab: Lab) -> None:
    lab.send(lab.bad("early"), event(eventId="late", shopId=..., ts=1))
    lab.api.clock.advance(hours=30)
    middle = timestamp(lab.api.clock.now())
    lab.send(lab.bad("second"))
    assert lab.all(reason="ts_too_old") == ["late"]
    assert lab.all(reason="foreign_shop") == []
    assert lab.all(**{"from": middle}) == ["second"]
    assert lab.all(**{"from": "2026-03-02T10:00:00+01:00"}) == ["second", "early", "late"]
    assert lab.all(**{"from": "2999-01-01T00:00:00Z"}) == []


@pytest.mark.parametrize(
    "query", [{"reason": "bad"}, {"from": "yesterday"}, {"from": "2026-03-02"}, {"cursor": "x"}, {"limit": "many"}]
)
def test_listing__asked_for_nonsense__is_400(lab: Lab, query: dict[str, Any]) -> None:
    assert lab.client().get("/analytics/quarantine", query=query).status == 400


def test_cursor__of_another_filter_or_shop__is_refused(lab: Lab) -> None:
    lab.send(lab.bad("a"), lab.bad("b"))
    cursor = lab.page(limit=1)["pagination"]["next_cursor"]
    other = lab.api.tenant("Other")
    answers = [
        lab.client().get("/analytics/quarantine", query={"cursor": cursor, "reason": "unknown_type"}),
        lab.client(other).get("/analytics/quarantine", query={"cursor": cursor}),
    ]
    assert [(answer.status, answer.json()["error"]["code"]) for answer in answers] == [(400, "invalid_cursor")] * 2


def test_listing__of_one_shop__never_reads_an_object_of_another(lab: Lab) -> None:
    other = lab.api.tenant("Other")
    lab.send(lab.bad("theirs"), shop_id=other.shop.id)
    lab.send(lab.bad("mine"))
    lab.ledger.read.clear()
    lab.ledger.listed.clear()
    assert lab.all() == ["mine"]
    assert all(f"/shop={lab.tenant.shop.id}/" in name for name in lab.ledger.read + lab.ledger.listed)


def test_listing__after_fourteen_days__has_forgotten_what_the_store_still_holds(lab: Lab) -> None:
    lab.send(lab.bad("old"))
    lab.api.clock.advance(days=14)
    assert lab.all() == ["old"]
    lab.api.clock.advance(milliseconds=1)
    assert lab.all() == []
    lab.ledger.listed.clear()
    lab.page()
    assert len(lab.ledger.listed) <= 15


def test_page__of_a_filter_that_hardly_anything_passes__looks_at_a_limited_number_of_objects(lab: Lab) -> None:
    lab.send(event(eventId="rare", shopId=..., ts=1))
    for number in range(2 * OBJECTS_A_PAGE):
        lab.api.clock.advance(milliseconds=1)
        lab.send(lab.bad(f"e-{number}"))
    lab.ledger.read.clear()
    first = lab.page(reason="ts_too_old")
    assert (first["data"], first["pagination"]["has_more"]) == ([], True)
    assert len(lab.ledger.read) <= OBJECTS_A_PAGE
    assert lab.all(reason="ts_too_old") == ["rare"]


def test_listing__of_goals_that_nobody_has__holds_what_the_worker_set_aside_in_small_objects(lab: Lab) -> None:
    shop_id, clock = lab.tenant.shop.id, lab.api.clock
    for batch in range(3):
        sent = [
            lab.bad(f"{batch}-{number:03}", type="goal", data={"goalId": "nobody's"}, visitorId="v")
            for number in range(150)
        ]
        lab.send(*sent)
        clock.advance(seconds=1)
    messages = [Message(id=f"m-{n}", body=body, queued_at=lab.now) for n, body in enumerate(lab.edge.queue.bodies)]
    goals = KnownGoals(MemoryCatalog(), clock)
    assert LedgerWriter(ledger=lab.ledger, goals=goals, clock=clock).write(messages) == []
    assert len([key for key in lab.ledger.objects if f"shop={shop_id}" in key]) == 3
    assert lab.all(reason="unknown_goal", limit=100) == [f"{b}-{n:03}" for b in (2, 1, 0) for n in range(150)]


def test_object__that_expires_between_two_pages__is_passed_over(lab: Lab) -> None:
    lab.send(lab.bad("gone-1"), lab.bad("gone-2"))
    lab.send(lab.bad("kept"), event(eventId="kept-2", shopId=..., ts=1))
    lab.api.clock.advance(seconds=1)
    lab.send(lab.bad("newest"))
    first = lab.page(limit=1)
    key = next(key for key, stored in lab.ledger.objects.items() if b"gone" in gzip.decompress(stored.blob.content))
    lab.ledger.delete(key)
    rest = lab.page(cursor=first["pagination"]["next_cursor"])
    assert [item["event_id"] for item in rest["data"]] == ["kept", "kept-2"]


def test_scope__that_is_missing__is_403(lab: Lab) -> None:
    key = lab.api.key(("experiments:read",), shop_id=lab.tenant.shop.id, user_id=lab.tenant.user_id)
    assert lab.api.client(key.text).get("/analytics/quarantine").status == 403


def test_moments__of_the_listing__never_lie_in_the_day_after_the_objects(lab: Lab) -> None:
    lab.api.clock.advance(hours=14, minutes=59, seconds=59, milliseconds=999)
    lab.send(lab.bad("before midnight"))
    lab.api.clock.advance(milliseconds=1)
    lab.send(lab.bad("at midnight"))
    assert timestamp(lab.api.clock.now() - timedelta(milliseconds=1)).endswith("23:59:59.999Z")
    assert lab.all() == ["at midnight", "before midnight"]
