"""The embedded engine against the reference: the same rows, the same counts, to the last unit."""

from collections.abc import Sequence

from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from abtest.adapters.memory import MemoryBlobs
from abtest.adapters.warehouse.duckdb import DuckDbWarehouse
from abtest.domain.ledger.counting import CountingPlan, Counts
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.fold import count
from tests.unit.ledger.streams import BEGIN, GOALS, PLAN, exposure, goal, ledger_object, plan, row, rows


def counted(stream: Sequence[Row], counting_plan: CountingPlan, objects: int = 3) -> Counts:
    """What DuckDB says of the stream, cut into objects."""
    ledger = MemoryBlobs()
    for number in range(objects):
        if part := stream[number::objects]:
            ledger.put(f"raw/{number}", ledger_object(list(part)), content_type="application/x-ndjson")
    keys = [entry.key for entry in ledger.list("raw/")]
    with DuckDbWarehouse(ledger).load(keys, [counting_plan]) as loaded:
        return loaded.count(counting_plan)


@settings(max_examples=60, deadline=None, suppress_health_check=list(HealthCheck))
@given(stream=rows, repeats=st.lists(st.integers(0, 119), max_size=30), data=st.data())
def test_count__any_stream_with_copies_in_any_order__equals_the_reference(
    stream: list[Row], repeats: list[int], data: st.DataObject
) -> None:
    repeated = stream + [stream[index % len(stream)] for index in repeats if stream]
    shuffled = data.draw(st.permutations(repeated))
    expected = count(stream, PLAN)
    assert count(shuffled, PLAN) == expected
    assert counted(shuffled, PLAN) == expected


def test_count__no_objects__is_zero_everywhere() -> None:
    found = counted([], PLAN)
    assert found == count([], PLAN)
    assert found.through is None


def test_count__two_plans_of_one_load__are_counted_apart() -> None:
    later = plan(*GOALS, experiment_id="exp-2", begins_at=BEGIN + 10)
    stream = [exposure("v-1", "blue"), exposure("v-2", "red", BEGIN + 20, experiment_id="exp-2")]
    ledger = MemoryBlobs()
    ledger.put("raw/1", ledger_object(stream), content_type="application/x-ndjson")
    with DuckDbWarehouse(ledger).load(["raw/1"], [PLAN, later]) as loaded:
        assert loaded.count(PLAN) == count(stream, PLAN)
        assert loaded.count(later) == count(stream, later)


def test_count__absurd_amounts_of_many_orders__sums_squares_exactly() -> None:
    orders = [
        row(event_id=f"o-{n}", type="order", visitor_id="v-1", revenue_minor=10**15, currency="EUR", ts=BEGIN + 1)
        for n in range(20_000)
    ]
    found = counted([exposure("v-1", "blue"), *orders], plan(goal("money", "revenue")))
    assert found.goals["money"]["blue"].sum_squares == (20_000 * 10**15) ** 2
