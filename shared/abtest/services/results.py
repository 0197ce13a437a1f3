"""Reading results: the roll-up that stands, compared by the frequentist engine. Nothing is counted here."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from abtest.contract import results as contract
from abtest.domain.experiments.model import Experiment, Goal, Variation
from abtest.domain.ledger.filters import is_evaluable
from abtest.domain.personalizations.documents import personalization_from
from abtest.domain.personalizations.measurement import measured
from abtest.domain.stats.comparisons import Comparison, compare_means, compare_rates
from abtest.domain.stats.sample_ratio import sample_ratio
from abtest.domain.stats.samples import Conversions, Interval, Sample
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import is_uuid
from abtest.kit.money import exponent, to_major
from abtest.ports.rollups import Rollups
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_in, public_name
from abtest.services.shop_records import read_shop
from abtest.services.shops import defaults_in

MULTIPLE_EXPOSURE_SHARE, MULTIPLE_EXPOSURE_VISITORS = 0.01, 10

Document = Mapping[str, Any]
_ZERO: Document = {"converters": 0, "count": 0, "sum_minor": 0, "sum_squares_minor": "0", "excluded": 0}


@dataclass(frozen=True, slots=True, kw_only=True)
class _Question:
    """What the numbers are read for."""

    experiment: Experiment
    rollup: Document
    currency: str
    alpha: float
    correction: contract.Correction

    @property
    def variations(self) -> Sequence[Variation]:
        return [variation for variation in self.experiment.variations if variation.archived_at is None]

    def visitors(self, variation: Variation) -> int:
        found = self.rollup.get("variations", {}).get(variation.id, {})
        return int(found.get("visitors", 0))


class Results:
    """Results of the experiments of the caller's shop."""

    def __init__(self, world: World, rollups: Rollups) -> None:
        self._world = world
        self._rollups = rollups

    def read(
        self,
        caller: Caller,
        reference: str,
        *,
        goal_ids: Sequence[str] = (),
        correction: contract.Correction | None = None,
    ) -> contract.Results:
        """Results by id or public id, of all goals in use or the named ones; the shop's correction unless one is named.

        Raises NotFoundError for an experiment, or a goal of it, that the shop does not have.
        """
        return self._of([self._experiment(caller.shop_id, reference)], goal_ids, correction)[0]

    def of_personalization(
        self,
        caller: Caller,
        personalization_id: str,
        *,
        goal_ids: Sequence[str] = (),
        correction: contract.Correction | None = None,
    ) -> contract.PersonalizationResults:
        """Results of each experience against those who would have got it and were not shown it.

        Raises NotFoundError for a personalization, or a goal of it, that the shop does not have.
        """
        record = self._world.catalog.get(caller.shop_id, "PZN", personalization_id)
        if record is None:
            raise NotFoundError("no such personalization")
        personalization = personalization_from(record.body)
        found = self._of(measured(personalization), goal_ids, correction)
        return contract.PersonalizationResults(
            personalization_id=personalization.id,
            experiences=[
                contract.ExperienceResults(
                    experience_id=experience.id,
                    experience_key=experience.key,
                    experience_name=experience.name,
                    results=results,
                )
                for experience, results in zip(personalization.experiences, found, strict=True)
            ],
        )

    def _of(
        self, experiments: Sequence[Experiment], goal_ids: Sequence[str], correction: contract.Correction | None
    ) -> list[contract.Results]:
        """Results of experiments of one shop, in their order."""
        if not experiments:
            return []
        shop_id = experiments[0].shop_id
        shop = read_shop(self._world.catalog, shop_id)
        settings = defaults_in(self._world.catalog, shop)
        questions = [
            _Question(
                experiment=experiment,
                rollup=self._rollups.get(experiment.id, experiment.measurement_epoch) or {},
                currency=shop.currency,
                alpha=settings["alpha"],
                correction=correction or settings["correction_method"],
            )
            for experiment in experiments
        ]
        return [_results(question, goal_ids) for question in questions]

    def _experiment(self, shop_id: str, reference: str) -> Experiment:
        found = None if is_uuid(reference) else self._world.catalog.resolve(shop_id, public_name(reference))
        record = self._world.catalog.get(shop_id, "EXP", found[1] if found else reference)
        if record is None:
            raise NotFoundError("no such experiment")
        return experiment_in(record)


def _results(question: _Question, goal_ids: Sequence[str]) -> contract.Results:
    experiment, rollup = question.experiment, question.rollup
    srm = _sample_ratio(question)
    return contract.Results(
        experiment_id=experiment.id,
        measurement_epoch=experiment.measurement_epoch,
        computed_at=rollup.get("computed_at"),
        through=rollup.get("through"),
        generation=rollup.get("generation"),
        engine="frequentist",
        correction=question.correction,
        alpha=question.alpha,
        goals=[_goal_result(question, goal) for goal in _chosen(experiment, goal_ids)],
        srm=srm,
        multiple_exposure=rollup.get("multiple_exposure", 0),
        health=_health(question, srm),
        coverage=None,
    )


def _chosen(experiment: Experiment, goal_ids: Sequence[str]) -> Sequence[Goal]:
    """Goals in use, or exactly the named ones, archived or not. Raises NotFoundError."""
    if not goal_ids:
        return [goal for goal in experiment.goals if goal.archived_at is None]
    if not set(goal_ids) <= {goal.id for goal in experiment.goals}:
        raise NotFoundError("the experiment has no such goal")
    return [goal for goal in experiment.goals if goal.id in goal_ids]


