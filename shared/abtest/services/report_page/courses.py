"""The always-valid interval over time: a panel a treatment, all on one scale."""

from collections.abc import Mapping, Sequence

from abtest.contract.report import IntervalCourse, IntervalPoint, Report
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm
from abtest.services.report_page.markup import Html, el, typed
from abtest.services.report_page.plots import Frame, band, dot, path
from abtest.services.report_page.scales import Scale, scale

_HEIGHT = 170.0
_EARLY = 0.15
"""The first looks are as wide as nothing else; the scale is that of the others, and the first are cut off."""

Point = tuple[str, IntervalPoint]


def courses(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """None before the second look, as one makes no line."""
    course = report.interval_over_time
    if course is None or len(course.looks) < 2:
        return None
    goal = next((goal.name for goal in report.goals if goal.goal_id == course.goal_id), "the goal")
    lines = _lines(course)
    y = _scale(lines)
    unit = "percentage points" if course.metric == "rate" else course.currency or "hits a visitor"
    lead = el(
        "p",
        "Difference from the control in “", typed(goal), f"”, in {unit}. The band holds the true difference at every "
        f"look at once, with an error of at most {wording.share(course.alpha)} a treatment: once it leaves the line "
        "at 0, there is a difference.",
        class_="lead",
    )  # fmt: skip
    first, last = course.looks[0].moment, course.looks[-1].moment
    frame = Frame(first, last, y, _HEIGHT)
    panels = [_panel(arms, course, frame, points, number) for number, points in enumerate(lines)]
    heading = el("h2", "Always-valid interval over time", id="course")
    return el("section", heading, lead, el("div", panels, class_="panels"), aria_labelledby="course")


def _lines(course: IntervalCourse) -> list[list[Point]]:
    found: dict[str, list[Point]] = {}
    for look in course.looks:
        for point in look.treatments:
            found.setdefault(point.variation_id, []).append((look.moment, point))
    return list(found.values())


def _scale(lines: Sequence[Sequence[Point]]) -> Scale:
    values = [0.0]
    for points in lines:
        for _, point in points[int(len(points) * _EARLY) :]:
            values += [end for end in (point.lower, point.upper, point.difference) if end is not None]
    return scale(min(values), max(values))


def _panel(arms: Mapping[str, Arm], course: IntervalCourse, frame: Frame, points: Sequence[Point], number: int) -> Html:
    now = points[-1][1]
    arm = arms.get(now.variation_id)
    name, colour = (arm.name, arm.colour) if arm else ("a variation no longer in use", "c1")
    said = _said(now, course)
    key = f"i{number}"
    digits = _digits(frame.y, course.metric)
    drawing = frame.draw(
        key,
        f"Interval of {name} over time",
        f"{len(points):,} looks from {wording.day(frame.first)} to {wording.day(frame.last)}. The last: {said}",
        lambda value: _tick(value, course.metric, digits),
        inside=_inside(frame, points, colour),
        beside=dot(frame.x(points[-1][0]), frame.below(now.difference), colour),
    )
    head = el("figcaption", arm.named() if arm else name, " ", el("span", said, class_="now"))
    return el("figure", head, drawing)


def _digits(y: Scale, metric: wording.Metric) -> int:
    step = y.step * (100 if metric == "rate" else 1)
    return next((digits for digits in range(5) if abs(round(step, digits) - step) < 1e-9), 5)


def _tick(value: float, metric: wording.Metric, digits: int) -> str:
    if not value:
        return "0"
    return wording.apart(value, metric, None, digits) if metric == "rate" else wording.tick(value, digits, signed=True)


def _said(now: IntervalPoint, course: IntervalCourse) -> str:
    def told(value: float) -> str:
        return wording.apart(value, course.metric, course.currency)

    if now.lower is None or now.upper is None:
        return f"{told(now.difference)}, no interval yet"
    return f"{told(now.difference)}, between {told(now.lower)} and {told(now.upper)}"


def _inside(frame: Frame, points: Sequence[Point], colour: str) -> list[Html]:
    parts = [el("path", d=band(upper, lower), class_=f"band {colour}") for upper, lower in _bands(frame, points)]
    zero = frame.down(0.0)
    parts.append(el("line", x1="0", x2="1000", y1=zero, y2=zero, class_="zero"))
    middle = path([(frame.x(moment), frame.down(point.difference)) for moment, point in points])
    return [*parts, el("path", d=middle, class_=f"line {colour}")]


def _bands(frame: Frame, points: Sequence[Point]) -> list[tuple[list[tuple[float, float]], list[tuple[float, float]]]]:
    """Areas; one ends where no interval could be told."""
    found: list[tuple[list[tuple[float, float]], list[tuple[float, float]]]] = [([], [])]
    for moment, point in points:
        if point.lower is None or point.upper is None:
            found.append(([], []))
            continue
        across = frame.x(moment)
        found[-1][0].append((across, frame.down(point.upper)))
        found[-1][1].append((across, frame.down(point.lower)))
    return [area for area in found if len(area[0]) > 1]
