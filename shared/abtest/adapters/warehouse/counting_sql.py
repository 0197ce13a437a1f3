"""The SQL of counting: one text for DuckDB and Athena, made from a plan. How it is run, and where, is not here.

It reads two relations, whose names are told: `events`, with the columns of a ledger row (`qa_mode` and `data` not
null), rows of other shops and copies included; and `accepted (goal_id, event_id, worth)`, with those hits of judged
goals that `domain.ledger.judging` accepts. Where a plan has judged goals, `candidates` says which hits are to be
looked at, `judged` looks at them, and what it gives is `accepted`. `counts_of` in `counting_answer` reads the answer.

What is asked must equal `domain.ledger.reference.count`. The statement is one stream from rows to cells, and no table
in it but small ones is referred to often: Athena would compute it each time.
"""

from collections.abc import Iterable, Iterator, Sequence
from typing import Any, cast

from abtest.adapters.warehouse import cells_sql
from abtest.adapters.warehouse.money_sql import IS_KNOWN, MONEY_COLUMNS, Money
from abtest.adapters.warehouse.sql_texts import AMOUNT, Table, constants, literal, one_of, whole, with_tables
from abtest.adapters.warehouse.standing_sql import HAPPENED_AT, NARROW, WIDE, Standing, Suspects, precedence
from abtest.domain.ledger.cells import DIMENSIONS, QUARTER_MS, UNKNOWN
from abtest.domain.ledger.events import DAY_MS, REVENUE_GOAL_ID, Row
from abtest.domain.ledger.judging import judge, worth
from abtest.domain.ledger.plans import CountingPlan, GoalPlan
from abtest.domain.ledger.reference import EXPOSED, FAILED, GIVEN_UP
from abtest.domain.ledger.rows import OWN

CANDIDATE = (
    "plan_goal_id", "event_id", "type", "goal_id", "data", "url",
    "revenue_minor", "currency", "shop_revenue_minor", "shop_currency",
)  # fmt: skip
"""The columns of the candidates."""

_MINOR = ("revenue_minor", "shop_revenue_minor")


def counting(
    plan: CountingPlan,
    *,
    events: str = "events",
    accepted: str = "accepted",
    suspects: Suspects | None = None,
    segments: bool = True,
    sessions: bool = True,
) -> str:
    """The statement that counts; its answer has the columns ANSWER. Without `segments` cells are quarters alone.

    Without `sessions` these are to be asked by `delivering`.
    """
    standing = _standing(plan, events, suspects, DIMENSIONS if segments else ())
    spread = any(goal.winsorize_pct is not None for goal in plan.goals)
    tables = [
        *_hits(plan, standing),
        ("attributed", _attributed(accepted if _judged_goals(plan) else None, standing.dimensions)),
        *cells_sql.tables(standing.dimensions, spread=spread),
    ]
    parts = [
        cells_sql.summed(standing.dimensions, spread=spread),
        *([_sessions(plan, standing)] if sessions and plan.has_sessions else []),
        cells_sql.newest(f"{events} WHERE {standing.mine}"),
    ]
    return with_tables(tables, "\nUNION ALL\n".join(parts))


def delivering(plan: CountingPlan, *, events: str, suspects: Suspects) -> str | None:
    """The statement that tells sessions, with the columns ANSWER; None for a plan that has none."""
    if not plan.has_sessions:
        return None
    standing = _standing(plan, events, suspects, DIMENSIONS)
    return with_tables(standing.tables(), _sessions(plan, standing))


def sifting(plan: CountingPlan, *, events: str, suspects: Suspects, segments: bool) -> str:
    """The query that makes `suspects.sifted` for `counting` and `candidates`."""
    return _standing(plan, events, suspects, DIMENSIONS if segments else ()).sifting(suspects)


