"""Rows of the simulated shops: the history as Parquet of compacted days, the newest hours as raw objects."""

from collections.abc import Iterable, Mapping, Sequence
from hashlib import sha256
from pathlib import Path
from typing import Any, cast

import duckdb

from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.manifests import manifest_key, sectioned
from abtest.domain.ledger.objects import EventsFile, compacted_key, raw_key
from benchmarks.scale.folder_blobs import FolderBlobs
from benchmarks.scale.shops import BEGINS, VARIATIONS, Shops, shop_id

ROWS_AN_OBJECT = 5_000
SHOPS_AT_ONCE = 4_000_000
"""Rows that one statement makes."""

# Ten rows a visitor: three exposures, a click, an event, and every fourth visitor's order; else page views. A visitor
# of the news has the number of one from the history in a fifth of the cases.
ROWS = """
SELECT printf('e-%d-%d', shop, number) AS event_id, printf('0192a3b4-0000-7000-8000-%012x', shop) AS shop_id,
    CASE WHEN kind < 3 THEN 'experiment_viewed' WHEN kind = 4 THEN 'goal' WHEN kind = 6 THEN 'custom'
        WHEN kind = 9 AND visitor % 4 = 0 THEN 'order' ELSE 'pageview' END AS type,
    'v-' || md5(printf('%d-%d-%d', $seed, shop, visitor)) AS visitor_id, NULL::VARCHAR AS session_id,
    $starts + (number - first) * $span // total AS ts, ts + 300 AS received_at, NULL::BIGINT AS sent_at,
    CASE WHEN kind < 3 THEN printf('0192a3b4-0001-7%03x-8000-%012x', experiment, shop) END AS experiment_id,
    CASE WHEN kind < 3 THEN $variations[(visitor // $experiments + experiment + $seed) % 2 + 1] END AS variation_id,
    CASE WHEN kind < 3 THEN 1 END::BIGINT AS assignment_epoch,
    CASE WHEN kind = 4 THEN printf('0192a3b4-0002-7%03x-8000-%012x', experiment, shop) END AS goal_id,
    CASE WHEN kind = 6 THEN 'add_to_cart' END AS event_name,
    CASE WHEN type = 'order' THEN printf('o-%d-%d', shop, number) END AS order_id,
    CASE WHEN type = 'order' THEN number % 9000 + 100 END::BIGINT AS revenue_minor,
    CASE WHEN type = 'order' THEN 'EUR' END AS currency,
    NULL::BIGINT AS shop_revenue_minor, NULL::VARCHAR AS shop_currency, NULL::VARCHAR AS cohort,
    NULL::BIGINT AS holdout_config_epoch, ['desktop', 'mobile'][visitor % 2 + 1] AS device,
    ['DE', 'FR', 'US', 'GB'][visitor % 4 + 1] AS country, 'new' AS visitor_kind, 'search' AS source,
    'browser' AS sender, printf('https://shop.example/p/%d', number % 1000) AS url, false AS qa_mode,
    CASE WHEN type = 'order' THEN '{"items":[]}' ELSE '{}' END AS data
FROM (
    SELECT shop, first, total, first + step AS number, number % 10 AS kind,
        CASE WHEN known > 0 AND number // 10 % 5 = 0 THEN number // 10 * 7919 % known ELSE number // 10 END AS visitor,
        (visitor + number % 10 * 7) % $experiments AS experiment
    FROM (SELECT *, unnest(range(total)) AS step FROM totals)
)"""


