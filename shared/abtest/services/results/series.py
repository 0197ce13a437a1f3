"""Results over time: buckets of first exposures on the clocks of a time zone, on their own or summed up."""

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
from abtest.services.results.comparing import Question, is_rate, unit_of
from abtest.services.results.curves import Span
from abtest.services.results.narrowing import WHOLE, Narrowed, Range, days_of, narrowed
from abtest.services.results.questions import ShopRules, chosen_goals
from abtest.services.results.reading import RollupReader, Snapshot
from abtest.services.results.tallies import Tally, counted_in, of_spans

MAX_BUCKETS, MAX_ROWS = 1_000, 20_000
_WITHIN: Mapping[contract.Granularity, Callable[[Span, ZoneInfo], Iterator[CalendarSpan]]] = {
    "hour": calendars.hours_within,
    "day": calendars.days_within,
    "week": calendars.weeks_within,
}


@dataclass(frozen=True, slots=True, kw_only=True)
class SeriesWish:
    """What is asked for; dates of the range are days of the time zone."""

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

    def read(self, caller: Caller, reference: str, wish: SeriesWish) -> contract.Timeseries:
        """Every bucket from the measurement's beginning to the last count (or of the range), empty ones too.

        Raises NotFoundError for an experiment or goal that the shop does not have, ValidationFailedError for an unknown
        time zone, a range that ends before it begins, more than 1,000 buckets or 20,000 rows.
        """
        catalog = self._world.catalog
        experiment = experiment_of(catalog, caller.shop_id, reference)
        rules, zone = ShopRules(catalog, caller.shop_id), calendars.zone_of(wish.timezone)
        goals = chosen_goals(experiment, wish.goal_ids)

        def ask(snapshot: Snapshot) -> contract.Timeseries:
            return timeseries_of(snapshot, rules.question(experiment, snapshot.totals), goals, wish, zone)

        return self._reader.read(experiment.id, experiment.measurement_epoch, ask)


def timeseries_of(
    snapshot: Snapshot, question: Question, goals: Sequence[Goal], wish: SeriesWish, zone: ZoneInfo
) -> contract.Timeseries:
    """The buckets that a snapshot has. Raises OutdatedError, and ValidationFailedError as `SeriesReading.read`."""
    experiment, totals = question.experiment, snapshot.totals or {}
    which = narrowed(experiment, snapshot, wish.range, zone=zone)
    span = _shown(experiment, which, totals.get("computed_at"))
    buckets = _buckets(span, zone, wish, len(goals) * len(question.variations)) if totals else []
    return contract.Timeseries(
        experiment_id=experiment.id,
        measurement_epoch=experiment.measurement_epoch,
        computed_at=totals.get("computed_at"),
        generation=totals.get("generation"),
        timezone=zone.key,
        granularity=wish.granularity,
        mode=wish.mode,
        currency=question.currency,
        narrowed_to=which.told(),
        data=list(_series(snapshot, question, goals, which, buckets, wish.mode)),
    )


def _shown(experiment: Experiment, which: Narrowed, computed_at: str | None) -> Span:
    """The range; where its end is open, to the last count, or to the experiment's end if nobody came after that."""
    if which.range.end or computed_at is None:
        return which.limits
    last = min(experiment.ended_at or computed_at, computed_at)
    return Span(which.limits.start, max(_last_of(which), calendars.quarter_of(parse_timestamp(last)) + 1))


def _last_of(which: Narrowed) -> int:
    """From here on nobody can have been exposed as far as one sees without looking at quarters."""
    return max(which.limits.start + 1, which.reach.end - QUARTERS_A_DAY + 1)


def _buckets(span: Span, zone: ZoneInfo, wish: SeriesWish, rows: int) -> list[CalendarSpan]:
    found = list(islice(_WITHIN[wish.granularity](span, zone), MAX_BUCKETS + 1)) if span.start < span.end else []
    if len(found) > MAX_BUCKETS or len(found) * rows > MAX_ROWS:
        message = f"more than {MAX_BUCKETS} buckets or {MAX_ROWS} rows; take a coarser granularity or a shorter range"
        raise ValidationFailedError(message, fields=[FieldError("granularity", "makes too many buckets of the range")])
    return found


def _series(
    snapshot: Snapshot,
    question: Question,
    goals: Sequence[Goal],
    which: Narrowed,
    buckets: Sequence[CalendarSpan],
    mode: contract.Mode,
) -> Iterator[contract.Bucket]:
    spans = which.spans()
    days = snapshot.days(*days_of(spans)) if spans else {}
    counted = counted_in(snapshot.totals) if snapshot.totals else frozenset()
    sums: Tally | None = None
    for bucket in buckets:
        tally = of_spans(days, calendars.within(spans, bucket.span), counted, with_money=False)
        sums = tally if sums is None or mode == "per_bucket" else tally.after(sums)
        yield contract.Bucket(
            start=calendars.moment_of(bucket.span.start),
            end=calendars.moment_of(bucket.span.end),
            date=bucket.date.isoformat(),
            goals=[_goal(question, goal, sums) for goal in goals],
        )


def _goal(question: Question, goal: Goal, tally: Tally) -> contract.SeriesGoal:
    unit, rates, is_money = unit_of(goal, question.currency), is_rate(goal), goal.type == "revenue"
    rows = []
    for variation in question.variations:
        count, visitors = tally.goal(goal.id, variation.id), tally.visitors.get(variation.id, 0)
        total = count.total / unit
        rows.append(
            contract.SeriesRow(
                variation_id=variation.id,
                visitors=visitors,
                conversions=count.converters,
                count=count.hits,
                rate=count.converters / visitors if visitors else None,
                mean=total / visitors if visitors else None,
                revenue=total if is_money else None,
            )
        )
    return contract.SeriesGoal(goal_id=goal.id, metric="rate" if rates else "mean", rows=rows)