def _goal_result(question: _Question, goal: Goal) -> contract.GoalResult:
    counts, problem = _counts(question, goal)
    comparisons = _comparisons(question, goal, counts) if counts else {}
    is_rate = _is_rate(goal)
    return contract.GoalResult(
        goal_id=goal.id,
        name=goal.name,
        type=goal.type,
        role=goal.role,
        direction=goal.direction,
        aggregation=goal.aggregation,
        metric="rate" if is_rate else "mean",
        not_evaluable=problem,
        rows=[
            _row(question, goal, variation, counts.get(variation.id) if counts else None, comparisons)
            for variation in question.variations
        ],
    )


def _is_rate(goal: Goal) -> bool:
    """Revenue is compared as money per visitor, whatever its aggregation says."""
    return goal.type != "revenue" and goal.aggregation == "conversion"


def _counts(question: _Question, goal: Goal) -> tuple[Document | None, Any]:
    """Counts by variation, or None with the reason why there are none."""
    if not is_evaluable(goal.filter):
        return None, "filter"
    if not question.rollup:
        return dict.fromkeys((variation.id for variation in question.variations), _ZERO), None
    counted = question.rollup["goals"].get(goal.id)
    if not counted:
        return None, "not_counted_yet"
    return {variation.id: counted.get(variation.id, _ZERO) for variation in question.variations}, None


def _comparisons(question: _Question, goal: Goal, counts: Document) -> Mapping[str, Comparison | None]:
    control = next((variation for variation in question.variations if variation.is_control), None)
    if control is None:
        return {}
    treatments = [variation for variation in question.variations if variation is not control]
    if _is_rate(goal):
        rates = {item.id: _conversions(question, item, counts) for item in question.variations}
        found = compare_rates(
            rates[control.id],
            [rates[item.id] for item in treatments],
            alpha=question.alpha,
            correction=question.correction,
        )
    else:
        samples = {item.id: _sample(question, goal, item, counts) for item in question.variations}
        found = compare_means(
            samples[control.id],
            [samples[item.id] for item in treatments],
            alpha=question.alpha,
            correction=question.correction,
        )
    return dict(zip([item.id for item in treatments], found, strict=True))


def _conversions(question: _Question, variation: Variation, counts: Document) -> Conversions:
    return Conversions(visitors=question.visitors(variation), conversions=counts[variation.id]["converters"])


def _sample(question: _Question, goal: Goal, variation: Variation, counts: Document) -> Sample:
    count = counts[variation.id]
    sample = Sample.from_sums(question.visitors(variation), count["sum_minor"], int(count["sum_squares_minor"]))
    return sample.scaled(10.0 ** -exponent(question.currency)) if goal.type == "revenue" else sample


def _row(
    question: _Question,
    goal: Goal,
    variation: Variation,
    count: Document | None,
    comparisons: Mapping[str, Comparison | None],
) -> contract.ResultRow:
    visitors, is_money = question.visitors(variation), goal.type == "revenue"
    total = None if count is None else count["sum_minor"]
    if total is not None and is_money:
        total = to_major(total, question.currency)
    found = comparisons.get(variation.id)
    return contract.ResultRow(
        variation_id=variation.id,
        variation_name=variation.name,
        is_control=variation.is_control,
        visitors=visitors,
        conversions=count["converters"] if count else None,
        count=count["count"] if count else None,
        rate=count["converters"] / visitors if count and visitors else None,
        mean=total / visitors if total is not None and visitors else None,
        revenue=total if is_money else None,
        currency=question.currency if is_money else None,
        excluded=count["excluded"] if count and is_money else None,
        lift=found.lift if found else None,
        ci=_interval(found.lift_interval if found else None),
        difference=found.difference if found else None,
        difference_ci=_interval(found.difference_interval if found else None),
        p_value=found.p_value if found else None,
        adjusted_p_value=found.adjusted_p_value if found else None,
        always_valid_p=None,
        prob_to_beat_control=None,
        is_significant=found.is_significant if found else None,
    )


def _interval(found: Interval | None) -> contract.Interval | None:
    return None if found is None else contract.Interval(lower=found.lower, upper=found.upper)


def _sample_ratio(question: _Question) -> contract.SampleRatio:
    ids = [variation.id for variation in question.variations]
    visitors = [question.visitors(variation) for variation in question.variations]
    found = sample_ratio(visitors, [variation.weight for variation in question.variations])
    observed = dict(zip(ids, visitors, strict=True))
    if found is None:
        return contract.SampleRatio(
            p_value=None, status="not_evaluable", expected=dict.fromkeys(ids, 0.0), observed=observed
        )
    return contract.SampleRatio(
        p_value=found.p_value,
        status="mismatch" if found.is_mismatch else "ok",
        expected=dict(zip(ids, found.expected, strict=True)),
        observed=observed,
    )


def _health(question: _Question, srm: contract.SampleRatio) -> list[contract.HealthFinding]:
    findings = []
    if srm.status == "mismatch":
        message = "visitors are not split as the weights say; do not trust the comparison before you know why"
        findings.append(contract.HealthFinding(kind="sample_ratio_mismatch", message=message))
    twice = question.rollup.get("multiple_exposure", 0)
    everybody = twice + sum(question.visitors(variation) for variation in question.variations)
    if twice >= MULTIPLE_EXPOSURE_VISITORS and twice >= MULTIPLE_EXPOSURE_SHARE * everybody:
        message = f"{twice} visitors saw two variations; they are left out"
        findings.append(contract.HealthFinding(kind="multiple_exposure", message=message))
    return findings
