"""CUPED beside the frequentist engine: from the sums of a roll-up's totals, and absent where those are."""

from __future__ import annotations

from random import Random
from typing import Any

import pytest

from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.goals.model import Aggregation, Goal
from abtest.domain.ledger.cells import ceiling_of
from abtest.domain.stats.comparisons import compare_means
from abtest.domain.stats.cuped import cuped
from abtest.domain.stats.samples import Sample
from abtest.services.results import adjusted_decisions, frequentist
from abtest.services.results.comparison import TreatmentComparison
from abtest.services.results.counts import counts_of_totals
from abtest.services.results.question import Question, Reading, reading_of
from tests.support.covariates import covariate_sums

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


def steps(pairs: dict[str, list[tuple[int, int]]], *, of_covariates: bool) -> dict[str, Any]:
    """Visitors with a total by its ceiling, as a roll-up has them."""
    summed: dict[str, dict[int, list[int]]] = {arm: {} for arm in pairs}
    for arm, visitors_of in pairs.items():
        for x, y in visitors_of:
            if y and (x or not of_covariates):
                row = summed[arm].setdefault(ceiling_of(y), [0, 0, 0, 0])
                more = (x, x * x, x * y, 0) if of_covariates else (1, 1, y, y * y)
                summed[arm][ceiling_of(y)] = [a + b for a, b in zip(row, more, strict=True)]
    if of_covariates:
        return {
            arm: [[at, total, str(xx), str(xy)] for at, (total, xx, xy, _) in rows.items()]
            for arm, rows in summed.items()
        }
    return {arm: [[at, n, hits, y, str(yy)] for at, (n, hits, y, yy) in rows.items()] for arm, rows in summed.items()}


def buyers(seed: int) -> list[tuple[int, int]]:
    random = Random(seed)
    liking = [random.lognormvariate(7, 1.2) if random.random() < 0.4 else 0.0 for _ in range(N)]
    return [(int(like * random.random()), int(like * random.random())) for like in liking]


@pytest.mark.parametrize("engine", [frequentist, adjusted_decisions])
def test_cuped__of_a_goal_with_a_cap__caps_what_is_compared_and_not_what_was_before(engine: Any) -> None:
    pairs = {"c": buyers(1), "t": buyers(2)}
    document = totals(pairs) | {"spread": {"g": steps(pairs, of_covariates=False)}}
    document["covariate_steps"] = {"g": steps(pairs, of_covariates=True)}

    row, reading = compared_capped(document, engine)

    cap = reading.caps.ceiling
    assert cap is not None
    assert sum(y > cap for arm in pairs.values() for _, y in arm) > 5
    capped_pairs = {arm: [(x, min(y, cap)) for x, y in each] for arm, each in pairs.items()}
    expected = cuped([covariate_sums(each) for each in capped_pairs.values()])
    control, treatment = expected.samples
    assert row.adjusted is not None
    assert row.adjusted.difference == pytest.approx((treatment.mean - control.mean) / 100)
    assert row.adjusted.variance_reduction == pytest.approx(expected.variance_reduction)
    assert row.difference == pytest.approx(sum(y for _, y in capped_pairs["t"]) / N / 100 - row_mean(capped_pairs["c"]))


def row_mean(arm: list[tuple[int, int]]) -> float:
    return sum(y for _, y in arm) / len(arm) / 100


def compared_capped(document: dict[str, Any], engine: Any) -> tuple[TreatmentComparison, Reading]:
    goal = Goal(
        id="g", experiment_id="e", name="Money", type="revenue", winsorize_pct=0.05, created_at=NOW, updated_at=NOW
    )
    arms = tuple(Variation(id=arm, experiment_id="e", name=arm, weight=0.5, is_control=arm == "c") for arm in "ct")
    experiment = Experiment(
        id="e", shop_id="s", name="E", variations=arms, goals=(goal,), created_at=NOW, updated_at=NOW
    )
    question = Question(experiment=experiment, currency="EUR", alpha=0.05, correction="holm")
    reading = reading_of(question, goal, counts_of_totals(document))
    (row,) = engine.compare([reading])
    assert row is not None
    return row, reading


def test_cuped__of_a_goal_with_a_cap__is_absent_where_the_steps_have_no_covariates() -> None:
    pairs = {"c": buyers(1), "t": buyers(2)}

    row, _ = compared_capped(totals(pairs) | {"spread": {"g": steps(pairs, of_covariates=False)}}, frequentist)

    assert row.adjusted is None
