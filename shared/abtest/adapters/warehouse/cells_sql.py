"""SQL that sums hits and exposures, visitor by visitor, to the cells of `domain.ledger.cells`.

The input are the tables `goals`, `attributed` and `exposures` of `counts_sql`. Visitors, converters and money become
lines, which are summed once per way to group cells. Segments are then sums of lines that are equal in all dimensions.
"""

from collections.abc import Sequence

from abtest.adapters.warehouse.sql_texts import AMOUNT, Table, constants
from abtest.domain.ledger.cells import DIMENSIONS, PAIRS, QUARTER
from abtest.domain.ledger.events import SELECTOR_MISSING, WITHOUT_STICKY
from abtest.domain.ledger.reference import EXPOSED, FAILED, GIVEN_UP
from abtest.domain.ledger.rows import OWN

LIMB = 10**9
"""Totals are squared as high * LIMB + low, so that sums of squares are exact within 38 digits for all amounts."""

VISITORS, ASIDE, GOAL, MONEY, SPREAD = "visitors", "aside", "goal", "money", "spread"
SESSIONS, THROUGH = "sessions", "through"
BEFORE, AFTER, BOTH = "before", "after", "both"
STEPS = {BEFORE: "before by step", AFTER: "after by step", BOTH: "both by step"}
"""Parts of the result. BEFORE, AFTER and BOTH have visitors with activity before their exposure: totals and squares of
their activity before it, after it, and both together. STEPS are the same by the ceiling of what was after it."""

RESULT_COLUMNS = (
    "part", "goal_id", "variation_id", "dimension", "moment", "value", "currency",
    "converters", "hits", "total", "high", "middle", "low",
)  # fmt: skip
"""Columns of the result. The last six are integers; squares are high, middle and low in units of LIMB."""

_BY_QUARTER, _BY_SEGMENT, _BY_CEILING = 3, 5, 6
"""Marks of rows that are summed by quarter, by day and segment, or by ceiling."""

# A ceiling is a total rounded up to three significant digits: its step is a one followed by zeros. Conversions to text
# and divisions are skipped where they are not needed, because there is a line for each converter.
_STEP = f"""CASE WHEN has_spread THEN
        CAST(rpad('1', CAST(greatest(length(CAST(total AS VARCHAR)) - 2, 1) AS INTEGER), '0') AS {AMOUNT}) END"""
_LOW = f"CAST(CASE WHEN total < {LIMB} THEN total ELSE mod(total, {LIMB}) END AS {AMOUNT})"
_HIGH = f"CAST(CASE WHEN total < {LIMB} THEN 0 ELSE (total - mod(total, {LIMB})) / {LIMB} END AS {AMOUNT})"
_CEILING = f"CASE WHEN has_spread THEN total + mod(step - mod(total, step), step) ELSE CAST(0 AS {AMOUNT}) END"
_CAPPED = "capped_total"
"""Total that caps apply to, of each line: of lines with activity before the exposure what was after it."""
_SQUARES = ("high * high", "high * low", "low * low")

_IS_WARNING = f"coalesce(event_name, '') = '{SELECTOR_MISSING}'"
_OUTCOMES = ", ".join(
    f"max(CASE WHEN {condition} THEN 1 ELSE 0 END) AS {name}"
    for name, condition in (
        ("exposed", f"type = '{EXPOSED}'"),
        ("failed", f"type = '{FAILED}' AND NOT ({_IS_WARNING})"),
        ("given_up", f"type = '{GIVEN_UP}'"),
        ("without_sticky", f"type = '{EXPOSED}' AND event_name = '{WITHOUT_STICKY}'"),
        ("unmatched", f"type = '{FAILED}' AND {_IS_WARNING}"),
    )
)

_BY_SEGMENT_OF = [(name, name, "") for name in DIMENSIONS] + [(pair, *pair.split("+")) for pair in PAIRS]
_SHAPES = [
    (ASIDE, ASIDE, _BY_QUARTER, "", "", ""),
    (MONEY, MONEY, _BY_QUARTER, "", "", ""),
    (SPREAD, GOAL, _BY_CEILING, "", "", ""),
    *((part, part, _BY_QUARTER, "", "", "") for part in (BEFORE, AFTER, BOTH)),
    *((step, part, _BY_CEILING, "", "", "") for part, step in STEPS.items()),
    *((part, part, _BY_QUARTER, QUARTER, "", "") for part in (VISITORS, GOAL)),
    *((part, part, _BY_SEGMENT, *dimension) for part in (VISITORS, GOAL) for dimension in _BY_SEGMENT_OF),
]

