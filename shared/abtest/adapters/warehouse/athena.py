"""The distributed engine: Athena asked for what the embedded one counts, in the same words, over the same objects.

What only Python can judge goes there and back: hits of goals with filters are fetched, judged, and the ids of those
that were accepted are written where the counting query reads them, under the name of one run, until it is done.
"""

import gzip
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import islice

from abtest.adapters.warehouse.athena_client import AthenaQueries
from abtest.adapters.warehouse.athena_relations import (
    ACCEPTED,
    FRESH,
    LEDGER,
    accepted_hits,
    raw_rows,
    shop_rows,
    with_relations,
)
from abtest.adapters.warehouse.athena_stage import Stage, with_staged
from abtest.adapters.warehouse.counting_answer import counts_of
from abtest.adapters.warehouse.counting_sql import candidates, counting, judged
from abtest.adapters.warehouse.shop_day_sql import shop_day_of, shop_day_query
from abtest.adapters.warehouse.sql_texts import whole
from abtest.adapters.warehouse.standing_sql import HAPPENED_AT
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.daily_counts import day_of
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import ShopFiles
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_days import STITCH_MS, ShopDay
from abtest.kit import canonical_json
from abtest.kit.ids import random_base62
from abtest.ports.blobs import Blobs

RUN_CHARS = 20
HITS_AN_OBJECT = 50_000

_DAY = whole(HAPPENED_AT, DAY_MS)
TOUCHED = f"""
SELECT touched_day FROM (
    SELECT {_DAY} AS touched_day FROM {FRESH} WHERE NOT qa_mode
    UNION ALL
    SELECT {_DAY} AS touched_day FROM {LEDGER}
    WHERE order_id IN (SELECT order_id FROM {FRESH} WHERE order_id <> '' AND NOT qa_mode)
) AS days
GROUP BY touched_day"""  # noqa: S608 - constants alone

Hit = tuple[str, str, int]
"""Goal id, event id, worth."""


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaWarehouse:
    """Asks about what lies in a ledger bucket, in which it also leaves ids for the time of a query."""

    queries: AthenaQueries
    ledger: Blobs
    bucket: str

    @contextmanager
    def open(self, shop_id: str, files: ShopFiles, *, since: int) -> Iterator["AthenaLedger"]:
        """The shop's rows; nothing is asked before somebody asks."""
        stage = Stage(queries=self.queries, ledger=self.ledger, bucket=self.bucket)
        yield AthenaLedger(
            queries=self.queries, ledger=self.ledger, stage=stage, shop_id=shop_id, files=files, since=since
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaLedger:
    """A shop's rows, as a relation. Beside what the port names all questions raise QueryError."""

    queries: AthenaQueries
    ledger: Blobs
    stage: Stage
    shop_id: str
    files: ShopFiles
    since: int

    def count(self, plan: CountingPlan) -> Counts:
        """Counts of the plan; with judged goals one query more, for what is to be judged."""
        question, listing = counting(plan, events=LEDGER, accepted=ACCEPTED), candidates(plan, events=LEDGER)
        rows = self._rows(self.since)
        with self.stage.of(question, rows) as staged:
            if listing is None:
                return self._counted(plan, question, staged, {})
            # Both tell copies apart in the same way, so what was staged stands for both.
            listed = self.queries.stream(with_relations(with_staged(listing, staged), rows))
            run = random_base62(RUN_CHARS, self.queries.random)
            with self._left(run, judged(plan, listed)):
                return self._counted(plan, question, staged, {ACCEPTED: accepted_hits(run)})

    def day(self, date: str, currency: str) -> ShopDay:
        """The shop's day; only what was received from a week before it on is read."""
        question = shop_day_query(self.shop_id, date, currency, events=LEDGER)
        rows = self._rows(max(self.since, day_of(date) * DAY_MS - STITCH_MS))
        with self.stage.of(question, rows) as staged:
            told = self.queries.stream(with_relations(with_staged(question, staged), rows))
            return shop_day_of(self.shop_id, date, currency, told)

    def touched_by(self, raw: Iterable[str]) -> frozenset[int]:
        """UTC days since 1970 of what these raw objects hold of the shop, and of orders that it names."""
        relations = {**self._rows(self.since), FRESH: raw_rows(self.shop_id, raw, self.since)}
        return frozenset(int(str(day)) for (day,) in self.queries.stream(with_relations(TOUCHED, relations)))

    def _counted(
        self, plan: CountingPlan, question: str, staged: Mapping[str, str], beside: Mapping[str, str]
    ) -> Counts:
        relations = {**self._rows(self.since), **beside}
        return counts_of(plan, self.queries.stream(with_relations(with_staged(question, staged), relations)))

    def _rows(self, since: int) -> dict[str, str]:
        return {LEDGER: shop_rows(self.shop_id, self.files, since)}

    @contextmanager
    def _left(self, run: str, hits: Iterable[Hit]) -> Iterator[None]:
        """Have the hits stand under the run's name; a process that dies leaves them to the bucket's lifecycle."""
        keys: list[str] = []
        try:
            for content in _objects(hits):
                keys.append(f"accepted/run={run}/{len(keys):06}.ndjson.gz")
                self.ledger.put(keys[-1], content, content_type="application/gzip")
            yield
        finally:
            for key in keys:
                self.ledger.delete(key)


def _objects(hits: Iterable[Hit]) -> Iterator[bytes]:
    """Lines of JSON, compressed, a bounded number at a time."""
    left = iter(hits)
    while some := list(islice(left, HITS_AN_OBJECT)):
        lines = (
            canonical_json.encode({"goal_id": goal_id, "event_id": event_id, "worth": worth})
            for goal_id, event_id, worth in some
        )
        yield gzip.compress(b"\n".join(lines), mtime=0)
