"""One unit of a divided shop: it is counted, its outcome stored, and who comes next is called when all are done.

A message that comes twice, late, or for a generation that was given up costs time and changes no number. Where a
process dies before it calls the next ones, the dispatcher's next message for the shop does it; where it dies before the
unit is done, a message of a quarter of an hour later, as for a shop that fails.
"""

import logging
from collections.abc import Callable
from dataclasses import dataclass
from datetime import datetime

from abtest.ports.blobs import Blobs
from abtest.ports.limits import Leases
from abtest.ports.metrics import Metrics
from abtest.ports.queue import Queue, QueueMessage, QueueUnavailableError
from abtest.ports.warehouse import ShopPlans, ShopUnits
from abtest.services.context import World
from abtest.services.leases import LeaseLostError, lease
from abtest.services.rollups.generations import Generations, plans_digest
from abtest.services.rollups.messages import CountMessage, UnitMessage
from abtest.services.rollups.shop_run import ShopRun
from abtest.services.rollups.work import shop_work

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitRun:
    """Use case behind the messages of units."""

    world: World
    plans_of: Callable[[str], ShopPlans]
    """Returns what is to be counted of a shop now, by its id."""
    units: ShopUnits
    ledger: Blobs
    leases: Leases
    queue: Queue
    metrics: Metrics

    def run(self, message: UnitMessage, until: datetime | None = None) -> bool:
        """Carry out a message. Return False when the queue must deliver it again."""
        generation, unit = message.generation, message.unit
        about = {"shop_id": generation.shop_id, "unit": unit.name, "offset": generation.offset}
        if generation.release != self.units.release:
            _log.info("rollup.unit_of_another_release", extra=about)
            return True
        name = f"rollup#{generation.shop_id}#{unit.name}"
        try:
            with lease(self.leases, name, owner=self.world.new_id(), clock=self.world.clock) as held:
                if held is None:
                    return True  # the dispatcher sends another message, if its holder does not end
                is_new = self._is_counted(message, until)
                held.check()
            return not is_new or self._call_next(message)
        except LeaseLostError:
            return True
        except Exception:
            _log.exception("rollup.unit_not_counted", extra=about)
            return False

    def _is_counted(self, message: UnitMessage, until: datetime | None) -> bool:
        """Count the unit unless it is done; return whether this message did it.

        A repeated message calls no one: with each of many units calling for many, they would grow without end. One of a
        generation that was given up does nothing, because the newest one has messages for all of its units.
        """
        generations, generation, unit = Generations(self.ledger), message.generation, message.unit
        done = generations.done(generation)
        if unit.name in done or generations.newest(generation.shop_id) != generation:
            return False
        ids = generation.division.units("ids") if unit.kind == "visitors" else ()
        shop = self.plans_of(generation.shop_id)
        if any(each.name not in done for each in ids) or plans_digest(shop) != generation.plans:
            return False
        generations.put_tried(generation, unit)
        counted = self.units.count(
            unit,
            shop,
            head=generation.offset,
            at=generation.at,
            stored=generations.state(generation, unit),
            tied=[generations.outcome(generation, each).shared for each in ids],
            until=until,
        )
        if counted.offset < generation.offset:
            if counted.state:
                generations.put_part(generation, unit, counted.state)
            # The rest goes behind the messages of other shops.
            self.queue.send(message.encoded(), group=generation.shop_id)
            return False
        generations.put(generation, unit, counted)
        self.metrics.put({"UnitsCounted": 1})
        return True

    def _call_next(self, message: UnitMessage) -> bool:
        """Send messages for what becomes possible when all units of the kind are done."""
        generation, unit = message.generation, message.unit
        done = Generations(self.ledger).done(generation)
        if any(each.name not in done for each in generation.division.units(unit.kind)):
            return True
        if unit.kind == "ids":
            units = tuple(each for each in generation.division.units("visitors") if each.name not in done)
            bodies = [UnitMessage(generation=generation, unit=each).encoded() for each in units]
        else:
            shop = CountMessage(shop_id=generation.shop_id, head=generation.offset, listed_at=generation.listed_at)
            bodies = [shop.encoded()]
        try:
            self.queue.send_many([QueueMessage(body=body, group=generation.shop_id) for body in bodies])
        except QueueUnavailableError:
            _log.warning("rollup.next_units_not_sent", extra={"shop_id": generation.shop_id})
        return True


def unit_run(run: ShopRun, units: ShopUnits, ledger: Blobs, queue: Queue) -> UnitRun:
    """Return the use case for units of the shops that `run` counts."""
    world = run.world
    return UnitRun(
        world=world,
        plans_of=lambda shop_id: shop_work(world.catalog, shop_id, world.now()).plans,
        units=units,
        ledger=ledger,
        leases=run.leases,
        queue=queue,
        metrics=run.metrics,
    )
