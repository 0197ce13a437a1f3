"""Statistics by calendar day, of a shop or of one of its experiments."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, field

from abtest.contract import analytics as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.cells import Money
from abtest.kit.errors import FieldError, NotFoundError, ValidationFailedError
from abtest.kit.money import to_major
from abtest.services.analytics.periods import Period, PeriodQuery, period_of
from abtest.services.analytics.shop_days import ShopDays, number_of_orders, revenue_minor
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.results.counts import Counts, counted_in, counts_in_spans
from abtest.services.results.foreign_money import foreign_fields
from abtest.services.results.population import days_of
from abtest.services.results.shop_rules import ShopRules, coverage_of
from abtest.services.results.snapshots import RollupReader, Snapshot


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsQuery:
    """Period of a request, and its experiment; a variation only with its experiment."""

    period: PeriodQuery = field(default_factory=PeriodQuery)
    experiment_id: str | None = None
    variation_id: str | None = None


class Stats:
    """Statistics of the caller's shop."""

    def __init__(self, world: World, reader: RollupReader) -> None:
        self._world = world
        self._reader = reader

    def read(self, caller: Caller, query: StatsQuery) -> contract.AnalyticsStatsResponse:
        """Return every day of the period.

        Raises NotFoundError for an experiment, or a variation of it, that the shop does not have; ValidationFailedError
        for a variation without its experiment and a period that cannot be read.
        """
        if query.variation_id and not query.experiment_id:
            fields = [FieldError("variation_id", "must be sent with the `experiment_id` it belongs to")]
            raise ValidationFailedError("a variation is one of an experiment", fields=fields)
        period = period_of(query.period, self._world.clock.now())
        rules = ShopRules(self._world.catalog, caller.shop_id)
        days = ShopDays(self._reader.store, caller.shop_id, period, rules.shop.currency)
        if query.experiment_id is None:
            rows = list(shop_rows(period, days, rules.shop.currency))
        else:
            experiment = experiment_of(self._world.catalog, caller.shop_id, query.experiment_id)
            rows = self._experiment_rows(experiment, query.variation_id, period, rules)
        stitches = [day.stitch for day in days.all]
        orders, stitched = sum(stitch.orders for stitch in stitches), sum(stitch.stitched for stitch in stitches)
        coverage = coverage_of(rules.asks_consent, orders, stitched)
        return contract.AnalyticsStatsResponse(data=rows, timezone=period.zone.key, coverage=coverage)

    def _experiment_rows(
        self, experiment: Experiment, variation_id: str | None, period: Period, rules: ShopRules
    ) -> list[contract.AnalyticsStatsRow]:
        if variation_id and variation_id not in {variation.id for variation in experiment.variations}:
            raise NotFoundError("the experiment has no such variation")

        def compute(snapshot: Snapshot) -> list[contract.AnalyticsStatsRow]:
            currency = (snapshot.totals or {}).get("currency") or rules.shop.currency
            return list(experiment_rows(snapshot, experiment, variation_id, period, currency))

        return self._reader.read(experiment.id, experiment.measurement_epoch, compute)


def shop_rows(period: Period, days: ShopDays, currency: str) -> Iterator[contract.AnalyticsStatsRow]:
    """Yield the shop's visitors and orders by day, money in major units."""
    for day in period.days:
        money = days.orders(day.span)
        yield contract.AnalyticsStatsRow(
            date=day.date.isoformat(),
            visitors=days.visitors(day.span),
            conversions=number_of_orders(money),
            revenue=to_major(revenue_minor(money), currency),
            **foreign_fields(money, currency),
        )


def experiment_rows(
    snapshot: Snapshot, experiment: Experiment, variation_id: str | None, period: Period, currency: str
) -> Iterator[contract.AnalyticsStatsRow]:
    """Yield visitors by day of first exposure, with their conversions since; of one variation or of all."""
    converts, pays = main_goal(experiment), revenue_goal(experiment)
    totals = snapshot.totals
    curves = snapshot.days(*days_of([period.span])) if totals else {}
    for day in period.days:
        counts = counts_in_spans(curves, [day.span], counted_in(totals) if totals else frozenset())
        chosen = [variation_id] if variation_id else list(counts.visitors)
        yield contract.AnalyticsStatsRow(
            date=day.date.isoformat(),
            visitors=sum(counts.visitors.get(each, 0) for each in chosen),
            conversions=sum(counts.goal(converts.id, each).converters for each in chosen) if converts else 0,
            revenue=to_major(sum(counts.goal(pays.id, each).total for each in chosen), currency) if pays else 0.0,
            **foreign_fields(money_of(counts, pays, chosen) if pays else None, currency),
        )


def main_goal(experiment: Experiment) -> Goal | None:
    """Return the primary goal, or else the first one in use."""
    in_use = [goal for goal in experiment.goals if goal.archived_at is None]
    return next((goal for goal in in_use if goal.is_primary), in_use[0] if in_use else None)


def revenue_goal(experiment: Experiment) -> Goal | None:
    """Return the revenue goal in use, the primary one before others. It counts orders."""
    paid = [goal for goal in experiment.goals if goal.archived_at is None and goal.is_revenue]
    return next((goal for goal in paid if goal.is_primary), paid[0] if paid else None)


def money_of(counts: Counts, goal: Goal, variation_ids: Iterable[str]) -> dict[tuple[str, str], Money]:
    """Return a goal's money of some variations, by kind and currency."""
    sums: dict[tuple[str, str], Money] = {}
    for variation_id in variation_ids:
        for key, money in (counts.money_of(goal.id, variation_id) or {}).items():
            sums[key] = sums.get(key, Money()).plus(money)
    return sums
