"""SQL of exposures: one row for each visitor, and which other rows are after it.

The result must equal `first_exposures` and `Exposure.precedes` of `domain.ledger.reference`.
"""

from collections.abc import Callable, Sequence

from abtest.adapters.warehouse import kinds_sql as kinds
from abtest.adapters.warehouse.sql_texts import whole
from abtest.adapters.warehouse.valid_rows_sql import CLOCK, CLOCKS, HAPPENED_AT, SENDER_TS, ValidRows
from abtest.domain.ledger.cells import QUARTER_MS, UNKNOWN
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.plans import CountingPlan

MOMENTS = (f"{HAPPENED_AT} AS happened_at", f"{SENDER_TS} AS sender_ts", f"{CLOCK} AS clock")
"""Columns of a row: when it happened by our clock, and by its sender's."""

IN_SENDERS_ORDER = "clock % 2, sender_ts, event_id"
"""ORDER BY terms of `domain.ledger.rows.in_senders_order`."""

_SINCE = tuple(f"since_{clock}" for clock in range(CLOCKS))
_NEVER = 2**63 - 1
_BOUNDS = {"exposed_at": "min(happened_at)", "lowest": "min(variation)", "highest": "max(variation)"} | {
    f"{name}_{clock}": f"min(CASE WHEN clock % {CLOCKS} = {clock} THEN {moment} END)"
    for clock in range(CLOCKS)
    for moment, name in (("sender_ts", "since"), ("happened_at", "at"))
}
"""Bounds of a visitor's exposures; by kind of clock the earliest by the sender's and by ours."""


def exposures(plan: CountingPlan, valid: ValidRows) -> str:
    """Return the exposures by visitor; `since_<clock>` is the earliest by each kind of clock.

    By our clock the first was at `exposed_at`, of the kind `exposed_clock`; the first of the others at `elsewhere_at`.
    """
    variation = "cohort" if plan.exposure == "cohort" else "variation_id"
    columns = ("event_id", "visitor_id", *MOMENTS, f"{variation} AS variation", *valid.dimensions)
    return first_exposures(valid.rows(columns, kinds.exposure(plan)), valid.dimensions)


def first_exposures(
    rows: str, dimensions: Sequence[str], *, by: str = "visitor_id", order: str = IN_SENDERS_ORDER
) -> str:
    """Return the exposures by visitor, or by other columns with the visitor's among them.

    `rows` is the query for exposures with these columns, those of MOMENTS and of the `order`, `variation` and the
    dimensions.
    """
    known = "".join(f", coalesce(nullif({name}, ''), '{UNKNOWN}') AS {name}" for name in dimensions)
    return f"""
SELECT {by}, lowest AS variation_id, exposed_at, {whole("exposed_at", QUARTER_MS)} AS exposed_quarter,
    {whole("exposed_at", DAY_MS)} AS exposed_day, {", ".join(_SINCE)}, {_by_first_clock(str)} AS exposed_clock,
    {_by_first_clock(_of_other_clocks)} AS elsewhere_at, lowest <> highest AS is_aside{known}
FROM ({_met(rows, dimensions, by, order)}
) AS met"""  # noqa: S608 - columns and escaped literals alone


def _met(rows: str, dimensions: Sequence[str], by: str, order: str) -> str:
    """Return the bounds of each visitor's exposures, and the dimensions of the first one."""
    if dimensions:
        rows = f"""
        SELECT *, row_number() OVER (PARTITION BY {by} ORDER BY {order}) AS first_place
        FROM ({rows}
        ) AS found"""  # noqa: S608 - columns and escaped literals alone
    # Aggregates of groups, because windows would hold each bound for each row: that takes a quarter more time.
    first = {name: f"min(CASE WHEN first_place = 1 THEN {name} END)" for name in dimensions}
    return f"""
    SELECT {by}, {", ".join(f"{value} AS {name}" for name, value in (_BOUNDS | first).items())}
    FROM ({rows}
    ) AS seen
    GROUP BY {by}"""  # noqa: S608 - columns and escaped literals alone


def _by_first_clock(value: Callable[[int], str]) -> str:
    """Return an expression that depends on the kind of clock of the first exposure by our clock."""
    cases = " ".join(f"WHEN at_{clock} = exposed_at THEN {value(clock)}" for clock in range(CLOCKS))
    return f"CASE {cases} END"


def _of_other_clocks(clock: int) -> str:
    # `least` is null in Athena if any value is, but ignores nulls in DuckDB.
    return f"least({', '.join(f'coalesce(at_{each}, {_NEVER})' for each in range(CLOCKS) if each != clock)})"


def is_after(begins_at: str) -> str:
    """Return the condition that a row with the columns of MOMENTS is at its visitor's exposure or later.

    `begins_at` is the expression for the begin of the measurement.
    """
    since = " ".join(f"WHEN {clock} THEN {name}" for clock, name in enumerate(_SINCE))
    return f"""(happened_at >= {begins_at}
    AND (coalesce(sender_ts >= CASE clock % {CLOCKS} {since} END, FALSE)
        OR happened_at >= CASE WHEN clock = exposed_clock THEN elsewhere_at ELSE exposed_at END))"""
