"""Counting: every engine gives the reference's answer to the last digit, and numbers written out by hand."""

import gzip
import zlib
from collections.abc import Callable, Iterator, Mapping
from contextlib import suppress
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from abtest.domain.ledger.cells import Cell, Counts, Covariate, GoalCount, Money, MoneyCell, SessionCount, Step
from abtest.domain.ledger.daily_counts import date_of
from abtest.domain.ledger.events import DAY_MS, Row
from abtest.domain.ledger.objects import ShopFiles
from abtest.domain.ledger.plans import CountingPlan
from abtest.domain.ledger.reference import count
from abtest.domain.ledger.shop_days import OrderCell, Stitch, shop_day
from abtest.ports.warehouse import LedgerObjectError
from tests.contract.warehouses import ENGINES, Opened, stored
from tests.support.ledgers import (
    BEGIN,
    HOLDOUT_PLAN,
    PLAN,
    SCOPE,
    SHOP,
    click,
    delivery,
    exposure,
    goal,
    order,
    plan,
    random_ledger,
    row,
)
from tests.support.memory import MemoryBlobs

QUARTER = BEGIN // 900_000
SHOP_ID = "0192f2a0-0000-7000-8000-00000000000a"
OTHER_ID = "0192f2a0-0000-7000-8000-00000000000b"


@pytest.fixture(params=sorted(ENGINES), scope="module")
def opened(request: pytest.FixtureRequest) -> Iterator[Opened]:
    """One engine."""
    with ENGINES[request.param]() as found:
        yield found


def _in_shop(rows: list[Row]) -> list[Row]:
    """The same rows of shops whose ids are ids: nothing else is taken out of raw objects."""
    return [{**found, "shop_id": SHOP_ID if found["shop_id"] == SHOP else OTHER_ID} for found in rows]


def _nasty(rows: list[Row]) -> list[Row]:
    """Ids that end alike, with quotes and what is not ASCII in them."""
    return [
        {**found, "event_id": f"{found['event_id']}'-1234567890ab", "visitor_id": f"“ü'|\"{found['visitor_id']}"}
        for found in rows
    ]


def _of_shop(asked: CountingPlan) -> CountingPlan:
    return replace(asked, shop_id=SHOP_ID)


def _counted(opened: Opened, rows: list[Row], asked: CountingPlan) -> Counts:
    with opened(_in_shop(rows), SHOP_ID) as ledger:
        return ledger.count(_of_shop(asked))


def test_count_and_day__any_ledger__equal_the_reference(opened: Opened) -> None:
    @settings(max_examples=5, deadline=None)
    @given(key=st.integers(0, 2**31), number=st.integers(0, 250), nasty=st.booleans())
    def equal(key: int, number: int, nasty: bool) -> None:
        rows = _in_shop(random_ledger(key, number))
        _assert_equal(opened, _nasty(rows) if nasty else rows)

    equal()


@pytest.mark.parametrize("key", [1, 2])
def test_count_and_day__large_ledger__equal_the_reference(opened: Opened, key: int) -> None:
    """Random examples begin small: these are not."""
    _assert_equal(opened, _in_shop(random_ledger(key, 400)))


