"""Many plans of one shop with many rows in DuckDB: what all plans need is selected from the rows once.

Most rows are page views, which only a holdout counts. A table without them has a third of the rows, in the columns that
counting reads, and which events may have copies is the same question for all plans.
"""

from collections import defaultdict
from collections.abc import Callable, Generator, Iterable, Sequence
from contextlib import contextmanager
from dataclasses import replace

import duckdb

from abtest.adapters.warehouse.duckdb_days import EVENT_HASH
from abtest.adapters.warehouse.duckdb_ledger import DuckDbShopLedger
from abtest.adapters.warehouse.sql_texts import any_of, literal, one_of
from abtest.adapters.warehouse.valid_rows_sql import NARROW, WIDE, Suspects
from abtest.domain.ledger.cells import Counts
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import EXPOSED, FAILED, GIVEN_UP, exposure_signals
from abtest.domain.ledger.rows import NAMED_BY, Signal

_SUSPECTS = Suspects("suspects_of_all", EVENT_HASH, "sifted")
_NEEDED = "needed_rows"

_CREATE_SUSPECTS = f"""
CREATE OR REPLACE TEMP TABLE {_SUSPECTS.relation} AS
SELECT {EVENT_HASH} AS tail
FROM (
    SELECT {EVENT_HASH}, lag({EVENT_HASH}) OVER (ORDER BY {EVENT_HASH}) AS before
    FROM (SELECT {{hash}} AS {EVENT_HASH} FROM {{relation}} WHERE {{mine}})
)
WHERE {EVENT_HASH} = before GROUP BY tail"""  # noqa: S608 - names of our own
_CREATE_NEEDED = f"""
CREATE OR REPLACE TEMP TABLE {_NEEDED} AS
SELECT {{columns}}, {{hash}} AS {EVENT_HASH}
FROM {{relation}} LEFT JOIN {_SUSPECTS.relation} ON tail = {{hash}}
WHERE {{mine}} AND (tail IS NOT NULL OR (NOT qa_mode AND ts >= {{since}} AND {{kinds}}))"""  # noqa: S608 - names of our own


@contextmanager
def counting_many(
    database: duckdb.DuckDBPyConnection, relation: str, shop_id: str, plans: Sequence[CountingPlan]
) -> Generator[Callable[[CountingPlan], Counts], None, None]:
    """Yield the function that counts one of the plans. Their rows are in temporary tables until the context ends.

    `relation` has the columns of the ledger, and may have EVENT_HASH.
    """
    columns = database.execute(f"SELECT * FROM {relation} LIMIT 0").description or ()  # noqa: S608 - a name of our own
    has_hash = EVENT_HASH in {name for name, *_ in columns}
    since = literal(min(plan.since for plan in plans))
    is_judged = any(goal.is_judged for plan in plans for goal in plan.goals)
    texts = {
        "relation": relation,
        "hash": EVENT_HASH if has_hash else "hash(event_id)",
        "mine": f"shop_id = {literal(shop_id)} AND received_at >= {since}",
        "since": since,
        "columns": ", ".join(("event_id", "shop_id", *NARROW, *(WIDE if is_judged else ()))),
        "kinds": _kinds(plans),
    }
    for text in (_CREATE_SUSPECTS, _CREATE_NEEDED):
        database.execute(text.format(**texts))
    ledger = DuckDbShopLedger(database, _NEEDED, shop_id, suspects=_SUSPECTS)
    last = database.execute(f"SELECT max(received_at) FROM {relation} WHERE shop_id = {literal(shop_id)}")  # noqa: S608 - escaped
    newest: int | None = last.fetchall()[0][0]

    def count(plan: CountingPlan) -> Counts:
        # The table lacks rows that show up to when the ledger was read, and change nothing else.
        is_read = newest is not None and newest >= plan.begins_at
        return replace(ledger.count(plan), through=newest if is_read else None)

    yield count
    database.execute(f"DROP TABLE {_NEEDED}; DROP TABLE {_SUSPECTS.relation}")


def _kinds(plans: Iterable[CountingPlan]) -> str:
    """Return the condition of all rows that a plan may count."""
    signals: set[Signal] = set()
    for plan in plans:
        signals |= {*exposure_signals(plan), *(signal for goal in plan.goals for signal in goal.signals)}
        if plan.has_sessions:
            signals |= {(kind, plan.experiment_id) for kind in (EXPOSED, FAILED, GIVEN_UP)}
        if any(goal.counts_money for goal in plan.goals):
            signals.add(("refund", None))
    names: defaultdict[str, list[str]] = defaultdict(list)
    for kind, name in sorted(signals, key=str):
        names[kind] += [name] if name is not None else []
    return any_of(
        f"type = {literal(kind)}" + (f" AND {one_of(NAMED_BY[kind], named)}" if kind in NAMED_BY else "")
        for kind, named in names.items()
    )
