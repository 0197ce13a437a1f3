"""Counting by Athena over the objects that the embedded engine reads: one question for all that a shop asks.

The shop's rows are read from the ledger once, and those that count are kept until the question is answered. All plans
are counted from them, and all days. Only Python can evaluate filters of goals: hits of goals with filters are fetched
and judged, and the verdicts are written to the bucket, where the counting query reads them.
"""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import contextmanager
from dataclasses import dataclass

from abtest.adapters.warehouse.athena_client import AthenaQueries, check_length
from abtest.adapters.warehouse.athena_relations import (
    ACCEPTED,
    KEPT_ROWS,
    LEDGER,
    accepted_hits,
    kept_rows,
    shop_rows,
    with_relations,
)
from abtest.adapters.warehouse.athena_stage import Stage
from abtest.adapters.warehouse.judgements import verdicts
from abtest.adapters.warehouse.kept_rows_sql import Needed, kept_statement
from abtest.adapters.warehouse.plan_relations_sql import Numbered
from abtest.adapters.warehouse.plans_result import counts_of_plans
from abtest.adapters.warehouse.plans_sql import judged_statement, plans_statement
from abtest.adapters.warehouse.shop_days_sql import shop_days_of, shop_days_query
from abtest.adapters.warehouse.sql_texts import literal, whole
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.daily_counts import day_of
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.objects import ShopFiles
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.shop_days import STITCH_MS, ShopDay
from abtest.ports.blobs import Blobs

_DAY = whole("happened_at", DAY_MS)


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaWarehouse:
    """Warehouse over a ledger bucket, in which it also stores kept rows and verdicts during a question."""

    queries: AthenaQueries
    ledger: Blobs
    bucket: str

    @contextmanager
    def open(self, shop_id: str, files: ShopFiles, *, since: int) -> Iterator["AthenaLedger"]:
        """Open the shop's rows. No query runs before the first call."""
        stage = Stage(queries=self.queries, ledger=self.ledger, bucket=self.bucket)
        yield AthenaLedger(queries=self.queries, stage=stage, shop_id=shop_id, files=files, since=since)


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaLedger:
    """Rows of one shop. Besides the errors of the port, all calls may raise QueryError."""

    queries: AthenaQueries
    stage: Stage
    shop_id: str
    files: ShopFiles
    since: int

    def count(self, plan: CountingPlan) -> Counts:
        """Return the counts of one plan."""
        with self.kept(Needed(plans=[plan])) as rows:
            return rows.counts([plan])[0]

    def day(self, date: str, currency: str) -> ShopDay:
        """Return the shop's day, from rows received since a week before it."""
        with self.kept(Needed(plans=(), days_from=day_of(date) * DAY_MS - STITCH_MS)) as rows:
            return rows.days([date], currency)[date]

    @contextmanager
    def kept(self, needed: Needed) -> Iterator["KeptRows"]:
        """Keep the rows that count for all that is needed, until the context ends."""
        rows = shop_rows(self.shop_id, self.files, max(self.since, needed.since))
        with self.stage.rows(with_relations(kept_statement(needed, events=LEDGER), {LEDGER: rows})) as run:
            yield KeptRows(queries=self.queries, stage=self.stage, shop_id=self.shop_id, run=run)


@dataclass(frozen=True, slots=True, kw_only=True)
class KeptRows:
    """Rows of one shop that were kept for a question."""

    queries: AthenaQueries
    stage: Stage
    shop_id: str
    run: str

    def counts(self, plans: Sequence[CountingPlan]) -> list[Counts]:
        """Return the counts of each plan, in this order. Judged goals need one more query, for the hits to judge.

        Raises QueryTooLongError before any query runs.
        """
        numbered = Numbered(plans)
        question = plans_statement(numbered, kept=KEPT_ROWS, accepted=ACCEPTED)
        check_length(self._with(question, {ACCEPTED: accepted_hits(self.run)}))
        listing = judged_statement(numbered, kept=KEPT_ROWS)
        if listing is None:
            return counts_of_plans(numbered, self.queries.stream(self._with(question)))
        listed = self.queries.stream(self._with(listing))
        with self.stage.verdicts(verdicts(numbered.judgements.items(), numbered.judged(), listed)) as run:
            text = self._with(question, {ACCEPTED: accepted_hits(run)})
            return counts_of_plans(numbered, self.queries.stream(text))

    def days(self, dates: Sequence[str], currency: str) -> dict[str, ShopDay]:
        """Return days by date (`YYYY-MM-DD`, UTC)."""
        if not dates:
            return {}
        lines = self.queries.stream(self._with(shop_days_query(dates, currency, kept=KEPT_ROWS)))
        return shop_days_of(self.shop_id, dates, currency, lines)

    def touched_since(self, date: str) -> frozenset[int]:
        """Return the UTC days since 1970 of rows in objects written since a date, and of the orders that they name."""
        fresh = f"{KEPT_ROWS} WHERE type IS NOT NULL AND written >= {literal(date)}"
        text = f"""
SELECT touched_day FROM (
    SELECT {_DAY} AS touched_day FROM {fresh}
    UNION ALL
    SELECT {_DAY} AS touched_day FROM {KEPT_ROWS}
    WHERE order_id IN (SELECT order_id FROM {fresh} AND order_id <> '')
) AS days
GROUP BY touched_day"""  # noqa: S608 - constants and escaped literals alone
        return frozenset(int(str(day)) for (day,) in self.queries.stream(self._with(text)))

    def _with(self, statement: str, further: Mapping[str, str] | None = None) -> str:
        return with_relations(statement, {KEPT_ROWS: kept_rows(self.run), **(further or {})})