def _assert_equal(opened: Opened, rows: list[Row]) -> None:
    with opened(rows, SHOP_ID) as ledger:
        for asked in (_of_shop(PLAN), _of_shop(HOLDOUT_PLAN)):
            assert ledger.count(asked) == count(rows, asked)
        for day in (BEGIN // DAY_MS + offset for offset in (-1, 0, 1)):
            assert ledger.day(date_of(day), "EUR") == shop_day(rows, SHOP_ID, date_of(day), "EUR")


@settings(max_examples=8, deadline=None)
@given(key=st.integers(0, 2**31), number=st.integers(0, 250))
def test_count__without_segments__equals_the_quarters_of_the_reference(key: int, number: int) -> None:
    rows = _in_shop(random_ledger(key, number))
    ledger = MemoryBlobs()
    with DuckDbWarehouse(ledger).open(SHOP_ID, stored(ledger, rows, SHOP_ID), since=0) as opened:
        for asked in (_of_shop(PLAN), _of_shop(HOLDOUT_PLAN)):
            assert opened.count(asked, segments=False) == _quarters_of(count(rows, asked))


def _quarters_of(counts: Counts) -> Counts:
    return replace(
        counts,
        sessions={},
        covariates={},
        covariate_steps={},
        visitors={cell: number for cell, number in counts.visitors.items() if cell.dimension == "quarter"},
        goals={
            goal_id: {cell: found for cell, found in cells.items() if cell.dimension == "quarter"}
            for goal_id, cells in counts.goals.items()
        },
    )


def test_count__nothing__has_an_entry_for_each_goal(opened: Opened) -> None:
    asked = plan(goal("click"), goal("money", "revenue", winsorize_pct=0.1))
    assert _counted(opened, [], asked) == Counts(
        goals={"click": {}, "money": {}}, money={"money": {}}, spread={"money": {}}
    )


def test_count__plan_without_goals__counts_visitors(opened: Opened) -> None:
    found = _counted(opened, [exposure("a", "control"), exposure("b", "blue"), exposure("b", "red")], plan())
    assert found.visitors[Cell("control", "quarter", QUARTER, "")] == 1
    assert (len(found.visitors), found.multiple_exposure, found.through) == (11, 1, BEGIN)


def test_count__texts_with_quotes__are_texts(opened: Opened) -> None:
    name = 'it\'s; DROP TABLE "events" --'
    asked = plan(goal(name, "custom", event_name=name), experiment_id=name, variation_ids=(name,))
    rows = [
        exposure("a", name, experiment_id=name),
        row(event_id="c", type="custom", event_name=name, visitor_id="a"),
        click("a", goal_id=name),
    ]
    found = _counted(opened, rows, asked)
    assert found.goals[name][Cell(name, "quarter", QUARTER, "")] == GoalCount(1, 1, 1, 1)


def test_count__what_was_before_exposures__is_exact_whatever_the_amounts(opened: Opened) -> None:
    most, counted = 10**12, {"received_at": BEGIN - 9 * DAY_MS}
    values = goal("values", "custom", event_name="e", sums_value=True, looks_back=True)
    asked = plan(goal("money", "revenue", looks_back=True), values, goal("seen"))
    rows = [
        *(exposure(visitor, "blue") for visitor in "abc"),
        *(order("a", most, BEGIN - 9 * DAY_MS, event_id=f"o-{number}", **counted) for number in range(3)),
        order("a", most - 1, BEGIN + 2),
        order("b", 999_999_999, BEGIN - 1, received_at=BEGIN),
        order("c", 5, BEGIN + 3),
        row(event_id="v", type="custom", event_name="e", visitor_id="a", data='{"value":0.25}', ts=BEGIN - 5),
        row(event_id="w", type="custom", event_name="e", visitor_id="a", data='{"value":2}', ts=BEGIN),
    ]
    found = _counted(opened, rows, asked)
    x, y = 3 * most, most - 1
    assert found.covariates == {
        "money": {"blue": Covariate(x + 999_999_999, x * x + 999_999_999**2, x * y)},
        "values": {"blue": Covariate(25, 625, 5000)},
    }
    assert found.goals["money"][Cell("blue", "quarter", QUARTER, "")] == GoalCount(2, 2, y + 5, y * y + 25)


def test_count__orders_refunds_and_currencies__are_told_apart(opened: Opened) -> None:
    asked = plan(goal("money", "revenue", winsorize_pct=0.1, window_ms=1000))
    rows = [
        exposure("a", "blue"),
        row(event_id="r", type="refund", order_id="o-1", revenue_minor=1_000, currency="EUR", ts=BEGIN),
        order("a", 12_345, order_id="o-1"),
        order("b", 99_999, order_id="o-1", ts=BEGIN + 2),
        order("a", 700, currency="USD", ts=BEGIN + 3),
        order("a", 500, currency="USD", shop_revenue_minor=450, shop_currency="EUR", ts=BEGIN + 4),
        order("a", 300, currency=None, ts=BEGIN + 5),
        order("a", 1, ts=BEGIN + 1000),
        exposure("b", "red", ts=BEGIN - 1),
    ]
    found = _counted(opened, rows, asked)
    worth = GoalCount(1, 2, 11_345 + 450, (11_345 + 450) ** 2)
    assert found.goals["money"][Cell("blue", "quarter", QUARTER, "")] == worth
    assert found.money["money"] == {
        MoneyCell("blue", QUARTER, "converted", "USD"): Money(1, 450),
        MoneyCell("blue", QUARTER, "foreign", "USD"): Money(1, 700),
        MoneyCell("blue", QUARTER, "unknown", ""): Money(1, 300),
    }
    assert found.spread["money"] == {Step("blue", 11_800): worth}


SHOES = {"version": 1, "lineItems": {"match": "any", "missingItems": "exclude", "conditions": [
    {"property": "productType", "operator": "equals", "value": "shoes"},
    {"property": "quantity", "operator": "gte", "value": 2},
]}}  # fmt: skip
PAIRS_OF_SHOES = '{"items":[{"category":"hats"},{"category":"shoes","quantity":2}]}'
ONE_SHOE = '{"items":[{"category":"hats","quantity":2},{"category":"shoes","quantity":1}]}'
CHECKOUT = "https://shop.example/checkout/"


def test_count__judged_goal__only_hits_with_the_items_on_the_page_count(opened: Opened) -> None:
    asked = plan(goal("shoes", "revenue", filter=SHOES, scope=SCOPE, winsorize_pct=0.1), goal("all", "revenue"))
    rows = [
        *(exposure(visitor, "blue") for visitor in "abcdefg"),
        order("a", 1_000, data=PAIRS_OF_SHOES, url=CHECKOUT),
        order("a", 250, ts=BEGIN + 2, data=PAIRS_OF_SHOES, url=CHECKOUT),
        order("b", 2_000, data=ONE_SHOE, url=CHECKOUT),  # no item meets both conditions
        order("c", 4_000, data=PAIRS_OF_SHOES, url="https://shop.example/cart"),
        order("d", 8_000, data=PAIRS_OF_SHOES),  # of no page
        order("e", 16_000, url=CHECKOUT),  # without items
        order("f", 32_000, order_id="o-1", data=ONE_SHOE, url=CHECKOUT),
        order("f", 32_000, ts=BEGIN + 2, order_id="o-1", data=PAIRS_OF_SHOES, url=CHECKOUT),  # counts once: the first
        row(event_id="r", type="refund", order_id="o-2", revenue_minor=400, currency="EUR", visitor_id="g"),
        order("g", 1_000, order_id="o-2", data=PAIRS_OF_SHOES, url=CHECKOUT),
        order("h", 64_000, data=PAIRS_OF_SHOES, url=CHECKOUT),  # saw nothing
    ]
    found = _counted(opened, rows, asked)
    cell = Cell("blue", "quarter", QUARTER, "")
    assert found.goals["shoes"][cell] == GoalCount(2, 3, 1_250 + 600, 1_250**2 + 600**2)
    assert found.spread["shoes"] == {
        Step("blue", 1_250): GoalCount(1, 2, 1_250, 1_250**2),
        Step("blue", 600): GoalCount(1, 1, 600, 600**2),
    }
    assert (found.goals["all"][cell].converters, found.goals["all"][cell].hits) == (7, 8)


def test_count__judged_goal_of_values__sums_what_was_accepted(opened: Opened) -> None:
    pro = {"version": 1, "conditions": [{"property": "plan", "operator": "equals", "value": "pro"}]}
    asked = plan(goal("signups", "custom", event_name="sign_up", filter=pro, sums_value=True))
    told = {"type": "custom", "event_name": "sign_up", "visitor_id": "a", "ts": BEGIN + 1}
    rows = [
        exposure("a", "blue"),
        row(event_id="1", data='{"plan":"pro","value":12.345}', **told),
        row(event_id="2", data='{"plan":"pro","value":"3"}', **told),
        row(event_id="3", data='{"plan":"free","value":7}', **told),
        row(event_id="4", data='{"plan":"pro"}', revenue_minor=50, currency="EUR", **told),
        row(event_id="4", data='{"plan":"pro"}', revenue_minor=50, currency="EUR", **told),
    ]
    found = _counted(opened, rows, asked)
    total = 1_234 + 300 + 50  # half a hundredth goes to the even one
    assert found.goals["signups"][Cell("blue", "quarter", QUARTER, "")] == GoalCount(1, 3, total, total**2)


def test_count__holdout__page_views_of_its_epoch_tell_the_cohort(opened: Opened) -> None:
    def seen(visitor: str, cohort: str | None, **changes: object) -> Row:
        told: dict[str, object] = {"event_id": f"p-{visitor}-{cohort}", "visitor_id": visitor, "cohort": cohort}
        return row(**(told | {"holdout_config_epoch": BEGIN} | changes))

    rows: list[Row] = [
        seen("a", "holdout"),
        seen("b", "active"),
        seen("c", "active", holdout_config_epoch=BEGIN - 1),  # of an earlier epoch
        seen("d", None),
        seen("e", "active"),
        seen("e", "holdout", ts=BEGIN + 1),  # in both: set aside
        seen("f", "active", qa_mode=True),
        exposure("g", "active"),  # of an experiment, not of the holdout
        *(order(visitor, 100 * 2**place, ts=BEGIN + 2) for place, visitor in enumerate("abcdefg")),
        order("b", 50, ts=BEGIN + 200 * DAY_MS),  # no window ends a holdout
    ]
    found = _counted(opened, rows, HOLDOUT_PLAN)
    quarters = {cell: count for cell, count in found.visitors.items() if cell.dimension == "quarter"}
    active, held = Cell("active", "quarter", QUARTER, ""), Cell("holdout", "quarter", QUARTER, "")
    assert quarters == {active: 1, held: 1}
    assert found.multiple_exposure == 1
    (goal_id,) = found.goals
    assert found.goals[goal_id][held] == GoalCount(1, 1, 100, 100**2)
    assert found.goals[goal_id][active] == GoalCount(1, 2, 250, 250**2)


def test_count__amounts_beyond_any_limit__are_exact(opened: Opened) -> None:
    huge = 2**63 - 1
    rows = [exposure("a", "blue"), *(order("a", huge, ts=BEGIN + number) for number in range(1, 8))]
    found = _counted(opened, rows, plan(goal("money", "revenue", winsorize_pct=0.1)))
    assert found.goals["money"][Cell("blue", "quarter", QUARTER, "")] == GoalCount(1, 7, 7 * huge, (7 * huge) ** 2)


def test_count__copies_with_other_contents__the_one_received_first_stands(opened: Opened) -> None:
    first = exposure("a", "blue", event_id="same", received_at=BEGIN + 5)
    rows: list[Row] = [
        first,
        {**first, "type": "pageview", "received_at": BEGIN + 4},
        exposure("b", "red", event_id="other", received_at=BEGIN + 5),
        row(event_id="other", visitor_id="c", received_at=BEGIN + 6),
    ]
    found = _counted(opened, rows, plan())
    assert {cell.variation_id for cell in found.visitors} == {"red"}


def test_count__sessions__are_each_visitors_own(opened: Opened) -> None:
    rows = [
        exposure("a", "blue", session_id="s"),
        delivery("a", "blue", "sdk_perf", session_id="s"),  # shown on another page
        delivery("b", "blue", "sdk_perf", session_id="s"),
        delivery("b", "blue", "sdk_perf", session_id="s", received_at=BEGIN + 9),  # a copy
        delivery("b", "blue", "sdk_error", session_id=""),
        delivery("b", "blue", "sdk_perf"),  # named as the visitor, as before
        delivery("b", "blue", "sdk_perf", session_id="late", assignment_epoch=1),
        delivery("c", "red", "sdk_error", session_id="s", qa_mode=True),
        exposure("c", "red", session_id="t", event_id="x"),
        exposure("c", "red", session_id="s", event_id="x"),  # the copy that stands
        delivery("c", "red", "sdk_perf", session_id="s"),
        exposure("d", "red"),
        exposure("d", "blue", event_name="without_sticky"),  # set aside
        exposure("e", "red", event_name="without_sticky"),
        exposure("e", "red", BEGIN + 5),  # the visitor sent sticky the second time
        delivery("b", "red", "sdk_error", event_name="without_sticky"),  # an error does not expose
        delivery("f", "red", "sdk_error", event_name="selector_missing"),  # a warning is not an error
        exposure("f", "red"),
        delivery("g", "red", "sdk_error", event_name="selector_missing"),
        delivery("g", "red", "sdk_error", BEGIN + 5),
        delivery("h", "red", "sdk_perf", event_name="selector_missing"),  # only errors warn
        exposure("i", "red", event_name="selector_missing"),
    ]
    found = _counted(opened, rows, plan())
    assert found.sessions == {"blue": SessionCount(4, 1, 2, 1), "red": SessionCount(8, 2, 1, 1, 2)}


def test_day__orders_told_again__are_repeated_once_on_the_day_of_the_first(opened: Opened) -> None:
    again = order("a", 500, order_id="o-1", ts=BEGIN + 9 * DAY_MS)
    rows = [
        order("a", 500, order_id="o-1"),
        order("a", 500, order_id="o-1", received_at=BEGIN + 5),  # a copy
        order("b", 700, order_id="o-2", ts=BEGIN + DAY_MS),
        order("b", 700, order_id="o-2", ts=BEGIN + DAY_MS, event_id="again"),
        click("c", goal_id="__revenue__", order_id="o-3"),
        order("c", 900, order_id="o-3", ts=BEGIN + 2),
        order("c", 900, order_id="", ts=BEGIN + 3),
        order("c", 900, order_id="", ts=BEGIN + 4),
    ]
    days = [date_of(BEGIN // DAY_MS + number) for number in (0, 1)]
    with opened(_in_shop(rows), SHOP_ID) as ledger:
        assert [ledger.day(date, "EUR").repeated_orders for date in days] == [0, 1]
    with opened(_in_shop([*rows, again]), SHOP_ID) as ledger:
        assert [ledger.day(date, "EUR").repeated_orders for date in days] == [1, 1]


def test_day__orders_of_one_visitor__are_stitched_and_counted_once(opened: Opened) -> None:
    rows = [
        row(event_id="p", visitor_id="a", ts=BEGIN, device="mobile"),
        order("a", 500, order_id="o-1", ts=BEGIN + 1),
        order("a", 500, order_id="o-1", ts=BEGIN + 2),
        order("b", 900, ts=BEGIN + 3),
    ]
    with opened(_in_shop(rows), SHOP_ID) as ledger:
        found = ledger.day(date_of(BEGIN // DAY_MS), "EUR")
    assert found.orders == {OrderCell(QUARTER % 96, "own", "EUR"): Money(2, 1_400)}
    assert (found.stitch, found.steps["purchased"], found.events["order"]) == (Stitch(2, 1), 2, 3)
    assert found.segments["device"]["mobile"] == (1, 1, 500, 1)


def test_open__object_that_is_gone__names_it() -> None:
    files = ShopFiles(raw=("raw/dt=2026-02-02/hh=02/gone.ndjson.gz",))
    with pytest.raises(LedgerObjectError, match=r"gone\.ndjson\.gz"):  # noqa: SIM117 - what raises is the opening
        with DuckDbWarehouse(MemoryBlobs()).open(SHOP_ID, files, since=0):
            pass


@pytest.mark.parametrize("at", [0, 400], ids=["head", "pages"])
def test_count__damaged_parquet__names_the_object(at: int) -> None:
    ledger = MemoryBlobs()
    rows = _in_shop([exposure(f"visitor-{number}", "blue") for number in range(300)])
    files = stored(ledger, rows, SHOP_ID)
    content = ledger.get(files.parquet[0])
    assert content is not None
    damaged = bytes(len(content.content)) if at == 0 else _damaged(content.content, at)
    ledger.put(files.parquet[0], damaged, content_type="application/vnd.apache.parquet")
    with pytest.raises(LedgerObjectError) as raised:  # noqa: SIM117
        with DuckDbWarehouse(ledger).open(SHOP_ID, files, since=0) as opened:
            opened.count(_of_shop(PLAN))
    assert raised.value.key == files.parquet[0]


@pytest.mark.parametrize(("at", "bit"), [(4281, 128), (4282, 4), (5967, 1), *((at, 1) for at in range(40, 9_000, 997))])
def test_count__one_wrong_bit_in_parquet__raises_nothing_else(at: int, bit: int) -> None:
    """A filtered scan fails on some bits that a scan of the whole file reads without error. Most bits are data."""
    ledger = MemoryBlobs()
    files = stored(ledger, _in_shop(random_ledger(1, 400)), SHOP_ID)
    blob = ledger.get(files.parquet[0])
    assert blob is not None
    content = blob.content[:at] + bytes([blob.content[at] ^ bit]) + blob.content[at + 1 :]
    ledger.put(files.parquet[0], content, content_type="application/vnd.apache.parquet")
    with suppress(LedgerObjectError), DuckDbWarehouse(ledger).open(SHOP_ID, files, since=0) as opened:
        opened.count(_of_shop(PLAN))


def _until_a_line_ends(content: bytes) -> bytes:
    """Half of the lines, compressed as one would see them while the object is still being written."""
    lines = gzip.decompress(content).splitlines(keepends=True)
    packing = zlib.compressobj(1, zlib.DEFLATED, 31)
    return packing.compress(b"".join(lines[: len(lines) // 2])) + packing.flush(zlib.Z_FULL_FLUSH)


DAMAGES: Mapping[str, Callable[[bytes], bytes]] = {
    "empty": lambda _: b"",
    "one byte": lambda content: content[:1],
    "header alone": lambda content: content[:10],
    "half": lambda content: content[: len(content) // 2],
    "until a line ends": _until_a_line_ends,
    "without its checksum": lambda content: content[:-8],
    "wrong checksum": lambda content: content[:-8] + bytes(4) + content[-4:],
    "not compressed": gzip.decompress,
    "another format": lambda _: b"PAR1 and nothing else",
}


OF_PARQUET = ("empty", "one byte", "half", "without its checksum", "another format")
"""Damages that mean something in a file without gzip."""


@pytest.mark.parametrize(
    ("form", "damage"), [*(("raw", damage) for damage in DAMAGES), *(("parquet", damage) for damage in OF_PARQUET)]
)
def test_open__damaged_object__names_it(form: str, damage: str) -> None:
    ledger = MemoryBlobs()
    files = stored(ledger, _in_shop(random_ledger(1, 60)), SHOP_ID)
    key = (files.raw if form == "raw" else files.parquet)[0]
    blob = ledger.get(key)
    assert blob is not None
    ledger.put(key, DAMAGES[damage](blob.content), content_type="application/octet-stream")
    with pytest.raises(LedgerObjectError) as raised:  # noqa: SIM117 - what raises is the opening
        with DuckDbWarehouse(ledger).open(SHOP_ID, files, since=0):
            pass
    assert raised.value.key == key


def _damaged(content: bytes, at: int) -> bytes:
    return content[:at] + bytes(byte ^ 0xFF for byte in content[at : at + 2000]) + content[at + 2000 :]
