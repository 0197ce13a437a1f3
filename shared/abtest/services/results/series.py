"""Results over time: buckets of first exposures on the clocks of a time zone, each on its own or cumulative."""

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from itertools import islice
from zoneinfo import ZoneInfo

from abtest.contract import results as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY
from abtest.kit.clock import parse_timestamp
from abtest.kit.errors import FieldError, ValidationFailedError
from abtest.services.context import Caller, World
from abtest.services.experiments.records import experiment_of
from abtest.services.results import calendars
from abtest.services.results.calendars import CalendarSpan
from abtest.services.results.counts import Counts, counted_in, counts_in_spans
from abtest.services.results.curves import Span
from abtest.services.results.population import WHOLE, Population, Range, days_of, population_of
from abtest.services.results.question import Question, metric_of, ratio_of, ratio_sums, unit_of
from abtest.services.results.shop_rules import ShopRules, chosen_goals
from abtest.services.results.snapshots import RollupReader, Snapshot

MAX_BUCKETS, MAX_ROWS = 1_000, 20_000
_WITHIN: Mapping[contract.Granularity, Callable[[Span, ZoneInfo], Iterator[CalendarSpan]]] = {
    "hour": calendars.hours_within,
    "day": calendars.days_within,
    "week": calendars.weeks_within,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesQuery:
    """Goals, buckets and range of a request; dates of the range are days of the time zone."""

    goal_ids: Sequence[str] = ()
    granularity: contract.Granularity = "day"
    mode: contract.Mode = "cumulative"
    timezone: str = "UTC"
    range: Range = WHOLE


class SeriesReading:
    """Time series of the caller's experiments."""

    def __init__(self, world: World, reader: RollupReader) -> None:
        self._world = world
        self._reader = reader

    def read(self, caller: Caller, reference: str, query: SeriesQuery) -> contract.Timeseries:
        """Return every bucket from the measurement's beginning to the last count, or of the range, empty ones too.

        Raises NotFoundError for an experiment or goal that the shop does not have, ValidationFailedError for an unknown
        time zone, a range that ends before it begins, more than 1,000 buckets or 20,000 rows.
        """
        catalog = self._world.catalog
        experiment = experiment_of(catalog, caller.shop_id, reference)
        rules, zone = ShopRules(catalog, caller.shop_id), calendars.zone_of(query.timezone)
        goals = chosen_goals(experiment, query.goal_ids)

        def compute(snapshot: Snapshot) -> contract.Timeseries:
            return timeseries_of(snapshot, rules.question(experiment, snapshot.totals), goals, query, zone)

        return self._reader.read(experiment.id, experiment.measurement_epoch, compute)


def timeseries_of(
    snapshot: Snapshot, question: Question, goals: Sequence[Goal], query: SeriesQuery, zone: ZoneInfo
) -> contract.Timeseries:
    """Return the buckets of a snapshot. Raises OutdatedError, and ValidationFailedError as `SeriesReading.read`."""
    experiment, totals = question.experiment, snapshot.totals or {}
    population = population_of(experiment, snapshot, query.range, zone=zone)
    span = shown_span(experiment, population, totals.get("computed_at"))
    buckets: list[CalendarSpan] = []
    # One more than allowed is enough to refuse; a range of hours over centuries is never built.
    if totals and span.start < span.end:
        buckets = list(islice(_WITHIN[query.granularity](span, zone), MAX_BUCKETS + 1))
    if len(buckets) > MAX_BUCKETS or len(buckets) * len(goals) * len(question.variations) > MAX_ROWS:
        message = f"more than {MAX_BUCKETS} buckets or {MAX_ROWS} rows; take a coarser granularity or a shorter range"
        raise ValidationFailedError(message, fields=[FieldError("granularity", "makes too many buckets of the range")])
    return contract.Timeseries(
        experiment_id=experiment.id,
        measurement_epoch=experiment.measurement_epoch,
        computed_at=totals.get("computed_at"),
        generation=totals.get("generation"),
        timezone=zone.key,
        granularity=query.granularity,
        mode=query.mode,
        currency=question.currency,
        narrowed_to=population.narrowing(),
        data=list(_series(snapshot, question, goals, population, buckets, query.mode)),
    )


def shown_span(experiment: Experiment, population: Population, computed_at: str | None) -> Span:
    """Return the range. An open end is the last count, or the experiment's end if no visitor came after it."""
    if population.range.end or computed_at is None:
        return population.limits
    last = min(experiment.ended_at or computed_at, computed_at)
    # Days are known without reading their items, quarters are not: a visitor of the last day came in its first
    # quarter or later.
    visited = max(population.limits.start + 1, population.reach.end - QUARTERS_A_DAY + 1)
    return Span(population.limits.start, max(visited, calendars.quarter_of(parse_timestamp(last)) + 1))


def _series(
    snapshot: Snapshot,
    question: Question,
    goals: Sequence[Goal],
    population: Population,
    buckets: Sequence[CalendarSpan],
    mode: contract.Mode,
) -> Iterator[contract.Bucket]:
    spans = population.spans()
    days = snapshot.days(*days_of(spans)) if spans else {}
    counted = counted_in(snapshot.totals) if snapshot.totals else frozenset()
    sums: Counts | None = None
    for bucket in buckets:
        counts = counts_in_spans(days, calendars.within(spans, bucket.span), counted, with_money=False)
        sums = counts if sums is None or mode == "per_bucket" else counts.after(sums)
        yield contract.Bucket(
            start=calendars.moment_of(bucket.span.start),
            end=calendars.moment_of(bucket.span.end),
            date=bucket.date.isoformat(),
            goals=[series_goal(question, goal, sums) for goal in goals],
        )


def series_goal(question: Question, goal: Goal, counts: Counts) -> contract.SeriesGoal:
    """Return one goal of a bucket with a row for each variation, money in major units."""
    unit, is_money = unit_of(goal, question.currency), goal.depends_on_money
    rows = []
    for variation in question.variations:
        count, visitors = counts.goal(goal.id, variation.id), counts.visitors.get(variation.id, 0)
        total = count.total / unit
        sums = ratio_sums(goal, variation, counts) if goal.is_ratio else None
        rows.append(
            contract.SeriesRow(
                variation_id=variation.id,
                visitors=visitors,
                conversions=count.converters,
                count=count.hits,
                rate=count.converters / visitors if visitors else None,
                mean=total / visitors if visitors and not sums else None,
                ratio=ratio_of(sums, goal, question.currency) if sums else None,
                revenue=total if is_money else None,
            )
        )
    return contract.SeriesGoal(goal_id=goal.id, metric=metric_of(goal), rows=rows)
