"""An export comes to its end, whatever happens to its worker, and is never told before its file is whole."""

from __future__ import annotations

import json
from collections.abc import Generator
from itertools import count
from pathlib import Path

import pytest

from abtest.adapters.warehouse.duckdb_exports import DuckDbExports
from abtest.domain.jobs.model import JobHeldError
from abtest.domain.ledger.manifests import manifest_key, sectioned
from abtest.domain.ledger.objects import raw_key
from abtest.ports.exports import ExportTooLargeError
from abtest.services.context import World
from abtest.services.exports.exporter import Exporter, IncompleteUploadError
from abtest.services.jobs import Workbench
from tests.support.memory import MemoryAuditStore
from tests.support.memory.exports import MemoryExportStore
from tests.unit.exports.office import BEGIN, CALLER, HOUR, SHOP, Office, row, shop_objects


class KilledError(BaseException):
    """The process is gone."""


class Dying:
    """Whatever it stands for, until one call too many, which is carried out or not."""

    def __init__(self, what: object, left: list[int], *, after: bool) -> None:
        self._what, self._left, self._after = what, left, after

    def __getattr__(self, name: str) -> object:
        found = getattr(self._what, name)

        def call(*arguments: object, **named: object) -> object:
            self._left[0] -= 1
            if self._left[0] == 0 and not self._after:
                raise KilledError
            answer = found(*arguments, **named)
            if self._left[0] == 0:
                raise KilledError
            return answer

        return call


def exporter(office: Office, left: list[int], *, after: bool) -> Exporter:
    """A worker whose process ends at a call of any of its ports."""
    catalog = Dying(office.catalog, left, after=after)
    ledger = Dying(office.ledger, left, after=after)
    world = World(catalog=catalog, clock=office.clock, random=office.world.random)  # type: ignore[arg-type]
    return Exporter(
        world=world,
        bench=Workbench(world),
        files=shop_objects(ledger, office.clock),
        workshop=DuckDbExports(ledger),  # type: ignore[arg-type]
        store=MemoryExportStore(ledger),  # type: ignore[arg-type]
        rollups=office.rollups,
        audit=MemoryAuditStore(office.catalog),
    )


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
def test_worker__killed_at_any_call__leaves_an_export_that_the_next_completes(office: Office, after: bool) -> None:
    office.written(*(row(event_id=f"e-{n}") for n in range(9)))
    for call in count(1):
        is_killed = False
        ordered = office.order("events")
        message = office.queue.bodies[-1]
        try:
            exporter(office, [call], after=after).carry_out(message)
        except KilledError:
            is_killed = True
            told = office.exports.get(CALLER, ordered.id)
            assert told.status in ("queued", "running", "completed")
            office.clock.advance(minutes=5)
            office.exporter.carry_out(message)
        made = office.exports.get(CALLER, ordered.id)
        assert (made.status, made.rows, made.error) == ("completed", 9, None)
        assert len(office.ledger.objects[f"exports/{SHOP}/{made.id}.ndjson"].blob.content.splitlines()) == 9
        if not is_killed:
            break
    assert call > 10, "every call was met, and in the last round none"


def test_message__delivered_twice__makes_one_file(office: Office) -> None:
    office.written(row())
    made, content = office.made("events")
    office.written(row(event_id="later"), name="later")
    office.exporter.carry_out(office.queue.bodies[-1])
    assert office.ledger.objects[f"exports/{SHOP}/{made.id}.ndjson"].blob.content == content


def test_message__while_another_worker_is_at_it__comes_again(office: Office) -> None:
    office.order("events")
    assert Workbench(office.world).take_up(office.queue.bodies[-1]) is not None
    with pytest.raises(JobHeldError):
        office.exporter.carry_out(office.queue.bodies[-1])


