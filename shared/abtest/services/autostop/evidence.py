"""An experiment's roll-up as evidence for auto-stop: the visitors and numbers that results show, at one generation."""

from collections.abc import Mapping

from abtest.domain.autostop.evidence import Arms, Evidence, LeftOut, Measure
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.definition import definition_digest
from abtest.services.results.counts import Counts
from abtest.services.results.population import WHOLE, population_of
from abtest.services.results.question import Question, Reading, reading_of
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import RollupReader, Snapshot


def evidence_of(reader: RollupReader, rules: ShopRules, experiment: Experiment) -> Evidence | None:
    """What the newest roll-up of the present measurement says; None while there is none, or nothing to compare.

    With `results_weekdays` only visitors first exposed on these days are in it. Raises DatabaseBusyError.
    """

    def ask(snapshot: Snapshot) -> Evidence | None:
        question = rules.question(experiment, snapshot.totals)
        if snapshot.totals is None or question.control is None:
            return None
        counts = population_of(experiment, snapshot, WHOLE).counts(snapshot)
        return _evidence(question, question.control, counts, snapshot.totals["generation"])

    return reader.read(experiment.id, experiment.measurement_epoch, ask)


def _evidence(question: Question, control: Variation, counts: Counts, generation: int) -> Evidence:
    experiment = question.experiment
    arms = sorted(question.variations, key=lambda variation: variation is not control)
    readings = [reading_of(question, goal, counts) for goal in experiment.goals if goal.archived_at is None]
    return Evidence(
        experiment_id=experiment.id,
        measurement_epoch=experiment.measurement_epoch,
        generation=generation,
        currency=question.currency,
        alpha=question.alpha,
        control_id=control.id,
        visitors={arm.id: counts.visitors.get(arm.id, 0) for arm in arms},
        weights={arm.id: arm.weight for arm in arms},
        measures={reading.goal.id: _measure(reading, control, arms) for reading in readings if not reading.problem},
    )


def _measure(reading: Reading, control: Variation, arms: list[Variation]) -> Measure:
    goal, question = reading.goal, reading.question
    compared = [arm for arm in arms if arm is not control and arm.weight > 0]
    level = reading.rate if reading.is_rate else reading.sample
    return Measure(
        goal_id=goal.id,
        source=definition_digest(goal, question.currency, question.experiment.results_weekdays),
        falls=goal.direction == "decrease",
        is_money=goal.type == "revenue",
        comparisons={arm.id: Arms(level(control), level(arm)) for arm in compared},
        rates={arm.id: reading.rate(arm) for arm in arms},
        samples={arm.id: reading.sample(arm) for arm in arms},
        tau=reading.tau,
        left_out=_left_out(reading, arms) if goal.type == "revenue" else {},
    )


def _left_out(reading: Reading, arms: list[Variation]) -> Mapping[str, LeftOut]:
    return {
        arm.id: LeftOut(reading.count(arm).hits, reading.counts.excluded(reading.goal.id, arm.id) or 0) for arm in arms
    }
