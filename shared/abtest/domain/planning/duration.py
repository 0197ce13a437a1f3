"""Duration of a test until it has as many visitors as it needs."""

import math

WEEK = 7
LONGEST_CURVE = 364
"""Days of the longest curve of detectable effects: 52 weeks."""

_SHORTEST_CURVE, _POINTS = 28, 60


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


def whole_weeks(days: float) -> int:
    """Return the days rounded up to whole weeks, which have every weekday alike; at least one week."""
    return max(1, math.ceil(days / WEEK)) * WEEK


def curve_days(days: float) -> range:
    """Return whole days at which a curve of detectable effects has its points, at most 60.

    They go to twice the recommended days of a test that takes `days`, and to four weeks at least.
    """
    last = _SHORTEST_CURVE if days < WEEK else int(min(2 * whole_weeks(min(days, LONGEST_CURVE)), LONGEST_CURVE))
    last = max(_SHORTEST_CURVE, last)
    step = math.ceil(last / _POINTS)
    return range(step, last + 1, step)


def advice(days: float) -> str:
    """Return in words for how long a test that takes `days` should run."""
    weeks = whole_weeks(days)
    if days > LONGEST_CURVE:
        return f"The sample takes {in_words(days)}, more than a year: plan for a larger change, or with more traffic."
    if days < WEEK:
        return (
            f"The sample takes {in_words(days)}, less than one week: run the test for 7 days, because weekdays differ."
        )
    if math.ceil(days) == weeks:
        return f"The sample takes {in_words(days)}, which are whole weeks."
    return f"The sample takes {in_words(days)}: run the test for {weeks} days, because whole weeks have every weekday."
