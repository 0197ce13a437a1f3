"""Cost of the nightly audit: requests for raw objects and manifests, and functions."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from math import ceil

from abtest.services.audit.sample import RECORDS_A_MESSAGE
from abtest.services.audit.shop_rows import MOST_OBJECTS, WHOLE_BYTES
from abtest.services.ledger_manifests import AT_ONCE
from tools.cost.counting import Counting, objects_a_minute
from tools.cost.model import MILLION, MINUTES_A_DAY, Prices
from tools.cost.scales import EVENTS

LOOK_BACK_DAYS = 14
"""Days before an experiment that its covariates are counted of."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Auditing:
    """A night's sample, and its units of work.

    CPU was measured (docs/adr/0076-audit-by-queue.md): `hour_seconds` a million events of a compacted hour,
    `audit_seconds` a million events that are read as a whole, and how often all of them are read for a record,
    `audit_readings`. The bytes of an event in raw objects and the time of a request are those of the other tables.
    """

    audit_records: float = 200
    audit_hours: float = 24
    audit_readings: float = 3
    audit_gb: float = 2.94
    hour_seconds: float = 21
    audit_seconds: float = 5
    audit_event_bytes: float = 111


def audit_a_night(given: Auditing, counting: Counting, events_a_day: float, price: Prices) -> float:
    """Dollars of one night. Shops have so many records that each message is full."""
    messages = ceil(given.audit_records / RECORDS_A_MESSAGE)
    days = counting.counting_days + LOOK_BACK_DAYS
    objects = min(MOST_OBJECTS, objects_a_minute(counting, events_a_day) * MINUTES_A_DAY * days)
    whole = min(WHOLE_BYTES / given.audit_event_bytes, events_a_day * days) / MILLION
    requests = messages * objects
    waiting = messages * objects * counting.object_ms / 1000 / AT_ONCE
    counts = given.audit_records * given.audit_readings * whole * given.audit_seconds
    hours = given.audit_hours * events_a_day / 24 / MILLION
    hour_objects = given.audit_hours * objects_a_minute(counting, events_a_day) * 60
    seconds = waiting + counts + hours * given.hour_seconds
    return (requests + 3 * hour_objects) * price["s3_get"] + seconds * given.audit_gb * price["lambda_gb_second"]


def audit_by_scale(given: Auditing, counting: Counting, price: Prices) -> Iterator[str]:
    """Lines of a table by number of events."""
    heads = " | ".join(f"{events / MILLION:g} million events a day" for events in EVENTS)
    yield f"| a night of the audit, {given.audit_records:g} records and {given.audit_hours:g} hours | {heads} |"
    yield f"|---|{'---|' * len(EVENTS)}"
    dollars = (audit_a_night(given, counting, events, price) for events in EVENTS)
    yield f"| USD | {' | '.join(f'{each:.2f}' for each in dollars)} |"
