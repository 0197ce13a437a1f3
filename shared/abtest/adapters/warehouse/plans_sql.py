"""SQL of counting for many plans of a shop in one statement, over kept rows (`kept_rows_sql`) in DuckDB and Athena.

Plans are small relations that are joined with the rows (`plan_relations_sql`), so each kind of rows is read once for
all plans. Goals and variations have numbers that no two plans share: the sums of `cells_sql` keep plans apart by them.
The result must equal `domain.ledger.reference.count` for each plan.
"""

from abtest.adapters.warehouse import cells_sql, exposures_sql
from abtest.adapters.warehouse.counts_sql import IN_WINDOW
from abtest.adapters.warehouse.judgements import JUDGED_COLUMNS
from abtest.adapters.warehouse.kept_rows_sql import counts_since
from abtest.adapters.warehouse.money_sql import IS_KNOWN, Money
from abtest.adapters.warehouse.plan_relations_sql import Numbered
from abtest.adapters.warehouse.sql_texts import AMOUNT, Table, constants, literal, one_of, with_tables
from abtest.domain.ledger.cells import DIMENSIONS
from abtest.domain.ledger.plans import LOOK_BACK_MS
from abtest.domain.ledger.reference import EXPOSED, FAILED, GIVEN_UP
from abtest.domain.ledger.rows import OWN

_KNOWN = "happened_at, sender_ts, clock"
_MOMENTS = "happened_at, happened_at + sender_lead AS sender_ts, clock"
_COUNTS = counts_since("since")
_MONEY = Money("", named_in="plan_currency")
_IS_JUDGED = "judgement >= 0"

# Exposures and other events about the delivery of a variation, with the plans whose variations they name.
_OF_VARIATION = f"""kept
    JOIN variations ON subject = seen_subject AND variation = seen_variation
    JOIN plans ON plan = of_plan
    WHERE happened_at >= begins_at AND {_COUNTS} AND coalesce(epoch = seen_epoch, NOT is_cohort)"""


def plans_statement(numbered: Numbered, *, kept: str, accepted: str) -> str:
    """Return the statement that counts all plans, with `cells_sql.RESULT_COLUMNS`.

    In the result goals and variations are their numbers, and excluded visitors have the number of a variation as well.
    `kept` is the relation of kept rows, `accepted (judgement, event_id, received_at, worth)` that of verdicts.
    """
    spread = any(goal.winsorize_pct is not None for _, goal in numbered.goals)
    looks_back = any(plan.looks_back for plan in numbered.plans)
    tables: list[Table] = [
        ("kept", f"SELECT * FROM {kept}"),  # noqa: S608 - a relation of our own
        *numbered.tables(),
        ("exposures", _exposures()),
        ("refunds", _REFUNDS),
        ("hits", f"{_plain_hits(looks_back=looks_back)}\nUNION ALL\n{_orders(looks_back=looks_back)}"),
        ("attributed", _attributed(accepted if numbered.judgements else None, looks_back=looks_back)),
        *cells_sql.tables(DIMENSIONS, spread=spread, looks_back=looks_back, aside="variation_id"),
    ]
    parts = [cells_sql.summed(DIMENSIONS, spread=spread), _SESSIONS, cells_sql.newest("kept")]
    return with_tables(tables, "\nUNION ALL\n".join(parts))


def judged_statement(numbered: Numbered, *, kept: str) -> str | None:
    """Return the statement for the hits to judge, with JUDGED_COLUMNS, or None without such goals.

    These are the hits of visitors who may be exposed to any of the plans, at any time: more than are counted.
    """
    if not numbered.judgements:
        return None
    signals = constants(("judged_type", "judged_name"), sorted({signal for signal, _ in numbered.judged()}))
    subjects = {(plan.shop_id if plan.exposure == "cohort" else plan.experiment_id) for plan in numbered.plans}
    types = {"pageview" if plan.exposure == "cohort" else EXPOSED for plan in numbered.plans}
    exposed = f"SELECT visitor_id FROM kept WHERE {one_of('type', types)} AND {one_of('subject', subjects)}"  # noqa: S608
    return with_tables(
        [("kept", f"SELECT * FROM {kept}"), ("judged", signals)],  # noqa: S608 - a relation of our own
        f"""
SELECT {", ".join(JUDGED_COLUMNS)}
FROM kept JOIN judged ON judged_type = type AND judged_name = {_NAME}
WHERE visitor_id IN ({exposed})""",  # noqa: S608 - columns and escaped literals alone
    )


_NAME = "CASE type WHEN 'order' THEN '' ELSE name END"

_SIGNALLED = f"""kept
    JOIN signals ON signal_type = type AND signal_name = {_NAME}
    JOIN plans ON plan = hit_plan
    WHERE {_COUNTS}"""

_REFUNDS = f"""
SELECT plan AS refund_plan, order_id AS refunded_id,
    sum(CASE WHEN happened_at >= begins_at THEN minor END) AS refunded,
    sum(CASE WHEN happened_at < begins_at THEN minor END) AS refunded_before
FROM (
    SELECT plan, order_id, happened_at, begins_at, CASE WHEN {_MONEY.is_known} THEN {_MONEY.minor} END AS minor
    FROM kept CROSS JOIN plans
    WHERE type = 'refund' AND order_id <> '' AND has_money AND {_COUNTS}
) AS named
GROUP BY plan, order_id"""  # noqa: S608 - constants alone

