"""The numbers as tables: every goal and variation, and segments.

On narrow pages each row is a block in which every figure has its name. Such a display takes the meaning of a table from
some browsers, so roles repeat what the elements are.
"""

from collections.abc import Callable, Iterable, Mapping, Sequence

from abtest.contract.report import Report, ReportSegments
from abtest.contract.results import GoalResult, ResultRow
from abtest.kit.markup import Child, Html, el, typed
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm, row_name
from abtest.services.report_page.forest import Axis, axis, badge, strip
from abtest.services.report_page.measures import level_of, measure_of

Cells = Sequence[Child]
Cell = Callable[[GoalResult, ResultRow], str]

_GROUP = "rowgroup"
_DIMENSIONS = {
    "device": "Device",
    "country": "Country",
    "new_returning": "New or returning",
    "source": "Source",
}


def boxed(name: str, inside: Html) -> Html:
    """Return a box that scrolls where a table is wider than the page, and can be reached by keyboard."""
    return el("div", inside, class_="box", role="region", aria_label=name, tabindex="0")


def table(caption: str, head: Sequence[str], rows: Iterable[Cells], texts: int = 1) -> Html:
    """Return a table. The first cell of a row is its heading; the first `texts` columns are text."""
    return whole_table(
        caption, _heads(head, texts), el("tbody", [_row(cells, head, texts) for cells in rows], role=_GROUP)
    )


def whole_table(caption: str, heads: Child, bodies: Child) -> Html:
    """Return a table of heads and bodies."""
    top = el("thead", el("tr", heads, role="row"), role=_GROUP)
    return el("table", el("caption", caption, class_="unseen"), top, bodies, role="table")


