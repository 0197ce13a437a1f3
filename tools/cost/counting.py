"""Cost of counting shop by shop: how often a shop is counted, what a count is made of, and what that is in dollars.

Shops have events by Zipf's law: the shop of rank k has a k-th of the first one's. When a shop is counted is decided by
`domain.ledger.dispatching` itself, see `tools.cost.days`.
"""

from __future__ import annotations

from collections import Counter, defaultdict
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from functools import cache
from math import log10

from abtest.domain.ledger.dispatching import DAY_MS, NOTE_MS
from tools.cost.days import Constants, Shop, counts_of, minutes
from tools.cost.documents import READ_BYTES, Documents, changed_share, units

Prices = Mapping[str, float]

MINUTES_A_DAY = 1440
MILLION = 1_000_000
MESSAGES_A_SEND = 10
REQUESTS_A_MESSAGE = 2
"""A message is received and deleted by itself."""

TOTALS_READ = 3
"""How often a count and the decisions after it read totals; the first unit of each is in `unit_reads` and others."""
STEPS_A_DECADE = 4
"""Sizes of shops that are simulated; the others are counted as often as the nearest of them."""


@dataclass(frozen=True)
class Counting:
    """Units of work and items: bytes, seconds and calls are of runs of `make scale` with a twentieth of its rows.

    `unit_seconds` and `seconds_a_million` are CPU: of a shop with news whatever their number, and of a million new rows
    more. `item_*` are bytes of small experiments, `item_totals_a_day` those of totals for each of their days.
    `inside_*` are shares of the bytes of a day that the first and each further day take in the item of the totals,
    where they are compressed together. `touched`: experiments that a new row changes; `older_days`: further days of a
    changed experiment, by visitors who come again. `state_*`: bytes a row of a shop's stored state, and the new rows
    after which it is stored again. `session`: events that a visitor sends within minutes. `plan_changes` of an
    experiment's life are its start and its end. `decide_seconds`: a worker's decisions about a shop. `read_percent` of
    the shops are read each day, for `read_hours` in a row.

    Assumed are the bytes that items grow to (`grown_*`, from `grown_at` rows a day of an experiment on), the speed of
    loading, who reads, and all times on AWS. `one_item` 0 is how days were stored before: each in items of its own.
    """

    counting_shops: float = 1_000
    counting_experiments: float = 20
    counting_days: float = 28
    plan_changes: float = 2
    session: float = 10
    dispatch_minutes: float = 5
    read_percent: float = 20
    read_hours: float = 2
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
    item_totals: float = 650
    item_totals_a_day: float = 42
    item_day: float = 310
    item_segments: float = 610
    inside_first: float = 0.58
    inside_following: float = 0.27
    grown_day: float = 2_500
    grown_segments: float = 6_000
    grown_at: float = 20_000
    transaction_factor: float = 2
    one_item: float = 1
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

    def counts(self, events: float, constants: Constants = ()) -> Mapping[float, float]:
        """How many counts a day of a shop with so many events a day have so many new rows."""
        counts: defaultdict[float, float] = defaultdict(float)
        nearest = 10 ** (round(log10(events) * STEPS_A_DECADE) / STEPS_A_DECADE) if events else 0.0
        share = min(1.0, self.read_percent / 100) if self.read_hours else 0.0
        for read_hours, weight in ((self.read_hours, share), (0.0, 1 - share)):
            if weight:
                for rows, number in counts_of(self._shop(nearest, read_hours), constants).items():
                    counts[rows * events / nearest if nearest else 0.0] += number * weight
        return counts

    def counts_a_day(self, events: float, constants: Constants = ()) -> float:
        """How often a shop of so many events a day is counted."""
        return sum(self.counts(events, constants).values())

    def _shop(self, events: float, read_hours: float) -> Shop:
        lives = self.counting_days * DAY_MS
        starts, others = self.counting_experiments, self.counting_experiments * (self.plan_changes - 1)
        return Shop(
            events=events,
            session=self.session,
            held=int(self.held(events)),
            start_every=lives / starts if starts and self.plan_changes else 0.0,
            end_every=lives / others if others > 0 else 0.0,
            read_ms=minutes(60 * read_hours),
            turn=minutes(self.dispatch_minutes),
        )

    def held(self, events: float) -> float:
        """Rows of a shop that its worker holds: of the life of its experiments, and of 14 days before."""
        return events * (self.counting_days + 14)