def candidates(plan: CountingPlan, *, events: str = "events", suspects: Suspects | None = None) -> str | None:
    """The statement that lists hits of judged goals for `judged`, with the columns CANDIDATE; None without such goals.

    Copies and repeated orders are gone, and so is what falls out of its visitor's attribution window.
    """
    goals = _judged_goals(plan)
    if not goals:
        return None
    wanted = f"""
    SELECT goal_id AS plan_goal_id, event_id AS wanted_id, is_copy FROM attributed
    WHERE {one_of("goal_id", (goal.goal_id for goal in goals))}"""  # noqa: S608 - columns and escaped literals alone
    standing = _standing(plan, events, suspects, ())
    tables = [*_hits(plan, standing), ("attributed", _attributed(None, ())), ("wanted", wanted)]
    listed, mine = ", ".join(CANDIDATE), standing.mine
    return with_tables(
        tables,
        f"""
SELECT {listed} FROM {events} JOIN wanted ON event_id = wanted_id WHERE {mine} AND NOT is_copy
UNION ALL
SELECT {listed}
FROM (
    SELECT {listed}, row_number() OVER (PARTITION BY plan_goal_id, event_id ORDER BY {precedence((*NARROW, *WIDE))})
        AS place
    FROM {events} JOIN wanted ON event_id = wanted_id
    WHERE {mine} AND is_copy
) AS ordered
WHERE place = 1""",  # noqa: S608 - columns and escaped literals alone
    )


def judged(plan: CountingPlan, rows: Iterable[Sequence[Any]]) -> Iterator[tuple[str, str, int]]:
    """Of rows of `candidates` (numbers may be texts) those that are accepted, as rows of `accepted`."""
    goals = {goal.goal_id: (goal, judge(goal)) for goal in _judged_goals(plan)}
    for goal_id, *values in rows:
        goal, accepting = goals[goal_id]
        told = dict(zip(CANDIDATE[1:], values, strict=True))
        row = cast(Row, told | {name: None if told[name] is None else int(told[name]) for name in _MINOR})
        if accepting(row):
            yield goal_id, row["event_id"], worth(goal, row, plan.currency)


def _judged_goals(plan: CountingPlan) -> list[GoalPlan]:
    return [goal for goal in plan.goals if goal.is_judged]


def received(plan: CountingPlan) -> str:
    """What every row that a plan could count meets."""
    return _standing(plan, "events", None, ()).mine


def _standing(plan: CountingPlan, events: str, suspects: Suspects | None, dimensions: tuple[str, ...]) -> Standing:
    rare = (*_orders(plan), _refund(plan), *_deliveries(plan))
    return Standing(
        events=events,
        shop_id=plan.shop_id,
        since=plan.begins_at,
        kinds=(_exposure(plan), _plain_hits(plan), *rare),
        dimensions=dimensions,
        suspects=suspects,
        rare=rare,
    )


def _exposure(plan: CountingPlan) -> str:
    if plan.exposure == "cohort":
        epoch = f"holdout_config_epoch = {literal(plan.assignment_epoch)}"
        return f"type = 'pageview' AND {one_of('cohort', plan.variation_ids)} AND {epoch}"
    return f"type = '{EXPOSED}' AND {_of_experiment(plan)}"


def _deliveries(plan: CountingPlan) -> tuple[str, ...]:
    """What else tells of a variation's delivery."""
    return (f"{one_of('type', (FAILED, GIVEN_UP))} AND {_of_experiment(plan)}",) if plan.has_sessions else ()


def _of_experiment(plan: CountingPlan) -> str:
    epoch = f"(assignment_epoch IS NULL OR assignment_epoch = {literal(plan.assignment_epoch)})"
    experiment = f"experiment_id = {literal(plan.experiment_id)}"
    return f"{experiment} AND {one_of('variation_id', plan.variation_ids)} AND {epoch}"


def _plain_hits(plan: CountingPlan) -> str:
    """Told in a way that has every row's type looked at once."""
    told = one_of("goal_id", (goal.goal_id for goal in plan.goals if not goal.counts_money))
    if names := _names(plan):
        return (
            f"type IN ('goal', 'custom') AND CASE type WHEN 'goal' THEN {told} ELSE {one_of('event_name', names)} END"
        )
    return f"type = 'goal' AND {told}"


def _names(plan: CountingPlan) -> list[str]:
    return [goal.event_name for goal in plan.goals if goal.type == "custom" and goal.event_name is not None]


