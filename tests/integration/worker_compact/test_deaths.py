"""Workers of compaction that are killed at any call of a port: redelivery ends with the same objects."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import pytest

from abtest.domain.ledger.manifests import manifest_key, sectioned
from abtest.domain.ledger.objects import raw_key
from abtest.domain.ledger.shop_groups import ShopGroup, division
from abtest.kit.clock import ManualClock, from_milliseconds
from abtest.services.compaction.unit import HourUnit
from abtest.services.ledger_files import LedgerFiles
from tests.faults.faults import Fate, Fated, KilledError
from tests.support.compaction import Compacting
from tests.support.memory import MemoryBlobs, MemoryLeases, MemoryMetrics
from tests.unit.ledger.raw_hours import HOUR, NOON, put_raw, row, rows_of

SHOPS = [f"shop-{number}" for number in range(4)]
NAMES = ("first", "first-bare", "first-strange", "late", "late-bare", "late-strange")
ALL, HALF = ShopGroup(0, 1), ShopGroup(1, 2)


@dataclass
class Kill(Fate):
    """The fate of a process that makes no call after its death, so its lease stays until it is over."""

    def before_call(self, name: str) -> bool:
        if self.at is not None and self.calls >= self.at:
            raise KilledError
        return super().before_call(name)


class Hour:
    """An hour of several shops, whose objects have manifests or not, with a line that cannot be read."""

    def __init__(self) -> None:
        self.clock = ManualClock(from_milliseconds(NOON + 2 * HOUR))
        self.ledger, self.leases = MemoryBlobs(), MemoryLeases()
        self.arrive("first")

    def arrive(self, name: str) -> None:
        rows: list[Any] = [row(f"{name}-{shop_id}-{n}", shop_id=shop_id) for shop_id in SHOPS for n in range(3)]
        key = raw_key([name], NOON)
        content, manifest = sectioned(key, [*rows, rows[0]])
        self.ledger.put(key, content, content_type="application/x-ndjson")
        self.ledger.put(manifest_key(key), manifest.encoded(), content_type="application/json")
        put_raw(self.ledger, f"{name}-bare", [row(f"{name}-{shop_id}", shop_id=shop_id) for shop_id in SHOPS])
        put_raw(self.ledger, f"{name}-strange", [row(f"{name}-strange", shop_id=SHOPS[0], ts="x")])

    def deliver(self, group: ShopGroup, fate: Fate | None = None) -> str:
        """Have a new process carry out the message; return the outcome."""
        fate = fate or Fate()
        process = Compacting(
            clock=self.clock,
            ledger=Fated(self.ledger, fate),
            leases=Fated(self.leases, fate),
            metrics=Fated(MemoryMetrics(), fate),
        )
        (done,) = process.carried_out([HourUnit(hour=NOON, group=group).message().body])
        return done.state

    def expected(self, shop_id: str) -> set[tuple[str, str]]:
        """Return all of the shop's events, each with the name of its object."""
        names = [name for name in ("first", "late") if raw_key([name], NOON) in self.ledger.objects]
        ids = {(name, f"{name}-{shop_id}-{n}") for name in names for n in range(3)}
        return ids | {(f"{name}-bare", f"{name}-{shop_id}") for name in names}

    def check(self) -> None:
        """Check that no reader misses an event at this moment."""
        files = {shop_id: LedgerFiles(self.ledger).of_shop(shop_id, 0) for shop_id in SHOPS}
        parquet = [key for each in files.values() for key in each.parquet]
        rows = rows_of(*(self.ledger.objects[key].blob.content for key in parquet))
        for shop_id in SHOPS:
            raw = {name for name in NAMES if raw_key([name], NOON) in files[shop_id].raw}
            read = {str(each["event_id"]) for each in rows if each["shop_id"] == shop_id}
            expected = self.expected(shop_id)
            assert read | {event_id for name, event_id in expected if name in raw} == {each for _, each in expected}

    def copy(self) -> Hour:
        """Return another hour with the same objects."""
        hour = Hour()
        hour.ledger.objects = dict(self.ledger.objects)
        return hour


def compacted(group: ShopGroup) -> Hour:
    """An hour whose units are done, and then objects came late."""
    hour = Hour()
    for each in division(group.of):
        hour.deliver(each)
    hour.arrive("late")
    return hour


@pytest.mark.parametrize("after", [False, True], ids=["before", "after"])
@pytest.mark.parametrize("is_late", [False, True], ids=["all-shops", "late-objects-of-a-group"])
def test_worker__killed_at_each_call_in_turn__redelivery_ends_with_the_same_objects(is_late: bool, after: bool) -> None:
    first, group = (compacted(HALF), HALF) if is_late else (Hour(), ALL)
    whole, calls = first.copy(), Fate()
    assert whole.deliver(group, calls) == "done"
    assert calls.calls > 10
    for at in range(1, calls.calls + 1):
        hour = first.copy()
        with pytest.raises(KilledError):
            hour.deliver(group, Kill(at=at, after=after))
        hour.check()
        # A copy of the message meanwhile: either the dead worker's lease keeps it off, or it does all the work.
        assert hour.deliver(group) in ("held", "done", "covered")
        hour.clock.advance(seconds=61)
        assert hour.deliver(group) in ("done", "covered")
        assert hour.ledger.objects == whole.ledger.objects


def test_worker__killed_again_and_again__ends_with_the_same_objects() -> None:
    whole = Hour()
    whole.deliver(ALL)
    hour = Hour()
    for at in range(1, 200):
        try:
            assert hour.deliver(ALL, Kill(at=at)) in ("done", "covered")
        except KilledError:
            hour.check()
            hour.clock.advance(seconds=61)
        else:
            break
    assert hour.ledger.objects == whole.ledger.objects
