"""The frame of charts over time, in inline SVG: lines stretch with the page, texts keep their size."""

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from datetime import timedelta

from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.markup import Child, Html, el
from abtest.services.report_page import wording
from abtest.services.report_page.scales import Scale

WIDTH = 1000.0
RIGHT = 95.0
"""Percent of the width that lines reach; marks are at their ends."""

_TOP, _BOTTOM = 16.0, 24.0
_DATES = 5


@dataclass(frozen=True, slots=True)
class Frame:
    """Plane of a chart: moments from `first` to `last`, values on `y`, `height` pixels high."""

    first: str
    last: str
    y: Scale
    height: float

    def x(self, moment: str) -> float:
        """Return the position of a moment, 0 to `WIDTH`."""
        begin, end = parse_timestamp(self.first), parse_timestamp(self.last)
        span = (end - begin).total_seconds()
        return WIDTH * (parse_timestamp(moment) - begin).total_seconds() / span if span > 0 else WIDTH

    def down(self, value: float) -> float:
        """Return the pixels of a value from the top of the plane."""
        return self.height * (1 - self.y.share(value))

    def below(self, value: float) -> float:
        """Return the pixels of a value from the top of the whole drawing."""
        return _TOP + self.down(value)

    def draw(
        self, key: str, title: str, description: str, label: Callable[[float], str], *, inside: Child, overlay: Child
    ) -> Html:
        """Return the drawing. `inside` stretches with the plane; `overlay` keeps its size, in percent and pixels."""
        lines = []
        for tick in self.y.ticks:
            at = self.below(tick)
            lines.append(el("line", x1="0", x2=f"{RIGHT}%", y1=at, y2=at, class_="grid"))
            lines.append(el("text", label(tick), x="-8", y=at + 4, text_anchor="end", class_="tick"))
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
            lines,
            plane,
            self._dates(),
            overlay,
            class_="plot",
            role="img",
            aria_labelledby=f"{key}-t",
            aria_describedby=f"{key}-d",
            width="100%",
            height=_TOP + self.height + _BOTTOM,
        )

    def _dates(self) -> Iterable[Html]:
        """Yield the labels of the time axis: whole days apart, five at most."""
        begin, end = parse_timestamp(self.first), parse_timestamp(self.last)
        whole = max(0, (end - begin).days)
        step = max(1, -(-whole // (_DATES - 1)))
        for number, days in enumerate(range(0, whole + 1, step)):
            moment = timestamp(begin + timedelta(days=days))
            share = self.x(moment) / WIDTH
            yield el(
                "text",
                wording.day(moment, with_year=False),
                x=f"{share * RIGHT:.2f}%",
                y=_TOP + self.height + 17,
                text_anchor="start" if share < 0.05 else "end" if share > 0.95 else "middle",
                class_="tick odd" if number % 2 == 1 else "tick",  # narrow pages hide odd labels
            )


def path(points: Sequence[tuple[float, float] | None]) -> str:
    """Return a line that is broken where a point is missing."""
    # In SVG paths `M` moves without a line and `L` draws one.
    parts, pen = [], "M"
    for point in points:
        if point is None:
            pen = "M"
            continue
        parts.append(f"{pen}{point[0]:.1f} {point[1]:.1f}")
        pen = "L"
    return "".join(parts)


def band(upper: Sequence[tuple[float, float]], lower: Sequence[tuple[float, float]]) -> str:
    """Return the area between two lines over the same places."""
    return path([*upper, *reversed(lower)]) + "Z"


def dot(across: float, down: float, colour: str) -> Html:
    """Return the dot at a line's end; `across` as `Frame.x`, `down` in pixels from the top of the drawing."""
    return el("circle", cx=f"{across / WIDTH * RIGHT:.2f}%", cy=down, r=3.5, class_=f"dot {colour}")
