"""Counting by Athena, with the same SQL over the same objects as the embedded engine.

Only Python can evaluate filters of goals. Hits of goals with filters are therefore fetched and judged, and the ids of
the accepted ones are written to the bucket, where the counting query reads them. They are removed after the query.
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
from abtest.adapters.warehouse.counts_result import counts_of
from abtest.adapters.warehouse.counts_sql import accepted_rows, candidates, counts_statement
from abtest.adapters.warehouse.shop_day_sql import shop_day_of, shop_day_query
from abtest.adapters.warehouse.sql_texts import whole
from abtest.adapters.warehouse.valid_rows_sql import HAPPENED_AT
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
    """Warehouse over a ledger bucket, in which it also stores the ids of accepted hits during a query."""

    queries: AthenaQueries
    ledger: Blobs
    bucket: str

    @contextmanager
    def open(self, shop_id: str, files: ShopFiles, *, since: int) -> Iterator["AthenaLedger"]:
        """Open the shop's rows. No query runs before the first call."""
        stage = Stage(queries=self.queries, ledger=self.ledger, bucket=self.bucket)
        yield AthenaLedger(
            queries=self.queries, ledger=self.ledger, stage=stage, shop_id=shop_id, files=files, since=since
        )


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaLedger:
    """Rows of one shop. Besides the errors of the port, all calls may raise QueryError."""

    queries: AthenaQueries
    ledger: Blobs
    stage: Stage
    shop_id: str
    files: ShopFiles
    since: int

    def count(self, plan: CountingPlan) -> Counts:
        """Return the counts of the plan. Judged goals need one more query, for the hits to judge."""
        question, listing = counts_statement(plan, events=LEDGER, accepted=ACCEPTED), candidates(plan, events=LEDGER)
        rows = self._rows(self.since)
        with self.stage.of(question, rows) as staged:
            if listing is None:
                return self._counted(plan, question, staged, {})
            # Both statements select copies in the same way, so both use the staged tables.
            listed = self.queries.stream(with_relations(with_staged(listing, staged), rows))
            run = random_base62(RUN_CHARS, self.queries.random)
            with self._stored(run, accepted_rows(plan, listed)):
                return self._counted(plan, question, staged, {ACCEPTED: accepted_hits(run)})

    def day(self, date: str, currency: str) -> ShopDay:
        """Return the shop's day, from rows received since a week before it."""
        question = shop_day_query(self.shop_id, date, currency, events=LEDGER)
        rows = self._rows(max(self.since, day_of(date) * DAY_MS - STITCH_MS))
        with self.stage.of(question, rows) as staged:
            lines = self.queries.stream(with_relations(with_staged(question, staged), rows))
            return shop_day_of(self.shop_id, date, currency, lines)

    def touched_by(self, raw: Iterable[str]) -> frozenset[int]:
        """Return the UTC days since 1970 of the shop's rows in these raw objects and of the orders they name."""
        relations = {**self._rows(self.since), FRESH: raw_rows(self.shop_id, raw, self.since)}
        return frozenset(int(str(day)) for (day,) in self.queries.stream(with_relations(TOUCHED, relations)))

    def _counted(
        self, plan: CountingPlan, question: str, staged: Mapping[str, str], further: Mapping[str, str]
    ) -> Counts:
        relations = {**self._rows(self.since), **further}
        return counts_of(plan, self.queries.stream(with_relations(with_staged(question, staged), relations)))

    def _rows(self, since: int) -> dict[str, str]:
        return {LEDGER: shop_rows(self.shop_id, self.files, since)}

    @contextmanager
    def _stored(self, run: str, hits: Iterable[Hit]) -> Iterator[None]:
        """Store hits under the run's name until the context ends. The bucket's lifecycle removes those of a crash."""
        keys: list[str] = []
        remaining = iter(hits)
        try:
            while some := list(islice(remaining, HITS_AN_OBJECT)):
                lines = (
                    canonical_json.encode({"goal_id": goal_id, "event_id": event_id, "worth": worth})
                    for goal_id, event_id, worth in some
                )
                content = gzip.compress(b"\n".join(lines), mtime=0)
                keys.append(f"accepted/run={run}/{len(keys):06}.ndjson.gz")
                self.ledger.put(keys[-1], content, content_type="application/gzip")
            yield
        finally:
            for key in keys:
                self.ledger.delete(key)
