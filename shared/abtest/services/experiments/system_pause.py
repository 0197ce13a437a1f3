"""Pausing by the system: auto-stop and Guardian pause through the same transition as people do, once."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from typing import Any, Literal, NamedTuple

from abtest.domain.changes.change import Change, Event, Occasion
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.transitions import act
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Commit
from abtest.services.aggregates import NOTHING, Saved
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.system import system_caller

Edit = Callable[[Experiment, Occasion], Experiment | None]
"""Change of the experiment in the commit that pauses it; None leaves it running.

Called again, with the newer experiment, when another writer was faster.
"""

Obstacle = Literal["gone", "not_running", "other_epoch", "declined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """This call paused it. `published.reasons` says why the publication failed, if it did; the outbox repeats it."""

    published: Saved[Experiment]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotPaused:
    """Nothing was changed, and no event was written.

    `gone`: there is no such experiment. `not_running`: another writer paused or ended it. `other_epoch`: a new
    measurement began, and the evidence is of an older one. `declined`: the caller's own edit returned None.
    """

    obstacle: Obstacle


class _Measurement(NamedTuple):
    """One measurement of an experiment."""

    shop_id: str
    experiment_id: str
    measurement_epoch: int


def pause_running(
    store: ExperimentStore,
    shop_id: str,
    experiment_id: str,
    *,
    expected_measurement_epoch: int,
    reason: str,
    events: Sequence[Event],
    edit: Edit | None = None,
    evidence: Mapping[str, Any] | None = None,
    extra: Commit = NOTHING,
) -> Paused | NotPaused:
    """Pause an experiment that still runs in the measurement that the evidence is of, and publish at once.

    One commit holds the new status, what `edit` changed, the audit row (with `reason` and `evidence`), the webhook
    `events` in their order, with the experiment's id and name, and the `extra` writes. Of several concurrent calls one
    pauses, and the others get NotPaused. Nothing is changed when it raises: StaleVersionError when other writers kept
    changing the experiment or the records of `extra`, DatabaseBusyError, and whatever `edit` raises.
    """

    def pause(wanted: Experiment, occasion: Occasion) -> Change[Experiment]:
        return replace(act(wanted, "pause", occasion, approval_required=False), events=tuple(events))

    note = {"reason": reason, **(evidence or {})}
    measurement = _Measurement(shop_id, experiment_id, expected_measurement_epoch)
    return _changed(store, measurement, edit or _as_it_is, pause, note, extra)


def change_running(
    store: ExperimentStore,
    shop_id: str,
    experiment_id: str,
    *,
    expected_measurement_epoch: int,
    action: str,
    reason: str,
    edit: Edit,
    evidence: Mapping[str, Any] | None = None,
) -> Saved[Experiment] | NotPaused:
    """Change a running experiment by the system, under the same conditions; `action` is the name in the audit."""

    def note_only(wanted: Experiment, occasion: Occasion) -> Change[Experiment]:
        return Change(before=wanted, after=replace(wanted, updated_at=occasion.now), action=action)

    note = {"reason": reason, **(evidence or {})}
    measurement = _Measurement(shop_id, experiment_id, expected_measurement_epoch)
    done = _changed(store, measurement, edit, note_only, note)
    return done.published if isinstance(done, Paused) else done


def _as_it_is(experiment: Experiment, _occasion: Occasion) -> Experiment:
    return experiment


def _changed(
    store: ExperimentStore,
    measurement: _Measurement,
    edit: Edit,
    make: Callable[[Experiment, Occasion], Change[Experiment]],
    note: Mapping[str, Any],
    extra: Commit = NOTHING,
) -> Paused | NotPaused:
    obstacle: Obstacle | None = None

    def decide(experiment: Experiment, occasion: Occasion) -> Change[Experiment]:
        nonlocal obstacle
        # Judged on every attempt: the experiment may have been paused or restarted since the last one.
        obstacle = _obstacle(experiment, measurement.measurement_epoch)
        wanted = None if obstacle else edit(experiment, occasion)
        if wanted is None:
            obstacle = obstacle or "declined"
            # An empty change is not committed, so the action never appears in an audit row.
            return Change(before=experiment, after=experiment, action="experiment.none")
        # The diff must also show what `edit` changed, so it starts at the stored experiment.
        return replace(make(wanted, occasion), before=experiment, note=note)

    caller = system_caller(measurement.shop_id, str(note["reason"]))
    try:
        published = store.change(caller, measurement.experiment_id, decide, extra=extra)
    except NotFoundError:
        return NotPaused(obstacle="gone")
    return NotPaused(obstacle=obstacle) if obstacle else Paused(published=published)


def _obstacle(experiment: Experiment, expected_measurement_epoch: int) -> Obstacle | None:
    if experiment.status != "running":
        return "not_running"
    return None if experiment.measurement_epoch == expected_measurement_epoch else "other_epoch"