class Generator:
    """Maker of rows. `seed` changes who saw what; the same seed makes the same rows."""

    def __init__(self, shops: Shops, ledger: FolderBlobs, *, seed: int) -> None:
        self._shops = shops
        self._ledger = ledger
        self._seed = seed
        self._database = duckdb.connect()
        self.made = dict.fromkeys(shops.numbers, 0)
        """Rows of each shop so far; numbers of rows go on from there."""

    def history(self, days: int, folder: Path) -> int:
        """Store the history of all shops, a compacted hour a day from BEGINS on. Return the number of rows."""
        whole = 0
        for day in range(days):
            starts = BEGINS + day * DAY_MS
            totals = {number: max(10, self._shops.rows(number) // days // 10 * 10) for number in self._shops.numbers}
            keys = [key for portion in _portions(totals) for key in self._compacted(portion, starts, day, folder)]
            rows = sum(totals.values())
            hour = CompactedHour(raw=frozenset(), events=tuple(keys), rows=rows)
            self._ledger.put(compacted_key(starts), hour.encoded(), content_type="application/json")
            whole += rows
        return whole

    def news(self, totals: Mapping[int, int], *, starts: int, span: int) -> int:
        """Store so many new rows of these shops as the ingest worker does, in objects that mix shops. Return bytes.

        They were received in the `span` ms from `starts` on.
        """
        rows = self._rows(totals, starts, span)
        size = 0
        for number, first in enumerate(range(0, len(rows), ROWS_AN_OBJECT)):
            key = raw_key([f"{self._seed}-{starts}-{number}"], starts + span)
            content, manifest = sectioned(key, rows[first : first + ROWS_AN_OBJECT])
            self._ledger.put(key, content, content_type="application/x-ndjson")
            self._ledger.put(manifest_key(key), manifest.encoded(), content_type="application/json")
            size += len(content)
        return size

    def _rows(self, totals: Mapping[int, int], starts: int, span: int) -> list[Row]:
        self._want(totals, is_news=True)
        names = list(COLUMNS)
        text = f"SELECT {', '.join(names)} FROM ({ROWS}) ORDER BY ts, event_id"
        values_of = self._database.execute(text, self._bound(starts, span)).fetchall()
        return [cast(Row, dict(zip(names, values, strict=True))) for values in values_of]

    def _compacted(self, totals: Mapping[int, int], starts: int, day: int, folder: Path) -> Iterable[str]:
        self._want(totals, is_news=False)
        # The bucket is the first digit of a hash of the visitor, here of another one: only the order depends on it.
        columns = f"SELECT *, ascii(visitor_id[3]) % 16 AS bucket, shop_id AS shop FROM ({ROWS})"
        text = f"COPY ({columns}) TO '{folder}' (FORMAT parquet, COMPRESSION zstd, PARTITION_BY (shop), OVERWRITE)"
        self._database.execute(text, self._bound(starts, DAY_MS - 1_000))
        for number in totals:
            (path,) = (folder / f"shop={shop_id(number)}").glob("*.parquet")
            digest = sha256(f"{self._seed}-{day}-{number}".encode()).hexdigest()
            key = EventsFile(shop_id=shop_id(number), hour=starts, first=0, last=15, digest=digest).key
            self._ledger.adopt(key, path)
            yield key

    def _want(self, totals: Mapping[int, int], *, is_news: bool) -> None:
        self._database.execute("CREATE OR REPLACE TABLE totals (shop BIGINT, first BIGINT, total BIGINT, known BIGINT)")
        rows: list[Sequence[int]] = []
        for number, total in totals.items():
            rows.append((number, self.made[number], total, self._shops.rows(number) // 10 if is_news else 0))
            self.made[number] += total
        self._database.executemany("INSERT INTO totals VALUES (?, ?, ?, ?)", rows)

    def _bound(self, starts: int, span: int) -> dict[str, Any]:
        variations = [variation.id for variation in VARIATIONS]
        experiments = self._shops.experiments
        return {
            "starts": starts,
            "span": span,
            "seed": self._seed,
            "experiments": experiments,
            "variations": variations,
        }


def _portions(totals: Mapping[int, int]) -> Iterable[dict[int, int]]:
    portion: dict[int, int] = {}
    for number, total in totals.items():
        if portion and sum(portion.values()) + total > SHOPS_AT_ONCE:
            yield portion
            portion = {}
        portion[number] = total
    if portion:
        yield portion
