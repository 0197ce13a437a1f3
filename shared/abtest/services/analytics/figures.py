"""One metric by one grouping: days, segments and events of the shop, or its experiments, variations, goals."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from abtest.contract import analytics as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.shop_days import ShopDay
from abtest.kit.errors import FieldError, ValidationFailedError
from abtest.kit.money import exponent
from abtest.services.analytics.periods import Asked, Period, period_of
from abtest.services.analytics.shop_days import ShopDays, number_of_orders, revenue_minor, shop_money
from abtest.services.analytics.stats import revenue_goal
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_in, experiment_of
from abtest.services.results.comparing import unit_of
from abtest.services.results.narrowing import STORED, days_of, on_results_weekdays
from abtest.services.results.questions import ShopRules
from abtest.services.results.reading import RollupReader, Snapshot
from abtest.services.results.tallies import Tally, counted_in, of_spans

EXPERIMENTS_TOLD = 50
GROUPS_TOLD = 250
_SALES: tuple[contract.Metric, ...] = (
    "visitors",
    "orders",
    "revenue",
    "average_order_value",
    "conversion_rate",
)
POSSIBLE: Mapping[contract.GroupBy, tuple[contract.Metric, ...]] = {
    "date": (*_SALES, "events"),
    "device": _SALES,
    "country": _SALES,
    "new_returning": _SALES,
    "source": _SALES,
    "event_type": ("events",),
    "experiment": _SALES,
    "variation": _SALES,
    "goal": ("visitors", "revenue", "conversion_rate", "events"),
}
"""Which metrics a grouping has."""

_OF_ONE_EXPERIMENT = ("variation", "goal")
_BY_UTC_DAY = ("device", "country", "new_returning", "source", "event_type")


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresWish:
    """What is asked for; an experiment for its variations and goals only."""

    metric: contract.Metric
    group_by: contract.GroupBy
    asked: Asked = field(default_factory=Asked)
    experiment_id: str | None = None


@dataclass(slots=True)
class _Sales:
    """What the metrics of a group are worked out from; revenue in major units, `paid` the orders that it is of."""

    visitors: int = 0
    orders: int = 0
    paid: int = 0
    buyers: int = 0
    revenue: float = 0.0
    events: int = 0
    name: str | None = None


_WORKED_OUT: Mapping[contract.Metric, Callable[[_Sales], float | None]] = {
    "visitors": lambda found: float(found.visitors),
    "orders": lambda found: float(found.orders),
    "revenue": lambda found: found.revenue,
    "average_order_value": lambda found: found.revenue / found.paid if found.paid else None,
    "conversion_rate": lambda found: found.buyers / found.visitors if found.visitors else None,
    "events": lambda found: float(found.events),
}


class Figures:
    """The use case."""

    def __init__(self, world: World, reader: RollupReader) -> None:
        self._world = world
        self._reader = reader

    def read(self, caller: Caller, wish: FiguresWish) -> contract.AnalyticsFigures:
        """The metric of each group.

        Raises ValidationFailedError for a metric that the grouping does not have, a period that cannot be read, an
        experiment that is missing or too much; NotFoundError for one that the shop does not have.
        """
        period = period_of(wish.asked, self._world.clock.now())
        _refuse_impossible(wish, period)
        rules = ShopRules(self._world.catalog, caller.shop_id)
        groups = self._groups(caller, wish, period, rules)
        worked_out = _WORKED_OUT[wish.metric]
        data = [
            contract.AnalyticsFigure(group=group, name=found.name, value=worked_out(found))
            for group, found in groups.items()
        ]
        if wish.group_by != "date":
            data.sort(key=lambda figure: (-(figure.value or 0.0), figure.group))
        return contract.AnalyticsFigures(data=data if wish.group_by == "date" else data[:GROUPS_TOLD])

    def _groups(self, caller: Caller, wish: FiguresWish, period: Period, rules: ShopRules) -> Mapping[str, _Sales]:
        if wish.group_by in ("experiment", *_OF_ONE_EXPERIMENT):
            return self._of_experiments(caller, wish, period, rules)
        unit = int(10 ** exponent(rules.shop.currency))
        days = ShopDays(self._reader.store, caller.shop_id, period)
        if wish.group_by == "date":
            return _by_date(days, period, unit, with_events=wish.metric == "events")
        if wish.group_by == "event_type":
            return _by_event_type(days.all)
        return _by_dimension(days.all, STORED.get(wish.group_by, wish.group_by), unit)

    def _of_experiments(
        self, caller: Caller, wish: FiguresWish, period: Period, rules: ShopRules
    ) -> Mapping[str, _Sales]:
        if wish.experiment_id is None:
            measured = self._measured(caller.shop_id)
            return {one.id: _whole(one, *self._tally(one, period, rules)) for one in measured}
        experiment = experiment_of(self._world.catalog, caller.shop_id, wish.experiment_id)
        tally, currency = self._tally(experiment, period, rules)
        if wish.group_by == "goal":
            return _by_goal(experiment, tally, currency)
        return {
            variation.id: _sales(experiment, tally, currency, [variation.id], variation.name)
            for variation in experiment.variations
        }

    def _measured(self, shop_id: str) -> list[Experiment]:
        """The newest that measure or did."""
        heads = self._world.catalog.list(shop_id, "EXP", limit=100).heads
        ids = [head.id for head in heads if head.archived_at is None and head.status not in ("draft", "scheduled")]
        records = self._world.catalog.get_many(shop_id, "EXP", ids[:EXPERIMENTS_TOLD])
        return [experiment_in(record) for record in records]

    def _tally(self, experiment: Experiment, period: Period, rules: ShopRules) -> tuple[Tally, str]:
        """Visitors first exposed in the period, as far as they count in results, and the currency of their money."""
        spans = on_results_weekdays(experiment, [period.span])

        def ask(snapshot: Snapshot) -> tuple[Tally, str]:
            totals = snapshot.totals
            if totals is None:
                return Tally(), rules.shop.currency
            days = snapshot.days(*days_of(spans)) if spans else {}
            return of_spans(days, spans, counted_in(totals)), totals.get("currency") or rules.shop.currency

        return self._reader.read(experiment.id, experiment.measurement_epoch, ask)


def _refuse_impossible(wish: FiguresWish, period: Period) -> None:
    possible = POSSIBLE[wish.group_by]
    if wish.metric not in possible:
        fields = [FieldError("metric", f"must be one of {', '.join(possible)} with group_by={wish.group_by}")]
        raise ValidationFailedError(f"{wish.metric} cannot be grouped by {wish.group_by}", fields=fields)
    if (wish.experiment_id is not None) != (wish.group_by in _OF_ONE_EXPERIMENT):
        told = "is needed" if wish.experiment_id is None else "is for variations and goals only"
        fields = [FieldError("experiment_id", told)]
        raise ValidationFailedError("variations and goals are those of one experiment", fields=fields)
    by_utc_day = wish.group_by in _BY_UTC_DAY or (wish.metric == "events" and wish.group_by == "date")
    if by_utc_day and not period.is_utc:
        fields = [FieldError("timezone", "must be UTC: segments and events are counted by UTC day")]
        raise ValidationFailedError("these figures are kept by UTC day", fields=fields)


def _by_date(days: ShopDays, period: Period, unit: int, *, with_events: bool) -> Mapping[str, _Sales]:
    if with_events:
        events = {day.date: sum(day.events.values()) for day in days.all}
        return {each.isoformat(): _Sales(events=events.get(each.isoformat(), 0)) for each in period.dates}
    found: dict[str, _Sales] = {}
    for day in period.days:
        money = days.orders(day.span)
        orders = number_of_orders(money)
        found[day.date.isoformat()] = _Sales(
            visitors=days.visitors(day.span),
            orders=orders,
            paid=number_of_orders(shop_money(money)),
            buyers=orders,
            revenue=revenue_minor(money) / unit,
        )
    return found


def _by_event_type(days: Iterable[ShopDay]) -> Mapping[str, _Sales]:
    found: dict[str, _Sales] = {}
    for day in days:
        for kind, number in day.events.items():
            found.setdefault(kind, _Sales()).events += number
    return found


def _by_dimension(days: Iterable[ShopDay], dimension: str, unit: int) -> Mapping[str, _Sales]:
    """Visitors of each day, added up: one who comes on three days counts three times."""
    minor: dict[str, int] = {}
    found: dict[str, _Sales] = {}
    for day in days:
        for value, count in day.segments.get(dimension, {}).items():
            sales = found.setdefault(value, _Sales())
            sales.visitors += count.visitors
            sales.orders += count.orders
            sales.paid += count.paid
            sales.buyers += count.orders
            minor[value] = minor.get(value, 0) + count.minor
    for value, sales in found.items():
        sales.revenue = minor[value] / unit
    return found


def _whole(experiment: Experiment, tally: Tally, currency: str) -> _Sales:
    return _sales(experiment, tally, currency, list(tally.visitors), experiment.name)


def _sales(experiment: Experiment, tally: Tally, currency: str, variation_ids: list[str], name: str) -> _Sales:
    """Orders and money of the experiment's revenue goal; without one there are none."""
    goal = revenue_goal(experiment)
    counts = [tally.goal(goal.id, each) for each in variation_ids] if goal else []
    orders = sum(count.hits for count in counts)
    return _Sales(
        visitors=sum(tally.visitors.get(each, 0) for each in variation_ids),
        orders=orders,
        paid=orders,
        buyers=sum(count.converters for count in counts),
        revenue=sum(count.total for count in counts) / 10 ** exponent(currency),
        name=name,
    )


def _by_goal(experiment: Experiment, tally: Tally, currency: str) -> Mapping[str, _Sales]:
    """Of all variations together. Revenue is that of revenue goals."""
    found = {}
    for goal in experiment.goals:
        counts = [tally.goal(goal.id, each) for each in tally.visitors]
        total = sum(count.total for count in counts) / unit_of(goal, currency)
        found[goal.id] = _Sales(
            visitors=sum(tally.visitors.values()),
            buyers=sum(count.converters for count in counts),
            revenue=total if goal.type == "revenue" else 0.0,
            events=sum(count.hits for count in counts),
            name=goal.name,
        )
    return found