_CHOSEN = "CASE {} " + " ".join(f"WHEN '{name}' THEN {name}" for name in DIMENSIONS) + " ELSE '' END"
_SEGMENT = (
    f"{_CHOSEN.format('first_of')} || CASE second_of WHEN '' THEN '' ELSE '|' || {_CHOSEN.format('second_of')} END"
)


# Products are not summed, because (x + y)² - x² - y² = 2xy, and sums of squares exist already.
_LINES = [(0, GOAL), (1, GOAL), (1, BEFORE), (1, AFTER), (1, BOTH)]


def tables(
    dimensions: Sequence[str], *, spread: bool, looks_back: bool, aside: str = "''", excluded: str | None = None
) -> list[Table]:
    """Return the tables that `summed` refers to.

    `dimensions` of segments are none or all; `spread` is for goals with ceilings. With `looks_back`, hits have the
    column `before`, their worth before exposures. `aside` is the variation of excluded visitors, an expression over
    exposures. `excluded` is a relation like `attributed` with the money that is not in the plan's currency, for engines
    that read it for less than a second sum of all hits costs.
    """
    shapes = constants(("part", "kind_of", "summed_by", "dimension", "first_of", "second_of"), _SHAPES)
    return [
        ("totals", _totals(dimensions, looks_back=looks_back, excluded=excluded)),
        *([("lines", constants(("lines_of", "line"), _LINES))] if looks_back else []),
        (
            "facts",
            f"{_visitors(dimensions, looks_back, aside)}\nUNION ALL\n{_converters(dimensions, looks_back=looks_back)}",
        ),
        ("alike", _alike(dimensions, spread=spread, looks_back=looks_back)),
        ("shapes", shapes),
    ]


def summed(dimensions: Sequence[str], *, spread: bool) -> str:
    """Return the query for all parts except `sessions` and `through`, with RESULT_COLUMNS."""
    day = f" WHEN {_BY_SEGMENT} THEN exposed_day" if dimensions else ""
    segment = f" WHEN {_BY_SEGMENT} THEN {_SEGMENT}" if dimensions else ""
    ceiling = f" WHEN {_BY_CEILING} THEN CAST(ceiling_of_total AS VARCHAR)" if spread else ""
    return f"""
SELECT part, goal_id, variation_id, dimension,
    CASE summed WHEN {_BY_QUARTER} THEN exposed_quarter{day} ELSE 0 END AS moment,
    CASE summed WHEN {_BY_QUARTER} THEN money_kind{segment}{ceiling} ELSE '' END AS value,
    coalesce(money_currency, '') AS currency,
    sum(converters) AS converters, sum(hits) AS hits, sum(total) AS total,
    {", ".join(f"sum(square_{index}) AS square_{index}" for index in range(len(_SQUARES)))}
FROM alike
JOIN shapes ON kind = kind_of AND summed = summed_by
GROUP BY 1, 2, 3, 4, 5, 6, 7"""  # noqa: S608 - constants alone


def newest(rows: str) -> str:
    """Return the query for the part `through`, the newest moment of receiving in `rows`, a relation with conditions."""
    nothing = ", ".join([f"CAST(0 AS {AMOUNT})"] * 6)
    return f"SELECT '{THROUGH}', '', '', '', max(received_at), '', '', {nothing} FROM {rows}"  # noqa: S608 - constants and names of relations


