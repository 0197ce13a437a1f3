"""Local time: zones on both sides of the date line and the equator, changes of the clock, zones that are none."""

from datetime import UTC, datetime, timedelta
from zoneinfo import ZoneInfo

import pytest
from hypothesis import given
from hypothesis import strategies as st

from abtest.domain.targeting.weekdays import DAYS, LocalTimes


def at(text: str) -> LocalTimes:
    return LocalTimes(datetime.fromisoformat(text).timestamp() * 1000)


@pytest.mark.parametrize(
    ("moment", "zone", "day", "time"),
    [
        pytest.param("2026-03-29T00:59:59Z", "Europe/Berlin", "sunday", "01:59", id="before the hour that is skipped"),
        pytest.param("2026-03-29T01:00:00Z", "Europe/Berlin", "sunday", "03:00", id="after it"),
        pytest.param("2026-10-25T00:59:00Z", "Europe/Berlin", "sunday", "02:59", id="the hour that comes twice"),
        pytest.param("2026-10-25T01:00:00Z", "Europe/Berlin", "sunday", "02:00", id="its second time"),
        pytest.param("2026-03-08T09:59:00Z", "America/Los_Angeles", "sunday", "01:59", id="west, before"),
        pytest.param("2026-03-08T10:00:00Z", "America/Los_Angeles", "sunday", "03:00", id="west, after"),
        pytest.param("2026-04-04T15:59:00Z", "Australia/Sydney", "sunday", "02:59", id="south, autumn begins in April"),
        pytest.param("2026-04-04T16:00:00Z", "Australia/Sydney", "sunday", "02:00", id="south, an hour back"),
        pytest.param("2026-10-03T16:00:00Z", "Australia/Sydney", "sunday", "03:00", id="south, an hour on in October"),
        pytest.param("2026-04-04T14:59:00Z", "Australia/Lord_Howe", "sunday", "01:59", id="a change of half an hour"),
        pytest.param("2026-04-04T15:00:00Z", "Australia/Lord_Howe", "sunday", "01:30", id="half an hour back"),
        pytest.param("2026-09-06T04:00:00Z", "America/Santiago", "sunday", "01:00", id="a day without midnight"),
        pytest.param("2026-01-05T10:00:00Z", "Pacific/Kiritimati", "tuesday", "00:00", id="14 hours ahead"),
        pytest.param("2026-01-05T10:59:00Z", "Pacific/Pago_Pago", "sunday", "23:59", id="11 hours behind"),
        pytest.param("2026-01-05T10:00:00Z", "Asia/Kathmandu", "monday", "15:45", id="three quarters of an hour"),
        pytest.param("2011-12-30T09:59:00Z", "Pacific/Apia", "thursday", "23:59", id="before a Friday that never was"),
        pytest.param("2011-12-30T10:00:00Z", "Pacific/Apia", "saturday", "00:00", id="after it"),
        pytest.param("1969-12-31T23:59:59.999Z", "UTC", "wednesday", "23:59", id="before the epoch"),
    ],
)
def test_local_time__of_a_moment__is_what_clocks_there_show(moment: str, zone: str, day: str, time: str) -> None:
    assert at(moment).at(zone) == {"day": day, "hour": int(time[:2]), "time": time}


def test_day__is_dark__from_midnight_to_midnight_of_its_zone() -> None:
    for moment, expected in [
        ("2026-01-03T22:59:59Z", False),
        ("2026-01-03T23:00:00Z", True),
        ("2026-01-04T22:59:59Z", True),
        ("2026-01-04T23:00:00Z", False),
    ]:
        assert at(moment).is_dark({"sunday"}, "Europe/Berlin") is expected


@pytest.mark.parametrize("zone", ["Mars/Olympus", "", "..", "../Berlin", "/etc/passwd", "Europe", "\0", "x" * 5000])
def test_zone__that_does_not_exist__has_no_time_and_no_dark_day(zone: str) -> None:
    assert at("2026-01-05T10:00:00Z").at(zone) is None
    assert not at("2026-01-05T10:00:00Z").is_dark(DAYS, zone)


@pytest.mark.parametrize("now", [1e300, -1e300, float("inf"), float("nan"), 253_402_300_799_999])
def test_moment__beyond_all_calendars__has_no_time(now: float) -> None:
    assert LocalTimes(now).at("Asia/Tokyo") is None


zones = st.sampled_from(["Europe/Berlin", "America/Santiago", "Australia/Lord_Howe", "Pacific/Chatham", "Africa/Cairo"])


@given(st.integers(0, 2**41), zones)
def test_local_time__of_any_moment__moves_by_the_offset(now: int, zone: str) -> None:
    local = LocalTimes(now).at(zone)
    utc = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(milliseconds=now)
    offset = ZoneInfo(zone).utcoffset(utc.astimezone(ZoneInfo(zone)))
    assert offset is not None
    wall = utc + offset
    assert local == {"day": DAYS[wall.weekday()], "hour": wall.hour, "time": f"{wall:%H:%M}"}
