"""Time that a measurement has run, and whether all weekdays count alike in it."""

from collections.abc import Sequence

from abtest.contract.report_advice import MeasuredTime
from abtest.domain.experiments.model import Experiment
from abtest.domain.planning.duration import elapsed_words, in_words
from abtest.kit.clock import parse_timestamp
from abtest.ports.catalog import AuditRow

_DAY_SECONDS, WEEK = 24 * 3600, 7
SLACK = 0.5
"""Days that a measurement may miss or exceed whole weeks by: counts are some minutes old, and no one stops on time."""


def measured_time(experiment: Experiment, computed_at: str | None, rows: Sequence[AuditRow]) -> MeasuredTime | None:
    """Return the time from the measurement's beginning to its end, the pause or the last count; None before it."""
    began, until = experiment.measurement_started_at, measured_until(experiment, computed_at, rows)
    if began is None or until is None:
        return None
    days = (parse_timestamp(until) - parse_timestamp(began)).total_seconds() / _DAY_SECONDS
    return None if days < 0 else time_of(days, is_live=experiment.status == "running")


def measured_until(experiment: Experiment, computed_at: str | None, rows: Sequence[AuditRow]) -> str | None:
    """Return the end of the measured time. `rows`: the history, oldest first."""
    if computed_at is None:
        return None
    moves = [row for row in rows if row.action in ("experiment.pause", "experiment.resume", "experiment.restart")]
    is_paused = experiment.status != "running" and moves and moves[-1].action == "experiment.pause"
    ends = [experiment.ended_at, moves[-1].created_at if is_paused else None, computed_at]
    return min(end for end in ends if end)


def time_of(days: float, *, is_live: bool) -> MeasuredTime:
    """Return a time with its warning. `is_live`: it still grows."""
    text, beyond = f"Measured for {elapsed_words(days)}", days % WEEK
    if days < WEEK - SLACK:
        more = f" About {in_words(WEEK - days)} to go." if is_live else ""
        message = f"{text}, which is less than a week: people buy differently on other weekdays.{more}"
        return MeasuredTime(days=days, warning="under_a_week", message=message)
    if SLACK < beyond < WEEK - SLACK:
        more = f" Whole weeks end in {in_words(WEEK - beyond)}." if is_live else ""
        message = f"{text}, not a whole number of weeks: some weekdays count more often than others.{more}"
        return MeasuredTime(days=days, warning="not_whole_weeks", message=message)
    weeks = round(days / WEEK)
    whole = "a whole week" if weeks == 1 else f"{weeks} whole weeks"
    return MeasuredTime(days=days, warning=None, message=f"Measured for {whole}: all weekdays count alike.")