def cost_of_count(given: Counting, events: float, rows: float, price: Prices) -> Counter[str]:
    """Dollars of one count of so many new rows, of a shop with so many events a day, by part."""
    held = given.held(events)
    experiments = given.counting_experiments
    # Calls of a unit are made one after the other.
    waits = (given.unit_reads + 3) * given.read_ms + (experiments + 4) * given.write_ms + 5 * given.object_ms
    seconds = given.unit_seconds + waits / 1000 + rows / MILLION * given.seconds_a_million
    loading = held * given.state_bytes / given.load_bytes_a_second
    form = documents_of(given, events, rows)
    # The totals of an experiment are always written: they have when its newest row was received.
    together, totals_read = form.together()
    documents = experiments * (together if given.one_item else form.apart())
    more_reads = experiments * TOTALS_READ * (totals_read - 1) if given.one_item else 0.0
    shop_day = units(form.segments)
    stored = min(1.0, rows / max(given.state_rows, held * given.state_share))
    # Of the parts of a large state, those with new rows are written, and all are read.
    parts = held * given.state_bytes / given.state_part
    written = stored * (1 + min(parts, 1 + rows * given.state_bytes / given.state_part))
    messages = 2 * (REQUESTS_A_MESSAGE + 1 / MESSAGES_A_SEND)
    waited = rows / events * MINUTES_A_DAY if events else 0.0
    objects = min(rows / given.session, objects_a_minute(given, events) * waited)
    return Counter(
        {
            "functions: units": seconds * given.unit_gb * price["lambda_gb_second"] + price["lambda_request"],
            "functions: loading states": loading * given.unit_gb * price["lambda_gb_second"],
            "functions: decisions": given.decide_seconds * given.decide_gb * price["lambda_gb_second"]
            + price["lambda_request"],
            "documents of roll-ups": (documents + shop_day) * price["dynamodb_write"],
            "progress and leases": (units(given.progress_bytes) + given.lease_writes) * price["dynamodb_write"],
            "reads of the tables": (given.unit_reads + given.record_reads + more_reads) * price["dynamodb_read"],
            "queues": messages * price["sqs_request"],
            "objects: news and state": (objects + 2 + parts) * price["s3_get"] + written * price["s3_put"],
        }
    )


def documents_of(given: Counting, events: float, rows: float) -> Documents:
    """Return the documents of an experiment of a shop with so many events a day, at counts of so many new rows.

    They are rounded, so that shops of about one size are computed once.
    """
    share = min(1.0, events * given.touched / max(1.0, given.counting_experiments) / given.grown_at)
    grown = ((given.item_day, given.grown_day), (given.item_segments, given.grown_segments))
    day, segments = (small + share * (large - small) for small, large in grown)
    # Documents of large days have little in common.
    first, following = (
        (day + segments) * (part + share * (1 - part)) for part in (given.inside_first, given.inside_following)
    )
    return Documents(
        totals=given.item_totals,
        totals_a_day=given.item_totals_a_day,
        day=round(day, -1),
        segments=round(segments, -1),
        first=round(first, -1),
        following=round(following, -1),
        changed=round(changed_share(rows, given.touched, given.counting_experiments), 2),
        older=given.older_days,
        a_day=round(events / rows, 1) if rows else 0.0,
        days=given.counting_days,
        factor=given.transaction_factor,
    )


def counting_a_day(given: Counting, events_a_day: float, price: Prices, constants: Constants = ()) -> Counter[str]:
    """Dollars a day for counting all shops, by part."""
    return Counter(_counting_a_day(given, events_a_day, tuple(sorted(price.items())), constants))


@cache
def _counting_a_day(
    given: Counting, events_a_day: float, prices: tuple[tuple[str, float], ...], constants: Constants
) -> Mapping[str, float]:
    price = dict(prices)
    dollars: Counter[str] = Counter()
    for events in given.events_of_shops(events_a_day):
        for rows, counts in given.counts(events, constants).items():
            dollars.update({part: counts * cost for part, cost in cost_of_count(given, events, rows, price).items()})
    dollars.update(_schedule(given, events_a_day, price))
    return dollars


def counts_of_all(given: Counting, events_a_day: float, constants: Constants = ()) -> float:
    """Counts a day of all shops together."""
    return sum(given.counts_a_day(events, constants) for events in given.events_of_shops(events_a_day))


def _schedule(given: Counting, events_a_day: float, price: Prices) -> Counter[str]:
    """Dollars a day of the dispatcher, and of manifests and entries of the feed."""
    runs = MINUTES_A_DAY / given.dispatch_minutes
    shops = given.counting_shops
    entries = shops * (given.counting_experiments + 1)
    seconds = given.dispatch_seconds * shops / 1_000
    read = (shops * given.progress_bytes + entries * given.index_bytes) / READ_BYTES
    objects = objects_a_minute(given, events_a_day) * MINUTES_A_DAY
    notes = shops * given.read_percent / 100 * given.read_hours * 3_600_000 / NOTE_MS
    return Counter(
        {
            "notes of reads": notes * price["dynamodb_write"],
            "dispatcher": runs
            * (seconds * given.dispatch_gb * price["lambda_gb_second"] + read * price["dynamodb_read"] / 2),
            "manifests and the feed": objects * (price["s3_put"] + price["s3_get"]) + 2 * runs * price["s3_put"],
        }
    )


def objects_a_minute(given: Counting, events_a_day: float) -> float:
    """Return raw objects a minute: full ones where there are enough events, else those of the ingest worker's pause."""
    events = events_a_day / MINUTES_A_DAY
    return max(min(given.objects_a_minute, events / given.session), events / given.events_an_object)
