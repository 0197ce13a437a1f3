"""Names of the ledger's objects lead both ways, and sort as time does."""

import pytest

from abtest.domain.ledger.objects import (
    EventsFile,
    bucket_of,
    compacted_key,
    days_between,
    events_file,
    hour_of,
    hour_of_key,
    is_closed,
    raw_key,
)

HOUR = 3_600_000
MORNING = 1_779_868_800_000  # 2026-05-27T08:00:00Z


def test_raw_key__moment_of_writing__stands_under_its_hour() -> None:
    key = raw_key(["b", "a"], MORNING + HOUR - 1)

    assert key.startswith("raw/dt=2026-05-27/hh=08/")
    assert key == raw_key(["a", "b"], MORNING)
    assert hour_of_key(key) == MORNING
    assert raw_key(["a", "b"], MORNING + HOUR) > key


def test_compacted_key__any_hour__leads_back() -> None:
    assert compacted_key(MORNING) == "compacted/dt=2026-05-27/hh=08.json"
    assert hour_of_key(compacted_key(MORNING)) == MORNING


def test_events_file__its_key__leads_back() -> None:
    file = EventsFile(shop_id="shop-with-dashes", hour=MORNING, first=0, last=15, digest="0af")

    assert file.key == "events/shop=shop-with-dashes/dt=2026-05-27/08-00-15-0af.parquet"
    assert events_file(file.key) == file


@pytest.mark.parametrize("key", ["", "raw/dt=2026-05-27", "raw/a/b/c", "compacted/dt=2026-13-01/hh=08.json"])
def test_hour_of_key__no_name_of_ours__is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="must be the key of a raw object"):
        hour_of_key(key)


@pytest.mark.parametrize(
    "key",
    [
        "events/x",
        "events/shop=a/dt=2026-05-27/8-00-15-0af.parquet",
        "events/shop=a/dt=2026-05-27/08-0-15-0af.parquet",
        "exports/shop=a/dt=2026-05-27/08-00-15-0af.parquet",
        "events/shop=a/dt=2026-05-27/08-00-15-0af.csv",
    ],
)
def test_events_file__no_name_of_ours__is_refused(key: str) -> None:
    with pytest.raises(ValueError, match="must be the key of a Parquet file"):
        events_file(key)


def test_is_closed__twenty_minutes_after_the_end__and_not_before() -> None:
    closes = MORNING + HOUR + 20 * 60_000

    assert not is_closed(MORNING, closes - 1)
    assert is_closed(MORNING, closes)


def test_bucket_of__many_visitors__uses_every_bucket() -> None:
    assert {bucket_of(f"visitor-{number}") for number in range(1000)} == set(range(16))
    assert bucket_of("abc") == 0xB


def test_days_between__moments_of_two_days__are_two_days() -> None:
    midnight = MORNING - 8 * HOUR

    assert list(days_between(MORNING, midnight + 24 * HOUR)) == [midnight, midnight + 24 * HOUR]
    assert list(days_between(MORNING, midnight + 24 * HOUR - 1)) == [midnight]
    assert not list(days_between(MORNING, MORNING - 24 * HOUR))


def test_hour_of__last_millisecond__is_still_the_hour() -> None:
    assert hour_of(MORNING + HOUR - 1) == MORNING
