"""The holdout against everybody else, from a roll-up of its own."""

from abtest.contract import analytics as contract
from abtest.domain.experiments.model import Experiment, Variation
from abtest.domain.ledger.cells import GoalCount
from abtest.domain.ledger.events import REVENUE_GOAL_ID
from abtest.domain.ledger.plans import COHORTS
from abtest.domain.settings.shop import Shop
from abtest.domain.stats.comparisons import Comparison, compare_means, compare_rates
from abtest.domain.stats.samples import Conversions, Sample
from abtest.kit.money import exponent, to_major
from abtest.services.analytics.periods import Asked, period_of
from abtest.services.context import Caller, World
from abtest.services.results.comparing import Question
from abtest.services.results.foreign_money import foreign_fields
from abtest.services.results.narrowing import days_of
from abtest.services.results.questions import ShopRules
from abtest.services.results.reading import RollupReader, Snapshot
from abtest.services.results.rows import interval_of
from abtest.services.results.splits import sample_ratio_of
from abtest.services.results.tallies import Tally, counted_in, of_spans, of_totals


class HoldoutReading:
    """The use case."""

    def __init__(self, world: World, reader: RollupReader) -> None:
        self._world = world
        self._reader = reader

    def read(self, caller: Caller, asked: Asked) -> contract.Holdout:
        """Visitors first seen in a cohort since the holdout was last changed, or in a period.

        Raises ValidationFailedError for a period that cannot be read.
        """
        rules = ShopRules(self._world.catalog, caller.shop_id)
        shop = rules.shop

        def ask(snapshot: Snapshot) -> contract.Holdout:
            question = rules.question(_as_experiment(shop), snapshot.totals, "none")
            return contract.Holdout(data=_compared(shop, question, snapshot, self._tally(snapshot, asked)))

        return self._reader.read(shop.id, shop.holdout_config_epoch, ask)

    def _tally(self, snapshot: Snapshot, asked: Asked) -> Tally:
        period = period_of(asked, self._world.clock.now())
        if snapshot.totals is None:
            return Tally()
        if asked.first is None and asked.last is None:
            return of_totals(snapshot.totals)
        return of_spans(snapshot.days(*days_of([period.span])), [period.span], counted_in(snapshot.totals))


def _as_experiment(shop: Shop) -> Experiment:
    """Two arms, as weighty as the holdout's share says."""
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


def _compared(shop: Shop, question: Question, snapshot: Snapshot, tally: Tally) -> contract.HoldoutComparison:
    totals = snapshot.totals or {}
    counts = [tally.goal(REVENUE_GOAL_ID, cohort) for cohort in COHORTS]
    visitors = [tally.visitors.get(cohort, 0) for cohort in COHORTS]
    rates = [Conversions(visitors=n, conversions=count.converters) for n, count in zip(visitors, counts, strict=True)]
    scale = 10.0 ** -exponent(question.currency)
    samples = [
        Sample.from_sums(n, count.total, count.squares).scaled(scale) for n, count in zip(visitors, counts, strict=True)
    ]
    return contract.HoldoutComparison(
        is_enabled=shop.holdout_v1_enabled,
        holdout_config_epoch=shop.holdout_config_epoch,
        computed_at=totals.get("computed_at"),
        generation=totals.get("generation"),
        currency=question.currency,
        alpha=question.alpha,
        srm=sample_ratio_of(question, tally),
        multiple_exposure=totals.get("multiple_exposure", 0),
        rows=[_row(question.currency, tally, cohort, count) for cohort, count in zip(COHORTS, counts, strict=True)],
        conversion_rate=_effect(compare_rates(rates[0], rates[1:], alpha=question.alpha, correction="none")[0]),
        revenue_per_visitor=_effect(compare_means(samples[0], samples[1:], alpha=question.alpha, correction="none")[0]),
    )


def _row(currency: str, tally: Tally, cohort: str, count: GoalCount) -> contract.HoldoutRow:
    visitors = tally.visitors.get(cohort, 0)
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
            **foreign_fields(tally.money_of(REVENUE_GOAL_ID, cohort), currency),
        }
    )


def _effect(found: Comparison | None) -> contract.HoldoutEffect | None:
    if found is None:
        return None
    return contract.HoldoutEffect(
        lift=found.lift,
        ci=interval_of(found.lift_interval),
        difference=found.difference,
        difference_ci=interval_of(found.difference_interval),
        p_value=found.p_value,
        is_significant=found.is_significant,
    )
