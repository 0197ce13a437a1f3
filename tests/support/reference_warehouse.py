"""A warehouse of pure Python: the reference over a ledger's raw objects, for tests of what stands above engines."""

import gzip
from collections.abc import Iterator, Sequence
from contextlib import contextmanager

from abtest.domain.ledger import reference
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.columns import row_of_line
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.objects import Section, ShopFiles
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_days import ShopDay, shop_day
from abtest.ports.blobs import Blobs
from abtest.ports.warehouse import LedgerObjectError


class ReferenceLedger:
    """Rows in memory."""

    def __init__(self, shop_id: str, rows: Sequence[Row]) -> None:
        self._shop_id = shop_id
        self._rows = rows

    def count(self, plan: CountingPlan) -> Counts:
        return reference.count(self._rows, plan)

    def day(self, date: str, currency: str) -> ShopDay:
        return shop_day(self._rows, self._shop_id, date, currency)

    def rows(self, since: int, until: int) -> Iterator[Row]:
        raise NotImplementedError


class ReferenceWarehouse:
    """Opens raw objects and sections only; `opened` has the files of each call."""

    def __init__(self, ledger: Blobs) -> None:
        self._ledger = ledger
        self.opened: list[ShopFiles] = []

    @contextmanager
    def open(self, shop_id: str, files: ShopFiles, *, since: int) -> Iterator[ReferenceLedger]:
        self.opened.append(files)
        assert not files.parquet
        rows = [row for key in files.raw for row in self._rows(key)]
        rows += [row for section in files.sections for row in self._rows_of(section)]
        yield ReferenceLedger(
            shop_id, [row for row in rows if row["shop_id"] == shop_id and row["received_at"] >= since]
        )

    def _rows(self, key: str) -> Iterator[Row]:
        blob = self._ledger.get(key)
        if blob is None:
            raise LedgerObjectError(key, "is gone")
        yield from _rows(blob.content)

    def _rows_of(self, section: Section) -> Iterator[Row]:
        content = self._ledger.part(section.key, section.offset, section.length)
        if content is None:
            raise LedgerObjectError(section.key, "is gone")
        yield from _rows(content)


def _rows(content: bytes) -> Iterator[Row]:
    lines = (row_of_line(line) for line in gzip.decompress(content).splitlines())
    yield from (row for row in lines if row is not None)
