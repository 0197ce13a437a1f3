"""Cumulative curves: for each goal a line per variation, its mark at the end, its last value in a key."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abtest.contract.report import Report
from abtest.contract.results import GoalResult, Timeseries
from abtest.kit.markup import Html, el, typed
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm
from abtest.services.report_page.measures import currency_of, level_of, measure_of
from abtest.services.report_page.plots import WIDTH, Frame, dot, path
from abtest.services.report_page.scales import scale, spread

_HEIGHT = 200.0
_SETTLED = 0.1
"""Share of visitors before which rates swing too much: the scale is that of the rest, and earlier peaks are cut."""

_MARK = 14.0
_LEAST = 2
"""Days that a curve needs."""


@dataclass(frozen=True, slots=True)
class Line:
    """Cumulative values of one variation."""

    arm: Arm
    points: Sequence[tuple[str, float, int]]
    """Moment, value, visitors; buckets without visitors are left out."""

    @property
    def last(self) -> float:
        """Newest value."""
        return self.points[-1][1]

    def settled(self) -> list[float]:
        """Return the values from a tenth of the visitors on."""
        enough = self.points[-1][2] * _SETTLED
        return [value for _, value, visitors in self.points if visitors >= enough]


def curves(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """Return the section; None before there are two days."""
    series = report.curves
    goals = {goal.goal_id: goal for goal in report.goals}
    if series is None or not series.data:
        return None
    drawn = [
        goal_figure(series, goals[shown.goal_id], arms, number)
        for number, shown in enumerate(series.data[-1].goals)
        if shown.goal_id in goals
    ]
    figures = [figure for figure in drawn if figure]
    if not figures:
        return None
    lead = "All visitors from the beginning up to each day, and what they did since. The first days always swing."
    heading = el("h2", "Cumulative curves", id="curves")
    return el("section", heading, el("p", lead, class_="lead"), figures, aria_labelledby="curves")


def goal_figure(series: Timeseries, goal: GoalResult, arms: Mapping[str, Arm], number: int) -> Html | None:
    """Return the drawing of one goal with its key; None before it has two days."""
    lines = lines_of(series, goal, arms)
    if max((len(line.points) for line in lines), default=0) < _LEAST:
        return None
    is_rate, currency = goal.metric == "rate", currency_of(goal, series.currency)
    settled = [value for line in lines for value in line.settled()]
    y = scale(min(settled), max(settled))
    frame = Frame(series.data[0].start, series.data[-1].start, y, _HEIGHT)
    measure = measure_of(goal, currency)
    digits = wording.step_digits(y.step * (100 if is_rate else 1), most=5)
    values = {line.arm.id: wording.measured(line.last, goal.metric, currency) for line in lines}
    ends = "; ".join(f"{line.arm.name} {values[line.arm.id]}" for line in lines)
    drawing = frame.draw(
        f"k{number}",
        f"{goal.name}: {measure}, cumulative",
        f"By day from {wording.day(frame.first)} to {wording.day(frame.last)}. At the end: {ends}.",
        lambda value: f"{wording.decimal(value * 100, digits)}%" if is_rate else wording.tick(value, digits),
        inside=[
            el(
                "path",
                d=path([(frame.x(at), frame.down(value)) for at, value, _ in line.points]),
                class_=f"line {line.arm.colour}",
            )
            for line in lines
        ],
        overlay=end_marks(frame, lines),
    )
    ordered = sorted(lines, key=lambda line: -line.last)
    key = el(
        "ul",
        [el("li", line.arm.named(), " ", el("b", values[line.arm.id])) for line in ordered],
        class_="key",
        role="list",
    )
    head = el("figcaption", el("h3", typed(goal.name), " ", el("small", measure)))
    return el("figure", head, el("div", drawing, key, class_="curve"))


def lines_of(series: Timeseries, goal: GoalResult, arms: Mapping[str, Arm]) -> list[Line]:
    """Return the lines of a goal, in the order of the arms; variations without visitors have none."""
    points: dict[str, list[tuple[str, float, int]]] = {arm: [] for arm in arms}
    for bucket in series.data:
        for row in next((one.rows for one in bucket.goals if one.goal_id == goal.goal_id), ()):
            value = level_of(goal, row)
            if value is not None and row.variation_id in points:
                points[row.variation_id].append((bucket.start, value, row.visitors))
    return [Line(arms[arm], values) for arm, values in points.items() if values]


def end_marks(frame: Frame, lines: Sequence[Line]) -> list[Html]:
    """Return a dot at the end of each line, and its mark next to it; marks are moved apart where lines meet."""
    ends = [frame.below(line.last) for line in lines]
    # Dots stay on their values; only the letters may move.
    places = spread(ends, _MARK, frame.below(frame.y.high) + 2, frame.below(frame.y.low))
    dots = [dot(WIDTH, at, line.arm.colour) for at, line in zip(ends, lines, strict=True)]
    marks = [
        el("text", line.arm.mark, x="98%", y=at + 4, text_anchor="middle", class_="mark")
        for at, line in zip(places, lines, strict=True)
    ]
    return [*dots, *marks]
