"""The holdout against all other visitors, from a roll-up of its own."""

from abtest.contract import analytics as contract
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.ledger.events import REVENUE_GOAL_ID
from abtest.domain.ledger.plans import COHORTS
from abtest.domain.settings.shop import Shop
from abtest.domain.stats.samples import Conversions, Sample
from abtest.domain.stats.sequential import mixture_test
from abtest.kit.money import exponent, to_major
from abtest.ports.rollup_store import Document
from abtest.services.analytics.periods import PeriodQuery, period_of
from abtest.services.context import Caller, World
from abtest.services.results.comparison import TreatmentComparison
from abtest.services.results.counts import Counts, counted_in, counts_in_spans, counts_of_totals
from abtest.services.results.foreign_money import foreign_fields
from abtest.services.results.population import days_of
from abtest.services.results.question import Question
from abtest.services.results.rows import interval_of
from abtest.services.results.sequential import NOTHING, Pair, compare_pair
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import RollupReader, Snapshot
from abtest.services.results.splits import sample_ratio_of


class HoldoutReading:
    """Holdout comparison of the caller's shop."""

    def __init__(self, world: World, reader: RollupReader) -> None:
        self._world = world
        self._reader = reader

    def read(self, caller: Caller, query: PeriodQuery) -> contract.Holdout:
        """Return both cohorts of visitors first seen since the holdout was last changed, or in a period.

        Raises ValidationFailedError for a period that cannot be read.
        """
        rules = ShopRules(self._world.catalog, caller.shop_id)
        shop, period = rules.shop, period_of(query, self._world.clock.now())

        def compute(snapshot: Snapshot) -> contract.Holdout:
            totals, counts = snapshot.totals, Counts()
            # Two arms are one comparison per metric, so there is nothing to correct.
            question = rules.question(holdout_experiment(shop), totals, "none")
            if totals and query.first is None and query.last is None:
                counts = counts_of_totals(totals)
            elif totals:
                counts = counts_in_spans(snapshot.days(*days_of([period.span])), [period.span], counted_in(totals))
            return contract.Holdout(data=compare_cohorts(shop, question, totals or {}, counts))

        return self._reader.read(shop.id, shop.holdout_config_epoch, compute)


def holdout_experiment(shop: Shop) -> Experiment:
    """Return the holdout as an experiment of two arms, weighted by the holdout's share."""
    share = shop.holdout_pct / 100
    weights = dict(zip(COHORTS, (share, 1 - share), strict=True))
    arms = [
        Variation(id=cohort, experiment_id=shop.id, name=cohort, weight=weight, is_control=cohort == COHORTS[0])
        for cohort, weight in weights.items()
    ]
    return Experiment(
        id=shop.id,
        shop_id=shop.id,
        name="holdout",
        variations=tuple(arms),
        created_at=shop.created_at,
        updated_at=shop.updated_at,
    )


def compare_cohorts(shop: Shop, question: Question, totals: Document, counts: Counts) -> contract.HoldoutComparison:
    """Compare the conversion rate and the revenue per visitor of the cohorts, uncorrected.

    A holdout has no planned end and is read while it grows, so the comparison holds at every look.
    """
    rates, samples = [], []
    for cohort in COHORTS:
        visitors, count = counts.visitors.get(cohort, 0), counts.goal(REVENUE_GOAL_ID, cohort)
        rates.append(Conversions(visitors=visitors, conversions=count.converters))
        # All visitors of a cohort count: those who bought nothing are zeros in the sample.
        sample = Sample.from_sums(visitors, count.total, count.squares)
        samples.append(sample.scaled(10.0 ** -exponent(question.currency)))
    return contract.HoldoutComparison(
        is_enabled=shop.holdout_v1_enabled,
        holdout_config_epoch=shop.holdout_config_epoch,
        computed_at=totals.get("computed_at"),
        generation=totals.get("generation"),
        currency=question.currency,
        alpha=question.alpha,
        srm=sample_ratio_of(question, counts),
        multiple_exposure=totals.get("multiple_exposure", 0),
        rows=[cohort_row(question.currency, counts, cohort) for cohort in COHORTS],
        engine="sequential",
        conversion_rate=_effect(always_valid(rates[0], rates[1], question.alpha)),
        revenue_per_visitor=_effect(always_valid(samples[0], samples[1], question.alpha)),
    )


def cohort_row(currency: str, counts: Counts, cohort: str) -> contract.HoldoutRow:
    """Return the figures of one cohort, money in major units."""
    visitors, count = counts.visitors.get(cohort, 0), counts.goal(REVENUE_GOAL_ID, cohort)
    revenue = to_major(count.total, currency)
    return contract.HoldoutRow.model_validate(
        {
            "cohort": cohort,
            "visitors": visitors,
            "buyers": count.converters,
            "orders": count.hits,
            "revenue": revenue,
            "conversion_rate": count.converters / visitors if visitors else None,
            "revenue_per_visitor": revenue / visitors if visitors else None,
            **foreign_fields(counts.money_of(REVENUE_GOAL_ID, cohort), currency),
        }
    )


def always_valid(
    control: Conversions | Sample, treatment: Conversions | Sample, alpha: float
) -> TreatmentComparison | None:
    """Return the always-valid comparison of current numbers, without earlier looks; None where it cannot be tested."""
    pair = Pair(control, treatment, mixture_test(control, treatment, alpha=alpha), NOTHING)
    return compare_pair(pair, pair.running_p, pair.running_p <= alpha, alpha)


def _effect(comparison: TreatmentComparison | None) -> contract.HoldoutEffect | None:
    if comparison is None:
        return None
    return contract.HoldoutEffect(
        lift=comparison.lift,
        ci=interval_of(comparison.lift_interval),
        difference=comparison.difference,
        difference_ci=interval_of(comparison.difference_interval),
        # Both are always computed by the sequential engine.
        p_value=1.0 if comparison.p_value is None else comparison.p_value,
        is_significant=bool(comparison.is_significant),
    )
