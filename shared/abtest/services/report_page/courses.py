"""The always-valid interval over time: a panel per treatment, all on one scale."""

from collections.abc import Iterable, Mapping, Sequence

from abtest.contract.report import IntervalCourse, IntervalPoint, Report
from abtest.kit.markup import Html, el, typed
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm
from abtest.services.report_page.plots import Frame, band, dot, path
from abtest.services.report_page.scales import Scale, scale
from abtest.services.results.messages import ADJUSTED

_HEIGHT = 170.0
_EARLY = 0.15
"""Share of looks that are cut off: intervals of the first looks are far wider than all others."""

Point = tuple[str, IntervalPoint]


def courses(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """Return the section; None before the second look, because one point is not a line."""
    course = report.interval_over_time
    if course is None or len(course.looks) < 2:
        return None
    shown = next((goal for goal in report.goals if goal.goal_id == course.goal_id), None)
    goal, adjustment = (shown.name, shown.adjustment) if shown else ("the goal", None)
    note = f", {ADJUSTED}" if adjustment and adjustment.status in ("decides", "missing") else ""
    lines: dict[str, list[Point]] = {}
    for look in course.looks:
        for point in look.treatments:
            lines.setdefault(point.variation_id, []).append((look.moment, point))
    other = "the goal's unit" if course.metric == "ratio" else "hits a visitor"
    unit = "percentage points" if course.metric == "rate" else course.currency or other
    lead = el(
        "p",
        "Difference from the control in “", typed(goal), f"”, in {unit}{note}. The band holds the true difference at "
        f"every look at once, with an error of at most {wording.share(course.alpha)} a treatment: once it leaves the "
        "line at 0, there is a difference.",
        class_="lead",
    )  # fmt: skip
    first, last = course.looks[0].moment, course.looks[-1].moment
    frame = Frame(first, last, _scale(lines.values()), _HEIGHT)
    panels = [panel(arms, course, frame, points, number) for number, points in enumerate(lines.values())]
    heading = el("h2", "Always-valid interval over time", id="course")
    return el("section", heading, lead, el("div", panels, class_="panels"), aria_labelledby="course")


def _scale(lines: Iterable[Sequence[Point]]) -> Scale:
    values = [0.0]
    for points in lines:
        for _, point in points[int(len(points) * _EARLY) :]:
            values += [end for end in (point.lower, point.upper, point.difference) if end is not None]
    return scale(min(values), max(values))


def panel(arms: Mapping[str, Arm], course: IntervalCourse, frame: Frame, points: Sequence[Point], number: int) -> Html:
    """Return the drawing of one treatment, captioned with its newest interval."""
    now = points[-1][1]
    arm = arms.get(now.variation_id)
    name, colour = (arm.name, arm.colour) if arm else ("a variation no longer in use", "c1")
    caption = interval_text(now, course)
    is_rate = course.metric == "rate"
    digits = wording.step_digits(frame.y.step * (100 if is_rate else 1), most=5)

    def label(value: float) -> str:
        if not value:
            return "0"
        return wording.apart(value, "rate", None, digits) if is_rate else wording.tick(value, digits, signed=True)

    drawing = frame.draw(
        f"i{number}",
        f"Interval of {name} over time",
        f"{len(points):,} looks from {wording.day(frame.first)} to {wording.day(frame.last)}. The last: {caption}",
        label,
        inside=layers(frame, points, colour),
        overlay=dot(frame.x(points[-1][0]), frame.below(now.difference), colour),
    )
    head = el("figcaption", arm.named() if arm else name, " ", el("span", caption, class_="now"))
    return el("figure", head, drawing)


def interval_text(point: IntervalPoint, course: IntervalCourse) -> str:
    """Return a difference with its interval, in the goal's unit."""
    difference = wording.apart(point.difference, course.metric, course.currency)
    if point.lower is None or point.upper is None:
        return f"{difference}, no interval yet"
    lower, upper = (wording.apart(end, course.metric, course.currency) for end in (point.lower, point.upper))
    return f"{difference}, between {lower} and {upper}"


def layers(frame: Frame, points: Sequence[Point], colour: str) -> list[Html]:
    """Return the bands of the interval, the line at zero, and the difference. A look without one splits the band."""
    bands: list[tuple[list[tuple[float, float]], list[tuple[float, float]]]] = [([], [])]
    for moment, point in points:
        if point.lower is None or point.upper is None:
            bands.append(([], []))
            continue
        across = frame.x(moment)
        bands[-1][0].append((across, frame.down(point.upper)))
        bands[-1][1].append((across, frame.down(point.lower)))
    parts = [el("path", d=band(*area), class_=f"band {colour}") for area in bands if len(area[0]) > 1]
    zero = frame.down(0.0)
    parts.append(el("line", x1="0", x2="1000", y1=zero, y2=zero, class_="zero"))
    middle = path([(frame.x(moment), frame.down(point.difference)) for moment, point in points])
    return [*parts, el("path", d=middle, class_=f"line {colour}")]
