"""Buckets and days on the clocks of time zones, on days on which clocks are changed."""

from __future__ import annotations

from datetime import date
from itertools import pairwise
from zoneinfo import ZoneInfo

import pytest

from abtest.kit.clock import parse_timestamp
from abtest.kit.errors import ValidationFailedError
from abtest.services.results import calendars
from abtest.services.results.curves import Span

BERLIN, LORD_HOWE, HAVANA = ZoneInfo("Europe/Berlin"), ZoneInfo("Australia/Lord_Howe"), ZoneInfo("America/Havana")


def quarters(*moments: str) -> Span:
    start, end = (calendars.quarter_of(parse_timestamp(f"{moment}:00Z")) for moment in moments)
    return Span(start, end)


@pytest.mark.parametrize(
    ("day", "zone", "hours"),
    [
        (date(2026, 3, 29), BERLIN, 23),
        (date(2026, 10, 25), BERLIN, 25),
        (date(2026, 6, 1), BERLIN, 24),
        (date(2026, 4, 5), LORD_HOWE, 24.5),
        (date(2026, 3, 8), HAVANA, 23),
    ],
)
def test_day__on_which_clocks_are_changed__is_as_long_as_it_is(day: date, zone: ZoneInfo, hours: float) -> None:
    span = calendars.span_of(day, zone)
    assert (span.end - span.start) / 4 == hours
    assert calendars.date_at(span.start, zone) == day
    assert calendars.date_at(span.start - 1, zone) < day


@pytest.mark.parametrize("zone", [BERLIN, LORD_HOWE, HAVANA, ZoneInfo("Asia/Kathmandu"), ZoneInfo("UTC")])
@pytest.mark.parametrize("within", [calendars.hours_within, calendars.days_within, calendars.weeks_within])
def test_buckets__follow_each_other_without_a_gap_through_a_year(zone: ZoneInfo, within: object) -> None:
    span = quarters("2025-12-31T10:15", "2027-01-02T10:15")
    found = list(within(span, zone))  # type: ignore[operator]
    assert found[0].span.start <= span.start < found[0].span.end
    assert found[-1].span.start < span.end <= found[-1].span.end
    assert all(one.span.end == other.span.start for one, other in pairwise(found))
    assert all(calendars.date_at(one.span.start, zone) == one.date for one in found)


def test_hours__that_a_clock_shows_twice__are_two() -> None:
    night = calendars.span_of(date(2026, 10, 25), BERLIN)
    found = list(calendars.hours_within(night, BERLIN))
    assert len(found) == 25
    assert all(one.span.end - one.span.start == 4 for one in found)


def test_weekdays__are_those_of_the_zone() -> None:
    span = quarters("2026-03-02T00:00", "2026-03-09T00:00")
    (monday,) = calendars.on_weekdays([span], ["tuesday"], BERLIN)
    assert monday == quarters("2026-03-02T23:00", "2026-03-03T23:00")
    assert [calendars.weekday_of(day) for day in (0, 3, 20514)] == ["thursday", "sunday", "monday"]


@pytest.mark.parametrize(
    ("name", "key"),
    [("Etc/UTC", "UTC"), ("zulu", "UTC"), ("europe/berlin", "Europe/Berlin"), ("Asia/Kathmandu", "Asia/Kathmandu")],
)
def test_zone__is_named_as_the_database_spells_it(name: str, key: str) -> None:
    assert calendars.zone_of(name).key == key


@pytest.mark.parametrize("name", ["", "Nowhere", "../etc/passwd", "posix/UTC", "Europe", "\0"])
def test_zone__that_is_none__is_refused(name: str) -> None:
    with pytest.raises(ValidationFailedError):
        calendars.zone_of(name)
