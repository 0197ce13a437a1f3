"""Evidence for auto-stop: the numbers that results show, at the newest generation of an experiment's roll-up."""

from abtest.domain.autostop.evidence import Evidence
from abtest.domain.experiments.model import Experiment
from abtest.ports.rollup_store import Document
from abtest.services.results.evidence import evidence_in
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import RollupReader


def evidence_of(
    reader: RollupReader, rules: ShopRules, experiment: Experiment, totals: Document | None = None
) -> Evidence | None:
    """Return the evidence of the newest roll-up; None before the first count, or without a control.

    `totals` are those of the measurement where they were read a moment ago. With `results_weekdays` the evidence covers
    only visitors first exposed on these days. Raises DatabaseBusyError.
    """
    epoch = experiment.measurement_epoch
    return reader.read(experiment.id, epoch, lambda snapshot: evidence_in(snapshot, rules, experiment), totals)
