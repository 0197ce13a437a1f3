"""Price of rows that reach only the process that counts their shop: bytes of raw objects by shops in a batch, and
requests for a million events, with the prices of tools/cost.

Three ways are compared for the same five minutes of traffic, with shops as large as Zipf's law has them. *Manifests*:
the service itself, on a store that counts calls. *Splitter*: a process reads each raw object once and writes one object
for each shop with news. *Items*: one item of DynamoDB for each shop in an object, in place of manifest and feed.
"""

from __future__ import annotations

import random
import time
import uuid
from collections import Counter
from collections.abc import Iterator
from itertools import groupby
from typing import Any

from abtest.domain.ledger.batch import sort_batch
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.manifests import Manifest, manifest_key, sectioned
from abtest.domain.ledger.normalise import SERVER, Arrival
from abtest.domain.ledger.objects import Section, raw_key
from abtest.kit.clock import ManualClock, from_milliseconds
from abtest.services.ingest import packed
from abtest.services.ledger_feed import LedgerFeed
from benchmarks.bench_ingest import event_of
from tests.support.memory import MemoryBlobs
from tools.cost.model import MILLION, Assumptions, prices

NOW = 1_795_860_000_000
MESSAGES, EVENTS = 500, 6
DAY_SECONDS = 86_400
PAGE = 1_000
"""Keys of a page of a listing, which costs as much as a PUT."""

TRAFFIC = ((10, 1), (1_000, 1), (1_000, 100), (10_000, 10), (10_000, 100))
"""Shops, and millions of events a day in all."""


def rows_of(shops: int, chance: random.Random) -> list[Row]:
    """Return a batch of messages of several shops, one visitor's events in each, with ids as random as real ones."""
    ids = [uuid_of(chance) for _ in range(shops)]
    experiments = {shop_id: [uuid_of(chance) for _ in range(3)] for shop_id in ids}
    rows: list[Row] = []
    for number in range(MESSAGES):
        shop_id, at = ids[number % shops], NOW + number * 50
        visitor, session = uuid_of(chance), uuid_of(chance)
        events = [event(shop_id, experiments[shop_id], visitor, session, at, chance) for _ in range(EVENTS)]
        arrival = Arrival(shop_id=shop_id, received_at=at + chance.randrange(40), sent_at=at, origin=SERVER)
        rows += sort_batch(events, arrival, is_suspect=False).rows
    return rows


def event(
    shop_id: str, experiment: list[str], visitor: str, session: str, at: int, chance: random.Random
) -> dict[str, Any]:
    """Return an event of the storefront, of any kind."""
    made = event_of(shop_id, chance.randrange(10**6), at)
    made |= {"eventId": uuid_of(chance), "visitorId": visitor, "sessionId": session}
    made["url"] = f"https://shop-{shop_id[:6]}.example/products/{chance.choice(WORDS)}-{chance.choice(WORDS)}"
    if "experimentId" in made:
        made |= {"experimentId": experiment[0], "variationId": experiment[chance.randrange(1, 3)]}
    return made


WORDS = [f"{first}{second}" for first in ("mug", "shirt", "bag", "lamp", "dress") for second in range(60)]


def uuid_of(chance: random.Random) -> str:
    """Return a random id."""
    return str(uuid.UUID(int=chance.getrandbits(128)))


def timed(call: Any, rows: int) -> tuple[Any, float]:
    """Return the result, and microseconds of CPU for a row; the best of three."""
    best = float("inf")
    for _ in range(3):
        begins = time.process_time()
        result = call()
        best = min(best, time.process_time() - begins)
    return result, best / rows * 1e6


def print_sizes() -> None:
    """Print bytes and CPU for a row, by shops in a batch."""
    print(f"One batch of {MESSAGES} messages with {EVENTS} events, bytes and CPU for an event")
    print("  shops   one member   by shop   a member each   manifest   one member    by shop")
    for shops in (1, 10, 100, 500):
        rows = rows_of(shops, random.Random(shops))
        whole, whole_time = timed(lambda rows=rows: packed(rows), len(rows))
        (content, manifest), own_time = timed(lambda rows=rows: sectioned(raw_key(["m"], NOW), rows), len(rows))
        apart = [packed(list(own)) for _, own in groupby(sorted(rows, key=shop_of), key=shop_of)]
        sizes = [len(each) / len(rows) for each in (whole, content, b"".join(apart), manifest.encoded())]
        print(
            f"  {shops:5} {sizes[0]:12.1f} {sizes[1]:9.1f} {sizes[2]:15.1f} {sizes[3]:10.1f}"
            f" {whole_time:9.1f} us {own_time:7.1f} us"
        )