def delivered(rows: str) -> str:
    """Return the query for the part `sessions`: all, failed and missed ones as converters, hits and totals.

    Those without sticky are the squares, those with selectors that matched nothing the moment.
    `rows` are the events about the delivery of a variation, with `session_id` and `type`.
    """
    nothing = ", ".join([f"CAST(0 AS {AMOUNT})"] * 2)
    return f"""
SELECT '{SESSIONS}', '', variation_id, '', CAST(sum(unmatched) AS BIGINT), '', '', count(*), sum(failed),
    sum(CASE WHEN given_up = 1 AND exposed = 0 THEN 1 ELSE 0 END), {nothing}, CAST(sum(without_sticky) AS {AMOUNT})
FROM (
    SELECT variation_id, {_OUTCOMES}
    FROM ({rows}
    ) AS source
    GROUP BY variation_id, visitor_id, coalesce(nullif(session_id, ''), visitor_id)
) AS sessions
GROUP BY variation_id"""  # noqa: S608 - constants and escaped literals alone


def _totals(dimensions: Sequence[str], *, looks_back: bool, excluded: str | None) -> str:
    """Return each visitor's hits and their sum, and by quarter of the exposure the money in other currencies."""
    before = ", sum(before) AS before" if looks_back else ""
    of_visitor = f"""
    min(variation_id) AS variation_id, min(exposed_quarter) AS exposed_quarter,
    min(exposed_day) AS exposed_day{_each(dimensions, "min({0}) AS {0}")},
    count(CASE WHEN is_known THEN 1 END) AS hits, sum(CASE WHEN is_known THEN minor END) AS total{before}"""
    money, nothing = "money_variation, money_quarter, money_kind, money_currency", f"CAST(NULL AS {AMOUNT})"
    if excluded is not None:
        return f"""
SELECT goal_id, '' AS money_variation, CAST(0 AS BIGINT) AS money_quarter, '' AS money_kind, '' AS money_currency,
    0 AS is_money, CAST(0 AS BIGINT) AS all_hits, {nothing} AS all_minor,{of_visitor}
FROM attributed
GROUP BY goal_id, visitor_id
UNION ALL
SELECT goal_id, variation_id, exposed_quarter, money_kind, money_currency,
    1, count(*), sum(minor), '', 0, 0{_each(dimensions, "''")}, 0, {nothing}{f", {nothing}" if looks_back else ""}
FROM {excluded}
GROUP BY goal_id, variation_id, exposed_quarter, money_kind, money_currency"""  # noqa: S608 - constants alone
    return f"""
SELECT goal_id, {money}, grouping(visitor_id) AS is_money, count(*) AS all_hits, sum(minor) AS all_minor,{of_visitor}
FROM (
    SELECT *, CASE WHEN money_kind = '{OWN}' THEN '' ELSE variation_id END AS money_variation,
        CASE WHEN money_kind = '{OWN}' THEN 0 ELSE exposed_quarter END AS money_quarter
    FROM attributed
) AS named_twice
GROUP BY GROUPING SETS ((goal_id, visitor_id), (goal_id, {money}))"""  # noqa: S608 - constants alone


def _visitors(dimensions: Sequence[str], looks_back: bool, aside: str) -> str:
    """Return visitors and excluded visitors, summed over equal lines."""
    return f"""
SELECT kind, '' AS goal_id, variation_id, exposed_quarter, exposed_day{_each(dimensions, "{0}")},
    '' AS money_kind, '' AS money_currency, FALSE AS has_spread,
    CAST(0 AS BIGINT) AS hits, CAST(0 AS {AMOUNT}) AS total, count(*) AS converters
    {f", CAST(0 AS {AMOUNT}) AS {_CAPPED}" if looks_back else ""}
FROM (
    SELECT CASE WHEN is_aside THEN '{ASIDE}' ELSE '{VISITORS}' END AS kind,
        CASE WHEN is_aside THEN {aside} ELSE variation_id END AS variation_id,
        CASE WHEN is_aside THEN 0 ELSE exposed_quarter END AS exposed_quarter,
        CASE WHEN is_aside THEN 0 ELSE exposed_day END AS exposed_day
        {_each(dimensions, "CASE WHEN is_aside THEN '' ELSE {0} END AS {0}")}
    FROM exposures
) AS source
GROUP BY kind, variation_id, exposed_quarter, exposed_day{_each(dimensions, "{0}")}"""  # noqa: S608 - constants alone


