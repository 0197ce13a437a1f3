"""When a shop is counted: soon where someone reads or something depends on it, otherwise patiently.

Each run has a price, whatever it counts. So few new rows wait a short time only while results of the shop are read, or
while what is measured has just been changed, because harm is to be noticed while it is new. Otherwise they wait until
they are enough to move a test, or until the UTC day is over. A very large shop rests in proportion to what its worker
has to load.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256
from zlib import crc32

from abtest.domain.ledger.margins import CLOCKS_APART_MS

MINUTE_MS = 60_000
HOUR_MS = 60 * MINUTE_MS
DAY_MS = 24 * HOUR_MS

MANY_ROWS = 2_000
"""New rows with which a shop waits no longer: at twenty experiments a shop, a run then costs less than its rows."""

MANY_SHARE = 1_000
"""Where no one reads, many rows are at least one in so many of what the shop holds: they hardly move its results.

A shop holds six weeks of rows, so with even traffic this is an hour of them.
"""

SOME_ROWS = 1_000
"""New rows that wait an hour at most: those of some hundred visitors, the least that a comparison needs in an arm."""

LONG_PATIENCE_MS = HOUR_MS
"""The time that some rows may wait. Guardian's rules were simulated with counts of every hour."""

YOUNG_MS = 3 * HOUR_MS
"""Time after a change of what is measured in which rows wait as where someone reads."""

YOUNG_ROWS = 200
"""The fewest new rows for that: those of about twenty visitors, with which Guardian can prove a dead variation first.

Chance sends twenty visitors in a row to one of two variations once in a million.
"""

NOTE_MS = 5 * MINUTE_MS
"""Pause between two notes that a shop is read."""

READ_MS = HOUR_MS + NOTE_MS
"""Time after a noted read in which a shop counts as read: an hour after the last one, noted or not."""

PATIENCE_PERCENT = 2
"""Share of the time since the shop's plans changed last for which few new rows may wait while someone reads."""

MOST_PATIENCE_MS = 30 * MINUTE_MS

REST_MS_A_MILLION_ROWS = MINUTE_MS
"""Pause between two counts of a shop, for each million rows that it holds: they take some seconds to load."""

RETRY_MS = 15 * MINUTE_MS
"""Pause before a shop that could not be counted, or some plans of it, is tried again."""

DAY_BEGINS_MS = 10 * MINUTE_MS
DAY_ENDS_MS = 100 * MINUTE_MS
"""Shops are counted between these times after the end of a UTC day: its last events have arrived, and its documents are
complete within two hours. Each shop has a time of its own, so that not all of them are counted together."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """State of a counted shop. `at` and `plans_since` are Unix ms, `plans` a digest, `held` its rows.

    `plans_since` is when a plan that is being measured was changed last.
    """

    at: int
    plans: str
    plans_since: int
    held: int
    has_failed: bool


@dataclass(frozen=True, slots=True, kw_only=True)
class Backlog:
    """New rows of a shop that are not counted, and when the first of them was received (Unix ms)."""

    rows: int
    oldest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class Interest:
    """Reasons outside of the ledger for counting a shop.

    `read_at`: Unix ms of the newest note that its results are read, or None. `day_shift`: ms after the end of a UTC day
    at which it is counted, see `day_shift_of`.
    """

    read_at: int | None = None
    day_shift: int = DAY_BEGINS_MS


NO_INTEREST = Interest()


def is_due(
    counted: Counted | None, backlog: Backlog | None, plans: str, now: int, interest: Interest = NO_INTEREST
) -> bool:
    """Return whether the shop is to be counted now; `plans` is the digest of what is to be counted."""
    if counted is None:
        return backlog is not None or plans != ""
    is_read = interest.read_at is not None and now - interest.read_at < READ_MS
    if counted.plans != plans:
        # A change without rows that could show its effect, and without a reader, is counted with the day.
        is_noticed = is_read or counted.has_failed or (backlog is not None and backlog.rows >= YOUNG_ROWS)
        if is_noticed or counted.at < day_ended(now, interest.day_shift):
            return True
    elif counted.has_failed:
        return not _rests(counted, RETRY_MS, now)
    return backlog is not None and _is_enough(counted, backlog, now, interest, is_read=is_read)


def _is_enough(counted: Counted, backlog: Backlog, now: int, interest: Interest, *, is_read: bool) -> bool:
    age, waited = max(0, now - counted.plans_since), now - backlog.oldest
    is_soon = is_read or (age < YOUNG_MS and backlog.rows >= YOUNG_ROWS)
    most_rest = MOST_PATIENCE_MS if is_soon else LONG_PATIENCE_MS
    if _rests(counted, min(counted.held * REST_MS_A_MILLION_ROWS // 1_000_000, most_rest), now):
        return False
    if is_soon:
        patience = min(age * PATIENCE_PERCENT // 100, MOST_PATIENCE_MS)
        if backlog.rows >= MANY_ROWS or waited >= patience:
            return True
    return (
        backlog.rows >= max(MANY_ROWS, counted.held // MANY_SHARE)
        or (backlog.rows >= SOME_ROWS and waited >= LONG_PATIENCE_MS)
        or backlog.oldest < day_ended(now, interest.day_shift)
    )


def _rests(counted: Counted, pause: int, now: int) -> bool:
    """Return whether the pause since the last count lasts: one of a clock that was far ahead is over at once."""
    return -CLOCKS_APART_MS <= now - counted.at < pause


def day_ended(now: int, day_shift: int) -> int:
    """Return the end of the last UTC day (Unix ms) that is to be counted now, given the shop's own shift."""
    return (now - day_shift) // DAY_MS * DAY_MS


def day_shift_of(shop_id: str) -> int:
    """Return when a shop is counted after the end of a UTC day, in ms: always the same for a shop."""
    return DAY_BEGINS_MS + crc32(shop_id.encode()) % (DAY_ENDS_MS - DAY_BEGINS_MS)


def digest_of_versions(records: Iterable[tuple[str, str, int]]) -> str:
    """Return a digest of (kind, id, version) of records, in any order; "" for none."""
    lines = sorted(f"{kind} {record_id} {version}" for kind, record_id, version in records)
    return sha256("\n".join(lines).encode()).hexdigest()[:32] if lines else ""
