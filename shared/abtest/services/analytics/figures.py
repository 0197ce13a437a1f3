"""One metric by one grouping: days, segments and events of the shop, or its experiments, variations, goals."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field

from abtest.contract import analytics as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.shop_days import ShopDay
from abtest.kit.errors import FieldError, ValidationFailedError
from abtest.kit.money import exponent
from abtest.services.analytics.periods import Period, PeriodQuery, period_of
from abtest.services.analytics.shop_days import ShopDays, number_of_orders, revenue_minor, shop_money
from abtest.services.analytics.stats import revenue_goal
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_in, experiment_of
from abtest.services.results import calendars
from abtest.services.results.counts import Counts, counted_in, counts_in_spans
from abtest.services.results.population import STORED, days_of, results_weekdays
from abtest.services.results.question import unit_of
from abtest.services.results.shop_rules import ShopRules
from abtest.services.results.snapshots import RollupReader, Snapshot

MAX_EXPERIMENTS = 50
MAX_GROUPS = 250
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
"""Metrics of each grouping."""

_OF_ONE_EXPERIMENT = ("variation", "goal")
_BY_UTC_DAY = ("device", "country", "new_returning", "source", "event_type")


@dataclass(frozen=True, slots=True, kw_only=True)
class FiguresQuery:
    """Metric, grouping and period of a request; an experiment only for its variations and goals."""

    metric: contract.Metric
    group_by: contract.GroupBy
    period: PeriodQuery = field(default_factory=PeriodQuery)
    experiment_id: str | None = None


@dataclass(slots=True)
class Sales:
    """Sums of a group. Revenue is in major units; `paid` is the number of orders whose money it contains."""

    visitors: int = 0
    orders: int = 0
    paid: int = 0
    buyers: int = 0
    revenue: float = 0.0
    events: int = 0
    name: str | None = None


_METRICS: Mapping[contract.Metric, Callable[[Sales], float | None]] = {
    "visitors": lambda sales: float(sales.visitors),
    "orders": lambda sales: float(sales.orders),
    "revenue": lambda sales: sales.revenue,
    "average_order_value": lambda sales: sales.revenue / sales.paid if sales.paid else None,
    "conversion_rate": lambda sales: sales.buyers / sales.visitors if sales.visitors else None,
    "events": lambda sales: float(sales.events),
}


class Figures:
    """Figures of the caller's shop."""

    def __init__(self, world: World, reader: RollupReader) -> None:
        self._world = world
        self._reader = reader

    def read(self, caller: Caller, query: FiguresQuery) -> contract.AnalyticsFigures:
        """Return the metric of each group: days in order, all others with the highest first.

        Raises ValidationFailedError for a metric that the grouping does not have, a period that cannot be read, an
        experiment that is missing or superfluous; NotFoundError for one that the shop does not have.
        """
        period = period_of(query.period, self._world.clock.now())
        check_query(query, period)
        rules = ShopRules(self._world.catalog, caller.shop_id)
        metric = _METRICS[query.metric]
        data = [
            contract.AnalyticsFigure(group=group, name=sales.name, value=metric(sales))
            for group, sales in self._groups(caller, query, period, rules).items()
        ]
        if query.group_by != "date":
            # Ties by group, so that equal requests give equal orders.
            data.sort(key=lambda figure: (-(figure.value or 0.0), figure.group))
        return contract.AnalyticsFigures(data=data if query.group_by == "date" else data[:MAX_GROUPS])

    def _groups(self, caller: Caller, query: FiguresQuery, period: Period, rules: ShopRules) -> Mapping[str, Sales]:
        if query.group_by in ("experiment", *_OF_ONE_EXPERIMENT):
            return self._of_experiments(caller, query, period, rules)
        unit = int(10 ** exponent(rules.shop.currency))
        days = ShopDays(self._reader.store, caller.shop_id, period, rules.shop.currency)
        if query.group_by == "date":
            return sales_by_date(days, period, unit, with_events=query.metric == "events")
        if query.group_by == "event_type":
            return events_by_type(days.all)
        return sales_by_dimension(days.all, STORED.get(query.group_by, query.group_by), unit)

    def _of_experiments(
        self, caller: Caller, query: FiguresQuery, period: Period, rules: ShopRules
    ) -> Mapping[str, Sales]:
        catalog, shop_id = self._world.catalog, caller.shop_id
        if query.experiment_id is not None:
            experiment = experiment_of(catalog, shop_id, query.experiment_id)
            counts, currency = self._counts(experiment, period, rules)
            if query.group_by == "goal":
                return sales_by_goal(experiment, counts, currency)
            arms = experiment.variations
            return {arm.id: sales_of(experiment, counts, currency, [arm.id], arm.name) for arm in arms}
        heads = catalog.list(shop_id, "EXP", limit=100).heads
        ids = [head.id for head in heads if head.archived_at is None and head.status not in ("draft", "scheduled")]
        groups = {}
        # Each experiment costs a reading of its roll-up, so their number is limited.
        for experiment in map(experiment_in, catalog.get_many(shop_id, "EXP", ids[:MAX_EXPERIMENTS])):
            counts, currency = self._counts(experiment, period, rules)
            groups[experiment.id] = sales_of(experiment, counts, currency, list(counts.visitors), experiment.name)
        return groups

    def _counts(self, experiment: Experiment, period: Period, rules: ShopRules) -> tuple[Counts, str]:
        """Return counts of visitors first exposed in the period on results' weekdays, and their currency."""
        weekdays, spans = results_weekdays(experiment), [period.span]
        if weekdays is not None:
            spans = calendars.on_weekdays(spans, *weekdays)

        def compute(snapshot: Snapshot) -> tuple[Counts, str]:
            totals = snapshot.totals
            if totals is None:
                return Counts(), rules.shop.currency
            days = snapshot.days(*days_of(spans)) if spans else {}
            counts = counts_in_spans(days, spans, counted_in(totals))
            return counts, totals.get("currency") or rules.shop.currency

        return self._reader.read(experiment.id, experiment.measurement_epoch, compute)


