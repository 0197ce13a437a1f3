"""When a shop is counted: at once where results would change, later where they would hardly.

Each run has a price, whatever it counts. A shop with many new rows is counted at every turn of the dispatcher. One with
few waits, in proportion to how long it has been measured: five minutes are much on the first day of a test, and half
an hour is nothing on its twentieth. A very large shop rests in proportion to what its worker has to load.
"""

from collections.abc import Iterable
from dataclasses import dataclass
from hashlib import sha256

MINUTE_MS = 60_000

MANY_ROWS = 2_000
"""New rows with which a shop waits no longer: at twenty experiments a shop, a run then costs less than its rows."""

PATIENCE_PERCENT = 2
"""Share of the time since the shop's plans changed last for which few new rows may wait."""

MOST_PATIENCE_MS = 30 * MINUTE_MS

REST_MS_A_MILLION_ROWS = MINUTE_MS
"""Pause between two counts of a shop, for each million rows that it holds: they take some seconds to load."""

RETRY_MS = 15 * MINUTE_MS
"""Pause before a shop that could not be counted, or some plans of it, is tried again."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Counted:
    """State of a counted shop. `at` and `plans_since` are Unix ms, `plans` a digest, `held` its rows."""

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


def is_due(counted: Counted | None, backlog: Backlog | None, plans: str, now: int) -> bool:
    """Return whether the shop is to be counted now; `plans` is the digest of what is to be counted."""
    if counted is None:
        return backlog is not None or plans != ""
    if counted.plans != plans:
        return True
    if counted.has_failed:
        return now - counted.at >= RETRY_MS
    if backlog is None or now - counted.at < min(counted.held * REST_MS_A_MILLION_ROWS // 1_000_000, MOST_PATIENCE_MS):
        return False
    patience = min((now - counted.plans_since) * PATIENCE_PERCENT // 100, MOST_PATIENCE_MS)
    return backlog.rows >= MANY_ROWS or now - backlog.oldest >= patience


def digest_of_versions(records: Iterable[tuple[str, str, int]]) -> str:
    """Return a digest of (kind, id, version) of records, in any order; "" for none."""
    lines = sorted(f"{kind} {record_id} {version}" for kind, record_id, version in records)
    return sha256("\n".join(lines).encode()).hexdigest()[:32] if lines else ""
