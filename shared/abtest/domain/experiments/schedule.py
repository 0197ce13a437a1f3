"""Schedule of an experiment: the times of its automatic start and end."""

from dataclasses import replace

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.states import PRE_LAUNCH, not_allowed
from abtest.kit.clock import Timestamp
from abtest.kit.errors import refused

MEASURING = frozenset({"running", "paused"})


def check_times(
    start_at: Timestamp | None, end_at: Timestamp | None, now: Timestamp, start_path: str = "start_at"
) -> None:
    """Raise ValidationFailedError unless the given times are in the future, the end after the start.

    `start_path` is the request's name of the start.
    """
    for name, moment in ((start_path, start_at), ("end_at", end_at)):
        if moment is not None and moment <= now:
            raise refused(name, "must be in the future")
    if start_at and end_at and end_at <= start_at:
        raise refused("end_at", f"must come after {start_path}")


def set_schedule(
    experiment: Experiment,
    start_at: Timestamp | None,
    end_at: Timestamp | None,
    occasion: Occasion,
    *,
    approval_required: bool,
    start_path: str = "start_at",
) -> Change[Experiment]:
    """Return the experiment with this schedule in place of the former. A start needs one that was not launched yet."""
    check_times(start_at, end_at, occasion.now, start_path)
    is_over = experiment.status == "completed" or experiment.archived_at is not None
    if is_over or (start_at is not None and experiment.status not in PRE_LAUNCH):
        raise not_allowed(experiment, "schedule", approval_required=approval_required)
    start = start_at if experiment.status in PRE_LAUNCH else experiment.scheduled_start_at
    return _scheduled(experiment, start, end_at, occasion, "experiment.schedule")


def clear_schedule(experiment: Experiment, occasion: Occasion, *, reason: str | None = None) -> Change[Experiment]:
    """Return the experiment without a schedule; the time of a start that has happened is kept."""
    start = None if experiment.status in PRE_LAUNCH else experiment.scheduled_start_at
    return _scheduled(experiment, start, None, occasion, "experiment.unschedule", reason)


def due_start(experiment: Experiment) -> Timestamp | None:
    """Return when the experiment is to be launched, if its launch is still ahead."""
    waits = experiment.status in PRE_LAUNCH and experiment.archived_at is None
    return experiment.scheduled_start_at if waits else None


def due_end(experiment: Experiment) -> Timestamp | None:
    """Return when the experiment is to be completed, if it is running or paused."""
    return experiment.scheduled_end_at if experiment.status in MEASURING and experiment.archived_at is None else None


def _scheduled(
    experiment: Experiment,
    start: Timestamp | None,
    end: Timestamp | None,
    occasion: Occasion,
    action: str,
    reason: str | None = None,
) -> Change[Experiment]:
    after = replace(experiment, scheduled_start_at=start, scheduled_end_at=end)
    if after != experiment:
        after = replace(after, updated_at=occasion.now)
    note = {} if reason is None else {"reason": reason}
    return Change(before=experiment, after=after, action=action, note=note)
