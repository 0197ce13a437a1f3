"""SQL of counting: one statement in the common SQL of DuckDB and Athena, made from a plan. Engines run it.

It reads two relations, whose names are parameters. `events` has the columns of a ledger row (`qa_mode` and `data` not
null), with copies and rows of other shops. `accepted (goal_id, event_id, worth)` has the hits of judged goals that
`domain.ledger.hits` accepts: `candidates` selects the hits to judge, and `accepted_rows` makes the rows of `accepted`.
`counts_of` in `counts_result` reads the result.

The result must equal `domain.ledger.reference.count`. The statement is one stream from rows to cells. Exposures and
hits with money are used more than once: DuckDB, which alone counts by it, computes them once.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from abtest.adapters.warehouse import cells_sql, exposures_sql, hits_sql
from abtest.adapters.warehouse import kinds_sql as kinds
from abtest.adapters.warehouse.money_sql import IS_KNOWN
from abtest.adapters.warehouse.sql_texts import AMOUNT, Table, constants, literal, one_of, with_tables
from abtest.adapters.warehouse.valid_rows_sql import (
    NARROW,
    WIDE,
    Suspects,
    ValidRows,
    precedence,
)
from abtest.domain.ledger.cells import DIMENSIONS
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.hits import judge, worth
from abtest.domain.ledger.plans import LOOK_BACK_MS, CountingPlan, GoalPlan
from abtest.domain.ledger.rows import OWN

CANDIDATE = (
    "plan_goal_id", "event_id", "type", "goal_id", "data", "url",
    "revenue_minor", "currency", "shop_revenue_minor", "shop_currency",
)  # fmt: skip
"""Columns of the candidates."""

_MINOR = ("revenue_minor", "shop_revenue_minor")


def counts_statement(
    plan: CountingPlan,
    *,
    events: str = "events",
    accepted: str = "accepted",
    suspects: Suspects | None = None,
    segments: bool = True,
    sessions: bool = True,
) -> str:
    """Return the statement that counts, with RESULT_COLUMNS.

    Without `segments`, cells are quarters only, and the time before exposures is not read. Without `sessions`, they are
    not counted; use `sessions_statement` for them.
    """
    valid = _valid_rows(plan, events, suspects, DIMENSIONS if segments else ())
    spread = any(goal.winsorize_pct is not None for goal in plan.goals)
    looks_back = segments and plan.looks_back
    taken = accepted if _judged_goals(plan) else None
    tables = [
        *_hits(plan, valid, looks_back=looks_back),
        ("attributed", _attributed(plan, taken, valid.dimensions, looks_back=looks_back)),
        ("excluded", _attributed(plan, taken, (), looks_back=False, hits=hits_sql.EXCLUDED)),
        *cells_sql.tables(valid.dimensions, spread=spread, looks_back=looks_back, excluded="excluded"),
    ]
    parts = [
        cells_sql.summed(valid.dimensions, spread=spread),
        *([_sessions(plan, valid)] if sessions and plan.has_sessions else []),
        cells_sql.newest(f"{events} WHERE {_mine(plan, plan.begins_at)}"),
    ]
    return with_tables(tables, "\nUNION ALL\n".join(parts))


def sessions_statement(plan: CountingPlan, *, events: str, suspects: Suspects) -> str | None:
    """Return the statement that counts sessions, with RESULT_COLUMNS, or None for a plan without sessions."""
    if not plan.has_sessions:
        return None
    valid = _valid_rows(plan, events, suspects, DIMENSIONS)
    return with_tables(valid.tables(), _sessions(plan, valid))


def sifted_statement(plan: CountingPlan, *, events: str, suspects: Suspects, segments: bool) -> str:
    """Return the query that makes `suspects.sifted` for `counts_statement` and `candidates`."""
    return _valid_rows(plan, events, suspects, DIMENSIONS if segments else ()).sifted_statement(suspects)


def candidates(
    plan: CountingPlan, *, events: str = "events", suspects: Suspects | None = None, looks_back: bool = True
) -> str | None:
    """Return the statement for the hits of judged goals, with the columns CANDIDATE, or None without such goals.

    It excludes copies, repeated orders, hits outside their visitor's attribution window and, without `looks_back`, hits
    before the exposure.
    """
    goals = _judged_goals(plan)
    if not goals:
        return None
    selected = f"""
    SELECT goal_id AS plan_goal_id, event_id AS selected_id, is_copy FROM attributed
    WHERE {one_of("goal_id", (goal.goal_id for goal in goals))}"""  # noqa: S608 - columns and escaped literals alone
    valid = _valid_rows(plan, events, suspects, ())
    looks_back = looks_back and plan.looks_back
    attributed = _attributed(plan, None, (), looks_back=looks_back)
    tables = [*_hits(plan, valid, looks_back=looks_back), ("attributed", attributed), ("selected", selected)]
    listed, mine = ", ".join(CANDIDATE), valid.mine
    return with_tables(
        tables,
        f"""
