"""Makes a ledger of one experiment as compacted Parquet: `python ledger.py FOLDER EVENTS`.

Twelve events a visitor over 14 days: 62 % page views, 16 % exposures, 11 % clicks, 7 % custom events (half of them a
goal's), 4 % orders; 0.5 % of the events come twice, one exposure in a thousand shows another variation. Zstandard
files, one a bucket, sorted by visitor.
"""

import sys
from pathlib import Path

import duckdb

BUCKETS = 16
BEGINS = 1_766_275_200_000

VISITORS = f"""
CREATE TABLE visitors AS
SELECT i AS visitor, md5(i::VARCHAR)::UUID::VARCHAR AS visitor_id, pick(i, 1, {BUCKETS}) AS bucket,
    ['desktop', 'mobile', 'tablet'][1 + pick(i, 2, 3)] AS device,
    ['DE', 'AT', 'CH', 'FR', 'NL', 'US', 'GB', 'IT'][1 + pick(i, 3, 8)] AS country,
    ['new', 'returning'][1 + pick(i, 4, 2)] AS visitor_kind,
    ['direct', 'search', 'social', 'email', 'paid', 'referral'][1 + pick(i, 5, 6)] AS source,
    pick(i, 6, 2) AS variation, {BEGINS} + pick(i, 7, 14 * 86400000) AS start
FROM range($visitors) AS numbers (i)"""

EVENTS = """
COPY (
    WITH numbered AS (
        SELECT i, CASE WHEN i < {visitors} THEN i ELSE pick(i, 11, {visitors}) END AS visitor,
            pick(i, 12, 1000) AS kind, pick(i, 13, 1000000000) AS chance
        FROM range({events}) AS numbers (i)
    ),
    typed AS (
        SELECT *, CASE WHEN i < {visitors} OR kind < 80 THEN 'experiment_viewed' WHEN kind < 760 THEN 'pageview'
            WHEN kind < 880 THEN 'goal' WHEN kind < 960 THEN 'custom' ELSE 'order' END AS type,
            unnest(CASE WHEN pick(i, 14, 1000) < 5 THEN [0, 5000] ELSE [0] END) AS late
        FROM numbered JOIN visitors USING (visitor) WHERE bucket = {bucket}
    )
    SELECT md5('event ' || i)::UUID::VARCHAR AS event_id, 'shop' AS shop_id, type, visitor_id,
        md5('session ' || visitor)::UUID::VARCHAR AS session_id,
        start + CASE WHEN i < {visitors} THEN 0 ELSE chance % 1800000 END AS ts,
        ts + chance % 3000 + late AS received_at,
        ts + 100 AS sent_at,
        CASE type WHEN 'experiment_viewed' THEN 'experiment' END AS experiment_id,
        CASE type WHEN 'experiment_viewed' THEN
            CASE WHEN chance % 1000 = 0 THEN 'variation-0' ELSE 'variation-' || variation END END AS variation_id,
        CASE type WHEN 'experiment_viewed' THEN 1 END::BIGINT AS assignment_epoch,
        CASE type WHEN 'goal' THEN 'click' END AS goal_id,
        CASE type WHEN 'custom' THEN CASE chance % 2 WHEN 0 THEN 'add_to_cart' ELSE 'other' END END AS event_name,
        CASE type WHEN 'order' THEN 'order-' || i END AS order_id,
        CASE type WHEN 'order' THEN chance % 20000 END AS revenue_minor,
        CASE type WHEN 'order' THEN 'EUR' END AS currency,
        NULL::BIGINT AS shop_revenue_minor, NULL::VARCHAR AS shop_currency, NULL::VARCHAR AS cohort,
        NULL::BIGINT AS holdout_config_epoch, device, country, visitor_kind, source,
        CASE type WHEN 'order' THEN 'server' ELSE 'browser' END AS sender,
        'https://shop.example/products/' || (chance % 5000) AS url, false AS qa_mode,
        '{{"position":' || (chance % 100000) || ',"title":"Slow morning mug"}}' AS data, bucket
    FROM typed ORDER BY visitor_id
) TO '{path}' (FORMAT parquet, COMPRESSION zstd)"""


def make(folder: Path, events: int) -> None:
    """Write the files."""
    settings = {"memory_limit": "3GB", "temp_directory": str(folder / "spilled"), "preserve_insertion_order": False}
    with duckdb.connect(config=settings) as database:  # type: ignore[arg-type]
        database.execute("CREATE MACRO pick(number, salt, of) AS (hash(number, salt) % of)::BIGINT")
        database.execute(VISITORS, {"visitors": events // 12})
        for bucket in range(BUCKETS):
            path = folder / f"{bucket:02}.parquet"
            parameters = {"visitors": events // 12, "events": events * 995 // 1000, "bucket": bucket, "path": path}
            database.execute(EVENTS.format(**parameters))


if __name__ == "__main__":
    make(Path(sys.argv[1]), int(sys.argv[2]))
