"""Repeated publications of a shop by many callers at once."""

from __future__ import annotations

import time
from concurrent.futures import ThreadPoolExecutor
from datetime import UTC, datetime

from abtest.kit.clock import ManualClock, timestamp
from abtest.kit.ids import SystemRandomness
from abtest.services.context import World
from abtest.services.publication import PublicationOutcome
from abtest.services.republication import Republication
from abtest.services.storefronts import Storefronts
from tests.support.memory import MemoryCatalog, MemoryLeases, MemorySessions

CHANGED = datetime(2026, 3, 2, tzinfo=UTC)


class SlowPublisher:
    """Publisher that takes a while."""

    def __init__(self, *, ok: bool) -> None:
        self.count, self.ok = 0, ok

    def publish(self, _shop_id: str) -> PublicationOutcome:
        self.count += 1
        time.sleep(0.1)
        return PublicationOutcome(ok=self.ok, reasons=[] if self.ok else ["out"])


def refreshed(publisher: SlowPublisher, callers: int) -> list[list[str]]:
    """The reasons that each of so many callers receives, all of them a second after the change."""
    clock = ManualClock(CHANGED)
    clock.advance(seconds=1)
    world = World(catalog=MemoryCatalog(), clock=clock, random=SystemRandomness())
    use = Republication(
        world=world,
        storefronts=Storefronts(world.catalog, publisher),
        leases=MemoryLeases(),
        sessions=MemorySessions(),
    )
    with ThreadPoolExecutor(callers) as pool:
        return [
            list(reasons) for reasons in pool.map(lambda _: use.refresh("shop", timestamp(CHANGED)), range(callers))
        ]


def test_publication__of_many_callers_at_once__is_one_for_all() -> None:
    publisher = SlowPublisher(ok=True)
    assert refreshed(publisher, 8) == [[]] * 8
    assert publisher.count == 1


def test_publication__that_fails__is_tried_by_each_caller() -> None:
    publisher = SlowPublisher(ok=False)
    assert refreshed(publisher, 3) == [["out"]] * 3, "no caller takes another's failure for a success"
    assert publisher.count == 3
