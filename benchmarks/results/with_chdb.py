"""ClickHouse in the process: totals by goal and variation."""

import json
import sys

from chdb.session import Session

from benchmarks.results.cost import measured

COLUMNS = """event_id, received_at, ts, type, visitor_id, experiment_id, variation_id, assignment_epoch, goal_id,
    event_name, order_id, revenue_minor, currency, shop_revenue_minor, shop_currency, cohort, holdout_config_epoch,
    qa_mode"""
# Of copies that differ in anything the same one counts as in ours.
ORDER = """received_at, ts, type, visitor_id, ifNull(experiment_id, ''), ifNull(variation_id, ''),
    ifNull(assignment_epoch, 0), ifNull(goal_id, ''), ifNull(event_name, ''), ifNull(order_id, ''),
    ifNull(revenue_minor, -1), ifNull(currency, ''), ifNull(shop_revenue_minor, -1), ifNull(shop_currency, ''),
    ifNull(cohort, ''), ifNull(holdout_config_epoch, 0), qa_mode"""
MINE = "shop_id = 'shop' AND received_at >= 1766275200000"
MATTERS = """NOT qa_mode AND ts >= 1766275200000 AND (
    type = 'experiment_viewed' AND experiment_id = 'experiment'
        AND variation_id IN ('variation-0', 'variation-1') AND (assignment_epoch IS NULL OR assignment_epoch = 1)
    OR type = 'order' OR type = 'goal' AND goal_id = 'click' OR type = 'custom' AND event_name = 'add_to_cart')"""
TABLES = """
CREATE TABLE standing ENGINE = Memory AS
WITH repeated AS (SELECT event_id FROM {ledger} WHERE {mine} GROUP BY event_id HAVING count() > 1)
SELECT event_id, type, visitor_id, least(ts, received_at) AS at, variation_id, order_id, revenue_minor
FROM (
    SELECT {columns} FROM {ledger} WHERE {mine} AND {matters} AND event_id NOT IN repeated
    UNION ALL
    SELECT {columns} FROM {ledger} WHERE {mine} AND event_id IN repeated ORDER BY {order} LIMIT 1 BY event_id
) WHERE {matters};
CREATE TABLE exposures ENGINE = Memory AS
SELECT visitor_id, min(at) AS exposed_at, any(variation_id) AS variation, uniqExact(variation_id) > 1 AS is_aside
FROM standing WHERE type = 'experiment_viewed' GROUP BY visitor_id;
"""
ANSWER = """
SELECT 'visitors' AS part, variation, toInt128(count()) AS converters, toInt128(0) AS hits, toInt128(0) AS total,
    toInt128(0) AS squares
FROM exposures WHERE NOT is_aside GROUP BY variation
UNION ALL
SELECT 'aside', '', toInt128(count()), toInt128(0), toInt128(0), toInt128(0) FROM exposures WHERE is_aside
UNION ALL
SELECT goal, variation, toInt128(count()), toInt128(sum(hits)), toInt128(sum(total)), sum(toInt128(total) * total)
FROM (
    SELECT goal, variation, visitor_id, count() AS hits, sum(worth) AS total
    FROM (
        SELECT multiIf(type = 'order', 'revenue', type = 'goal', 'click', 'cart') AS goal, visitor_id, at,
            if(type = 'order', assumeNotNull(revenue_minor), 1) AS worth
        FROM standing WHERE type != 'experiment_viewed'
        ORDER BY at, event_id LIMIT 1 BY goal, if(goal = 'revenue', order_id, event_id)
    ) AS hits INNER JOIN exposures USING (visitor_id)
    WHERE NOT is_aside AND at >= exposed_at AND at < exposed_at + 7 * 86400000
    GROUP BY goal, variation, visitor_id
) GROUP BY goal, variation
FORMAT JSONCompactStrings
"""


def counted(session: Session, folder: str) -> list[list[object]]:
    """Rows of the answer."""
    names = {
        "ledger": f"file('{folder}/*.parquet', Parquet)",
        "columns": COLUMNS,
        "matters": MATTERS,
        "mine": MINE,
        "order": ORDER,
    }
    session.query("CREATE DATABASE benchmark ENGINE = Atomic")
    session.query("USE benchmark")
    for statement in TABLES.format(**names).split(";")[:-1]:
        session.query(statement)
    rows = json.loads(str(session.query(ANSWER)))["data"]
    return [
        [*row[:2], *(int(number) for number in row[2 : 3 if row[0] in ("visitors", "aside") else 6])] for row in rows
    ]


def main(folder: str) -> None:
    """Print what was rows, and what it took."""
    session = Session()
    print(measured(lambda: counted(session, folder)))


if __name__ == "__main__":
    main(sys.argv[1])