def check_query(query: FiguresQuery, period: Period) -> None:
    """Raise ValidationFailedError for a metric, an experiment or a time zone that the grouping does not allow."""
    metrics = POSSIBLE[query.group_by]
    if query.metric not in metrics:
        fields = [FieldError("metric", f"must be one of {', '.join(metrics)} with group_by={query.group_by}")]
        raise ValidationFailedError(f"{query.metric} cannot be grouped by {query.group_by}", fields=fields)
    if (query.experiment_id is not None) != (query.group_by in _OF_ONE_EXPERIMENT):
        is_missing = query.experiment_id is None
        message = "is required" if is_missing else "must be left out except for variations and goals"
        fields = [FieldError("experiment_id", message)]
        raise ValidationFailedError("variations and goals are those of one experiment", fields=fields)
    by_utc_day = query.group_by in _BY_UTC_DAY or (query.metric == "events" and query.group_by == "date")
    if by_utc_day and not period.is_utc:
        fields = [FieldError("timezone", "must be UTC: segments and events are counted by UTC day")]
        raise ValidationFailedError("these figures are available by UTC day only", fields=fields)


def sales_by_date(days: ShopDays, period: Period, unit: int, *, with_events: bool) -> Mapping[str, Sales]:
    """Return sales, or the number of events, of each day of the period. `unit`: minor units of money."""
    if with_events:
        events = {day.date: sum(day.events.values()) for day in days.all}
        return {each.isoformat(): Sales(events=events.get(each.isoformat(), 0)) for each in period.dates}
    groups: dict[str, Sales] = {}
    for day in period.days:
        money = days.orders(day.span)
        orders = number_of_orders(money)
        groups[day.date.isoformat()] = Sales(
            visitors=days.visitors(day.span),
            orders=orders,
            paid=number_of_orders(shop_money(money)),
            # The shop's conversion rate is orders per visitor (docs/analytics.md).
            buyers=orders,
            revenue=revenue_minor(money) / unit,
        )
    return groups


def events_by_type(days: Iterable[ShopDay]) -> Mapping[str, Sales]:
    """Return the number of events of each type."""
    groups: dict[str, Sales] = {}
    for day in days:
        for kind, number in day.events.items():
            groups.setdefault(kind, Sales()).events += number
    return groups


def sales_by_dimension(days: Iterable[ShopDay], dimension: str, unit: int) -> Mapping[str, Sales]:
    """Return sales by value of a dimension. A visitor who comes on three days counts three times."""
    minor: dict[str, int] = {}
    groups: dict[str, Sales] = {}
    for day in days:
        for value, count in day.segments.get(dimension, {}).items():
            sales = groups.setdefault(value, Sales())
            sales.visitors += count.visitors
            sales.orders += count.orders
            sales.paid += count.paid
            sales.buyers += count.orders
            # Summed as integers and divided once: a sum of fractions would round at each step.
            minor[value] = minor.get(value, 0) + count.minor
    for value, sales in groups.items():
        sales.revenue = minor[value] / unit
    return groups


def sales_of(experiment: Experiment, counts: Counts, currency: str, variation_ids: list[str], name: str) -> Sales:
    """Return sales of some variations: orders and money of the experiment's revenue goal, none without one."""
    goal = revenue_goal(experiment)
    sums = [counts.goal(goal.id, each) for each in variation_ids] if goal else []
    orders = sum(count.hits for count in sums)
    return Sales(
        visitors=sum(counts.visitors.get(each, 0) for each in variation_ids),
        orders=orders,
        paid=orders,
        buyers=sum(count.converters for count in sums),
        revenue=sum(count.total for count in sums) / 10 ** exponent(currency),
        name=name,
    )


def sales_by_goal(experiment: Experiment, counts: Counts, currency: str) -> Mapping[str, Sales]:
    """Return figures by goal, of all variations together. Only revenue goals have revenue."""
    groups = {}
    for goal in experiment.goals:
        sums = [counts.goal(goal.id, each) for each in counts.visitors]
        total = sum(count.total for count in sums) / unit_of(goal, currency)
        groups[goal.id] = Sales(
            visitors=sum(counts.visitors.values()),
            buyers=sum(count.converters for count in sums),
            revenue=total if goal.is_revenue else 0.0,
            events=sum(count.hits for count in sums),
            name=goal.name,
        )
    return groups
