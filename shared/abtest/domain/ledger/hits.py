"""One hit of a goal: the test of filter and scope, and the hit's value where a goal sums values.

Both read only the row's type, goal id, data, address and money, so that copies with the same of these are alike.
"""

from collections.abc import Callable
from decimal import Decimal

from abtest.domain.goals.shapes import GoalFilter
from abtest.domain.ledger.comparisons import holds, number
from abtest.domain.ledger.events import MAX_MONEY_MINOR, REVENUE_GOAL_ID, Row
from abtest.domain.ledger.line_items import accepts_items, quantity_in
from abtest.domain.ledger.plans import GoalPlan, Scope
from abtest.domain.ledger.rows import money_of
from abtest.domain.targeting.combining import every
from abtest.domain.targeting.pages import PageView, prepare_page
from abtest.domain.targeting.urls import parse_address
from abtest.kit import canonical_json
from abtest.kit.money import exponent, to_major, to_minor

Judge = Callable[[Row], bool]

# The largest value of one hit in hundredths, as with revenue.
MAX_VALUE = MAX_MONEY_MINOR


def accepts(goal: GoalPlan, row: Row) -> bool:
    """Return whether the goal's filter and scope accept a hit."""
    return judge(goal)(row)


def judge(goal: GoalPlan) -> Judge:
    """Return `accepts` of one goal for many rows: scope and filter are prepared once."""
    judges = [] if goal.scope is None else [_scope_judge(goal.scope)]
    judges += [] if goal.filter is None else [_filter_judge(goal.filter)]
    judges += [_has_quantity] if goal.needs_items else []
    if not judges:
        return _anything
    return lambda row: all(accepting(row) for accepting in judges)


def _anything(_: Row) -> bool:
    return True


def worth(goal: GoalPlan, row: Row, currency: str) -> int:
    """Return what a hit adds apart from an order's money: 1, or its value in hundredths for a goal of sums.

    Each part of a ratio adds what the plan names: 1 for the event, hundredths for items and for values.
    """
    if not goal.takes_worth:
        return 1
    added = 0
    for quantity in goal.adds or ("value",):
        if quantity == "events":
            added += 1
        elif quantity == "items":
            added += _quantity(row) or 0
        elif not goal.counts_money:
            added += value_of(row, currency)
    return added


def value_of(row: Row, currency: str) -> int:
    """Return a hit's value in hundredths.

    It is `data.value`, a number or decimal text from 0 to MAX_VALUE hundredths, else the hit's money in `currency`,
    else 0.
    """
    value = _hundredths(canonical_json.loads(row["data"]).get("value"))
    if value is not None:
        return value
    money = money_of(row, currency)
    if not money.is_known:
        return 0
    # Minor units differ by currency (none for yen, thousandths for dinars); values are hundredths for all. An amount in
    # yen may exceed MAX_VALUE in hundredths, and then adds 0.
    return _hundredths(str(Decimal(money.minor).scaleb(-exponent(currency)))) or 0


def _has_quantity(row: Row) -> bool:
    return _quantity(row) is not None


def _quantity(row: Row) -> int | None:
    """Return the quantity of the hit's items in hundredths; None without usable items, or where it is not a number."""
    quantity = quantity_in(canonical_json.loads(row["data"]), is_cart=row["type"] == "custom")
    return None if quantity is None else _hundredths(str(quantity))


def _scope_judge(scope: Scope) -> Judge:
    rules = [scope["pages"]] if "pages" in scope else []
    rules += [{"include": [scope["url"]]}] if "url" in scope else []
    holds_on = every([prepare_page(rule) for rule in rules])

    def judge_page(row: Row) -> bool:
        # The browser knows the page and has already judged events with a goal's id.
        if row["type"] == "goal" and row["goal_id"] != REVENUE_GOAL_ID:
            return True
        address = parse_address(row["url"]) if row["url"] else None
        return address is not None and holds_on(PageView(address, {}))

    return judge_page


def _filter_judge(rules: GoalFilter) -> Judge:
    conditions, values, items = rules.get("conditions", ()), rules.get("orderValue", ()), rules.get("lineItems")

    def judge_content(row: Row) -> bool:
        if values:
            value = order_value(row)
            if value is None or not all(holds(condition, value) for condition in values):
                return False
        # Parsing the data costs more than all conditions, so it is left out where none needs it.
        data = canonical_json.loads(row["data"]) if conditions or items else {}
        return all(holds(condition, data.get(condition["property"])) for condition in conditions) and (
            not items or accepts_items(items, data, is_cart=row["type"] == "custom")
        )

    return judge_content


def order_value(row: Row) -> float | None:
    """Return the order's value in the shop's currency where the sender named it, else in the order's own."""
    minor, currency = row.get("shop_revenue_minor"), row.get("shop_currency")
    if minor is None or currency is None:
        minor, currency = row["revenue_minor"], row["currency"]
    return None if minor is None or currency is None else to_major(minor, currency)


def _hundredths(value: object) -> int | None:
    amount = number(value)
    if amount is None:
        return None
    try:
        # Dollars, like most currencies, have hundredths.
        hundredths = to_minor(str(amount), "USD")
    except ValueError:
        return None
    return hundredths if 0 <= hundredths <= MAX_VALUE else None
