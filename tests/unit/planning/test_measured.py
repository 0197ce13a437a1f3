"""What roll-ups tell a plan: which source speaks, what is too little, how many visitors come a day."""

from dataclasses import replace
from datetime import UTC, datetime, timedelta
from typing import Any

import pytest

from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.model import Goal
from abtest.domain.ledger.rollup_documents import shop_day_document
from abtest.domain.ledger.shop_days import ShopDay
from abtest.domain.settings.shop import Shop
from abtest.kit.documents import encode
from abtest.ports.catalog import Commit, Head, Put, Record
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.planning.measured import LONGEST_WINDOW, Measured, Rate
from tests.support.any_json import any_json
from tests.support.memory import MemoryCatalog, MemoryRollupStore
from tests.unit.experiments.examples import CONTROL, GOAL, NOW, SHOP, TREATMENT, USER, experiment, goal, in_status

AT = datetime(2026, 3, 30, 12, tzinfo=UTC)
OTHER = "019c0000-0000-7000-8000-000000000002"


class Past:
    """A shop with roll-ups."""

    def __init__(self, **shop: Any) -> None:
        self.catalog, self.store = MemoryCatalog(), MemoryRollupStore()
        plain: Any = {"id": SHOP, "name": "S", "domain": "s.example", "currency": "EUR", "org_id": USER}
        self.shop = Shop(**{**plain, "created_at": NOW, "updated_at": NOW, **shop})

    def day(self, ago: int, **steps: int) -> None:
        day = ShopDay(shop_id=SHOP, date=f"{AT - timedelta(days=ago):%Y-%m-%d}", currency="EUR", steps=steps)
        assert self.store.put_shop_day(shop_day_document(day, generation=1, computed_at=NOW))

    def counted(self, of: str, visitors: int, converters: int, *, epoch: int = 1) -> None:
        arms: Any = {CONTROL: {"visitors": visitors}, TREATMENT: {"visitors": visitors}}
        goals = {GOAL: {CONTROL: {"converters": converters}, TREATMENT: {"converters": 0}}}
        totals = {"experiment_id": of, "measurement_epoch": epoch, "generation": 1, "variations": arms, "goals": goals}
        assert self.store.put(totals, {}, {})

    def keep(self, kept: Goal) -> None:
        """Make it a goal of the shop."""
        head = Head(shop_id=SHOP, kind="GOAL", id=kept.id, version=1, created_at=NOW, updated_at=NOW)
        self.catalog.commit(Commit(puts=[Put(record=Record(head=head, body=encode(kept)), expected_version=0)]))

    def test_with(self, measure: Goal, status: str = "completed") -> None:
        """Another experiment of the shop."""
        found = replace(in_status(status), id=OTHER, goals=(measure,))  # type: ignore[arg-type]
        put = EXPERIMENTS.put(replace(found, version=1))
        self.catalog.commit(Commit(puts=[put]))

    def of(self, subject: Experiment | None = None) -> Measured:
        return Measured(self.catalog, self.store, subject or experiment(), self.shop, AT)


@pytest.fixture
def past() -> Past:
    return Past()


REVENUE = goal(type="revenue", selector=None)
CART = goal(type="custom", selector=None, event_name="add_to_cart")
CHECKOUT = goal(type="custom", selector=None, event_name="checkout_started")


@pytest.mark.parametrize(
    ("measure", "rate"),
    [
        (REVENUE, Rate(2000, 60)),
        (CART, Rate(2000, 300)),
        (CHECKOUT, Rate(2000, 100)),
        (goal(type="custom", selector=None, event_name="newsletter"), Rate()),
        (goal(), Rate()),
        (replace(REVENUE, filter=any_json({"orderValue": {"operator": "gt", "value": 10}})), Rate()),
        (replace(CART, url_pattern="https://shop.example/*"), Rate()),
        (replace(CART, page_id="p"), Rate()),
    ],
)
def test_baseline__of_the_shops_days__speaks_of_steps_and_of_nothing_narrower(
    past: Past, measure: Goal, rate: Rate
) -> None:
    for ago in (1, 28):
        past.day(ago, visited=1000, added_to_cart=150, started_checkout=50, purchased=30)
    past.day(29, visited=9000, purchased=9)
    past.day(0, visited=500, purchased=400)
    assert past.of().baseline(measure, 28) == rate


def test_baseline__a_shops_first_day__is_what_there_is(past: Past) -> None:
    past.day(0, visited=500, purchased=50)
    assert past.of().baseline(REVENUE, 28) == Rate(500, 50)