def _orders(plan: CountingPlan) -> tuple[str, ...]:
    goals = [goal.goal_id for goal in plan.goals if goal.counts_money]
    if not goals:
        return ("FALSE",)
    return ("type = 'order'", f"type = 'goal' AND {one_of('goal_id', [*goals, REVENUE_GOAL_ID])}")


def _refund(plan: CountingPlan) -> str:
    return "type = 'refund' AND order_id <> ''" if any(goal.counts_money for goal in plan.goals) else "FALSE"


def _hits(plan: CountingPlan, standing: Standing) -> list[Table]:
    """Exposures, and every hit that could count for a goal; of repeated orders the first, less what was refunded."""
    return [
        *standing.tables(),
        ("goals", _goals(plan)),
        ("signals", _signals(plan)),
        ("exposures", _exposures(plan, standing)),
        ("refunds", _refunds(plan, standing)),
        ("hits", _all_hits(plan, standing)),
    ]


def _goals(plan: CountingPlan) -> str:
    columns = ("goal_id", "window_ms", "counts_money", "takes_first_only", "is_judged", "sums_value", "has_spread")
    rows = [
        (goal.goal_id, goal.window_ms, goal.counts_money, goal.takes_first_only, goal.is_judged, goal.sums_value,
         goal.winsorize_pct is not None)
        for goal in plan.goals
    ]  # fmt: skip
    return constants(columns, rows or [("", 0, False, False, False, False, False)])


def _signals(plan: CountingPlan) -> str:
    """Which events are hits of which goal: by type, and the goal id or event name that they tell."""
    found: set[tuple[str, str, str]] = set()
    for goal in plan.goals:
        found.add(("goal", goal.goal_id, goal.goal_id))
        if goal.counts_money:
            found |= {("goal", REVENUE_GOAL_ID, goal.goal_id), ("order", "", goal.goal_id)}
        elif goal.type == "custom" and goal.event_name is not None:
            found.add(("custom", goal.event_name, goal.goal_id))
    return constants(("signal_type", "signal_name", "goal_id"), sorted(found) or [("", "", "")])


def _exposures(plan: CountingPlan, standing: Standing) -> str:
    variation = "cohort" if plan.exposure == "cohort" else "variation_id"
    if not standing.dimensions:
        return _moments(plan, standing, variation)
    columns = ("event_id", "visitor_id", f"{HAPPENED_AT} AS happened_at", f"{variation} AS variation", *DIMENSIONS)
    told = ", ".join(f"coalesce(nullif({name}, ''), '{UNKNOWN}') AS {name}" for name in DIMENSIONS)
    return f"""
SELECT visitor_id, variation AS variation_id, happened_at AS exposed_at,
    {whole("happened_at", QUARTER_MS)} AS exposed_quarter, {whole("happened_at", DAY_MS)} AS exposed_day,
    {told}, lowest <> highest AS is_aside
FROM (
    SELECT visitor_id, variation, happened_at, {", ".join(DIMENSIONS)},
        row_number() OVER (PARTITION BY visitor_id ORDER BY happened_at, event_id) AS place,
        min(variation) OVER (PARTITION BY visitor_id) AS lowest,
        max(variation) OVER (PARTITION BY visitor_id) AS highest
    FROM ({standing.rows(columns, _exposure(plan))}
    ) AS seen
) AS ordered
WHERE place = 1"""  # noqa: S608 - columns and escaped literals alone


def _moments(plan: CountingPlan, standing: Standing, variation: str) -> str:
    """Exposures without what they tell of their visitors: then it does not matter which of one moment is the first."""
    columns = ("visitor_id", f"{HAPPENED_AT} AS happened_at", f"{variation} AS variation")
    return f"""
SELECT visitor_id, lowest AS variation_id, exposed_at, {whole("exposed_at", QUARTER_MS)} AS exposed_quarter,
    {whole("exposed_at", DAY_MS)} AS exposed_day, lowest <> highest AS is_aside
FROM (
    SELECT visitor_id, min(happened_at) AS exposed_at, min(variation) AS lowest, max(variation) AS highest
    FROM ({standing.rows(columns, _exposure(plan))}
    ) AS seen
    GROUP BY visitor_id
) AS met"""  # noqa: S608 - columns and escaped literals alone


