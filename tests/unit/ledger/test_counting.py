"""The rules of counting, one by one, on the reference."""

from abtest.domain.ledger.counting import GoalCount
from abtest.domain.ledger.events import DAY_MS
from abtest.domain.ledger.fold import count
from tests.unit.ledger.streams import BEGIN, BUY_FILTER, PLAN, exposure, goal, plan, row


def click(visitor_id: str, ts: int, goal_id: str = "click", **changes: object) -> object:
    fields: dict[str, object] = {
        "event_id": f"g-{visitor_id}-{ts}-{goal_id}",
        "type": "goal",
        "visitor_id": visitor_id,
        "goal_id": goal_id,
        "ts": ts,
        "received_at": ts,
    }
    return row(**(fields | changes))


def order(visitor_id: str, minor: int | None, ts: int = BEGIN + 1, **changes: object) -> object:
    fields: dict[str, object] = {
        "event_id": f"o-{visitor_id}-{ts}-{minor}",
        "type": "order",
        "visitor_id": visitor_id,
        "revenue_minor": minor,
        "currency": "EUR",
        "ts": ts,
        "received_at": ts,
    }
    return row(**(fields | changes))


def money(*rows: object) -> GoalCount:
    found = count([exposure("v-1", "blue"), *rows], plan(goal("money", "revenue")))  # type: ignore[list-item]
    return found.goals["money"]["blue"]


def test_exposure__in_two_variations__sets_the_visitor_aside() -> None:
    found = count([exposure("v-1", "blue"), exposure("v-1", "red", BEGIN + 5), exposure("v-2", "red")], PLAN)
    assert found.visitors == {"control": 0, "blue": 0, "red": 1}
    assert found.multiple_exposure == 1


def test_exposure__of_another_epoch_or_before_the_beginning__does_not_count() -> None:
    rows = [exposure("v-1", "blue", assignment_epoch=1), exposure("v-2", "blue", BEGIN - 1)]
    assert sum(count(rows, PLAN).visitors.values()) == 0


def test_exposure__without_epoch__is_of_the_present_one() -> None:
    assert count([exposure("v-1", "blue", assignment_epoch=None)], PLAN).visitors["blue"] == 1


def test_exposure__of_a_qa_visit__does_not_count() -> None:
    assert sum(count([exposure("v-1", "blue", qa_mode=True)], PLAN).visitors.values()) == 0


def test_goal__before_its_exposure__does_not_count_and_from_it_on_does() -> None:
    rows = [exposure("v-1", "blue", BEGIN + 10), exposure("v-2", "blue", BEGIN + 10)]
    found = count([*rows, click("v-1", BEGIN + 9), click("v-2", BEGIN + 10)], PLAN)  # type: ignore[list-item]
    assert found.goals["click"]["blue"] == GoalCount(converters=1, count=1, sum=1, sum_squares=1)


def test_goal__when_its_window_ended__does_not_count() -> None:
    short = plan(goal("click", window_ms=DAY_MS), goal("clicks", count_once=False, window_ms=DAY_MS + 1))
    rows = [exposure("v-1", "blue"), click("v-1", BEGIN + DAY_MS), click("v-1", BEGIN + DAY_MS, "clicks")]
    found = count(rows, short)  # type: ignore[arg-type]
    assert (found.goals["click"]["blue"].count, found.goals["clicks"]["blue"].count) == (0, 1)


def test_goal__hit_three_times__counts_once_or_thrice_as_it_says() -> None:
    clicks = [click("v-1", BEGIN + n, goal_id) for n in range(3) for goal_id in ("click", "clicks")]
    found = count([exposure("v-1", "blue"), *clicks], PLAN)  # type: ignore[list-item]
    assert found.goals["click"]["blue"] == GoalCount(converters=1, count=1, sum=1, sum_squares=1)
    assert found.goals["clicks"]["blue"] == GoalCount(converters=1, count=3, sum=3, sum_squares=9)


def test_event__with_a_clock_ahead__happened_when_it_was_received() -> None:
    rows = [exposure("v-1", "blue", BEGIN + 10), click("v-1", BEGIN + 9 * DAY_MS, received_at=BEGIN + 9)]
    assert count(rows, PLAN).goals["click"]["blue"].count == 0  # type: ignore[arg-type]


def test_event__of_one_id_twice__is_the_one_received_first() -> None:
    first = exposure("v-1", "blue", event_id="e", received_at=BEGIN + 5)
    second = exposure("v-1", "red", event_id="e", received_at=BEGIN + 6)
    assert count([second, first], PLAN).visitors["blue"] == 1


def test_order__told_by_two_events__is_counted_once() -> None:
    again = click("v-1", BEGIN + 2, "money", order_id="1001", revenue_minor=700, currency="EUR")
    assert money(order("v-1", 500, order_id="1001"), again) == GoalCount(
        converters=1, count=1, sum=500, sum_squares=250_000
    )


def test_order__several_of_one_visitor__sums_before_squaring() -> None:
    assert money(order("v-1", 500), order("v-1", 300)) == GoalCount(converters=1, count=2, sum=800, sum_squares=640_000)


def test_order__in_another_or_no_currency__is_left_out_and_counted() -> None:
    found = money(order("v-1", 500, currency="USD"), order("v-1", None, currency=None))
    assert found == GoalCount(excluded=2)


def test_refund__of_a_counted_order__reduces_it_but_never_below_zero() -> None:
    refund = order("v-9", 200, BEGIN + 9, type="refund", order_id="1")
    too_much = order("v-1", 900, BEGIN + 9, type="refund", order_id="2")
    found = money(order("v-1", 500, order_id="1"), order("v-1", 300, order_id="2"), refund, too_much)
    assert (found.sum, found.count) == (300, 2)


def test_revenue_goal__counts_revenue_of_no_particular_goal() -> None:
    reserved = click("v-1", BEGIN + 1, "__revenue__", revenue_minor=100, currency="EUR")
    assert money(reserved).sum == 100


def test_custom_goal__counts_its_event_and_its_own_id() -> None:
    signup = plan(goal("signup", "custom", event_name="sign_up", count_once=False, filter=BUY_FILTER))
    named = row(event_id="c", type="custom", event_name="sign_up", ts=BEGIN + 1, data='{"plan":"pro"}')
    refused = row(event_id="d", type="custom", event_name="sign_up", ts=BEGIN + 1, data='{"plan":"free"}')
    own = click("v-1", BEGIN + 2, "signup", data='{"plan":"pro"}')
    found = count([exposure("v-1", "blue"), named, refused, own], signup)  # type: ignore[list-item]
    assert found.goals["signup"]["blue"].count == 2


def test_goal__with_a_filter_by_items__is_not_counted_at_all() -> None:
    items = goal("money", "revenue", filter={"version": 1, "lineItems": {"match": "any", "conditions": []}})
    assert count([exposure("v-1", "blue")], plan(items)).goals["money"] == {}
