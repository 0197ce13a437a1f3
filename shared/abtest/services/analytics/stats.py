"""Statistics by calendar day, of a shop or of one of its experiments."""

from collections.abc import Iterator
from dataclasses import dataclass, field

from abtest.contract import analytics as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.cells import Money
from abtest.kit.errors import FieldError, NotFoundError, ValidationFailedError
from abtest.kit.money import to_major
from abtest.services.analytics.periods import Asked, Period, period_of
from abtest.services.analytics.shop_days import ShopDays, number_of_orders, revenue_minor
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.results.foreign_money import foreign_fields
from abtest.services.results.narrowing import days_of
from abtest.services.results.questions import ShopRules, coverage_of
from abtest.services.results.reading import RollupReader, Snapshot
from abtest.services.results.tallies import Tally, counted_in, of_spans


@dataclass(frozen=True, slots=True, kw_only=True)
class StatsWish:
    """What is asked for; a variation only with its experiment."""

    asked: Asked = field(default_factory=Asked)
    experiment_id: str | None = None
    variation_id: str | None = None


class Stats:
    """The use case."""

    def __init__(self, world: World, reader: RollupReader) -> None:
        self._world = world
        self._reader = reader

    def read(self, caller: Caller, wish: StatsWish) -> contract.AnalyticsStatsResponse:
        """Every day of the period.

        Raises NotFoundError for an experiment, or a variation of it, that the shop does not have; ValidationFailedError
        for a variation without its experiment and a period that cannot be read.
        """
        if wish.variation_id and not wish.experiment_id:
            fields = [FieldError("variation_id", "needs `experiment_id`")]
            raise ValidationFailedError("a variation is one of an experiment", fields=fields)
        period = period_of(wish.asked, self._world.clock.now())
        rules = ShopRules(self._world.catalog, caller.shop_id)
        days = ShopDays(self._reader.store, caller.shop_id, period)
        rows = list(self._rows(caller, wish, period, rules, days))
        stitch = [day.stitch for day in days.all]
        coverage = coverage_of(
            rules.asks_consent, sum(found.orders for found in stitch), sum(found.stitched for found in stitch)
        )
        return contract.AnalyticsStatsResponse(data=rows, timezone=period.zone.key, coverage=coverage)

    def _rows(
        self, caller: Caller, wish: StatsWish, period: Period, rules: ShopRules, days: ShopDays
    ) -> Iterator[contract.AnalyticsStatsRow] | list[contract.AnalyticsStatsRow]:
        if wish.experiment_id is None:
            return _of_shop(period, days, rules.shop.currency)
        experiment = experiment_of(self._world.catalog, caller.shop_id, wish.experiment_id)
        if wish.variation_id and wish.variation_id not in {variation.id for variation in experiment.variations}:
            raise NotFoundError("the experiment has no such variation")

        def ask(snapshot: Snapshot) -> list[contract.AnalyticsStatsRow]:
            currency = (snapshot.totals or {}).get("currency") or rules.shop.currency
            return list(_of_experiment(snapshot, experiment, wish.variation_id, period, currency))

        return self._reader.read(experiment.id, experiment.measurement_epoch, ask)


def _of_shop(period: Period, days: ShopDays, currency: str) -> Iterator[contract.AnalyticsStatsRow]:
    for day in period.days:
        money = days.orders(day.span)
        yield contract.AnalyticsStatsRow(
            date=day.date.isoformat(),
            visitors=days.visitors(day.span),
            conversions=number_of_orders(money),
            revenue=to_major(revenue_minor(money), currency),
            **foreign_fields(money, currency),
        )


def _of_experiment(
    snapshot: Snapshot, experiment: Experiment, variation_id: str | None, period: Period, currency: str
) -> Iterator[contract.AnalyticsStatsRow]:
    converts, pays = main_goal(experiment), revenue_goal(experiment)
    totals = snapshot.totals
    curves = snapshot.days(*days_of([period.span])) if totals else {}
    for day in period.days:
        tally = of_spans(curves, [day.span], counted_in(totals) if totals else frozenset())
        chosen = [variation_id] if variation_id else list(tally.visitors)
        yield contract.AnalyticsStatsRow(
            date=day.date.isoformat(),
            visitors=sum(tally.visitors.get(each, 0) for each in chosen),
            conversions=sum(tally.goal(converts.id, each).converters for each in chosen) if converts else 0,
            revenue=to_major(sum(tally.goal(pays.id, each).total for each in chosen), currency) if pays else 0.0,
            **foreign_fields(_money(tally, pays, chosen), currency),
        )


def main_goal(experiment: Experiment) -> Goal | None:
    """The primary goal, or else the first one in use."""
    in_use = [goal for goal in experiment.goals if goal.archived_at is None]
    return next((goal for goal in in_use if goal.is_primary), in_use[0] if in_use else None)


def revenue_goal(experiment: Experiment) -> Goal | None:
    """The first revenue goal in use, the primary one before others; orders are what it counts."""
    paid = [goal for goal in experiment.goals if goal.archived_at is None and goal.type == "revenue"]
    return next((goal for goal in paid if goal.is_primary), paid[0] if paid else None)


def _money(tally: Tally, goal: Goal | None, variation_ids: list[str]) -> dict[tuple[str, str], Money]:
    found: dict[tuple[str, str], Money] = {}
    for variation_id in variation_ids if goal else ():
        for key, money in (tally.money_of(goal.id, variation_id) or {}).items() if goal else ():
            found[key] = found.get(key, Money()).plus(money)
    return found