def shop_of(row: Row) -> str:
    """Return the shop of a row."""
    return row["shop_id"]


class Counting(MemoryBlobs):
    """A store that counts calls and bytes as they are billed."""

    def __init__(self) -> None:
        super().__init__()
        self.calls: Counter[str] = Counter()

    def get(self, key: str) -> Any:
        self.calls["get"] += 1
        blob = super().get(key)
        self.calls["bytes"] += len(blob.content) if blob else 0
        return blob

    def put(self, key: str, content: bytes, **how: Any) -> str:
        self.calls["put"] += 1
        return super().put(key, content, **how)

    def list(self, prefix: str, *, after: str | None = None) -> Iterator[Any]:
        self.calls["list"] += 1
        for number, entry in enumerate(super().list(prefix, after=after), start=1):
            self.calls["list"] += number % PAGE == 0
            yield entry


def manifests_of(shops: int, events: float, given: Assumptions, chance: random.Random) -> list[Manifest]:
    """Return the manifests of so many events."""
    a_second = events / (given.rollup_minutes * 60) / given.events_a_request
    # A batch is full, or it waited for a minute.
    size = max(1, round(min(given.messages_an_object, a_second * 60)))
    ids = [uuid_of(chance) for _ in range(shops)]
    weights = [1 / rank for rank in range(1, shops + 1)]
    made: list[Manifest] = []
    for number in range(max(1, round(events / given.events_a_request / size))):
        key = raw_key([f"{number}"], NOW)
        rows = Counter(chance.choices(ids, weights, k=size))
        sections = {
            shop_id: Section(key=key, offset=0, length=1, rows=count, oldest=NOW, newest=NOW)
            for shop_id, count in rows.items()
        }
        made.append(Manifest(key=key, sections=sections))
    return made


def print_requests() -> None:
    """Print requests and dollars for a million events, by way."""
    given, price = Assumptions(), prices()
    print(f"\nRequests for a million events, counted every {given.rollup_minutes:g} minutes")
    print("  shops  million a day   manifests: PUT    GET   LIST    USD   splitter: PUT    GET    USD   items: USD")
    for shops, millions in TRAFFIC:
        events = millions * MILLION / DAY_SECONDS * given.rollup_minutes * 60
        made = manifests_of(shops, events, given, random.Random(shops))
        pairs, objects = sum(len(one.sections) for one in made), len(made)
        with_news = len({shop_id for one in made for shop_id in one.sections})
        calls = calls_of(made)
        reads = with_news + objects
        dollars = {
            "manifests": calls["put"] * price["s3_put"]
            + calls["list"] * price["s3_put"]
            + calls["get"] * price["s3_get"],
            "splitter": with_news * price["s3_put"] + reads * price["s3_get"],
            "items": pairs * (price["dynamodb_write"] + price["dynamodb_read"] + price["s3_get"]),
        }
        each = {name: amount * MILLION / events for name, amount in dollars.items()}
        of = {name: count * MILLION / events for name, count in calls.items()}
        print(
            f"  {shops:5} {millions:14} {of['put']:16,.0f} {of['get']:6,.0f} {of['list']:6,.0f}"
            f" {each['manifests']:6.3f} {with_news * MILLION / events:15,.0f} {reads * MILLION / events:6,.0f}"
            f" {each['splitter']:6.3f} {each['items']:12.3f}"
        )


def calls_of(manifests: list[Manifest]) -> Counter[str]:
    """Return the calls that manifests and feed add: the feed advances once, and each shop with news is read once."""
    ledger = Counting()
    clock = ManualClock(from_milliseconds(NOW))
    for one in manifests:
        ledger.put(one.key, b"rows", content_type="x")
    ledger.calls.clear()
    for one in manifests:
        ledger.put(manifest_key(one.key), one.encoded(), content_type="x")
    entry = LedgerFeed(ledger, clock).advance().entry
    assert entry is not None
    reader = LedgerFeed(ledger, clock)
    for shop_id, head in entry.heads.items():
        for news in reader.news(shop_id, after=entry.first - 1, head=head):
            for section in news.sections:
                ledger.get(section.key)  # in place of a part: these objects have no rows
    return ledger.calls


def main() -> None:
    print_sizes()
    print_requests()


if __name__ == "__main__":
    main()
