"""When an experiment is to start and to end by itself."""

from dataclasses import replace

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.states import PRE_LAUNCH
from abtest.kit.clock import Timestamp
from abtest.kit.errors import refused

MEASURING = frozenset({"running", "paused"})


def check_times(
    start_at: Timestamp | None, end_at: Timestamp | None, now: Timestamp, start_path: str = "start_at"
) -> None:
    """Raises ValidationFailedError unless what is stated lies ahead, the end after the start.

    `start_path` is what the request calls the start.
    """
    for name, moment in ((start_path, start_at), ("end_at", end_at)):
        if moment is not None and moment <= now:
            raise refused(name, "lies in the past")
    if start_at and end_at and end_at <= start_at:
        raise refused("end_at", f"must come after {start_path}")


def set_schedule(
    experiment: Experiment,
    start_at: Timestamp | None,
    end_at: Timestamp | None,
    occasion: Occasion,
    *,
    start_path: str = "start_at",
) -> Change[Experiment]:
    """The experiment with this schedule in place of the former. A start needs an experiment not yet launched."""
    check_times(start_at, end_at, occasion.now, start_path)
    _check_schedulable(experiment, start_at)
    start = start_at if experiment.status in PRE_LAUNCH else experiment.scheduled_start_at
    return _scheduled(experiment, start, end_at, occasion, "experiment.schedule")


def clear_schedule(experiment: Experiment, occasion: Occasion, *, reason: str | None = None) -> Change[Experiment]:
    """The experiment without a schedule; a start that has taken place stays on record."""
    start = None if experiment.status in PRE_LAUNCH else experiment.scheduled_start_at
    return _scheduled(experiment, start, None, occasion, "experiment.unschedule", reason)


def due_start(experiment: Experiment) -> Timestamp | None:
    """When the experiment is to be launched, if it still waits for that."""
    waits = experiment.status in PRE_LAUNCH and experiment.archived_at is None
    return experiment.scheduled_start_at if waits else None


def due_end(experiment: Experiment) -> Timestamp | None:
    """When the experiment is to be completed, if it is under way."""
    return experiment.scheduled_end_at if experiment.status in MEASURING and experiment.archived_at is None else None


def _check_schedulable(experiment: Experiment, start_at: Timestamp | None) -> None:
    over = experiment.status == "completed" or experiment.archived_at is not None
    if over or (start_at is not None and experiment.status not in PRE_LAUNCH):
        raise InvalidStateTransitionError("schedule", experiment.status, ())


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
