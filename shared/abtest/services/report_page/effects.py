"""Curve of the detectable effect by day: what a test like the plan detects if it ends then."""

from collections.abc import Sequence
from datetime import timedelta

from abtest.contract.planning import DetectableEffect
from abtest.contract.report import Report
from abtest.domain.planning.duration import in_words
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.markup import Html, el
from abtest.services.report_page import wording
from abtest.services.report_page.plots import WIDTH, Frame, dot, path
from abtest.services.report_page.scales import scale

_HEIGHT = 120.0
_TALLEST = 4.0
"""Effects of more than so many times the planned one are left out: they would flatten the rest."""

_LEAST = 2
_LINE = "c1"


def effect_curve(report: Report) -> Html | None:
    """Return the drawing with a sentence; None without a plan, or with too few days to draw."""
    began, planned = report.measurement.began_at, report.plan.mde if report.plan else None
    if began is None or planned is None:
        return None
    points = [point for point in report.detectable_effects if point.mde <= _TALLEST * abs(planned)]
    if len(points) < _LEAST:
        return None
    moments = [timestamp(parse_timestamp(began) + timedelta(days=point.day)) for point in points]
    y = scale(0.0, points[0].mde)
    frame = Frame(moments[0], moments[-1], y, _HEIGHT)
    digits = wording.step_digits(y.step * 100, most=3)
    places = [(frame.x(at), frame.down(point.mde)) for at, point in zip(moments, points, strict=True)]
    drawing = frame.draw(
        "effects",
        "Smallest effect that is found, by the day on which the test ends",
        description(points),
        lambda value: f"{wording.decimal(value * 100, digits)}%",
        inside=el("path", d=path(places), class_=f"line {_LINE}"),
        overlay=dot(WIDTH, frame.below(points[-1].mde), _LINE),
    )
    head = el("figcaption", el("h3", "Detectable effect ", el("small", "by the day on which the test ends")))
    return el("figure", head, el("p", description(points), class_="lead"), el("div", drawing, class_="curve"))


def description(points: Sequence[DetectableEffect]) -> str:
    """Return both ends of the curve in words."""
    first, last = points[0], points[-1]
    return (
        f"At the pace so far, a test that ends after {in_words(first.day)} finds changes of"
        f" {_percent(first)}, and one that ends after {in_words(last.day)} of"
        f" {_percent(last)}, with the planned chance."
    )


def _percent(point: DetectableEffect) -> str:
    return f"{wording.decimal(point.mde * 100, 1)}%"