def numbers(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """Return all numbers by goal and variation; None without goals."""
    if not report.goals:
        return None
    columns = columns_of(report)
    head = ["Variation", *(name for name, _ in columns), "Verdict"]
    bodies = []
    for goal in report.goals:
        currency = next((row.currency for row in goal.rows if row.currency), None)
        mean = f"mean in {currency}" if currency else "mean"
        note = el("small", f"{goal.role}, {mean if goal.metric == 'mean' else measure_of(goal, currency)}")
        group = el("th", typed(goal.name), " ", note, scope="rowgroup", colspan=f"{len(columns) + 2}", role="rowheader")
        rows = [
            _row(
                [
                    row_name(row, arms),
                    *(bare(cell(goal, row), currency) for _, cell in columns),
                    badge(*wording.STATES[row.state]),
                ],
                head,
            )
            for row in goal.rows
        ]
        bodies.append(el("tbody", el("tr", group, class_="group", role="row"), rows, role=_GROUP))
    inside = whole_table("All numbers by goal and variation", _heads(head, 1), bodies)
    looks = ", at the latest planned look of the plan's goal" if report.engine == "group_sequential" else ""
    lead = el(
        "p",
        "Every number is of generation ", el("b", wording.count(report.generation)),
        f", engine {report.engine}{looks}. Intervals at {wording.share(1 - report.alpha)} or better.",
        class_="lead",
    )  # fmt: skip
    box = el("div", boxed("Table of all numbers", inside), class_="wide")
    return el("section", el("h2", "All numbers", id="numbers"), lead, box, aria_labelledby="numbers")


def segments(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """Return a table per dimension; dimensions without a known value are only named. None without segments."""
    given = [dimension for dimension in report.segments if dimension.segments]
    if not given:
        return None
    shown: list[ReportSegments] = []
    unknown: list[ReportSegments] = []
    for each in given:
        is_known = any(one.values.get(each.dimension, "unknown") != "unknown" for one in each.segments)
        (shown if is_known else unknown).append(each)
    parts = [dimension_table(each, arms, number) for number, each in enumerate(shown)]
    heading = el("h2", "Segments", id="segments")
    note = el("p", wording.sentence(report.segment_note), class_="lead")
    names = "; ".join(_DIMENSIONS[each.dimension].lower() for each in unknown)
    missing = el("p", f"Not known of any visitor: {names}.", class_="lead") if names else None
    return el("section", heading, note, parts, missing, aria_labelledby="segments")


def columns_of(report: Report) -> list[tuple[str, Cell]]:
    """Return the columns with at least one value in the report, by name."""
    rows = [row for goal in report.goals for row in goal.rows]
    corrected = "Corrected p" if report.correction != "none" else "p, not corrected"
    columns: list[tuple[str, bool, Cell]] = [
        ("Visitors", True, lambda _, row: wording.count(row.visitors)),
        ("Converted", True, lambda _, row: wording.count(row.conversions)),
        (
            "Hits",
            any(row.count is not None and row.count != row.conversions for row in rows),
            lambda _, row: wording.count(row.count),
        ),
        ("Level" if any(goal.metric == "ratio" for goal in report.goals) else "A visitor", True, level),
        (
            "Revenue",
            any(row.revenue is not None for row in rows),
            lambda _, row: wording.money(row.revenue, row.currency),
        ),
        ("Lift", True, lambda _, row: wording.lift(row.lift)),
        ("Interval", True, lambda _, row: wording.lift_between(row.ci)),
        ("Difference", True, lambda goal, row: wording.apart(row.difference, goal.metric, row.currency)),
        ("p", any(row.p_value is not None for row in rows), lambda _, row: wording.p_value(row.p_value)),
        (
            "Always-valid p",
            any(row.always_valid_p is not None for row in rows),
            lambda _, row: wording.p_value(row.always_valid_p),
        ),
        (
            corrected,
            any(row.adjusted_p_value is not None for row in rows),
            lambda _, row: wording.p_value(row.adjusted_p_value),
        ),
    ]
    return [(name, cell) for name, has_values, cell in columns if has_values]


def bare(text: str, currency: str | None) -> str:
    """Return an amount without its currency, which is in the heading of the goal."""
    return text.removesuffix(f"\u00a0{currency}") if currency else text


def level(goal: GoalResult, row: ResultRow) -> str:
    """Return the conversion rate, the mean per visitor, or the ratio."""
    return wording.measured(level_of(goal, row), goal.metric, row.currency)


def _heads(head: Sequence[str], texts: int) -> list[Html]:
    return [
        el("th", name, scope="col", class_=None if index < texts or name == "Verdict" else "num", role="columnheader")
        for index, name in enumerate(head)
    ]


def _row(cells: Cells, head: Sequence[str], texts: int = 1) -> Html:
    rest = [
        _cell(name, cell, None if index < texts else "state" if name == "Verdict" else "num")
        for index, (name, cell) in enumerate(zip(head[1:], cells[1:], strict=True), 1)
    ]
    return el("tr", el("th", cells[0], scope="row", role="rowheader"), rest, role="row")


def _cell(name: str, content: Child, class_: str | None = None) -> Html:
    """Return a cell that knows the name of its column, which narrow pages show next to it."""
    # An interval may break after `to`, so that a wide table fits its page.
    if name == "Interval" and type(content) is str:
        content, class_ = content.replace(" to ", "\u00a0to "), "num pair"
    is_empty = content is None or content == wording.NONE
    classes = " ".join(filter(None, (class_, "none" if is_empty else None))) or None
    return el("td", content, class_=classes, role="cell", data_label=name)


def dimension_table(dimension: ReportSegments, arms: Mapping[str, Arm], number: int) -> Html:
    """Return the segments of one dimension, their intervals on one axis."""
    name = _DIMENSIONS[dimension.dimension]
    scale = Axis.of(row for one in dimension.segments for goal in one.goals[:1] for row in goal.rows)
    drawn = el("th", el("span", "Interval", class_="unseen"), axis(scale), scope="col", role="columnheader")
    last = el("th", "Verdict", scope="col", role="columnheader")
    heads = [*_heads(["Variation", "Visitors", "A visitor", "Lift"], 1), drawn, last]
    bodies = []
    for index, one in enumerate(dimension.segments):
        value = one.values.get(dimension.dimension, "unknown")
        visitors = el("small", f"{wording.count(one.visitors)} visitors")
        head = el("th", typed(value), " ", visitors, scope="rowgroup", colspan="6", role="rowheader")
        rows = [
            segment_row(goal, row, value, arms, scale, f"s{number}-{index}-{place}")
            for goal in one.goals[:1]
            for place, row in enumerate(goal.rows)
        ]
        bodies.append(el("tbody", el("tr", head, class_="group", role="row"), rows, role=_GROUP))
    inside = whole_table(f"By {name.lower()}", heads, bodies)
    more = f"{dimension.left_out:,} more with fewer visitors are left out."
    left = el("p", more, class_="lead") if dimension.left_out else None
    return el("div", el("h3", name), boxed(f"Table of segments by {name.lower()}", inside), left, class_="segment")


def segment_row(goal: GoalResult, row: ResultRow, value: str, arms: Mapping[str, Arm], scale: Axis, key: str) -> Html:
    """Return one variation of a segment."""
    drawn = None if row.is_control else strip(row, scale, key, f"{value}, {row.variation_name} against the control")
    cells = [wording.count(row.visitors), level(goal, row), wording.lift(row.lift)]
    state = _cell("Verdict", badge(*wording.STATES[row.state]), "state")
    figures = [_cell(name, cell, "num") for name, cell in zip(("Visitors", "A visitor", "Lift"), cells, strict=True)]
    # Narrow pages have no axis above the drawing, so its ends are in the name.
    between = _cell(f"Interval {wording.lift_between(row.ci)}", drawn, "drawn")
    return el("tr", el("th", row_name(row, arms), scope="row", role="rowheader"), figures, between, state, role="row")
