"""Moments and the one form in which they are written."""

from datetime import UTC, datetime, timedelta, timezone

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.kit.clock import (
    ManualClock,
    SystemClock,
    from_milliseconds,
    parse_milliseconds,
    parse_timestamp,
    timestamp,
    to_milliseconds,
)

MOMENTS = st.integers(-62_135_596_800_000_000, 253_370_764_800_000_000).map(
    lambda us: datetime(1970, 1, 1, tzinfo=UTC) + timedelta(microseconds=us)
)
MILLISECONDS = st.integers(0, 253_370_764_800_000)  # to the year 9999


def test_timestamp__moment_elsewhere__is_written_in_utc_and_cut_to_the_millisecond() -> None:
    berlin = timezone(timedelta(hours=1))
    assert timestamp(datetime(2026, 1, 1, 0, 30, 5, 123_999, tzinfo=berlin)) == "2025-12-31T23:30:05.123Z"


@given(MOMENTS, MOMENTS)
def test_timestamp__of_two_moments__sorts_as_they_do(one: datetime, other: datetime) -> None:
    earlier, later = sorted((one, other))
    assert timestamp(earlier) <= timestamp(later)
    assert len(timestamp(one)) == 24


@given(MOMENTS)
def test_parse_timestamp__what_was_written__is_the_moment_to_the_millisecond(moment: datetime) -> None:
    assert timedelta(0) <= moment - parse_timestamp(timestamp(moment)) < timedelta(milliseconds=1)


@pytest.mark.parametrize("text", ["2026-01-01T00:00:00Z", "2026-01-01T01:00:00+01:00", "20260101T000000Z"])
def test_parse_timestamp__offset__is_applied(text: str) -> None:
    assert parse_timestamp(text) == datetime(2026, 1, 1, tzinfo=UTC)


@pytest.mark.parametrize(
    "text", ["", "now", "2026-01-01", "2026-01-01T00:00:00", "2026-13-01T00:00:00Z", "2026-02-30T00:00Z"]
)
def test_parse_timestamp__no_moment_or_no_offset__is_refused(text: str) -> None:
    with pytest.raises(ValueError):
        parse_timestamp(text)


@given(MILLISECONDS)
def test_milliseconds__there_and_back__are_the_same(unix_ms: int) -> None:
    assert to_milliseconds(from_milliseconds(unix_ms)) == unix_ms


def test_manual_clock__advanced__moves_by_that_much_and_not_by_itself() -> None:
    clock = ManualClock(datetime(2026, 1, 1, tzinfo=UTC))
    clock.advance(minutes=1, seconds=5)
    assert clock.now() == clock.now() == datetime(2026, 1, 1, 0, 1, 5, tzinfo=UTC)


def test_system_clock__now__is_utc() -> None:
    assert SystemClock().now().utcoffset() == timedelta(0)


@given(MILLISECONDS)
def test_parse_milliseconds__what_was_written__is_the_same(unix_ms: int) -> None:
    assert parse_milliseconds(timestamp(from_milliseconds(unix_ms))) == unix_ms
