"""Engines by name. Each compares the readings of one family, whose comparisons are corrected together."""

from collections.abc import Callable, Mapping, Sequence

from abtest.contract import results as contract
from abtest.services.results import adjusted_decisions, bayesian, frequentist, group_sequential
from abtest.services.results.comparison import Comparisons, TreatmentComparison
from abtest.services.results.question import Reading

ENGINES: Mapping[contract.Engine, Callable[[Sequence[Reading]], list[TreatmentComparison | None]]] = {
    "frequentist": frequentist.compare,
    "sequential": adjusted_decisions.compare,
    "bayesian": bayesian.compare,
    "group_sequential": group_sequential.compare,
}


def compare(readings: Sequence[Reading]) -> list[Comparisons]:
    """Return the comparisons of each reading of one family, all corrected together by the question's engine."""
    if not readings:
        return []
    comparisons = iter(ENGINES[readings[0].question.engine](readings))
    return [{treatment.id: next(comparisons) for _, treatment in reading.pairs()} for reading in readings]
