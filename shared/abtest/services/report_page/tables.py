"""The numbers as tables: every goal and variation, and segments. Wide tables scroll within a box."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from abtest.contract.report import Report, ReportSegments
from abtest.contract.results import GoalResult, ResultRow
from abtest.kit.markup import Child, Html, el, typed
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm, row_name
from abtest.services.report_page.forest import axis, badge, reach_of, strip
from abtest.services.report_page.measures import level_of, measure_of

Cells = Sequence[Child]
Cell = Callable[[GoalResult, ResultRow], str]

_DIMENSIONS = {
    "device": "Device",
    "country": "Country",
    "new_returning": "New or returning",
    "source": "Source",
}


def boxed(name: str, inside: Html) -> Html:
    """Return a box that scrolls on narrow pages and can be reached by keyboard."""
    return el("div", inside, class_="box", role="region", aria_label=name, tabindex="0")


def table(caption: str, head: Sequence[str], rows: Iterable[Cells], texts: int = 1) -> Html:
    """Return a table. The first cell of a row is its heading; the first `texts` columns are text."""
    return el(
        "table",
        el("caption", caption, class_="unseen"),
        el("thead", el("tr", _heads(head, texts))),
        el("tbody", [_row(cells, texts) for cells in rows]),
    )


def numbers(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """Return all numbers by goal and variation; None without goals."""
    if not report.goals:
        return None
    columns = columns_of(report)
    head = ["Variation", *(name for name, _ in columns), "Verdict"]
    bodies = []
    for goal in report.goals:
        kind = "mean" if goal.metric == "mean" else measure_of(goal, goal.rows[0].currency if goal.rows else None)
        note = el("small", f"{goal.role}, {kind}")
        group = el("th", typed(goal.name), " ", note, scope="rowgroup", colspan=f"{len(columns) + 2}")
        rows = [
            _row([row_name(row, arms), *(cell(goal, row) for _, cell in columns), badge(*wording.STATES[row.state])], 1)
            for row in goal.rows
        ]
        bodies.append(el("tbody", el("tr", group, class_="group"), rows))
    inside = el(
        "table",
        el("caption", "All numbers by goal and variation", class_="unseen"),
        el("thead", el("tr", _heads(head, 1))),
        bodies,
    )
    lead = el(
        "p",
        "Every number is of generation ", el("b", wording.count(report.generation)),
        f", engine {report.engine}. Intervals at {wording.share(1 - report.alpha)} or better.",
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


def level(goal: GoalResult, row: ResultRow) -> str:
    """Return the conversion rate, the mean per visitor, or the ratio."""
    return wording.measured(level_of(goal, row), goal.metric, row.currency)


def _heads(head: Sequence[str], texts: int) -> list[Html]:
    return [el("th", name, scope="col", class_=None if index < texts else "num") for index, name in enumerate(head)]


def _row(cells: Cells, texts: int) -> Html:
    rest = [el("td", cell, class_=None if index < texts else "num") for index, cell in enumerate(cells[1:], 1)]
    return el("tr", el("th", cells[0], scope="row"), rest)


def dimension_table(dimension: ReportSegments, arms: Mapping[str, Arm], number: int) -> Html:
    """Return the segments of one dimension, their intervals on one axis."""
    name = _DIMENSIONS[dimension.dimension]
    reach = reach_of(row for one in dimension.segments for goal in one.goals[:1] for row in goal.rows)
    drawn = el("th", el("span", "Interval", class_="unseen"), axis(reach), scope="col")
    heads = [*_heads(["Variation", "Visitors", "A visitor", "Lift"], 1), drawn, el("th", "Verdict", scope="col")]
    bodies = []
    for index, one in enumerate(dimension.segments):
        value = one.values.get(dimension.dimension, "unknown")
        visitors = el("small", f"{wording.count(one.visitors)} visitors")
        head = el("th", typed(value), " ", visitors, scope="rowgroup", colspan="6")
        rows = [
            segment_row(goal, row, value, arms, reach, f"s{number}-{index}-{place}")
            for goal in one.goals[:1]
            for place, row in enumerate(goal.rows)
        ]
        bodies.append(el("tbody", el("tr", head, class_="group"), rows))
    inside = el("table", el("caption", f"By {name.lower()}", class_="unseen"), el("thead", el("tr", heads)), bodies)
    more = f"{dimension.left_out:,} more with fewer visitors are left out."
    left = el("p", more, class_="lead") if dimension.left_out else None
    return el("div", el("h3", name), boxed(f"Table of segments by {name.lower()}", inside), left, class_="segment")


def segment_row(goal: GoalResult, row: ResultRow, value: str, arms: Mapping[str, Arm], reach: float, key: str) -> Html:
    """Return one variation of a segment."""
    drawn = None if row.is_control else strip(row, reach, key, f"{value}, {row.variation_name} against the control")
    cells = [wording.count(row.visitors), level(goal, row), wording.lift(row.lift)]
    state = el("td", badge(*wording.STATES[row.state]))
    figures = [el("td", cell, class_="num") for cell in cells]
    return el("tr", el("th", row_name(row, arms), scope="row"), figures, el("td", drawn, class_="drawn"), state)
