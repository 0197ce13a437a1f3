"""The SQL of counting, in the order in which it runs. `domain.ledger.counting` says what it must answer and why."""

LIMB = 10**9
"""Totals are squared as high * LIMB + low, so that sums of squares of any amounts fit 128 bits."""

CREATE_ROWS = """
CREATE TABLE rows (
    event_id VARCHAR, shop_id VARCHAR, type VARCHAR, visitor_id VARCHAR, ts BIGINT, received_at BIGINT,
    experiment_id VARCHAR, variation_id VARCHAR, assignment_epoch INTEGER, goal_id VARCHAR, event_name VARCHAR,
    order_id VARCHAR, revenue_minor BIGINT, currency VARCHAR, qa_mode BOOLEAN, data VARCHAR
)"""

# Data is looked at by filters only, and only of events that goals count.
APPEND_ROWS = """
INSERT INTO rows BY NAME
SELECT * REPLACE (CASE WHEN type IN ('goal', 'custom', 'order') THEN data ELSE '{}' END AS data)
FROM read_json($files, format = 'newline_delimited', compression = 'gzip', maximum_object_size = 4194304, columns = {
    event_id: 'VARCHAR', shop_id: 'VARCHAR', type: 'VARCHAR', visitor_id: 'VARCHAR', ts: 'BIGINT',
    received_at: 'BIGINT', experiment_id: 'VARCHAR', variation_id: 'VARCHAR', assignment_epoch: 'INTEGER',
    goal_id: 'VARCHAR', event_name: 'VARCHAR', order_id: 'VARCHAR', revenue_minor: 'BIGINT', currency: 'VARCHAR',
    qa_mode: 'BOOLEAN', data: 'VARCHAR'
})
WHERE list_contains($shops, shop_id) AND received_at >= $begins_at"""

# Hardly any event comes twice: only those that do are worth sorting. The smallest copy in this order stands.
COUNTED = """
CREATE OR REPLACE TABLE counted AS
WITH mine AS (SELECT * FROM rows WHERE shop_id = $shop AND received_at >= $begins_at),
repeated AS (SELECT event_id FROM mine GROUP BY event_id HAVING count(*) > 1),
once AS (
    SELECT * FROM mine ANTI JOIN repeated USING (event_id)
    UNION ALL
    SELECT * FROM mine SEMI JOIN repeated USING (event_id)
    QUALIFY row_number() OVER (
        PARTITION BY event_id
        ORDER BY received_at, ts, type, visitor_id, coalesce(experiment_id, ''), coalesce(variation_id, ''),
            coalesce(assignment_epoch, 0), coalesce(goal_id, ''), coalesce(event_name, ''), coalesce(order_id, ''),
            coalesce(revenue_minor, -1), coalesce(currency, ''), qa_mode, data
    ) = 1
)
SELECT event_id, type, visitor_id, least(ts, received_at) AS happened_at, experiment_id, variation_id,
    assignment_epoch, goal_id, event_name, order_id, revenue_minor, currency, data
FROM once
WHERE NOT qa_mode AND least(ts, received_at) >= $begins_at
    AND type IN ('experiment_viewed', 'goal', 'custom', 'order', 'refund')"""

THROUGH = "SELECT max(received_at) FROM rows WHERE shop_id = $shop AND received_at >= $begins_at"

EXPOSURES = """
CREATE OR REPLACE TABLE exposures AS
SELECT visitor_id, min(variation_id) AS variation_id, min(happened_at) AS exposed_at,
    min(variation_id) <> max(variation_id) AS is_set_aside
FROM counted
WHERE type = 'experiment_viewed' AND experiment_id = $experiment AND list_contains($variations, variation_id)
    AND coalesce(assignment_epoch, $epoch) = $epoch
GROUP BY visitor_id"""

VISITORS = "SELECT variation_id, count(*) FROM exposures WHERE NOT is_set_aside GROUP BY variation_id"

MULTIPLE = "SELECT count(*) FROM exposures WHERE is_set_aside"

REFUNDS = """
CREATE OR REPLACE TABLE refunds AS
SELECT order_id, sum(revenue_minor)::HUGEINT AS refunded
FROM counted
WHERE type = 'refund' AND order_id IS NOT NULL AND currency = $currency
GROUP BY order_id"""

_HITS = """
CREATE OR REPLACE TABLE hits AS
SELECT event_id, visitor_id, happened_at, order_id, revenue_minor, currency, data
FROM counted
WHERE """

HITS = _HITS + "type = 'goal' AND goal_id = $goal"

CUSTOM_HITS = _HITS + "(type = 'goal' AND goal_id = $goal) OR (type = 'custom' AND event_name = $event_name)"

ORDERS = (
    _HITS
    + """type = 'order' OR (type = 'goal' AND goal_id IN ($goal, '__revenue__'))
QUALIFY row_number() OVER (
    PARTITION BY coalesce('order ' || order_id, 'event ' || event_id) ORDER BY happened_at, event_id
) = 1"""
)

ACCEPTED = "CREATE OR REPLACE TABLE accepted (event_id VARCHAR)"

FILTERABLE = "SELECT event_id, data, revenue_minor, currency FROM hits"

ACCEPT = "INSERT INTO accepted SELECT unnest($events::VARCHAR[])"

DROP_REFUSED = "DELETE FROM hits WHERE event_id NOT IN (SELECT event_id FROM accepted)"

GOAL = f"""
WITH attributed AS (
    SELECT exposures.variation_id, visitor_id,
        $money AND (revenue_minor IS NULL OR currency IS DISTINCT FROM $currency) AS is_excluded,
        CASE WHEN $money THEN greatest(0, revenue_minor::HUGEINT - coalesce(refunded, 0)) ELSE 1 END AS worth
    FROM hits
    JOIN exposures USING (visitor_id)
    LEFT JOIN refunds USING (order_id)
    WHERE NOT is_set_aside AND happened_at >= exposed_at AND happened_at < exposed_at + $window
),
excluded AS (SELECT variation_id, count(*) AS excluded FROM attributed WHERE is_excluded GROUP BY variation_id),
totals AS (
    SELECT variation_id, visitor_id, CASE WHEN $once THEN 1 ELSE count(*) END AS hits,
        CASE WHEN $once THEN 1 ELSE sum(worth)::HUGEINT END AS total
    FROM attributed
    WHERE NOT is_excluded
    GROUP BY variation_id, visitor_id
),
limbs AS (SELECT *, total // {LIMB} AS high, total % {LIMB} AS low FROM totals),
sums AS (
    SELECT variation_id, count(*) AS converters, sum(hits)::HUGEINT AS hits, sum(total)::HUGEINT AS total,
        sum(high * high)::HUGEINT AS high, sum(high * low)::HUGEINT AS middle, sum(low * low)::HUGEINT AS low
    FROM limbs
    GROUP BY variation_id
)
SELECT variation_id, coalesce(converters, 0), coalesce(hits, 0), coalesce(total, 0), coalesce(high, 0),
    coalesce(middle, 0), coalesce(low, 0), coalesce(excluded, 0)
FROM sums FULL JOIN excluded USING (variation_id)"""  # noqa: S608 - the only thing put in is a constant number