def test_export__called_off_while_it_is_made__ends_without_a_file(office: Office) -> None:
    office.written(row())
    ordered = office.order("events")
    get = office.ledger.get

    def called_off(key: str) -> object:
        if office.exports.get(CALLER, ordered.id).status == "running":
            office.exports.cancel(CALLER, ordered.id)
        return get(key)

    office.ledger.get = called_off  # type: ignore[method-assign,assignment]
    office.exporter.carry_out(office.queue.bodies[-1])
    assert office.exports.get(CALLER, ordered.id).status == "cancelled"
    assert not list(office.ledger.list("exports/"))


def test_export__of_objects_with_manifests__reads_the_sections_of_the_shop(office: Office) -> None:
    rows = [
        row(event_id=f"{shop_id[-1]}-{number}", shop_id=shop_id, data="x" * 5_000)
        for shop_id in (SHOP, "shop-z")
        for number in range(30)
    ]
    key = raw_key(["batch"], BEGIN)
    content, manifest = sectioned(key, rows)
    office.ledger.put(key, content, content_type="application/x-ndjson")
    office.ledger.put(manifest_key(key), manifest.encoded(), content_type="application/json")
    read: list[int] = []
    part = office.ledger.part

    def noted(key: str, offset: int, length: int) -> bytes | None:
        read.append(length)
        return part(key, offset, length)

    office.ledger.part = noted  # type: ignore[method-assign]
    _made, file = office.made("events")
    assert sorted(json.loads(line)["event_id"] for line in file.splitlines()) == sorted(
        each["event_id"] for each in rows if each["shop_id"] == SHOP
    )
    assert read == [manifest.sections[SHOP].length]
    assert read[0] < len(content)


def test_progress__of_a_long_export__rises_with_what_was_read(office: Office) -> None:
    for hour in range(200):
        office.written(row(event_id=f"e-{hour}", received_at=BEGIN + hour * HOUR), at=BEGIN + hour * HOUR)
    ordered = office.order("events", until=BEGIN + 200 * HOUR)
    seen: list[int] = []
    get = office.ledger.get

    def noted(key: str) -> object:
        seen.append(office.exports.get(CALLER, ordered.id).progress)
        return get(key)

    office.ledger.get = noted  # type: ignore[method-assign,assignment]
    office.exporter.carry_out(office.queue.bodies[-1])
    assert seen == sorted(seen)
    assert {0, 17, 35, 52, 99} <= set(seen)


def exporter_with(office: Office, store: MemoryExportStore) -> Exporter:
    """The worker's exporter, on another store of files."""
    return Exporter(
        world=office.world,
        bench=Workbench(office.world),
        files=shop_objects(office.ledger, office.clock),
        workshop=DuckDbExports(office.ledger),
        store=store,
        rollups=office.rollups,
        audit=MemoryAuditStore(office.catalog),
    )


class ShortStore(MemoryExportStore):
    """A store that says that it has less than it was given."""

    def size(self, key: str) -> int | None:
        return (super().size(key) or 0) - 1


def test_file__that_is_not_whole_in_the_store__is_never_told(office: Office) -> None:
    ordered = office.order("events", "csv")
    short = exporter_with(office, ShortStore(office.ledger))
    with pytest.raises(IncompleteUploadError):
        short.carry_out(office.queue.bodies[-1])
    assert office.exports.get(CALLER, ordered.id).status == "running"


class FullStore(MemoryExportStore):
    """Stands for a disk that is full: the worker's own store of files."""

    def store(self, key: str, path: Path, *, content_type: str) -> Generator[int, None, None]:
        yield 0
        raise ExportTooLargeError


def test_export__that_does_not_fit__fails_and_says_what_to_do(office: Office) -> None:
    ordered = office.order("events", "csv")
    exporter_with(office, FullStore(office.ledger)).carry_out(office.queue.bodies[-1])
    told = office.exports.get(CALLER, ordered.id)
    assert (told.status, told.error) == (
        "failed",
        "the export is larger than a worker can hold; request a shorter time",
    )
