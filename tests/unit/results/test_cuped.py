"""CUPED beside the frequentist engine: from the sums of a roll-up's totals, and absent where those are."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Aggregation, Goal
from abtest.domain.stats.comparisons import compare_means
from abtest.domain.stats.samples import Sample
from abtest.services.results import frequentist
from abtest.services.results.comparison import TreatmentComparison
from abtest.services.results.counts import counts_of_totals
from abtest.services.results.question import Question, reading_of

NOW = "2026-03-02T09:00:00.000Z"
N = 400


def totals(pairs: dict[str, list[tuple[int, int]]], *, with_covariates: bool = True) -> dict[str, Any]:
    """Of visitors by what they did before (x) and after (y)."""
    sums = {
        arm: {
            "converters": sum(y > 0 for _, y in found),
            "count": len(found),
            "sum_minor": sum(y for _, y in found),
            "sum_squares_minor": str(sum(y * y for _, y in found)),
        }
        for arm, found in pairs.items()
    }
    before = {
        arm: [sum(x for x, _ in found), str(sum(x * x for x, _ in found)), str(sum(x * y for x, y in found))]
        for arm, found in pairs.items()
    }
    return {
        "variations": {arm: {"visitors": len(found)} for arm, found in pairs.items()},
        "goals": {"g": sums},
        **({"covariates": {"g": before}} if with_covariates else {}),
    }


def compared(document: dict[str, Any], aggregation: Aggregation = "count") -> TreatmentComparison:
    goal = Goal(
        id="g", experiment_id="e", name="Carts", type="click", aggregation=aggregation, created_at=NOW, updated_at=NOW
    )
    variations = tuple(
        Variation(id=arm, experiment_id="e", name=arm, weight=0.5, is_control=arm == "c") for arm in ("c", "t")
    )
    experiment = Experiment(
        id="e", shop_id="s", name="E", variations=variations, goals=(goal,), created_at=NOW, updated_at=NOW
    )
    question = Question(experiment=experiment, currency="EUR", alpha=0.05, correction="holm")
    found = frequentist.compare([reading_of(question, goal, counts_of_totals(document))])[0]
    assert found is not None
    return found


def visitors(lift: int, seed: int) -> list[tuple[int, int]]:
    random = Random(seed)
    before = [random.randint(0, 40) for _ in range(N)]
    return [(x, x + lift + random.randint(0, 6)) for x in before]


def test_cuped__of_what_visitors_did_before__takes_the_noise_off() -> None:
    pairs = {"c": visitors(0, 1), "t": visitors(1, 2)}
    found = compared(totals(pairs)).adjusted
    assert found is not None
    # The same by hand: y - θ(x - mean of x), θ pooled within arms.
    means = {arm: (sum(x for x, _ in p) / N, sum(y for _, y in p) / N) for arm, p in pairs.items()}
    xy = sum((x - means[arm][0]) * (y - means[arm][1]) for arm, p in pairs.items() for x, y in p)
    xx = sum((x - means[arm][0]) ** 2 for arm, p in pairs.items() for x, _ in p)
    theta, centre = xy / xx, sum(mean for mean, _ in means.values()) / 2
    arms = {arm: [y - theta * (x - centre) for x, y in p] for arm, p in pairs.items()}
    samples = {arm: sample(values) for arm, values in arms.items()}
    expected = compare_means(samples["c"], [samples["t"]], alpha=0.05, correction="holm")[0]
    assert expected is not None
    assert found.difference == pytest.approx(expected.difference)
    assert found.p_value == pytest.approx(expected.p_value)
    assert found.variance_reduction > 0.9
    assert compared(totals(pairs)).p_value != pytest.approx(found.p_value)


def sample(values: list[float]) -> Sample:
    mean = sum(values) / len(values)
    return Sample(n=len(values), mean=mean, variance=sum((v - mean) ** 2 for v in values) / (len(values) - 1))


def test_cuped__of_a_roll_up_without_covariates__is_absent() -> None:
    pairs = {"c": visitors(0, 1), "t": visitors(1, 2)}
    assert compared(totals(pairs, with_covariates=False)).adjusted is None


def test_cuped__of_a_rate__is_absent() -> None:
    pairs = {"c": [(1, n % 2) for n in range(N)], "t": [(0, n % 3 // 2) for n in range(N)]}
    assert compared(totals(pairs), aggregation="conversion").adjusted is None