@pytest.mark.parametrize(
    ("visitors", "conversions", "is_known"),
    [(99, 25, False), (100, 25, True), (1000, 24, False), (1000, 25, True), (100, 100, False), (0, 0, False)],
)
def test_rate__little_data__is_not_known(visitors: int, conversions: int, is_known: bool) -> None:
    assert Rate(visitors, conversions).is_known is is_known


def test_baseline__own_control__speaks_before_the_shop(past: Past) -> None:
    past.day(1, visited=1000, purchased=100)
    past.counted(experiment().id, 200, 40)
    assert past.of(in_status("running")).baseline(REVENUE, 28) == Rate(200, 40)


def test_baseline__own_control_with_too_little__leaves_it_to_the_shop(past: Past) -> None:
    past.day(1, visited=1000, purchased=100)
    past.counted(experiment().id, 90, 40)
    assert past.of(in_status("running")).baseline(REVENUE, 28) == Rate(1000, 100)


def test_baseline__counts_of_an_earlier_measurement__are_not_this_ones(past: Past) -> None:
    past.counted(experiment().id, 200, 40, epoch=1)
    assert past.of(in_status("running", measurement_epoch=2)).baseline(goal(), 28) == Rate()


def test_baseline__same_goal_of_the_shop_in_another_test__is_known_from_there(past: Past) -> None:
    past.keep(goal())
    past.test_with(goal(is_primary=True, role="primary", name="Buys!"))
    past.counted(OTHER, 400, 80)
    assert past.of().baseline(goal(), 28) == Rate(400, 80)


@pytest.mark.parametrize(
    "theirs",
    [goal(selector="#other"), goal(attribution_window_days=7), goal(id="019c0000-0000-7000-8000-0000000000d9")],
)
def test_baseline__goal_that_counts_something_else_there__says_nothing(past: Past, theirs: Goal) -> None:
    past.keep(goal())
    past.test_with(theirs)
    past.counted(OTHER, 400, 80)
    assert past.of().baseline(goal(), 28) == Rate()


def test_baseline__goal_that_is_no_goal_of_the_shop__is_looked_for_nowhere_else(past: Past) -> None:
    past.test_with(goal())
    past.counted(OTHER, 400, 80)
    assert past.of().baseline(goal(), 28) == Rate()


def test_baseline__test_that_never_ran__says_nothing(past: Past) -> None:
    past.keep(goal())
    past.test_with(goal(), "draft")
    past.counted(OTHER, 400, 80)
    assert past.of().baseline(goal(), 28) == Rate()


def test_visitors__whole_days__count_those_without_a_visitor_from_the_first_on(past: Past) -> None:
    past.day(0, visited=5)
    past.day(1, visited=1000)
    past.day(4, visited=3000)
    assert past.of().daily_visitors(28) == 1000


def test_visitors__nothing_measured__are_not_known(past: Past) -> None:
    assert past.of().daily_visitors(28) is None


def test_visitors__window__is_read_to_its_limit(past: Past) -> None:
    past.day(LONGEST_WINDOW, visited=920)
    assert past.of().daily_visitors(10_000) == 10
    past.day(LONGEST_WINDOW + 1, visited=9000)
    assert past.of().daily_visitors(10_000) == 10


def test_visitors__test_under_way__are_those_whom_it_would_let_in() -> None:
    """600 exposed in two days, half of the traffic allocated, a tenth held out: 600 / 2 / 0.45 were eligible a day."""
    past = Past(holdout_pct=10, holdout_v1_enabled=True)
    past.day(1, visited=100_000)
    past.counted(experiment().id, 300, 30)
    running = in_status("running", traffic_allocation=0.5)
    running = replace(running, measurement_started_at="2026-03-28T12:00:00.000Z")
    assert past.of(running).daily_visitors(28) == pytest.approx(600 / 2 / 0.45)


@pytest.mark.parametrize(
    "fields", [{"measurement_started_at": "2026-03-29T12:00:01.000Z"}, {"traffic_allocation": 0.0}]
)
def test_visitors__test_just_begun_or_shut__are_the_shops(past: Past, fields: Any) -> None:
    past.day(1, visited=4000)
    past.counted(experiment().id, 300, 30)
    assert past.of(replace(in_status("running"), **fields)).daily_visitors(28) == 4000


def test_holdout__not_enabled__holds_nobody_out() -> None:
    assert Past(holdout_pct=10, holdout_v1_enabled=False).of().holdout == 0