def _sessions(plan: CountingPlan, standing: Standing) -> str:
    columns = ("type", "visitor_id", "variation_id", "session_id")
    return cells_sql.delivered(standing.rows(columns, _exposure(plan), *_deliveries(plan)))


def _refunds(plan: CountingPlan, standing: Standing) -> str:
    money = Money(plan.currency)
    return f"""
SELECT order_id AS refunded_id, sum(CASE WHEN {money.is_known} THEN {money.minor} END) AS refunded
FROM ({standing.rows(("order_id", *MONEY_COLUMNS), _refund(plan))}
) AS named
GROUP BY order_id"""  # noqa: S608 - columns and escaped literals alone


def _all_hits(plan: CountingPlan, standing: Standing) -> str:
    money = Money(plan.currency)
    plain = ("type", "goal_id AS told_id", "event_name", "event_id", "visitor_id", f"{HAPPENED_AT} AS happened_at")
    paid = (f"{money.kind} AS money_kind", f"{money.minor} AS minor", f"{money.named} AS money_currency")
    name = "CASE type WHEN 'goal' THEN told_id WHEN 'custom' THEN event_name ELSE '' END"
    joined = f"JOIN signals ON signal_type = type AND signal_name = {name}"
    return f"""
SELECT goal_id, event_id, visitor_id, happened_at, '{OWN}' AS money_kind, CAST(1 AS {AMOUNT}) AS minor,
    '' AS money_currency, is_copy
FROM ({standing.rows(plain, _plain_hits(plan))}
) AS told {joined}
UNION ALL
SELECT goal_id, event_id, visitor_id, happened_at, money_kind,
    CASE WHEN NOT {IS_KNOWN} OR refunded IS NULL THEN minor
        WHEN refunded >= minor THEN CAST(0 AS {AMOUNT}) ELSE CAST(minor - refunded AS {AMOUNT}) END AS minor,
    money_currency, is_copy
FROM (
    SELECT goal_id, event_id, visitor_id, happened_at, order_id, money_kind, minor, money_currency, is_copy,
        row_number() OVER (
            PARTITION BY goal_id, coalesce(nullif(order_id, ''), event_id),
                CASE WHEN order_id <> '' THEN 'order' ELSE 'event' END
            ORDER BY happened_at, event_id
        ) AS place
    FROM ({standing.rows((*plain, "order_id", *paid), *_orders(plan))}
    ) AS told {joined}
) AS ordered
LEFT JOIN refunds ON refunded_id = order_id
WHERE place = 1"""  # noqa: S608 - columns and escaped literals alone


def _attributed(accepted: str | None, dimensions: Sequence[str]) -> str:
    """Hits within their visitor's window; with `accepted` those of judged goals only that are in it."""
    keys = "".join(f"{name}, " for name in dimensions)
    value, sieve, passed = "minor", "", ""
    if accepted is not None:
        value = f"CASE WHEN sums_value THEN CAST(worth AS {AMOUNT}) ELSE minor END"
        sieve = f"""
LEFT JOIN {accepted} AS taken ON is_judged AND taken.goal_id = hits.goal_id AND taken.event_id = hits.event_id"""
        passed = " AND (NOT is_judged OR taken.event_id IS NOT NULL)"
    return f"""
SELECT hits.goal_id, hits.event_id, hits.visitor_id, hits.is_copy, variation_id, exposed_quarter, exposed_day,
    {keys}money_kind, money_currency, {IS_KNOWN} AS is_known, {value} AS minor
FROM hits
JOIN exposures ON exposures.visitor_id = hits.visitor_id
JOIN goals ON goals.goal_id = hits.goal_id{sieve}
WHERE NOT is_aside AND happened_at >= exposed_at AND happened_at < exposed_at + window_ms{passed}"""  # noqa: S608 - columns and escaped literals alone
