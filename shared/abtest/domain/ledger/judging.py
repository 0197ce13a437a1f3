"""Judging one hit of a goal: whether filter and scope accept it, and what it is worth where a goal sums values.

Looks at the row's type, goal id, data, address and money only, so that copies that differ in nothing of it are alike.
"""

from collections.abc import Callable, Sequence
from decimal import Decimal

from abtest.domain.goals.shapes import GoalFilter, ValueCondition
from abtest.domain.ledger.comparisons import holds, number
from abtest.domain.ledger.events import MAX_MONEY_MINOR, REVENUE_GOAL_ID, Row
from abtest.domain.ledger.line_items import accepts_items
from abtest.domain.ledger.plans import GoalPlan, Scope
from abtest.domain.ledger.rows import money_of
from abtest.domain.targeting.combining import every
from abtest.domain.targeting.pages import PageView, Rule, prepare_page
from abtest.domain.targeting.urls import parse_address
from abtest.kit import canonical_json
from abtest.kit.money import exponent, to_major, to_minor

Judge = Callable[[Row], bool]

MAX_VALUE = MAX_MONEY_MINOR
"""Hundredths: what one hit can be worth at most, as with revenue."""


def accepts(goal: GoalPlan, row: Row) -> bool:
    """Whether a hit of the goal counts, as far as its filter and its scope go."""
    return judge(goal)(row)


def judge(goal: GoalPlan) -> Judge:
    """`accepts` for many rows: scope and filter are made ready once."""
    judges = [made for made in (_scope_judge(goal.scope), _filter_judge(goal.filter)) if made is not None]
    return lambda row: all(accepting(row) for accepting in judges)


def worth(goal: GoalPlan, row: Row, currency: str) -> int:
    """What a hit adds to a goal that does not count money: 1, or its value in hundredths when the goal sums values.

    The value is `data.value`, a number or decimal text from 0 to MAX_VALUE hundredths, else the hit's money in
    `currency`, else 0.
    """
    if not goal.sums_value:
        return 1
    told = _hundredths(canonical_json.loads(row["data"]).get("value"))
    if told is not None:
        return told
    money = money_of(row, currency)
    if not money.is_known:
        return 0
    return _hundredths(str(Decimal(money.minor).scaleb(-exponent(currency)))) or 0


def _scope_judge(scope: Scope | None) -> Judge | None:
    """Clicks and page views are judged by the browser, which knows the page; so are `goal` events by the goal's id."""
    if scope is None:
        return None
    rules = [scope["pages"]] if "pages" in scope else []
    rules += [{"include": [scope["url"]]}] if "url" in scope else []
    holds_on = every([prepare_page(rule) for rule in rules])
    return lambda row: _is_judged_by_the_browser(row) or _stands_on(row, holds_on)


def _is_judged_by_the_browser(row: Row) -> bool:
    return row["type"] == "goal" and row["goal_id"] != REVENUE_GOAL_ID


def _stands_on(row: Row, rule: Rule) -> bool:
    address = parse_address(row["url"]) if row["url"] else None
    return address is not None and rule(PageView(address, {}))


def _filter_judge(wanted: GoalFilter | None) -> Judge | None:
    if wanted is None:
        return None
    conditions, values, items = wanted.get("conditions", ()), wanted.get("orderValue", ()), wanted.get("lineItems")

    def judge_one(row: Row) -> bool:
        if values and not _is_worth(values, row):
            return False
        data = canonical_json.loads(row["data"]) if conditions or items else {}
        return all(holds(condition, data.get(condition["property"])) for condition in conditions) and (
            not items or accepts_items(items, data, is_cart=row["type"] == "custom")
        )

    return judge_one


def _is_worth(conditions: Sequence[ValueCondition], row: Row) -> bool:
    """Money of the shop where the sender told it, else as the order names it; without a currency it has no value."""
    minor, currency = row.get("shop_revenue_minor"), row.get("shop_currency")
    if minor is None or currency is None:
        minor, currency = row["revenue_minor"], row["currency"]
    if minor is None or currency is None:
        return False
    value = to_major(minor, currency)
    return all(holds(condition, value) for condition in conditions)


def _hundredths(value: object) -> int | None:
    amount = number(value)
    if amount is None:
        return None
    try:
        found = to_minor(str(amount), "USD")
    except ValueError:
        return None
    return found if 0 <= found <= MAX_VALUE else None
