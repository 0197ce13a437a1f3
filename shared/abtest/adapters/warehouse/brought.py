"""Changes by new rows in a copy of a shop."""

from dataclasses import dataclass, field

from abtest.domain.ledger.daily_counts import DailyCounts


@dataclass(slots=True, kw_only=True)
class Brought:
    """Changes by new rows: counts by experiment, dates of days, and reasons of plans that could not be counted."""

    rows: int = 0
    oldest: int | None = None
    counts: dict[str, DailyCounts] = field(default_factory=dict)
    dates: frozenset[str] = frozenset()
    failed: dict[str, str] = field(default_factory=dict)
