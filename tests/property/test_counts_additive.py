"""Counts of random ledgers: additive, blind to order and repetition, and the same as an oracle written another way."""

import random
from collections import defaultdict
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import replace
from decimal import ROUND_CEILING, ROUND_HALF_EVEN, Context, Decimal
from itertools import groupby
from typing import Any

import pytest
from hypothesis import HealthCheck, given, seed, settings
from hypothesis import strategies as st

from abtest.domain.ledger.cells import PAIRS, Cell, Counts, Covariate, GoalCount, Money, MoneyCell, SessionCount, Step
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.plans import CountingPlan, GoalPlan
from abtest.domain.ledger.reference import count
from abtest.kit import canonical_json
from tests.support.ledgers import HOLDOUT_PLAN, PLAN, ledgers
from tests.support.sizes import sized

SEED = 20260202
bounded = settings(max_examples=sized(150, 40), database=None, suppress_health_check=[HealthCheck.too_slow])
plans = pytest.mark.parametrize("plan", [PLAN, HOLDOUT_PLAN], ids=["experiment", "holdout"])


def closed_parts(ledger: Sequence[Row], number: int) -> list[list[Row]]:
    """Cut into parts that share no visitor, event id or order id of a shop; groups go to parts in turn."""
    group_of: dict[tuple[str, str, str], int] = {}
    members: dict[int, list[Row]] = {}
    for index, row in enumerate(ledger):
        members[index] = [row]
        ids = {"visitor": row["visitor_id"], "event": row["event_id"], "order": row["order_id"]}
        names = [(row["shop_id"], kind, found) for kind, found in ids.items() if found]
        for name in names:
            old = group_of.get(name, index)
            if old != index and old in members:
                members[index] += members.pop(old)
                group_of |= {each: index for each, group in group_of.items() if group == old}
            group_of[name] = index
    parts: list[list[Row]] = [[] for _ in range(number)]
    for turn, group in enumerate(members.values()):
        parts[turn % number] += group
    return parts


@plans
@seed(SEED)
@bounded
@given(ledger=ledgers, number=st.integers(1, 4))
def test_counts__of_closed_parts__add_up_to_those_of_the_whole(
    plan: CountingPlan, ledger: list[Row], number: int
) -> None:
    added = count([], plan)
    for part in closed_parts(ledger, number):
        added += count(part, plan)
    assert added == count(ledger, plan)


@plans
@seed(SEED)
@bounded
@given(ledger=ledgers, order=st.randoms(use_true_random=False))
def test_counts__of_rows_repeated_in_another_order__are_the_same(
    plan: CountingPlan, ledger: list[Row], order: random.Random
) -> None:
    shuffled = ledger + [order.choice(ledger) for _ in ledger]
    order.shuffle(shuffled)
    assert count(shuffled, plan) == count(ledger, plan)


@plans
@seed(SEED)
@bounded
@given(ledger=ledgers)
def test_counts__without_themselves__are_empty(plan: CountingPlan, ledger: list[Row]) -> None:
    counts = count(ledger, plan)
    nothing = counts - counts
    assert nothing == Counts(
        goals={goal_id: {} for goal_id in counts.goals},
        money={goal_id: {} for goal_id in counts.money},
        spread={goal_id: {} for goal_id in counts.spread},
        covariates={goal_id: {} for goal_id in counts.covariates},
        covariate_steps={goal_id: {} for goal_id in counts.covariate_steps},
        through=counts.through,
    )


@plans
@seed(SEED)
@bounded
@given(ledger=ledgers, cut=st.floats(0, 1))
def test_counts__with_new_rows__are_what_stood_less_what_is_touched_plus_what_it_came_to(
    plan: CountingPlan, ledger: list[Row], cut: float
) -> None:
    old, new = ledger[: int(cut * len(ledger))], ledger[int(cut * len(ledger)) :]
    fresh = {id(row) for row in new}
    touched = [part for part in closed_parts(ledger, max(1, len(ledger))) if any(id(row) in fresh for row in part)]
    after = [row for part in touched for row in part]
    before = [row for row in after if id(row) not in fresh]
    assert count(old, plan) - count(before, plan) + count(after, plan) == count(ledger, plan)


