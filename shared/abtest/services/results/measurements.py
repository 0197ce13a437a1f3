"""Beginning of an experiment's measurement and its reason, out of the audit."""

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
_SHARES = ("weight", "archived_at", "id")
"""Fields of a variation that change the split."""

MESSAGES: Mapping[Because, str] = {
    "launched": "Counted since the launch, {when}.",
    "restarted": "Counted since the restart, {when}: all visitors were assigned again.",
    "weights_changed": "Counted since the weights were changed, {when}. Visitors from before are not counted.",
    "plan_changed": "Counted since the plan was changed, {when}. Visitors from before are not counted.",
    "unknown": "Counted since {when}.",
}


class Measurements:
    """Reasons why measurements began. A reason never changes, so it is read from the audit once per process."""

    def __init__(self, catalog: Catalog) -> None:
        self._catalog = catalog
        self._reasons: dict[tuple[str, int], Because] = {}

    def of(self, experiment: Experiment) -> contract.Measurement:
        """Return the present measurement of an experiment."""
        began, epoch = experiment.measurement_started_at, experiment.measurement_epoch
        if began is None:
            return measurement_of(experiment, None)
        key = experiment.id, epoch
        if key not in self._reasons:
            # A reason can be read again at any time, so no order of eviction is needed.
            if len(self._reasons) >= _KEPT:
                self._reasons.clear()
            # The first measurement begins with the launch, so the audit need not be read.
            rows = () if epoch == 1 else islice(rows_about(self._catalog, experiment, since=began), _ROWS_READ)
            reasons = (because(row) for row in rows if begun_by(row) == epoch)
            self._reasons[key] = "launched" if epoch == 1 else next(reasons, "unknown")
        return measurement_of(experiment, self._reasons[key])


def measurement_of(experiment: Experiment, why: Because | None) -> contract.Measurement:
    """Return the measurement with its reason in words."""
    began = experiment.measurement_started_at
    message = "Nothing is counted before the first start."
    if began is not None:
        message = MESSAGES[why or "unknown"].format(when=f"{parse_timestamp(began):%Y-%m-%d %H:%M} UTC")
    return contract.Measurement(
        epoch=experiment.measurement_epoch, began_at=began, because=why if began else None, message=message
    )


def begun_by(row: AuditRow) -> int | None:
    """Return the measurement epoch that began with this change; None if none did."""
    change = diff_of(row).get("measurement_epoch")
    return change[1] if change else None


def because(row: AuditRow) -> Because:
    """Return why a measurement began with this change."""
    if row.action == "experiment.restart":
        return "restarted"
    if row.action == "experiment.plan":
        return "plan_changed"
    parts = [name.split(".") for name in diff_of(row)]
    is_share = any(len(part) == 3 and part[0] == "variations" and part[2] in _SHARES for part in parts)
    return "weights_changed" if is_share else "unknown"
