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
"""Looks at the experiment as it is about to be paused, and may change it in the same commit; None leaves it running.

Called again when somebody else was faster, with what they left.
"""

Obstacle = Literal["gone", "not_running", "other_epoch", "declined"]


@dataclass(frozen=True, slots=True, kw_only=True)
class Paused:
    """This call paused it. `published.reasons` says why storefronts may not know yet; the outbox repeats that."""

    published: Saved[Experiment]


@dataclass(frozen=True, slots=True, kw_only=True)
class NotPaused:
    """Nothing was changed and nothing was announced.

    `gone`: there is no such experiment. `not_running`: somebody paused or ended it. `other_epoch`: counting began
    anew, so the evidence is of another measurement. `declined`: the caller's own edit did not want it any more.
    """

    obstacle: Obstacle


class _Whom(NamedTuple):
    """Which experiment, in which measurement."""

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
    beside: Commit = NOTHING,
) -> Paused | NotPaused:
    """Pause an experiment that still runs in the measurement that the evidence is of, and publish at once.

    One commit holds the new status, what `edit` changed, the audit row (`reason` and `evidence` beside the changes),
    the webhook `events`, to which the experiment's id and name are added, in their order, and what is `beside` them. Of
    several who call at once one pauses, the others get NotPaused. Raises StaleVersionError when others changed the
    experiment, or what is beside it, again and again, DatabaseBusyError, and whatever `edit` raises; then nothing is
    changed.
    """

    def pause(wanted: Experiment, occasion: Occasion) -> Change[Experiment]:
        return replace(act(wanted, "pause", occasion, approval_required=False), events=tuple(events))

    note = {"reason": reason, **(evidence or {})}
    whom = _Whom(shop_id, experiment_id, expected_measurement_epoch)
    return _changed(store, whom, edit or _as_it_is, pause, note, beside)


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
    """The same for what the system notes on an experiment that goes on running; `action` names it in the audit."""

    def note_only(wanted: Experiment, occasion: Occasion) -> Change[Experiment]:
        return Change(before=wanted, after=replace(wanted, updated_at=occasion.now), action=action)

    note = {"reason": reason, **(evidence or {})}
    whom = _Whom(shop_id, experiment_id, expected_measurement_epoch)
    done = _changed(store, whom, edit, note_only, note)
    return done.published if isinstance(done, Paused) else done


def _as_it_is(experiment: Experiment, _occasion: Occasion) -> Experiment:
    return experiment


def _changed(
    store: ExperimentStore,
    whom: _Whom,
    edit: Edit,
    make: Callable[[Experiment, Occasion], Change[Experiment]],
    note: Mapping[str, Any],
    beside: Commit = NOTHING,
) -> Paused | NotPaused:
    obstacle: Obstacle | None = None

    def decide(experiment: Experiment, occasion: Occasion) -> Change[Experiment]:
        nonlocal obstacle
        # Judged on every attempt: the experiment may have been paused or restarted since the last one.
        obstacle = _obstacle(experiment, whom.measurement_epoch)
        wanted = None if obstacle else edit(experiment, occasion)
        if wanted is None:
            obstacle = obstacle or "declined"
            # An empty change is not committed, so the action never appears in an audit row.
            return Change(before=experiment, after=experiment, action="experiment.none")
        # The diff must also show what `edit` changed, so it starts at the stored experiment.
        return replace(make(wanted, occasion), before=experiment, note=note)

    caller = system_caller(whom.shop_id, str(note["reason"]))
    try:
        published = store.change(caller, whom.experiment_id, decide, extra=beside)
    except NotFoundError:
        return NotPaused(obstacle="gone")
    return NotPaused(obstacle=obstacle) if obstacle else Paused(published=published)


def _obstacle(experiment: Experiment, expected_measurement_epoch: int) -> Obstacle | None:
    if experiment.status != "running":
        return "not_running"
    return None if experiment.measurement_epoch == expected_measurement_epoch else "other_epoch"
