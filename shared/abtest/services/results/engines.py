"""The engines by name. All of them compare readings of one goal, so that its treatments are corrected together."""

from collections.abc import Callable, Mapping, Sequence

from abtest.contract import results as contract
from abtest.services.results import bayesian, frequentist, sequential
from abtest.services.results.compared import Compared, Comparisons
from abtest.services.results.comparing import Reading

ENGINES: Mapping[contract.Engine, Callable[[Sequence[Reading]], list[Compared | None]]] = {
    "frequentist": frequentist.compare,
    "sequential": sequential.compare,
    "bayesian": bayesian.compare,
}


def compare(readings: Sequence[Reading]) -> list[Comparisons]:
    """Readings of one goal, all their comparisons corrected together, by the engine that is asked for."""
    if not readings:
        return []
    found = iter(ENGINES[readings[0].question.engine](readings))
    return [{treatment.id: next(found) for _, treatment in reading.pairs()} for reading in readings]
