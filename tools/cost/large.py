"""One shop of very many events: partitions of its visitors, Athena, and engines that keep their state in tables.

Partitions are computed from measured figures. Tables with state (Iceberg) and Spark are not built: the bytes of a state
were measured in DuckDB, how often a count reads them and how long jobs take is assumed.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from math import isnan, nan

from abtest.domain.ledger.partitions import MOST_PARTITIONS, MOST_ROWS, division_for
from tools.cost.counting import MILLION, MINUTES_A_DAY, Counting, Prices
from tools.cost.model import TERABYTE, Assumptions, athena_a_day

EVENTS = (1_000_000, 10_000_000, 15_000_000, 100_000_000)


@dataclass(frozen=True)
class Large:
    """A large shop is counted every `large_minutes`.

    `unit_start_seconds`: of each unit, whatever is new. `reading_seconds`: of a million new rows, which every unit
    reads. `ids_bytes`: of a row in the units of ids. `tied_percent`: of all rows.

    `table_bytes`: of a row in the state, ids of events seen above all. `table_reads`: how often a count reads it: to
    merge what is new, and to take back what replaced copies of events have added. `spark_*`: processors and memory of a
    job, its start, and its seconds a million rows of the shop.
    """

    large_minutes: float = 30
    unit_start_seconds: float = 3
    reading_seconds: float = 4
    ids_bytes: float = 18
    tied_percent: float = 1
    table_bytes: float = 11
    table_reads: float = 2
    spark_processors: float = 16
    spark_gb: float = 64
    spark_start_seconds: float = 60
    spark_seconds_a_million: float = 0.3
    spark_processor_hour: float = 0.052624
    spark_gb_hour: float = 0.0057785


def partitions_a_day(large: Large, counting: Counting, events: float, price: Prices) -> tuple[int, float]:
    """Return the number of partitions, and dollars a day."""
    held = counting.held(events)
    division = division_for(int(held))
    units, runs = division.visitors + division.ids, MINUTES_A_DAY / large.large_minutes
    rows = events / runs
    seconds = (
        units * (large.unit_start_seconds + rows / MILLION * large.reading_seconds)
        + rows / MILLION * counting.seconds_a_million
        + held * (counting.state_bytes + large.ids_bytes) / counting.load_bytes_a_second
        + held * large.tied_percent / 100 / MILLION * counting.seconds_a_million
    )
    objects = rows / counting.events_an_object * units
    written = units * 2 + held * counting.state_bytes / counting.state_part * rows / (held * counting.state_share)
    dollars = seconds * counting.unit_gb * price["lambda_gb_second"]
    dollars += objects * price["s3_get"] + written * price["s3_put"]
    return division.visitors, runs * dollars


def tables_a_day(large: Large, counting: Counting, events: float, price: Prices) -> float:
    """Return dollars a day of state in tables of Athena."""
    read = counting.held(events) * large.table_bytes * large.table_reads
    return MINUTES_A_DAY / large.large_minutes * read / TERABYTE * price["athena_terabyte"]


def spark_a_day(large: Large, counting: Counting, events: float) -> float:
    """Return dollars a day of jobs over the same tables."""
    hours = (large.spark_start_seconds + counting.held(events) / MILLION * large.spark_seconds_a_million) / 3600
    an_hour = large.spark_processors * large.spark_processor_hour + large.spark_gb * large.spark_gb_hour
    return MINUTES_A_DAY / large.large_minutes * hours * an_hour


def counting_of_one_shop(large: Large, counting: Counting, given: Assumptions, price: Prices) -> Iterator[str]:
    """Lines of a table by events a day of the shop."""
    yield (
        f"| a million events of one shop, counted every {large.large_minutes:g} min | partitions | in partitions |"
        " all of it by Athena | state in tables of Athena (estimate) | Spark over such tables (estimate) |"
    )
    yield "|---|---|---|---|---|---|"
    for events in EVENTS:
        number, partitions = partitions_a_day(large, counting, events, price)
        athena = athena_a_day(replace(given, events_a_day=events, shops=1), price, large.large_minutes)
        if counting.held(events) > MOST_PARTITIONS * MOST_ROWS:
            number, partitions = 0, nan
        costs = (partitions, athena, tables_a_day(large, counting, events, price), spark_a_day(large, counting, events))
        cells = " | ".join("–" if isnan(cost) else f"{cost * MILLION / events:.2f}" for cost in costs)
        yield f"| {events:,.0f} events a day | {number or 'too many'} | {cells} |"
