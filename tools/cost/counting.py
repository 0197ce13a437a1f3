"""Cost of counting shop by shop: how often a shop is counted, what a count is made of, and what that is in dollars.

Shops have events by Zipf's law: the shop of rank k has a k-th of the first one's. When a shop is counted is modelled on
`domain.ledger.dispatching`, whose constants are used here.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from math import ceil, exp

from abtest.domain.ledger import dispatching

Prices = Mapping[str, float]

MINUTES_A_DAY = 1440
MINUTE_MS = dispatching.MINUTE_MS
KB = 1024
MILLION = 1_000_000
MESSAGES_A_SEND = 10
REQUESTS_A_MESSAGE = 2
"""A message is received and deleted by itself."""

READ_BYTES = 4 * KB


@dataclass(frozen=True)
class Counting:
    """Units of work and items: bytes, seconds and calls are of runs of `make scale` with a twentieth of its rows.

    `unit_seconds` and `seconds_a_million` are CPU: of a shop with news whatever their number, and of a million new rows
    more. `item_*` are bytes of small experiments. `touched`: experiments that a new row changes; `older_days`: further
    days of a changed experiment, by visitors who come again. `state_*`: bytes a row of a shop's stored state, and the
    new rows after which it is stored again. `session`: events that a visitor sends within minutes. `plan_changes` of an
    experiment's life are its start and its end. `decide_seconds`: a worker's decisions about a shop.

    Assumed are the bytes that items grow to (`grown_*`, from `grown_at` rows a day of an experiment on), the speed of
    loading, and all times on AWS. `share_percent` and `one_item` are not built, see `count_of_shop`.
    """

    counting_shops: float = 1_000
    counting_experiments: float = 20
    counting_days: float = 28
    plan_changes: float = 2
    session: float = 10
    dispatch_minutes: float = 5
    patience_percent: float = dispatching.PATIENCE_PERCENT
    most_patience_minutes: float = dispatching.MOST_PATIENCE_MS / MINUTE_MS
    many_rows: float = dispatching.MANY_ROWS
    share_percent: float = 0
    unit_seconds: float = 0.25
    seconds_a_million: float = 35
    read_ms: float = 4
    write_ms: float = 10
    object_ms: float = 30
    load_bytes_a_second: float = 100e6
    unit_gb: float = 2.94
    unit_reads: float = 22
    record_reads: float = 45
    touched: float = 0.3
    older_days: float = 0.45
    item_totals: float = 940
    item_day: float = 310
    item_segments: float = 610
    grown_day: float = 2_500
    grown_segments: float = 6_000
    grown_at: float = 20_000
    transaction_factor: float = 2
    one_item: float = 0
    state_bytes: float = 39
    state_share: float = 0.05
    state_rows: float = 500
    state_part: float = 4_194_304
    lease_writes: float = 2
    dispatch_seconds: float = 3
    dispatch_gb: float = 1.73
    progress_bytes: float = 330
    index_bytes: float = 160
    decide_seconds: float = 0.3
    decide_gb: float = 1.73
    objects_a_minute: float = 1
    events_an_object: float = 5_000

    def events_of_shops(self, events_a_day: float) -> Iterator[float]:
        """Yield the events a day of each shop, the largest first."""
        shops = int(self.counting_shops)
        whole = sum(1 / rank for rank in range(1, shops + 1))
        return (events_a_day / rank / whole for rank in range(1, shops + 1) if events_a_day)

    @property
    def patience_minutes(self) -> float:
        """Mean time that few new rows wait, at any moment of a shop whose plans change now and then by chance."""
        between = self.counting_days * MINUTES_A_DAY / max(1e-9, self.counting_experiments * self.plan_changes)
        mean = between * self.patience_percent / 100
        return mean * (1 - exp(-self.most_patience_minutes / mean)) if mean else 0.0

    def counts_a_day(self, events: float) -> float:
        """How often a shop of so many events a day is counted."""
        if not events:
            return 0.0
        first = MINUTES_A_DAY * self.session / events
        patience = min(self.patience_minutes, MINUTES_A_DAY * self.many_rows / events)
        if self.share_percent:
            # A setting that the dispatcher does not have: news wait until they are such a share of what was counted.
            share = MINUTES_A_DAY * self.held(events) * self.share_percent / 100 / events
            patience = min(max(patience, share), self.most_patience_minutes)
        # At a turn of the dispatcher; where rows come seldom, that is half a pause later on average.
        turn = self.dispatch_minutes
        due = first + patience
        due = ceil(due / turn) * turn if first < turn else due + turn / 2
        rest = self.held(events) / MILLION * dispatching.REST_MS_A_MILLION_ROWS
        pause = max(due, turn, min(rest, dispatching.MOST_PATIENCE_MS) / MINUTE_MS)
        return MINUTES_A_DAY / pause

    def held(self, events: float) -> float:
        """Rows of a shop that its worker holds: of the life of its experiments, and of 14 days before."""
        return events * (self.counting_days + 14)


def count_of_shop(given: Counting, events: float, price: Prices) -> Counter[str]:
    """Dollars of one count of a shop with so many events a day, by part."""
    counts = given.counts_a_day(events)
    rows = events / counts
    held = given.held(events)
    experiments = given.counting_experiments
    changed = experiments * (1 - exp(-rows * given.touched / experiments)) if experiments else 0.0
    share = min(1.0, events * given.touched / max(1.0, experiments) / given.grown_at)
    # Calls of a unit are made one after the other.
    waits = (given.unit_reads + 3) * given.read_ms + (experiments + 4) * given.write_ms + 5 * given.object_ms
    seconds = given.unit_seconds + waits / 1000 + rows / MILLION * given.seconds_a_million
    loading = held * given.state_bytes / given.load_bytes_a_second
    grown = ((given.item_day, given.grown_day), (given.item_segments, given.grown_segments))
    sizes = [small + share * (large - small) for small, large in grown]
    slices = sum(map(_units, sizes))
    # The totals of an experiment are always written: they have when its newest row was received.
    # The totals are alone where no day has changed.
    totals = _units(given.item_totals)
    alone = (experiments - changed) * totals
    documents = alone + given.transaction_factor * changed * (totals + (1 + given.older_days) * slices)
    if given.one_item:
        # A form that the store does not have: the newest day is in the item of the totals, other days are together.
        together = _units(given.item_totals + sum(sizes))
        older = given.older_days * changed
        documents = (experiments - older) * together + given.transaction_factor * older * (
            together + _units(sum(sizes))
        )
    shop_day = _units(sizes[1])
    stored = min(1.0, rows / max(given.state_rows, held * given.state_share))
    # Of the parts of a large state, those with new rows are written, and all are read.
    parts = held * given.state_bytes / given.state_part
    written = stored * (1 + min(parts, 1 + rows * given.state_bytes / given.state_part))
    messages = 2 * (REQUESTS_A_MESSAGE + 1 / MESSAGES_A_SEND)
    objects = min(rows / given.session, objects_a_minute(given, events) * MINUTES_A_DAY / counts)
    return Counter(
        {
            "functions: units": seconds * given.unit_gb * price["lambda_gb_second"] + price["lambda_request"],
            "functions: loading states": loading * given.unit_gb * price["lambda_gb_second"],
            "functions: decisions": given.decide_seconds * given.decide_gb * price["lambda_gb_second"]
            + price["lambda_request"],
            "documents of roll-ups": (documents + shop_day) * price["dynamodb_write"],
            "progress and leases": (_units(given.progress_bytes) + given.lease_writes) * price["dynamodb_write"],
            "reads of the tables": (given.unit_reads + given.record_reads) * price["dynamodb_read"],
            "queues": messages * price["sqs_request"],
            "objects: news and state": (objects + 2 + parts) * price["s3_get"] + written * price["s3_put"],
        }
    )


def counting_a_day(given: Counting, events_a_day: float, price: Prices) -> Counter[str]:
    """Dollars a day for counting all shops, by part."""
    dollars: Counter[str] = Counter()
    for events in given.events_of_shops(events_a_day):
        counts = given.counts_a_day(events)
        dollars.update({part: counts * cost for part, cost in count_of_shop(given, events, price).items()})
    dollars.update(_schedule(given, events_a_day, price))
    return dollars


def counts_of_all(given: Counting, events_a_day: float) -> float:
    """Counts a day of all shops together."""
    return sum(map(given.counts_a_day, given.events_of_shops(events_a_day)))


def _schedule(given: Counting, events_a_day: float, price: Prices) -> Counter[str]:
    """Dollars a day of the dispatcher, and of manifests and entries of the feed."""
    runs = MINUTES_A_DAY / given.dispatch_minutes
    shops = given.counting_shops
    entries = shops * (given.counting_experiments + 1)
    seconds = given.dispatch_seconds * shops / 1_000
    read = (shops * given.progress_bytes + entries * given.index_bytes) / READ_BYTES
    objects = objects_a_minute(given, events_a_day) * MINUTES_A_DAY
    return Counter(
        {
            "dispatcher": runs
            * (seconds * given.dispatch_gb * price["lambda_gb_second"] + read * price["dynamodb_read"] / 2),
            "manifests and the feed": objects * (price["s3_put"] + price["s3_get"]) + 2 * runs * price["s3_put"],
        }
    )


def objects_a_minute(given: Counting, events_a_day: float) -> float:
    """Return raw objects a minute: full ones where there are enough events, else those of the ingest worker's pause."""
    events = events_a_day / MINUTES_A_DAY
    return max(min(given.objects_a_minute, events / given.session), events / given.events_an_object)


def _units(size: float) -> int:
    """Write units of an item."""
    return max(1, ceil(size / KB))