_SESSIONS = cells_sql.delivered(f"""
    SELECT type, name AS event_name, visitor_id, variation_key AS variation_id, session_id
    FROM {_OF_VARIATION} AND NOT is_cohort AND {one_of("type", (EXPOSED, FAILED, GIVEN_UP))}""")  # noqa: S608 - constants alone


def _exposures() -> str:
    """Return the exposures by plan and visitor."""
    rows = f"""
        SELECT plan, place, visitor_id, {_MOMENTS}, variation_key AS variation, {", ".join(DIMENSIONS)}
        FROM {_OF_VARIATION} AND type = seen_type"""  # noqa: S608 - constants alone
    return exposures_sql.first_exposures(rows, DIMENSIONS, by="plan, visitor_id", order="place")


def _plain_hits(*, looks_back: bool) -> str:
    """Return hits without money."""
    before = f", CAST(1 AS {AMOUNT}) AS minor_before" if looks_back else ""
    return f"""
SELECT hit_goal, event_id, received_at, visitor_id, {_MOMENTS}, '{OWN}' AS money_kind,
    CAST(1 AS {AMOUNT}) AS minor{before}, '' AS money_currency
FROM {_SIGNALLED} AND NOT is_paid"""  # noqa: S608 - constants alone


def _orders(*, looks_back: bool) -> str:
    """Return hits with money; of repeated orders the first, less its refunds."""
    before = f", {_net('refunded_before')} AS minor_before" if looks_back else ""
    return f"""
SELECT hit_goal, event_id, received_at, visitor_id, {_KNOWN}, money_kind,
    {_net("refunded")} AS minor{before}, money_currency
FROM (
    SELECT hit_goal, plan, event_id, received_at, visitor_id, order_id, {_MOMENTS}, {_MONEY.kind} AS money_kind,
        {_MONEY.minor} AS minor, {_MONEY.named} AS money_currency,
        row_number() OVER (
            PARTITION BY hit_goal, coalesce(nullif(order_id, ''), event_id),
                CASE WHEN order_id <> '' THEN 'order' ELSE 'event' END
            ORDER BY clock % 2, happened_at + sender_lead, event_id
        ) AS place
    FROM {_SIGNALLED} AND is_paid
) AS ordered
LEFT JOIN refunds ON refunded_id = order_id AND refund_plan = plan
WHERE place = 1"""  # noqa: S608 - constants alone


def _net(refunded: str) -> str:
    """Return the expression for the rest of an order after its refunds."""
    return (
        f"CASE WHEN NOT {IS_KNOWN} OR {refunded} IS NULL THEN minor"
        f" WHEN {refunded} >= minor THEN CAST(0 AS {AMOUNT}) ELSE CAST(minor - {refunded} AS {AMOUNT}) END"
    )


def _attributed(accepted: str | None, *, looks_back: bool) -> str:
    """Return hits within their visitor's window; those of judged goals must be in `accepted`.

    With `looks_back` also rows from before the exposure, which are not hits; `before` is their worth.
    """
    sieve, passed = "", ""
    if accepted is not None:
        sieve = f"""
LEFT JOIN {accepted} AS taken ON taken.judgement = goals.judgement AND taken.event_id = hits.event_id
    AND taken.received_at = hits.received_at"""
        passed = f" AND (NOT {_IS_JUDGED.replace('judgement', 'goals.judgement')} OR taken.event_id IS NOT NULL)"
    # Orders of ratios without money count in every currency.
    kind = f"CASE WHEN is_unpriced THEN '{OWN}' ELSE money_kind END"
    currency = "CASE WHEN is_unpriced THEN '' ELSE money_currency END"
    is_known = f"(is_unpriced OR {IS_KNOWN})"
    is_after = exposures_sql.is_after("begins_at")
    columns, within = (
        f"{kind} AS money_kind, {currency} AS money_currency, {is_known} AS is_known",
        f"{is_after} AND {IN_WINDOW}",
    )
    if looks_back:
        columns = f"""CASE WHEN {is_after} THEN {kind} ELSE '{OWN}' END AS money_kind,
    CASE WHEN {is_after} THEN {currency} ELSE '' END AS money_currency, {is_after} AND {is_known} AS is_known,
    CASE WHEN NOT {is_after} AND {is_known} THEN {_value("minor_before", accepted)} END AS before"""
        earlier = f"looks_back AND NOT {is_after} AND happened_at >= exposed_at - {literal(LOOK_BACK_MS)}"
        within = f"(({within}) OR ({earlier}))"
    return f"""
SELECT goals.goal_id, hits.visitor_id, variation_id, exposed_quarter, exposed_day, {", ".join(DIMENSIONS)},
    {columns}, {_value("minor", accepted)} AS minor
FROM hits
JOIN goals ON goals.goal_id = hit_goal
JOIN plans ON plans.plan = goal_plan
JOIN exposures ON exposures.plan = goal_plan AND exposures.visitor_id = hits.visitor_id{sieve}
WHERE NOT is_aside AND {within}{passed}"""  # noqa: S608 - constants alone


def _value(minor: str, accepted: str | None) -> str:
    if accepted is None:
        return minor
    # Both only for numerator and denominator of a ratio together: an order's money, and the order or its items.
    worth = f"CAST(worth AS {AMOUNT})"
    return f"CASE WHEN NOT takes_worth THEN {minor} WHEN takes_minor THEN {minor} + {worth} ELSE {worth} END"