def _converters(dimensions: Sequence[str], *, looks_back: bool) -> str:
    """Return converters and money as lines that can be summed like visitors.

    With `looks_back`, visitors with activity before the exposure have three more lines, without time and segment.
    """
    part, quarter, of_no_time = f"CASE WHEN is_money = 1 THEN '{MONEY}' ELSE '{GOAL}' END", "", "is_money = 1"
    total = f"CASE WHEN is_money = 1 THEN all_minor WHEN takes_first_only THEN CAST(1 AS {AMOUNT}) ELSE total END"
    counts = f"((is_money = 1 AND money_kind <> '{OWN}') OR (is_money = 0 AND hits > 0))"
    lines = capped = ""
    has_spread = f"NOT ({of_no_time}) AND has_spread"
    if looks_back:
        is_before, one = f"line <> '{GOAL}'", f"CAST(1 AS {AMOUNT})"
        x = f"CASE WHEN takes_first_only THEN {one} ELSE before END"
        y = f"CASE WHEN takes_first_only AND hits > 0 THEN {one} ELSE coalesce(total, CAST(0 AS {AMOUNT})) END"
        part, quarter = f"CASE WHEN {is_before} THEN line ELSE {part} END", f" WHEN {is_before} THEN 0"
        of_no_time = f"{of_no_time} OR {is_before}"
        sums = f"WHEN '{BEFORE}' THEN {x} WHEN '{AFTER}' THEN {y} WHEN '{BOTH}' THEN {x} + {y}"
        capped = f", CASE WHEN is_money = 1 THEN CAST(0 AS {AMOUNT}) ELSE {y} END"
        total = f"CASE line {sums} ELSE {total} END"
        counts = f"({is_before} OR {counts})"
        lines = "\nJOIN lines ON lines_of = CASE WHEN is_money = 0 AND before > 0 THEN 1 ELSE 0 END"
    return f"""
SELECT {part}, totals.goal_id,
    CASE WHEN is_money = 1 THEN money_variation ELSE variation_id END,
    CASE WHEN is_money = 1 THEN money_quarter{quarter} ELSE exposed_quarter END,
    CASE WHEN {of_no_time} THEN 0 ELSE exposed_day END
    {_each(dimensions, f"CASE WHEN {of_no_time} THEN '' ELSE {{0}} END")},
    coalesce(money_kind, ''), coalesce(money_currency, ''), {has_spread},
    CASE WHEN is_money = 1 THEN all_hits WHEN takes_first_only THEN 1 ELSE hits END,
    {total}, 1{capped}
FROM totals JOIN goals ON goals.goal_id = totals.goal_id{lines}
WHERE {counts}"""  # noqa: S608 - constants alone


def _alike(dimensions: Sequence[str], *, spread: bool, looks_back: bool) -> str:
    """Return lines summed once for each way to group cells."""
    capped = _CAPPED if looks_back else "total"
    step, ceiling = (each.replace("total", capped) for each in (_STEP, _CEILING))
    every = "kind, goal_id, variation_id"
    cuts = {_BY_QUARTER: "exposed_quarter, money_kind, money_currency"}
    if dimensions:
        cuts[_BY_SEGMENT] = f"exposed_day{_each(dimensions, '{0}')}"
    if spread:
        cuts[_BY_CEILING] = "ceiling_of_total"
    marks = " ".join(f"WHEN grouping({cut.split(', ')[0]}) = 0 THEN {by}" for by, cut in cuts.items())
    return f"""
SELECT {every}, {", ".join(cuts.values())}, CASE {marks} END AS summed,
    sum(converters) AS converters, sum(CAST(hits AS {AMOUNT})) AS hits, sum(total) AS total,
    {", ".join(f"sum({product}) AS square_{index}" for index, product in enumerate(_SQUARES))}
FROM (
    SELECT *, {_LOW} AS low, {_HIGH} AS high, {ceiling} AS ceiling_of_total
    FROM (SELECT *, {step} AS step FROM facts) AS stepped
) AS split
GROUP BY GROUPING SETS ({", ".join(f"({every}, {cut})" for cut in cuts.values())})"""  # noqa: S608 - constants alone


def _each(dimensions: Sequence[str], form: str) -> str:
    """Return further columns, one for each dimension."""
    return "".join(f", {form.format(name)}" for name in dimensions)
