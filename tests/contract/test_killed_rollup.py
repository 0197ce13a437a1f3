"""A worker that is killed while it counts a shop: another takes over within a minute, and other shops do not wait."""

from __future__ import annotations

import signal
from datetime import timedelta

import pytest

from abtest.kit.clock import ManualClock, SystemClock
from abtest.kit.ids import SystemRandomness
from abtest.services.context import World
from tests.contract.conftest import Engine
from tests.contract.hanging import hanging
from tests.support.counting import Counting
from tests.support.memory.metrics import MemoryMetrics
from tests.support.reference_counter import ReferenceCounter
from tests.support.rolled_shops import EXPERIMENT_OF, SHOPS, put_events, running, stored
from tests.support.storefronts import variation
from tests.unit.ledger.streams import BEGIN, row

on_ministack = pytest.mark.parametrize("engine", ["ministack"], indirect=True, scope="session")
"""The only engine that another process can reach."""

KILLED, OTHER = SHOPS[:2]


@on_ministack
def test_worker__killed_with_the_lease_of_a_shop__is_replaced_within_a_minute(engine: Engine) -> None:
    with engine() as ports:
        clock = ManualClock(SystemClock().now())
        rows = []
        for shop_id in (KILLED, OTHER):
            stored(ports.catalog, running(EXPERIMENT_OF[shop_id], shop_id), shop_id=shop_id)
            exposure = row(
                event_id=f"x-{shop_id}",
                shop_id=shop_id,
                visitor_id="v",
                experiment_id=EXPERIMENT_OF[shop_id],
                variation_id=variation(0).id,
                assignment_epoch=1,
                ts=BEGIN + 1,
                received_at=BEGIN + 1,
            )
            rows.append(exposure)
        put_events(ports.blobs, "one", rows, at=int(clock.now().timestamp() * 1000))
        counting = Counting(
            world=World(catalog=ports.catalog, clock=clock, random=SystemRandomness()),
            counter=ReferenceCounter(ports.blobs, clock),
            ledger=ports.blobs,
            store=ports.rollup_store,
            leases=ports.leases,
            metrics=MemoryMetrics(),
        )

        def visitors(shop_id: str) -> int | None:
            totals = ports.rollup_store.totals(EXPERIMENT_OF[shop_id], 1)
            return totals["variations"][variation(0).id]["visitors"] if totals else None

        with hanging("tests.contract.hanging_rollup", KILLED, *ports.names, first_line="counting") as process:
            counting.dispatch.run()
            counting.work()
            assert (visitors(KILLED), visitors(OTHER)) == (None, 1), "only the shop in its hands waits"
            process.send_signal(signal.SIGKILL)
            process.wait(30)
        killed_at = SystemClock().now()
        clock.advance(seconds=(killed_at - clock.now()).total_seconds() + timedelta(minutes=1).total_seconds())
        counting.count(everything=False)
        assert visitors(KILLED) == 1
