"""The numbers as tables: every goal and variation, and segments. Wide ones scroll within a box of their own."""

from collections.abc import Callable, Iterable, Mapping, Sequence

from abtest.contract.report import Report, ReportSegments
from abtest.contract.results import GoalResult, ResultRow, SegmentResults
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm
from abtest.services.report_page.forest import axis, badge, reach_of, strip
from abtest.services.report_page.markup import Child, Html, el, typed

Cells = Sequence[Child]
Told = Callable[[GoalResult, ResultRow], str]

_DIMENSIONS = {
    "device": "Device",
    "country": "Country",
    "new_returning": "New or returning",
    "source": "Source",
}


def boxed(name: str, inside: Html) -> Html:
    """A box that scrolls by itself where the page is narrow; reached by the keyboard."""
    return el("div", inside, class_="box", role="region", aria_label=name, tabindex="0")


def table(caption: str, head: Sequence[str], rows: Iterable[Cells], texts: int = 1) -> Html:
    """The first cell of each row names it; the first `texts` columns are texts, the others numbers."""
    return el(
        "table",
        el("caption", caption, class_="unseen"),
        el("thead", el("tr", _heads(head, texts))),
        el("tbody", [_row(cells, texts) for cells in rows]),
    )


def numbers(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """All numbers; columns that nobody has are left out."""
    if not report.goals:
        return None
    columns = [column for column in _columns(report) if column[2](report)]
    head = ["Variation", *(name for name, _, _ in columns), "Verdict"]
    bodies = [_body(goal, arms, [told for _, told, _ in columns]) for goal in report.goals]
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
    heading = el("h2", "All numbers", id="numbers")
    return el(
        "section",
        heading,
        lead,
        el("div", boxed("Table of all numbers", inside), class_="wide"),
        aria_labelledby="numbers",
    )


def segments(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """A table a dimension."""
    told = [one for one in report.segments if one.segments]
    if not told:
        return None
    shown = [one for one in told if not _is_unknown(one)]
    parts = [_dimension(one, arms, number) for number, one in enumerate(shown)]
    heading = el("h2", "Segments", id="segments")
    note = el("p", wording.sentence(report.segment_note), class_="lead")
    return el("section", heading, note, parts, _untold(told), aria_labelledby="segments")


def _is_unknown(found: ReportSegments) -> bool:
    return all(one.values.get(found.dimension, "unknown") == "unknown" for one in found.segments)


def _untold(told: Sequence[ReportSegments]) -> Html | None:
    names = [_DIMENSIONS[one.dimension].lower() for one in told if _is_unknown(one)]
    return el("p", f"Not known of any visitor: {'; '.join(names)}.", class_="lead") if names else None


def _columns(report: Report) -> list[tuple[str, Told, Callable[[Report], bool]]]:
    def some(pick: Callable[[ResultRow], object]) -> Callable[[Report], bool]:
        return lambda whole: any(pick(row) is not None for goal in whole.goals for row in goal.rows)

    def always(_report: Report) -> bool:
        return True

    corrected = "Corrected p" if report.correction != "none" else "p, not corrected"
    return [
        ("Visitors", lambda _goal, row: wording.count(row.visitors), always),
        ("Converted", lambda _goal, row: wording.count(row.conversions), always),
        (
            "Hits",
            lambda _goal, row: wording.count(row.count),
            some(lambda row: row.count if row.count != row.conversions else None),
        ),
        ("A visitor", _level, always),
        ("Revenue", lambda _goal, row: wording.money(row.revenue, row.currency), some(lambda row: row.revenue)),
        ("Lift", lambda _goal, row: wording.lift(row.lift), always),
        ("Interval", lambda _goal, row: wording.lift_between(row.ci), always),
        ("Difference", lambda goal, row: wording.apart(row.difference, goal.metric, row.currency), always),
        ("p", lambda _goal, row: wording.p_value(row.p_value), some(lambda row: row.p_value)),
        (
            "Always-valid p",
            lambda _goal, row: wording.p_value(row.always_valid_p),
            some(lambda row: row.always_valid_p),
        ),
        (corrected, lambda _goal, row: wording.p_value(row.adjusted_p_value), some(lambda row: row.adjusted_p_value)),
    ]


def _level(goal: GoalResult, row: ResultRow) -> str:
    return wording.measured(row.rate if goal.metric == "rate" else row.mean, goal.metric, row.currency)


def _heads(head: Sequence[str], texts: int) -> list[Html]:
    return [el("th", name, scope="col", class_=None if index < texts else "num") for index, name in enumerate(head)]


def _row(cells: Cells, texts: int) -> Html:
    rest = [el("td", cell, class_=None if index < texts else "num") for index, cell in enumerate(cells[1:], 1)]
    return el("tr", el("th", cells[0], scope="row"), rest)


def _body(goal: GoalResult, arms: Mapping[str, Arm], tell: Sequence[Told]) -> Html:
    measure = "conversion rate" if goal.metric == "rate" else "mean"
    head = el(
        "th",
        typed(goal.name),
        " ",
        el("small", f"{goal.role}, {measure}"),
        scope="rowgroup",
        colspan=f"{len(tell) + 2}",
    )
    rows = [
        _row([_named(row, arms), *(told(goal, row) for told in tell), badge(*wording.STATES[row.state])], 1)
        for row in goal.rows
    ]
    return el("tbody", el("tr", head, class_="group"), rows)


def _named(row: ResultRow, arms: Mapping[str, Arm]) -> Html:
    arm = arms.get(row.variation_id)
    return arm.named() if arm else typed(row.variation_name)


def _dimension(found: ReportSegments, arms: Mapping[str, Arm], number: int) -> Html:
    name = _DIMENSIONS[found.dimension]
    reach = reach_of(row for one in found.segments for goal in one.goals[:1] for row in goal.rows)
    drawn = el("th", el("span", "Interval", class_="unseen"), axis(reach), scope="col")
    heads = [*_heads(["Variation", "Visitors", "A visitor", "Lift"], 1), drawn, el("th", "Verdict", scope="col")]
    bodies = [_segment(one, found, arms, reach, f"s{number}-{index}") for index, one in enumerate(found.segments)]
    inside = el("table", el("caption", f"By {name.lower()}", class_="unseen"), el("thead", el("tr", heads)), bodies)
    more = f"{found.left_out:,} more with fewer visitors are left out."
    left = el("p", more, class_="lead") if found.left_out else None
    return el("div", el("h3", name), boxed(f"Table of segments by {name.lower()}", inside), left, class_="segment")


def _segment(one: SegmentResults, found: ReportSegments, arms: Mapping[str, Arm], reach: float, key: str) -> Html:
    value = one.values.get(found.dimension, "unknown")
    told = el("small", f"{wording.count(one.visitors)} visitors")
    head = el("th", typed(value), " ", told, scope="rowgroup", colspan="6")
    goal = next(iter(one.goals), None)
    rows = goal.rows if goal else []
    cells = [_in_segment(goal, row, value, arms, reach, f"{key}-{index}") for index, row in enumerate(rows) if goal]
    return el("tbody", el("tr", head, class_="group"), cells)


def _in_segment(goal: GoalResult, row: ResultRow, value: str, arms: Mapping[str, Arm], reach: float, key: str) -> Html:
    drawn = None if row.is_control else strip(row, reach, key, f"{value}, {row.variation_name} against the control")
    shown = [wording.count(row.visitors), _level(goal, row), wording.lift(row.lift)]
    numbers = [el("td", cell, class_="num") for cell in shown]
    state = el("td", badge(*wording.STATES[row.state]))
    return el("tr", el("th", _named(row, arms), scope="row"), numbers, el("td", drawn, class_="drawn"), state)
