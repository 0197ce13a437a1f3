"""Which visitors results are asked of: a range of first exposures, days of the week, a segment."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from zoneinfo import ZoneInfo

from abtest.contract import results as contract
from abtest.domain.experiments.model import Experiment
from abtest.domain.ledger.daily_counts import QUARTERS_A_DAY
from abtest.kit.clock import parse_timestamp
from abtest.kit.errors import FieldError, ValidationFailedError
from abtest.services.results import calendars
from abtest.services.results.curves import Span
from abtest.services.results.reading import Snapshot
from abtest.services.results.tallies import Tally, counted_in, of_segments, of_spans, of_totals

UTC = ZoneInfo("UTC")
STORED: Mapping[str, str] = {"new_returning": "visitor_kind"}
"""How roll-ups name a dimension, where that differs from the contract."""

ORDER = ("device", "country", "new_returning", "source")
"""In pairs the earlier one stands first."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Range:
    """First exposures from a date or moment to another, as the request says."""

    start: str | None = None
    end: str | None = None


WHOLE = Range()
"""From the beginning to the last count."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Narrowed:
    """Visitors first exposed in `limits` on `weekdays` (days, zone), of one segment (dimension, value)."""

    limits: Span
    reach: Span
    """The days that have anyone: there is no need to look elsewhere."""
    weekdays: tuple[Sequence[str], ZoneInfo] | None = None
    segment: tuple[str, str] | None = None
    range: Range = WHOLE

    @property
    def is_everybody(self) -> bool:
        """Whether nothing is narrowed, so that the totals say it all."""
        return self.range == WHOLE and self.weekdays is None and self.segment is None

    def tally(self, snapshot: Snapshot) -> Tally:
        """What the roll-up says of these visitors. Raises OutdatedError."""
        totals = snapshot.totals
        if totals is None:
            return Tally()
        if self.is_everybody:
            return of_totals(totals)
        if self.segment is None:
            spans = self.spans()
            days = snapshot.days(*days_of(spans)) if spans else {}
            return of_spans(days, spans, counted_in(totals))
        dimension, value = self.segment
        return self.segments(snapshot, (dimension,)).get(value) or Tally(money=None, counted=counted_in(totals))

    def spans(self) -> list[Span]:
        """The quarters that count and may have anyone."""
        spans = calendars.within([self.limits], self.reach)
        return spans if self.weekdays is None else calendars.on_weekdays(spans, *self.weekdays)

    def segments(self, snapshot: Snapshot, dimensions: Sequence[str]) -> Mapping[str, Tally]:
        """By value of these dimensions, two values joined by `|`. Days are those of UTC. Raises OutdatedError."""
        spans = calendars.within([self.limits], self.reach)
        if snapshot.totals is None or not spans:
            return {}
        name = "+".join(STORED.get(dimension, dimension) for dimension in dimensions)
        items = snapshot.segments(*days_of(spans))
        kept = [item for day, item in items.items() if self._has_day(day)]
        return of_segments(kept, name, counted_in(snapshot.totals))

    def _has_day(self, day: int) -> bool:
        return self.weekdays is None or calendars.weekday_of(day) in self.weekdays[0]

    def told(self, *, by_day: bool = False) -> contract.Narrowing | None:
        """How the request was understood; None for everybody. `by_day`: days of the week are those of UTC."""
        if self.is_everybody:
            return None
        is_exact = not by_day and self.segment is None
        weekdays = self.weekdays and contract.ResultsWeekdays(
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


def on_results_weekdays(experiment: Experiment, spans: Sequence[Span]) -> Sequence[Span]:
    """What of the spans lies on days of the week that count in the experiment's results."""
    weekdays = _weekdays(experiment)
    return spans if weekdays is None else calendars.on_weekdays(spans, *weekdays)


def _weekdays(experiment: Experiment) -> tuple[Sequence[str], ZoneInfo] | None:
    found = experiment.results_weekdays
    return (found["days"], ZoneInfo(found["timezone"])) if found else None


def narrowed(
    experiment: Experiment,
    snapshot: Snapshot,
    asked: Range,
    *,
    zone: ZoneInfo = UTC,
    segment: tuple[str, str] | None = None,
    by_day: bool = False,
) -> Narrowed:
    """What a request asks for; dates are days of the zone. `by_day`: whole UTC days alone can be told apart.

    Raises ValidationFailedError for a range that ends before it begins, or is not of whole days where it must be.
    """
    limits = _limits(experiment, snapshot, asked, zone)
    if by_day:
        _refuse_parts_of_days(asked, limits)
    return Narrowed(
        limits=limits,
        reach=_reach(snapshot),
        weekdays=_weekdays(experiment),
        segment=segment,
        range=asked,
    )


def _limits(experiment: Experiment, snapshot: Snapshot, asked: Range, zone: ZoneInfo) -> Span:
    """The range, each end that is open where the counts begin and end."""
    reach = _reach(snapshot)
    start = calendars.first_quarter(asked.start, zone) if asked.start else _begin(experiment)
    end = calendars.end_quarter(asked.end, zone) if asked.end else max(reach.end, start)
    if asked.start and asked.end and end <= start:
        raise ValidationFailedError("the range ends before it begins", fields=[FieldError("to", "is not after `from`")])
    return Span(min(start, end), end)


def _reach(snapshot: Snapshot) -> Span:
    dates = snapshot.dates
    return Span(dates[0] * QUARTERS_A_DAY, (dates[-1] + 1) * QUARTERS_A_DAY) if dates else Span(0, 0)


def _begin(experiment: Experiment) -> int:
    began = experiment.measurement_started_at
    return calendars.quarter_of(parse_timestamp(began)) if began else 0


def _refuse_parts_of_days(asked: Range, limits: Span) -> None:
    ends = (("from", asked.start, limits.start), ("to", asked.end, limits.end))
    fields = [
        FieldError(name, "must be the beginning or end of a UTC day: segments are counted by day")
        for name, stated, quarter in ends
        if stated and quarter % QUARTERS_A_DAY
    ]
    if fields:
        raise ValidationFailedError("a segment can be read by whole UTC days only", fields=fields)


def days_of(spans: Sequence[Span]) -> tuple[int, int]:
    """First and last UTC day (since 1970) that spans touch; they are in order."""
    return spans[0].start // QUARTERS_A_DAY, (spans[-1].end - 1) // QUARTERS_A_DAY
