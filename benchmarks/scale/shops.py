"""Shops and experiments of the simulation, all made from numbers: any process makes the same ones."""

from collections import OrderedDict
from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

from abtest.domain.experiments.model import Experiment
from abtest.kit.clock import Timestamp, from_milliseconds, timestamp
from abtest.ports.catalog import COUNTED_FOR_EVER, Commit, DueEntry, HeadPage, Kind, Put, Record
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.shop_records import puts_of
from tests.support.memory import MemoryCatalog
from tests.support.storefronts import goal, shop, variation

BEGINS = 1_790_000_000_000 - 1_790_000_000_000 % 86_400_000
"""The day on which all experiments were launched, in Unix ms."""

VARIATIONS = (variation(0), variation(1))
KEPT = 64
"""Shops whose records a process keeps."""


def shop_id(number: int) -> str:
    """The id of a shop."""
    return f"0192a3b4-0000-7000-8000-{number:012x}"


def experiment_id(shop: int, number: int) -> str:
    """The id of an experiment of a shop. The generator of rows writes the same."""
    return f"0192a3b4-0001-7{number:03x}-8000-{shop:012x}"


def click_id(shop: int, number: int) -> str:
    """The id of the experiment's click goal."""
    return f"0192a3b4-0002-7{number:03x}-8000-{shop:012x}"


def number_of(any_id: str) -> int:
    """The number of the shop in any of these ids."""
    return int(any_id[-12:], 16)


@dataclass(frozen=True, slots=True, kw_only=True)
class Shops:
    """So many shops, the largest first; `experiments` each. Sizes in rows of the history follow Zipf's law.

    The largest shop has `large` rows; the others have `second / rank ** exponent`, at least `least`.
    """

    count: int
    experiments: int
    large: int
    second: int
    exponent: float = 1.0
    least: int = 1_000

    def rows(self, number: int) -> int:
        """Rows of a shop's history, a multiple of ten: a visitor has ten."""
        rows = self.large if number == 1 else max(self.least, int(self.second / (number - 1) ** self.exponent))
        return rows // 10 * 10

    @property
    def numbers(self) -> range:
        """The numbers of the shops, from 1."""
        return range(1, self.count + 1)

    def experiment(self, shop_number: int, number: int) -> Experiment:
        """A running experiment with a click, an event and the revenue to count."""
        moment = timestamp(from_milliseconds(BEGINS))
        own = experiment_id(shop_number, number)
        made = partial(goal, experiment_id=own)
        return Experiment(
            id=own,
            shop_id=shop_id(shop_number),
            version=1,
            name=f"Experiment {number}",
            status="running",
            started_at=moment,
            measurement_started_at=moment,
            created_at=moment,
            updated_at=moment,
            variations=VARIATIONS,
            auto_stop_override={"mode": "sequential_significance"},
            goals=(
                made(id=click_id(shop_number, number), is_primary=True, role="primary"),
                made(id=own.replace("-0001-", "-0003-"), type="custom", event_name="add_to_cart", selector=None),
                made(id=own.replace("-0001-", "-0004-"), type="revenue", selector=None, count_once=False),
            ),
        )


class ShopsCatalog:
    """The part of a catalog that roll-ups read. A shop's records are made when they are first read, as they were."""

    def __init__(self, shops: Shops) -> None:
        self._shops = shops
        self._made: OrderedDict[int, MemoryCatalog] = OrderedDict()
        # Versions and ids of all shops are alike, so the work index of all is known without making their records.
        self._entries = {
            queue: [
                replace(
                    entry,
                    shop_id=shop_id(number),
                    id=entry.id.replace(shop_id(1)[-12:], shop_id(number)[-12:]) if entry.kind == "EXP" else entry.id,
                )
                for number in shops.numbers
                for entry in self.of(1).due(queue, COUNTED_FOR_EVER, limit=10_000)
            ]
            for queue in ("COUNT", "RUN")
        }

    def of(self, number: int) -> MemoryCatalog:
        """The catalog of one shop."""
        if number not in self._made:
            made = self._made[number] = MemoryCatalog()
            made.commit(Commit(puts=puts_of(shop(id=shop_id(number)))))
            for each in range(self._shops.experiments):
                record = EXPERIMENTS.record(self._shops.experiment(number, each))
                made.commit(Commit(puts=[Put(record=record, expected_version=0)]))
            while len(self._made) > KEPT:
                self._made.popitem(last=False)
        return self._made[number]

    def get(self, shop_id: str, kind: Kind, record_id: str, **named: Any) -> Record | None:
        return self.of(number_of(shop_id)).get(shop_id, kind, record_id, **named)

    def get_many(self, shop_id: str, kind: Kind, record_ids: Sequence[str], **named: Any) -> list[Record]:
        return self.of(number_of(shop_id)).get_many(shop_id, kind, record_ids, **named)

    def list(self, shop_id: str, kind: Kind, **named: Any) -> HeadPage:
        return self.of(number_of(shop_id)).list(shop_id, kind, **named)

    def due(self, queue: str, until: Timestamp, *, limit: int) -> Sequence[DueEntry]:
        return [entry for entry in self._entries[queue] if entry.due <= until][:limit]

    def forget_due(self, queue: str, entry: DueEntry) -> None:
        """No counting of these shops ever ends."""
