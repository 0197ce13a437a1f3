"""Cumulative curves: of each goal a line a variation, its mark at its end, its last value beside it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abtest.contract.report import Report
from abtest.contract.results import GoalResult, Timeseries
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm
from abtest.services.report_page.markup import Html, el, typed
from abtest.services.report_page.plots import WIDTH, Frame, dot, path
from abtest.services.report_page.scales import Scale, scale, spread

_HEIGHT = 200.0
_SETTLED = 0.1
"""Before a tenth of the visitors came, a rate says little: the scale is that of the rest, and what is off it is cut."""

_MARK = 14.0
_LEAST = 2
"""A day makes no curve."""


@dataclass(frozen=True, slots=True)
class _Line:
    arm: Arm
    points: Sequence[tuple[str, float, int]]
    """Moment, value, visitors; buckets without visitors are left out."""

    @property
    def last(self) -> float:
        return self.points[-1][1]

    def settled(self) -> list[float]:
        enough = self.points[-1][2] * _SETTLED
        return [value for _, value, visitors in self.points if visitors >= enough]


def curves(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """None before there are two days."""
    series = report.curves
    goals = {goal.goal_id: goal for goal in report.goals}
    if series is None or not series.data:
        return None
    drawn = [
        _goal(series, goals[shown.goal_id], arms, number)
        for number, shown in enumerate(series.data[-1].goals)
        if shown.goal_id in goals
    ]
    figures = [figure for figure in drawn if figure]
    if not figures:
        return None
    lead = "All visitors from the beginning up to each day, and what they did since. The first days always swing."
    heading = el("h2", "Cumulative curves", id="curves")
    return el("section", heading, el("p", lead, class_="lead"), figures, aria_labelledby="curves")


def _goal(series: Timeseries, goal: GoalResult, arms: Mapping[str, Arm], number: int) -> Html | None:
    lines = _lines(series, goal, arms)
    if max((len(line.points) for line in lines), default=0) < _LEAST:
        return None
    currency = series.currency if goal.type == "revenue" else None
    values = [value for line in lines for value in line.settled()]
    y = scale(min(values), max(values))
    frame = Frame(series.data[0].start, series.data[-1].start, y, _HEIGHT)
    what = _measure(goal, currency)
    told = "; ".join(f"{line.arm.name} {wording.measured(line.last, goal.metric, currency)}" for line in lines)
    digits = _digits(y, goal.metric)
    drawing = frame.draw(
        f"k{number}",
        f"{goal.name}: {what}, cumulative",
        f"By day from {wording.day(frame.first)} to {wording.day(series.data[-1].start)}. At the end: {told}.",
        lambda value: _tick(value, goal.metric, digits),
        inside=[_path(frame, line) for line in lines],
        beside=_ends(frame, lines),
    )
    head = el("figcaption", el("h3", typed(goal.name), " ", el("small", what)))
    return el("figure", head, el("div", drawing, _key(lines, goal, currency), class_="curve"))


def _measure(goal: GoalResult, currency: str | None) -> str:
    if goal.metric == "rate":
        return "conversion rate"
    return f"{currency} a visitor" if currency else "a visitor"


def _lines(series: Timeseries, goal: GoalResult, arms: Mapping[str, Arm]) -> list[_Line]:
    found: dict[str, list[tuple[str, float, int]]] = {arm: [] for arm in arms}
    for bucket in series.data:
        for row in next((one.rows for one in bucket.goals if one.goal_id == goal.goal_id), ()):
            value = row.rate if goal.metric == "rate" else row.mean
            if value is not None and row.variation_id in found:
                found[row.variation_id].append((bucket.start, value, row.visitors))
    return [_Line(arms[arm], points) for arm, points in found.items() if points]


def _digits(y: Scale, metric: wording.Metric) -> int:
    step = y.step * (100 if metric == "rate" else 1)
    return next((digits for digits in range(5) if abs(round(step, digits) - step) < 1e-9), 5)


def _tick(value: float, metric: wording.Metric, digits: int) -> str:
    return f"{wording.decimal(value * 100, digits)}%" if metric == "rate" else wording.tick(value, digits)


def _path(frame: Frame, line: _Line) -> Html:
    points = [(frame.x(moment), frame.down(value)) for moment, value, _ in line.points]
    return el("path", d=path(points), class_=f"line {line.arm.colour}")


def _ends(frame: Frame, lines: Sequence[_Line]) -> list[Html]:
    wanted = [frame.below(line.last) for line in lines]
    places = spread(wanted, _MARK, frame.below(frame.y.high) + 2, frame.below(frame.y.low))
    dots = [dot(WIDTH, at, line.arm.colour) for at, line in zip(wanted, lines, strict=True)]
    marks = [
        el("text", line.arm.mark, x="98%", y=at + 4, text_anchor="middle", class_="mark")
        for at, line in zip(places, lines, strict=True)
    ]
    return [*dots, *marks]


def _key(lines: Sequence[_Line], goal: GoalResult, currency: str | None) -> Html:
    ordered = sorted(lines, key=lambda line: -line.last)
    items = [
        el("li", line.arm.named(), " ", el("b", wording.measured(line.last, goal.metric, currency))) for line in ordered
    ]
    return el("ul", items, class_="key", role="list")