@plans
@seed(SEED)
@bounded
@given(ledger=ledgers)
def test_counts__of_small_ledgers__are_those_of_an_oracle_written_another_way(
    plan: CountingPlan, ledger: list[Row]
) -> None:
    assert count(ledger, plan) == counted_visitor_by_visitor(ledger, plan)


@seed(SEED)
@bounded
@given(ledger=ledgers)
def test_counts__with_what_was_before_the_measurement__differ_in_covariates_alone(ledger: list[Row]) -> None:
    """Unless an event, or an order, is told on both sides."""
    since = [row for row in ledger if row["received_at"] >= PLAN.begins_at]
    known = {name for row in since for name in (("event", row["event_id"]), ("order", row["order_id"]))}
    before = [
        row
        for row in ledger
        if row["received_at"] < PLAN.begins_at
        and ("event", row["event_id"]) not in known
        and (row["order_id"] is None or ("order", row["order_id"]) not in known)
    ]
    without_a_past: Any = {"covariates": {}, "covariate_steps": {}}
    assert replace(count(since + before, PLAN), **without_a_past) == replace(count(since, PLAN), **without_a_past)


def counted_visitor_by_visitor(ledger: Sequence[Row], plan: CountingPlan) -> Counts:
    """As the document reads: sorted once, then each visitor looked at alone."""
    reach = 14 * 86_400_000 if any(goal.looks_back for goal in plan.goals) else 0
    reached = plan.begins_at - reach
    known = [row for row in ledger if row["shop_id"] == plan.shop_id and row["received_at"] >= reached]
    single = {row["event_id"]: row for row in sorted(known, key=_receipt, reverse=True)}.values()
    timed = sorted((min(row["ts"], row["received_at"]), row["event_id"], row) for row in single if not row["qa_mode"])
    events = [(at, row) for at, _, row in timed if at >= reached]
    measured = [(at, row) for at, row in events if at >= plan.begins_at]
    found = _Found(plan)
    for visitor in {row["visitor_id"] for _, row in measured}:
        shown = [(at, row) for at, row in measured if row["visitor_id"] == visitor and _shown(row, plan)]
        variations = {_shown(row, plan) for _, row in shown}
        found.aside += len(variations) > 1
        if len(variations) == 1:
            found.take(shown, events)
    return Counts(
        visitors=dict(found.visitors),
        goals={goal_id: _in_cells(converters) for goal_id, converters in found.goals.items()},
        money={
            goal_id: {cell: Money(len(minors), sum(minors)) for cell, minors in cells.items()}
            for goal_id, cells in found.money.items()
        },
        spread={goal.goal_id: _steps(found.goals[goal.goal_id]) for goal in plan.goals if goal.winsorize_pct},
        covariates={goal.goal_id: found.covariates[goal.goal_id] for goal in plan.goals if goal.looks_back},
        covariate_steps={
            goal.goal_id: found.covariate_steps[goal.goal_id]
            for goal in plan.goals
            if goal.looks_back and goal.winsorize_pct
        },
        sessions=_sessions([row for _, row in measured], plan),
        multiple_exposure=found.aside,
        through=max([row["received_at"] for row in known if row["received_at"] >= plan.begins_at], default=None),
    )


