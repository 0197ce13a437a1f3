"""ClickHouse in the process: totals by goal and variation."""

import json
import sys

from chdb.session import Session
from cost import told

COLUMNS = """event_id, type, visitor_id, ts, received_at, experiment_id, variation_id, event_name, goal_id, order_id,
    revenue_minor"""
MATTERS = """(type = 'experiment_viewed' AND experiment_id = 'experiment'
        AND variation_id IN ('variation-0', 'variation-1')
    OR type = 'order' OR type = 'goal' AND goal_id = 'click' OR type = 'custom' AND event_name = 'add_to_cart')"""
TABLES = """
CREATE TABLE standing ENGINE = Memory AS
WITH repeated AS (SELECT event_id FROM {ledger} GROUP BY event_id HAVING count() > 1)
SELECT event_id, type, visitor_id, least(ts, received_at) AS at, variation_id, order_id, revenue_minor
FROM (
    SELECT {columns} FROM {ledger} WHERE {matters} AND event_id NOT IN repeated
    UNION ALL
    SELECT {columns} FROM {ledger} WHERE event_id IN repeated ORDER BY received_at, ts LIMIT 1 BY event_id
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
    names = {"ledger": f"file('{folder}/*.parquet', Parquet)", "columns": COLUMNS, "matters": MATTERS}
    session.query("CREATE DATABASE benchmark ENGINE = Atomic")
    session.query("USE benchmark")
    for statement in TABLES.format(**names).split(";")[:-1]:
        session.query(statement)
    found = json.loads(str(session.query(ANSWER)))["data"]
    return [
        [*row[:2], *(int(number) for number in row[2 : 3 if row[0] in ("visitors", "aside") else 6])] for row in found
    ]


def main(folder: str) -> None:
    """Print what was found, and what it took."""
    session = Session()
    print(told(lambda: counted(session, folder)))


if __name__ == "__main__":
    main(sys.argv[1])
