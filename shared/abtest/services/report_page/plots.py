"""The frame of charts over time, in inline SVG: lines stretch with the page, texts keep their size."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from abtest.kit.clock import parse_timestamp, timestamp
from abtest.services.report_page import wording
from abtest.services.report_page.markup import Child, Html, el
from abtest.services.report_page.scales import Scale

WIDTH = 1000.0
RIGHT = 95.0
"""Percent of the width that lines reach; marks stand at their ends."""

_TOP, _BOTTOM = 16.0, 24.0
_DATES = 5


@dataclass(frozen=True, slots=True)
class Frame:
    """A chart's plane: moments from `first` to `last`, values on `y`, `height` pixels high."""

    first: str
    last: str
    y: Scale
    height: float

    def x(self, moment: str) -> float:
        """0 to `WIDTH`."""
        begin, end = parse_timestamp(self.first), parse_timestamp(self.last)
        span = (end - begin).total_seconds()
        return WIDTH * (parse_timestamp(moment) - begin).total_seconds() / span if span > 0 else WIDTH

    def down(self, value: float) -> float:
        """Pixels from the top of the plane."""
        return self.height * (1 - self.y.share(value))

    def below(self, value: float) -> float:
        """Pixels from the top of the whole drawing."""
        return _TOP + self.down(value)

    def draw(
        self, key: str, title: str, description: str, label: Callable[[float], str], *, inside: Child, beside: Child
    ) -> Html:
        """The drawing. `inside` stretches with the plane, `beside` stands on the whole of it in percent and pixels."""
        plane = el(
            "svg",
            inside,
            x="0",
            y=_TOP,
            width=f"{RIGHT}%",
            height=self.height,
            viewBox=f"0 0 {WIDTH:.0f} {self.height:.0f}",
            preserveAspectRatio="none",
        )
        return el(
            "svg",
            el("title", title, id=f"{key}-t"),
            el("desc", description, id=f"{key}-d"),
            [self._line(tick, label) for tick in self.y.ticks],
            plane,
            self._dates(),
            beside,
            class_="plot",
            role="img",
            aria_labelledby=f"{key}-t",
            aria_describedby=f"{key}-d",
            width="100%",
            height=_TOP + self.height + _BOTTOM,
        )

    def _line(self, tick: float, label: Callable[[float], str]) -> Html:
        at = self.below(tick)
        line = el("line", x1="0", x2=f"{RIGHT}%", y1=at, y2=at, class_="grid")
        return Html(line + el("text", label(tick), x="-8", y=at + 4, text_anchor="end", class_="tick"))

    def _dates(self) -> Iterable[Html]:
        """Whole days apart, five at most."""
        begin, end = parse_timestamp(self.first), parse_timestamp(self.last)
        whole = max(0, (end - begin).days)
        step = max(1, -(-whole // (_DATES - 1)))
        for number, days in enumerate(range(0, whole + 1, step)):
            moment = timestamp(begin + timedelta(days=days))
            yield self._date(moment, wording.day(moment, with_year=False), is_odd=number % 2 == 1)

    def _date(self, moment: str, text: str, *, is_odd: bool) -> Html:
        share = self.x(moment) / WIDTH
        anchor = "start" if share < 0.05 else "end" if share > 0.95 else "middle"
        at = _TOP + self.height + 17
        named = "tick odd" if is_odd else "tick"
        return el("text", text, x=f"{share * RIGHT:.2f}%", y=at, text_anchor=anchor, class_=named)


def path(points: Sequence[tuple[float, float] | None]) -> str:
    """A line that is broken where a point is missing."""
    parts, pen = [], "M"
    for point in points:
        if point is None:
            pen = "M"
            continue
        parts.append(f"{pen}{point[0]:.1f} {point[1]:.1f}")
        pen = "L"
    return "".join(parts)


def band(upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]]) -> str:
    """The area between two lines over the same places."""
    return path([*upper, *reversed(lower)]) + "Z"


def dot(across: float, down: float, colour: str) -> Html:
    """A point of a line's end; `across` as `Frame.x`, `down` from the top of the drawing."""
    return el("circle", cx=f"{across / WIDTH * RIGHT:.2f}%", cy=down, r=3.5, class_=f"dot {colour}")