class _Found:
    def __init__(self, plan: CountingPlan) -> None:
        self.plan = plan
        self.visitors: defaultdict[Cell, int] = defaultdict(int)
        self.goals: dict[str, Any] = {goal.goal_id: defaultdict(list) for goal in plan.goals}
        self.money: dict[str, Any] = {g.goal_id: defaultdict(list) for g in plan.goals if _lists_money(g)}
        self.covariates: dict[str, dict[str, Covariate]] = {goal.goal_id: {} for goal in plan.goals}
        self.covariate_steps: dict[str, dict[Step, Covariate]] = {goal.goal_id: {} for goal in plan.goals}
        self.aside = 0

    def take(self, shown: Sequence[tuple[int, Row]], events: Sequence[tuple[int, Row]]) -> None:
        since, first = shown[0][0], min((row for _, row in shown), key=_in_senders_order)
        variation = _shown(first, self.plan) or ""
        cells = _cells(first, variation, since)
        for cell in cells:
            self.visitors[cell] += 1
        for goal in self.plan.goals:
            of_visitor = [(at, row) for at, row in _eligible(events, goal) if row["visitor_id"] == first["visitor_id"]]
            own = [row for at, row in of_visitor if self._follows(at, row, shown) and at < since + goal.window_ms]
            hits = [row for row in own if _passes(goal, row)]
            worths = (
                self._sold(hits, goal, events, (variation, since)) if goal.type == "revenue" else self._did(hits, goal)
            )
            if worths:
                self.goals[goal.goal_id][variation, cells].append(worths)
            x = self._did_before(shown, goal, of_visitor, events)
            if x:
                y = sum(worths)
                _add_before(self.covariates[goal.goal_id], variation, x, y)
                if y:
                    unit = 10 ** max(0, len(str(y)) - 3)
                    step = Step(variation, (y + unit - 1) // unit * unit)
                    _add_before(self.covariate_steps[goal.goal_id], step, x, y)

    def _did_before(
        self,
        shown: Sequence[tuple[int, Row]],
        goal: GoalPlan,
        of_visitor: Sequence[tuple[int, Row]],
        events: Sequence[tuple[int, Row]],
    ) -> int:
        begins = shown[0][0] - 14 * 86_400_000
        own = [row for at, row in of_visitor if not self._follows(at, row, shown) and at >= begins]
        hits = [row for row in own if _passes(goal, row)]
        if goal.type != "revenue":
            return sum(self._did(hits, goal))
        returned = [(at, row) for at, row in events if at < self.plan.begins_at]
        monies = [(_money(row, self.plan.currency), row) for row in hits]
        return sum(
            max(0, minor - _refunds(returned, row, self.plan.currency))
            for (kind, _, minor), row in monies
            if kind in ("own", "converted")
        )

    def _follows(self, at: int, row: Row, shown: Sequence[tuple[int, Row]]) -> bool:
        (clock, ts), is_known = _by_sender(row), row["sender"] is not None
        alike = [_by_sender(each)[1] for _, each in shown if _by_sender(each)[0] == clock]
        others = [seen for seen, each in shown if not (is_known and _by_sender(each)[0] == clock)]
        is_later = any(ts >= each for each in alike) or any(at >= seen for seen in others)
        return is_later and at >= self.plan.begins_at

    def _did(self, hits: Sequence[Row], goal: GoalPlan) -> list[int]:
        if goal.adds:
            return [self._added(row, goal, _value(row, self.plan.currency)) for row in hits]
        if goal.sums_value:
            return [_value(row, self.plan.currency) for row in hits]
        return [1] * (min(1, len(hits)) if goal.count_once else len(hits))

    def _added(self, row: Row, goal: GoalPlan, value: int) -> int:
        each = {"value": value, "items": _quantity(row) or 0, "events": 1}
        return sum(each[name] for name in goal.adds)

    def _sold(
        self, hits: Sequence[Row], goal: GoalPlan, events: Sequence[tuple[int, Row]], exposed: tuple[str, int]
    ) -> list[int]:
        worths = []
        for row in hits:
            kind, currency, minor = _money(row, self.plan.currency)
            if kind in ("own", "converted"):
                since = [(at, each) for at, each in events if at >= self.plan.begins_at]
                minor = max(0, minor - _refunds(since, row, self.plan.currency))
            if kind in ("own", "converted") or not goal.needs_money:
                worths.append(self._added(row, goal, minor) if goal.adds else minor)
            if kind != "own" and _lists_money(goal):
                cell = MoneyCell(exposed[0], exposed[1] // 900_000, kind, currency)
                self.money[goal.goal_id][cell].append(minor)
        return worths


def _add_before(sums: dict[Any, Covariate], key: Any, x: int, y: int) -> None:
    total, squares, products = sums.get(key, (0, 0, 0))
    sums[key] = Covariate(total + x, squares + x**2, products + x * y)


def _receipt(row: Row) -> list[Any]:
    columns = (
        "received_at ts sent_at type visitor_id experiment_id variation_id assignment_epoch goal_id event_name order_id"
        " revenue_minor currency shop_revenue_minor shop_currency cohort holdout_config_epoch qa_mode session_id device"
        " country visitor_kind source sender data url"
    )
    told: Mapping[str, Any] = row
    # Null, or an empty text, comes before everything that can be told.
    return [(False, 0) if told[name] in (None, "") else (True, told[name]) for name in columns.split()]


def _by_sender(row: Row) -> tuple[tuple[bool, bool], int]:
    is_server = row["sender"] == "server"
    if row["sent_at"] is None or -60_000 <= row["received_at"] - row["sent_at"] <= 900_000:
        return (False, is_server), row["ts"]
    return (True, is_server), row["ts"] + row["sent_at"] - row["received_at"]


def _in_senders_order(row: Row) -> tuple[bool, int, str]:
    (is_corrected, _), ts = _by_sender(row)
    return is_corrected, ts, row["event_id"]


def _shown(row: Row, plan: CountingPlan) -> str | None:
    if plan.exposure == "cohort":
        right = row["type"] == "pageview" and row["holdout_config_epoch"] == plan.measurement_epoch
        return row["cohort"] if right else None
    right = row["type"] == "experiment_viewed" and row["experiment_id"] == plan.experiment_id
    right = right and (row["assignment_epoch"] or plan.assignment_epoch) == plan.assignment_epoch
    return row["variation_id"] if right and row["variation_id"] in plan.variation_ids else None


def _sessions(events: Sequence[Row], plan: CountingPlan) -> dict[str, SessionCount]:
    found: defaultdict[str, list[int]] = defaultdict(lambda: [0, 0, 0, 0, 0])
    telling = [row for row in events if plan.exposure == "experiment" and _delivered(row, plan)]
    sessions = {(row["variation_id"], row["visitor_id"], row["session_id"] or row["visitor_id"]) for row in telling}
    for variation, visitor, session in sessions:
        own = [row for row in telling if (row["variation_id"], row["visitor_id"]) == (variation, visitor)]
        inside = [row for row in own if session == (row["session_id"] or visitor)]
        warnings = [row for row in inside if (row["type"], row["event_name"]) == ("sdk_error", "selector_missing")]
        types = {row["type"] for row in inside if row not in warnings}
        numbers = found[variation or ""]
        numbers[0] += 1
        numbers[1] += "sdk_error" in types
        numbers[2] += "sdk_perf" in types and "experiment_viewed" not in types
        numbers[3] += any((row["type"], row["event_name"]) == ("experiment_viewed", "without_sticky") for row in inside)
        numbers[4] += bool(warnings)
    return {variation: SessionCount(*numbers) for variation, numbers in found.items()}


def _delivered(row: Row, plan: CountingPlan) -> bool:
    told = row["type"] in ("experiment_viewed", "sdk_error", "sdk_perf")
    return told and _shown({**row, "type": "experiment_viewed"}, plan) is not None


def _cells(row: Row, variation: str, at: int) -> tuple[Cell, ...]:
    names = ["device", "country", "visitor_kind", "source", *PAIRS]
    values = ["|".join(row[part] or "unknown" for part in name.split("+")) for name in names]  # type: ignore[literal-required]
    day = [Cell(variation, name, at // 86_400_000, value) for name, value in zip(names, values, strict=True)]
    return (Cell(variation, "quarter", at // 900_000, ""), *day)


def _eligible(events: Iterable[tuple[int, Row]], goal: GoalPlan) -> list[tuple[int, Row]]:
    kinds: set[tuple[str, str | None]] = {("goal", goal.hits_of or goal.goal_id)}
    kinds |= {("order", None), ("goal", "__revenue__")} if goal.type == "revenue" else set()
    found = [(at, row) for at, row in events if (row["type"], row["goal_id"]) in kinds]
    if goal.type == "custom":
        found += [(at, row) for at, row in events if row["type"] == "custom" and row["event_name"] == goal.event_name]
    if goal.type == "revenue":
        found.sort(key=lambda each: _in_senders_order(each[1]))
        found = [each for index, each in enumerate(found) if not _named_before(each[1], found[:index])]
    return found


def _named_before(row: Row, earlier: Iterable[tuple[int, Row]]) -> bool:
    return row["order_id"] is not None and any(other["order_id"] == row["order_id"] for _, other in earlier)


def _passes(goal: GoalPlan, row: Row) -> bool:
    scoped = goal.scope and (row["type"] != "goal" or row["goal_id"] == "__revenue__")
    if scoped and row["url"] != "https://shop.example/checkout":
        return False
    if goal.needs_items and _quantity(row) is None:
        return False
    if not goal.filter:
        return True
    data = canonical_json.loads(row["data"])
    if "conditions" in goal.filter:
        return bool(data.get("plan") == "pro")
    if "orderValue" in goal.filter:
        told = (row["shop_revenue_minor"], row["shop_currency"])
        minor, currency = told if None not in told else (row["revenue_minor"], row["currency"])
        return minor is not None and currency is not None and minor >= 500
    return not data.get("items") or any(item.get("category") == "shoes" for item in data["items"])


def _lists_money(goal: GoalPlan) -> bool:
    return goal.type == "revenue" and (not goal.adds or (goal.hits_of == goal.goal_id and goal.adds == ("value",)))


def _quantity(row: Row) -> int | None:
    items = [item for item in canonical_json.loads(row["data"]).get("items", ()) if "note" not in item]
    quantities = [item.get("quantity", 1) for item in items]
    if not items or "many" in quantities:
        return None
    return int(sum(Decimal(str(each)) for each in quantities) * 100)


def _money(row: Row, currency: str) -> tuple[str, str, int]:
    if row["revenue_minor"] is not None and row["currency"] == currency:
        return "own", currency, row["revenue_minor"]
    if row["shop_revenue_minor"] is not None and row["shop_currency"] == currency:
        return "converted", row["currency"] or "", row["shop_revenue_minor"]
    if row["revenue_minor"] is None or row["currency"] is None:
        return "unknown", "", (row["revenue_minor"] or 0) if row["currency"] is None else 0
    return "foreign", row["currency"], row["revenue_minor"]


def _refunds(events: Iterable[tuple[int, Row]], order: Row, currency: str) -> int:
    if not order["order_id"]:
        return 0
    monies = [
        _money(row, currency) for _, row in events if row["type"] == "refund" and row["order_id"] == order["order_id"]
    ]
    return sum(minor for kind, _, minor in monies if kind in ("own", "converted"))


def _value(row: Row, currency: str) -> int:
    told = canonical_json.loads(row["data"]).get("value")
    if told is not None and float(told) >= 0:
        return int((Decimal(str(told)) * 100).quantize(Decimal(1), ROUND_HALF_EVEN))
    kind, _, minor = _money(row, currency)
    return minor if kind in ("own", "converted") else 0


def _in_cells(found: dict[Any, list[list[int]]]) -> dict[Cell, GoalCount]:
    by_cell: defaultdict[Cell, list[list[int]]] = defaultdict(list)
    for (_, cells), converters in found.items():
        for cell in cells:
            by_cell[cell] += converters
    return {cell: _statistics(converters) for cell, converters in by_cell.items()}


def _steps(found: dict[Any, list[list[int]]]) -> dict[Step, GoalCount]:
    steps = sorted(
        (Step(variation, _ceiling(sum(worths))), worths) for (variation, _), each in found.items() for worths in each
    )
    return {
        step: _statistics([worths for _, worths in same]) for step, same in groupby(steps, key=lambda each: each[0])
    }


def _ceiling(total: int) -> int:
    return int(Context(prec=3, rounding=ROUND_CEILING).create_decimal(total))


def _statistics(converters: Iterable[list[int]]) -> GoalCount:
    each = list(converters)
    totals = [sum(worths) for worths in each]
    return GoalCount(len(each), sum(map(len, each)), sum(totals), sum(total**2 for total in totals))
