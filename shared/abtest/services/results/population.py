"""Population of results: visitors by a range of first exposures, by days of the week, by a segment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from abtest.contract import results as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY
from abtest.kit.clock import parse_timestamp
from abtest.kit.errors import FieldError, ValidationFailedError
from abtest.services.results import calendars
from abtest.services.results.counts import Counts, counted_in, counts_by_segment, counts_in_spans, counts_of_totals
from abtest.services.results.curves import Span
from abtest.services.results.snapshots import Snapshot

UTC = ZoneInfo("UTC")
STORED: Mapping[str, str] = {"new_returning": "visitor_kind"}
"""Names of dimensions in roll-ups, where they differ from the contract."""

ORDER = ("device", "country", "new_returning", "source")
"""Order of dimensions in a pair."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """First exposures from one date or moment to another, as requested."""

    start: str | None = None
    end: str | None = None


WHOLE = Range()
"""From the beginning to the last count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Population:
    """Visitors first exposed in `limits` on `weekdays` (days, zone), of one segment (dimension, value)."""

    limits: Span
    reach: Span
    """Span from the first to the last day with visitors."""
    weekdays: tuple[Sequence[str], ZoneInfo] | None = None
    segment: tuple[str, str] | None = None
    range: Range = WHOLE

    @property
    def is_everybody(self) -> bool:
        """True without any restriction: the totals are the counts."""
        return self.range == WHOLE and self.weekdays is None and self.segment is None

    def counts(self, snapshot: Snapshot) -> Counts:
        """Return the counts of these visitors. Raises OutdatedError."""
        totals = snapshot.totals
        if totals is None:
            return Counts()
        if self.is_everybody:
            return counts_of_totals(totals)
        if self.segment is None:
            spans = self.spans()
            days = snapshot.days(*days_of(spans)) if spans else {}
            return counts_in_spans(days, spans, counted_in(totals))
        dimension, value = self.segment
        return self.segments(snapshot, (dimension,)).get(value) or Counts(money=None, counted=counted_in(totals))

    def spans(self) -> list[Span]:
        """Return the spans of the population that may have visitors."""
        spans = calendars.within([self.limits], self.reach)
        return spans if self.weekdays is None else calendars.on_weekdays(spans, *self.weekdays)

    def segments(self, snapshot: Snapshot, dimensions: Sequence[str]) -> Mapping[str, Counts]:
        """Return counts by value of these dimensions, two values joined by `|`.

        Days and weekdays are those of UTC, because segments are counted by UTC day. Raises OutdatedError.
        """
        spans = calendars.within([self.limits], self.reach)
        if snapshot.totals is None or not spans:
            return {}
        name = "+".join(STORED.get(dimension, dimension) for dimension in dimensions)
        items = [
            item
            for day, item in snapshot.segments(*days_of(spans)).items()
            if self.weekdays is None or calendars.weekday_of(day) in self.weekdays[0]
        ]
        return counts_by_segment(items, name, counted_in(snapshot.totals))

    def narrowing(self, *, by_day: bool = False) -> contract.Narrowing | None:
        """Return the effective restriction; None for all visitors. `by_day`: days of the week are those of UTC."""
        if self.is_everybody:
            return None
        is_exact = not by_day and self.segment is None
        weekdays = self.weekdays and contract.CountedWeekdays(
            days=list(self.weekdays[0]),
            timezone=self.weekdays[1].key,
            is_exact=is_exact or self.weekdays[1].key == UTC.key,
        )
        return contract.Narrowing.model_validate(
            {
                "from": calendars.moment_of(self.limits.start) if self.range.start else None,
                "to": calendars.moment_of(self.limits.end) if self.range.end else None,
                "segment": ":".join(self.segment) if self.segment else None,
                "weekdays": weekdays,
            }
        )


def results_weekdays(experiment: Experiment) -> tuple[Sequence[str], ZoneInfo] | None:
    """Return the days of the week that count in the experiment's results, and their zone; None for all days."""
    weekdays = experiment.results_weekdays
    return (weekdays["days"], ZoneInfo(weekdays["timezone"])) if weekdays else None


def population_of(
    experiment: Experiment,
    snapshot: Snapshot,
    range_: Range,
    *,
    zone: ZoneInfo = UTC,
    segment: tuple[str, str] | None = None,
    by_day: bool = False,
) -> Population:
    """Return the requested population; dates are days of the zone. `by_day`: the range must be of whole UTC days.

    Raises ValidationFailedError for a range that ends before it begins, or is not of whole days where it must be.
    """
    dates, began = snapshot.dates, experiment.measurement_started_at
    # Before the first visitor the reach is empty, and no day is read.
    reach = Span(dates[0] * QUARTERS_A_DAY, (dates[-1] + 1) * QUARTERS_A_DAY) if dates else Span(0, 0)
    start = calendars.quarter_of(parse_timestamp(began)) if began else 0
    if range_.start:
        start = calendars.first_quarter(range_.start, zone)
    # An open end is the end of the last day with visitors.
    end = calendars.end_quarter(range_.end, zone) if range_.end else max(reach.end, start)
    if range_.start and range_.end and end <= start:
        fields = [FieldError("to", "must be after `from`")]
        raise ValidationFailedError("the range ends before it begins", fields=fields)
    # A range may end before the measurement begins: it is empty then, not reversed.
    limits = Span(min(start, end), end)
    if by_day:
        _refuse_parts_of_days(range_, limits)
    return Population(limits=limits, reach=reach, weekdays=results_weekdays(experiment), segment=segment, range=range_)


def _refuse_parts_of_days(range_: Range, limits: Span) -> None:
    ends = (("from", range_.start, limits.start), ("to", range_.end, limits.end))
    fields = [
        FieldError(name, "must be the beginning or end of a UTC day: segments are counted by day")
        for name, requested, quarter in ends
        if requested and quarter % QUARTERS_A_DAY
    ]
    if fields:
        raise ValidationFailedError("segments can be read by whole UTC days only", fields=fields)


def days_of(spans: Sequence[Span]) -> tuple[int, int]:
    """Return the first and the last UTC day (since 1970) of spans in order."""
    # Ends are exclusive: a span that ends at midnight does not touch the day after.
    return spans[0].start // QUARTERS_A_DAY, (spans[-1].end - 1) // QUARTERS_A_DAY
