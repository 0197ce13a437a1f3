"""Since when an experiment is counted, and why: the audit knows what began the present measurement."""

from collections.abc import Mapping
from itertools import islice

from abtest.contract import results as contract
from abtest.contract.trust import Because
from abtest.domain.experiments.model import Experiment
from abtest.kit.clock import parse_timestamp
from abtest.ports.catalog import AuditRow, Catalog
from abtest.services.experiments.history import diff_of, rows_about

_ROWS_READ = 2000
_KEPT = 1000

MESSAGES: Mapping[Because, str] = {
    "launched": "Counted since the launch, {when}.",
    "restarted": "Counted since the restart, {when}: everybody was assigned anew.",
    "weights_changed": "Counted since the weights were changed, {when}. Visitors from before are not counted.",
    "plan_changed": "Counted since the plan was changed, {when}. Visitors from before are not counted.",
    "unknown": "Counted since {when}.",
}


class Measurements:
    """What began measurements; once known, it is the same for ever."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._known: dict[tuple[str, int], Because] = {}

    def of(self, experiment: Experiment) -> contract.Measurement:
        """The present measurement of an experiment. One row of the audit is read for it, once in this process."""
        began, epoch = experiment.measurement_started_at, experiment.measurement_epoch
        if began is None:
            return told(experiment, None)
        key = experiment.id, epoch
        if key not in self._known:
            if len(self._known) >= _KEPT:
                self._known.clear()
            self._known[key] = "launched" if epoch == 1 else self._because(experiment)
        return told(experiment, self._known[key])

    def _because(self, experiment: Experiment) -> Because:
        rows = rows_about(self._catalog, experiment, since=experiment.measurement_started_at or "")
        found = (because(row) for row in islice(rows, _ROWS_READ) if begun_by(row) == experiment.measurement_epoch)
        return next(found, "unknown")


def told(experiment: Experiment, why: Because | None) -> contract.Measurement:
    """In words."""
    began = experiment.measurement_started_at
    message = "Nothing is counted before the first start."
    if began is not None:
        message = MESSAGES[why or "unknown"].format(when=f"{parse_timestamp(began):%Y-%m-%d %H:%M} UTC")
    return contract.Measurement(
        epoch=experiment.measurement_epoch, began_at=began, because=why if began else None, message=message
    )


def begun_by(row: AuditRow) -> int | None:
    """The measurement epoch that began with what the row tells, if one did."""
    change = diff_of(row).get("measurement_epoch")
    return change[1] if change else None


def because(row: AuditRow) -> Because:
    """What began it."""
    if row.action == "experiment.restart":
        return "restarted"
    if row.action == "experiment.plan":
        return "plan_changed"
    parts = [name.split(".") for name in diff_of(row)]
    is_share = any(len(part) == 3 and part[0] == "variations" and part[2] in _SHARES for part in parts)
    return "weights_changed" if is_share else "unknown"


_SHARES = ("weight", "archived_at", "id")
