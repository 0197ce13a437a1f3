"""Duration of a test until it has as many visitors as it needs."""

import math


def estimated_days(
    total_visitors: int, daily_visitors: float, *, traffic_allocation: float = 1.0, holdout: float = 0.0
) -> float | None:
    """Return the days (not rounded) until `total_visitors` are in the test; None without traffic.

    `daily_visitors` are eligible; the share `traffic_allocation` of them takes part, less the share `holdout`
    (both shares of 0..1).
    """
    a_day = daily_visitors * traffic_allocation * (1 - holdout)
    days = total_visitors / a_day if a_day > 0 else math.inf
    return days if math.isfinite(days) else None


def in_words(days: float) -> str:
    """Return `1 day` or `12 days`, rounded up, as a test ends with a whole day."""
    whole = max(1, math.ceil(days))
    return "1 day" if whole == 1 else f"{whole:,} days"


def elapsed_words(days: float) -> str:
    """Return an elapsed time rounded down: `40 minutes`, `31 hours` below two days, then `12 days`."""
    hours = days * 24
    if hours < 1:
        minutes = int(hours * 60 + 1e-9)
        return "1 minute" if minutes == 1 else f"{minutes} minutes"
    if days < 2:
        return "1 hour" if hours < 2 else f"{int(hours + 1e-9)} hours"
    return f"{int(days + 1e-9):,} days"