SELECT {listed} FROM {events} JOIN selected ON event_id = selected_id WHERE {mine} AND NOT is_copy
UNION ALL
SELECT {listed}
FROM (
    SELECT {listed}, row_number() OVER (PARTITION BY plan_goal_id, event_id ORDER BY {precedence((*NARROW, *WIDE))})
        AS place
    FROM {events} JOIN selected ON event_id = selected_id
    WHERE {mine} AND is_copy
) AS ordered
WHERE place = 1""",  # noqa: S608 - columns and escaped literals alone
    )


def accepted_rows(plan: CountingPlan, rows: Iterable[Sequence[Any]]) -> Iterator[tuple[str, str, int]]:
    """Yield rows of `accepted` for the accepted rows of `candidates`, whose numbers may be texts."""
    goals = {goal.goal_id: (goal, judge(goal)) for goal in _judged_goals(plan)}
    for goal_id, *values in rows:
        goal, accepting = goals[goal_id]
        fields = dict(zip(CANDIDATE[1:], values, strict=True))
        row = cast(Row, fields | {name: None if fields[name] is None else int(fields[name]) for name in _MINOR})
        if accepting(row):
            yield goal_id, row["event_id"], worth(goal, row, plan.currency)


def _judged_goals(plan: CountingPlan) -> list[GoalPlan]:
    return [goal for goal in plan.goals if goal.is_judged]


def received(plan: CountingPlan) -> str:
    """Return the condition of all rows that a plan may count."""
    return _mine(plan, plan.since)


def _mine(plan: CountingPlan, since: int) -> str:
    return ValidRows(events="", shop_id=plan.shop_id, since=since, kinds=()).mine


def _valid_rows(plan: CountingPlan, events: str, suspects: Suspects | None, dimensions: tuple[str, ...]) -> ValidRows:
    rare = (*kinds.orders(plan), kinds.refund(plan), *kinds.deliveries(plan))
    return ValidRows(
        events=events,
        shop_id=plan.shop_id,
        since=plan.since,
        kinds=(kinds.exposure(plan), kinds.plain_hits(plan), *rare),
        dimensions=dimensions,
        suspects=suspects,
        rare=rare,
    )


def _hits(plan: CountingPlan, valid: ValidRows, *, looks_back: bool) -> list[Table]:
    """Return tables of exposures and of the hits of `hits_sql`."""
    return [
        *valid.tables(),
        ("goals", _goals(plan)),
        ("exposures", exposures_sql.exposures(plan, valid)),
        *hits_sql.tables(plan, valid, looks_back=looks_back),
    ]


def _goals(plan: CountingPlan) -> str:
    columns = (
        *("goal_id", "window_ms", "counts_money", "takes_first_only", "is_judged", "takes_worth", "has_spread"),
        *("looks_back", "takes_minor"),
    )
    rows = [
        (goal.goal_id, goal.window_ms, goal.counts_money, goal.takes_first_only, goal.is_judged, goal.takes_worth,
         goal.winsorize_pct is not None, goal.looks_back, goal.takes_minor)
        for goal in plan.goals
    ]  # fmt: skip
    return constants(columns, rows or [("", 0, *[False] * 7)])


def _sessions(plan: CountingPlan, valid: ValidRows) -> str:
    columns = ("type", "event_name", "visitor_id", "variation_id", "session_id")
    return cells_sql.delivered(valid.rows(columns, kinds.exposure(plan), *kinds.deliveries(plan)))


IN_WINDOW = "happened_at < exposed_at + window_ms"


def _attributed(
    plan: CountingPlan, accepted: str | None, dimensions: Sequence[str], *, looks_back: bool, hits: str = "hits"
) -> str:
    """Return hits within their visitor's window; with `accepted`, hits of judged goals must be in it.

    With `looks_back` also rows from before the exposure, which are not hits; `before` is their worth.
    """
    keys = "".join(f"{name}, " for name in dimensions)
    sieve, passed = "", ""
    if accepted is not None:
        sieve = f"""
LEFT JOIN {accepted} AS taken ON is_judged AND taken.goal_id = hits.goal_id AND taken.event_id = hits.event_id"""
        passed = " AND (NOT is_judged OR taken.event_id IS NOT NULL)"
    is_after = exposures_sql.is_after(literal(plan.begins_at))
    columns, within = f"money_kind, money_currency, {IS_KNOWN} AS is_known", f"{is_after} AND {IN_WINDOW}"
    if looks_back:
        columns = f"""CASE WHEN {is_after} THEN money_kind ELSE '{OWN}' END AS money_kind,
    CASE WHEN {is_after} THEN money_currency ELSE '' END AS money_currency, {is_after} AND {IS_KNOWN} AS is_known,
    CASE WHEN NOT {is_after} AND {IS_KNOWN} THEN {_value("minor_before", accepted)} END AS before"""
        # Before the exposure by the sender's clock, it may have arrived after the window's end.
        earlier = f"looks_back AND NOT {is_after} AND happened_at >= exposed_at - {literal(LOOK_BACK_MS)}"
        within = f"(({within}) OR ({earlier}))"
    return f"""
SELECT hits.goal_id, hits.event_id, hits.visitor_id, hits.is_copy, variation_id, exposed_quarter, exposed_day,
    {keys}{columns}, {_value("minor", accepted)} AS minor
FROM {hits} AS hits
JOIN exposures ON exposures.visitor_id = hits.visitor_id
JOIN goals ON goals.goal_id = hits.goal_id{sieve}
WHERE NOT is_aside AND {within}{passed}"""  # noqa: S608 - columns and escaped literals alone


def _value(minor: str, accepted: str | None) -> str:
    if accepted is None:
        return minor
    # Both only for numerator and denominator of a ratio together: an order's money, and the order or its items.
    worth = f"CAST(worth AS {AMOUNT})"
    return f"CASE WHEN NOT takes_worth THEN {minor} WHEN takes_minor THEN {minor} + {worth} ELSE {worth} END"
