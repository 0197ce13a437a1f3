"""Records, rows and racing callers for the contract suites."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime, timedelta
from threading import Barrier
from typing import Any, TypeVar

import pytest

from abtest.kit.clock import Timestamp, timestamp
from abtest.kit.ids import SystemRandomness, uuid7
from abtest.ports.catalog import AuditRow, Claim, Commit, Head, InboxRow, Kind, OutboxRow, Put, Record, Topic

T = TypeVar("T")

concurrent = pytest.mark.parametrize("engine", ["memory", "ministack"], indirect=True, scope="session")
"""For tests that race: moto works in the caller's thread without a lock, so it cannot keep two callers apart."""

START = datetime(2026, 1, 31, 23, 0, tzinfo=UTC)
SHOP = uuid7(START, SystemRandomness())
OTHER_SHOP = uuid7(START, SystemRandomness())


def at(seconds: float = 0) -> datetime:
    """A moment so many seconds after the tests' beginning."""
    return START + timedelta(seconds=seconds)


def iso(seconds: float = 0) -> Timestamp:
    """The same as a timestamp."""
    return timestamp(at(seconds))


def new_id(seconds: float = 0) -> str:
    """A uuid7 made at that moment."""
    return uuid7(at(seconds), SystemRandomness())


def record(
    record_id: str,
    *,
    version: int = 1,
    shop_id: str = SHOP,
    kind: Kind = "EXP",
    body: Mapping[str, Any] | None = None,
    due: Mapping[str, Timestamp] | None = None,
    **head: Any,
) -> Record:
    """A record with a small body."""
    made = Head(
        shop_id=shop_id,
        kind=kind,
        id=record_id,
        version=version,
        created_at=iso(),
        updated_at=iso(version),
        due=due or {},
        **head,
    )
    return Record(head=made, body=body or {"name": f"version {version}"})


def put(found: Record, *, over: int | None = None) -> Put:
    """Store the record over the version before its own."""
    return Put(record=found, expected_version=found.head.version - 1 if over is None else over)


def claim(name: str, target_id: str, *, scope: str | None = SHOP) -> Claim:
    """Take a name for a record of the shop."""
    return Claim(scope=scope, name=name, target_id=target_id, target_shop_id=SHOP)


def audit_row(seconds: float, *, entity_id: str = "entity", shop_id: str = SHOP) -> AuditRow:
    """Somebody updated the entity at that moment."""
    return AuditRow(
        id=new_id(seconds),
        shop_id=shop_id,
        user_id="user",
        action="experiment.update",
        entity_type="experiment",
        entity_id=entity_id,
        entity_name="Summer sale",
        diff={"name": ["before", "after"]},
        created_at=iso(seconds),
    )


def outbox_row(seconds: float, topic: Topic = "publish") -> OutboxRow:
    """Something, a publication if nothing else is said, promised at that moment."""
    return OutboxRow(id=new_id(seconds), shop_id=SHOP, topic=topic, payload={"revision": 1}, created_at=iso(seconds))


def inbox_row(seconds: float, *, shop_id: str = SHOP) -> InboxRow:
    """The system told the shop something at that moment."""
    return InboxRow(
        id=new_id(seconds), shop_id=shop_id, role="system", body="Look at this", sender_id=None, created_at=iso(seconds)
    )


def commit_of(*puts: Put, claims: Iterable[Claim] = ()) -> Commit:
    """A commit of records and names."""
    return Commit(puts=puts, claims=tuple(claims))


def race(*calls: Callable[[], T]) -> list[T | Exception]:
    """Run the calls at the same time, each in its thread, and return what each returned or raised."""
    start = Barrier(len(calls))

    def run(call: Callable[[], T]) -> T | Exception:
        start.wait(timeout=10)
        try:
            return call()
        except Exception as error:
            return error

    with ThreadPoolExecutor(len(calls)) as threads:
        return list(threads.map(run, calls))
