"""How long a test takes to see as many visitors as it needs."""

import math


def estimated_days(
    total_visitors: int, daily_visitors: float, *, traffic_allocation: float = 1.0, holdout: float = 0.0
) -> float | None:
    """Days (not rounded) until `total_visitors` are in the test; None where nobody comes in.

    `daily_visitors` are those who would be eligible; `traffic_allocation` of them are let in, but for the `holdout`
    (both shares of 0..1).
    """
    a_day = daily_visitors * traffic_allocation * (1 - holdout)
    days = total_visitors / a_day if a_day > 0 else math.inf
    return days if math.isfinite(days) else None


def in_words(days: float) -> str:
    """`1 day`, `12 days`: rounded up, as nobody waits for less."""
    whole = max(1, math.ceil(days))
    return "1 day" if whole == 1 else f"{whole:,} days"
