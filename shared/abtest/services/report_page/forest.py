"""The forest plot: the lift of each goal and treatment with its interval, on one axis for the whole page."""

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from statistics import median

from abtest.contract.report import Report
from abtest.contract.results import GoalResult, Interval, ResultRow
from abtest.kit.markup import Html, el, typed
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm, row_name
from abtest.services.report_page.scales import round_up
from abtest.services.results.messages import ADJUSTED
from abtest.services.results.verdicts import is_adjusted_at_looks

_ROLES = {"primary": "Primary goal", "secondary": "Secondary goal", "guardrail": "Guardrail"}
_LEAST, _BEYOND = 0.01, 3.0
"""Minimum reach of the axis, and its maximum as a multiple of the median interval's reach."""

_MIDDLE = 12
_PLAIN = frozenset({"better", "worse", "undecided"})
"""States whose message repeats the badge and the numbers next to it."""


@dataclass(frozen=True, slots=True)
class Axis:
    """Axis of lifts around zero. It ends at -100 %: nothing can lose more than all."""

    low: float
    high: float

    @classmethod
    def of(cls, rows: Iterable[ResultRow]) -> "Axis":
        """Return the axis for these rows, alike on both sides unless the left one would be below -100 %."""
        reach = reach_of(rows)
        return cls(max(-1.0, -reach), reach)

    def place(self, value: float) -> float:
        """Return the position of a lift in percent of the width; values beyond the ends are at the ends."""
        within = max(self.low, min(self.high, value))
        return 100 * (within - self.low) / (self.high - self.low)

    @property
    def grid(self) -> tuple[float, ...]:
        """Ends and middles of both sides, in percent of the width."""
        return tuple(self.place(value) for value in (self.low, self.low / 2, self.high / 2, self.high))


def forest(report: Report, arms: Mapping[str, Arm]) -> Html:
    """Return the section with a block per goal, in the report's order."""
    scale = Axis.of(row for goal in report.goals for row in goal.rows)
    level = wording.share(1 - report.alpha)
    lead = (
        f"Change against the control, in percent, with the interval that holds the true change at {level} confidence "
        "or better. An interval across the line at 0 allows for no change at all."
    )
    goals = [goal_block(goal, arms, scale, number) for number, goal in enumerate(report.goals)]
    heading = el("h2", "Lift by goal", id="lift")
    return el("section", heading, el("p", lead, class_="lead"), goals, aria_labelledby="lift")


def strip(row: ResultRow, scale: Axis, key: str, about: str) -> Html:
    """Return one interval as a drawing, with its figures in title and description."""
    between = f"Interval {wording.lift_between(row.ci)}." if row.ci else "There is no interval yet."
    return el(
        "svg",
        el("title", f"{about}: {wording.lift(row.lift)}", id=f"{key}-t"),
        el("desc", between, id=f"{key}-d"),
        [el("line", x1=_at(place), x2=_at(place), y1="0", y2="24", class_="grid") for place in scale.grid],
        el("line", x1=_at(scale.place(0)), x2=_at(scale.place(0)), y1="0", y2="24", class_="zero"),
        interval_marks(row.lift, row.ci, scale) if row.ci else None,
        class_=f"strip {wording.STATES[row.state][1]}",
        role="img",
        aria_labelledby=f"{key}-t",
        aria_describedby=f"{key}-d",
        width="100%",
        height="24",
    )


def interval_marks(lift: float | None, interval: Interval, scale: Axis) -> list[Html]:
    """Return whisker and point estimate; arrows where the interval goes beyond the axis, but never below -100 %."""
    left, right = _at(scale.place(interval.lower)), _at(scale.place(interval.upper))
    parts = [el("line", x1=left, x2=right, y1=_MIDDLE, y2=_MIDDLE, class_="whisker")]
    if interval.lower < scale.low and scale.low > -1:
        parts.append(el("text", "◂", x="0", y="16", class_="beyond"))
    if interval.upper > scale.high:
        parts.append(el("text", "▸", x="100%", y="16", text_anchor="end", class_="beyond"))
    if lift is not None and scale.low <= lift <= scale.high:
        parts.append(el("circle", cx=_at(scale.place(lift)), cy=_MIDDLE, r="4.5", class_="estimate"))
    return parts


def _at(place: float) -> str:
    return f"{place:.2f}%"


def reach_of(rows: Iterable[ResultRow]) -> float:
    """Return the round end of an axis for these rows, not extended by the few widest intervals."""
    ends = [max(abs(row.ci.lower), abs(row.ci.upper)) for row in rows if row.ci]
    if not ends:
        return 0.1
    # The median, because a single treatment with few visitors would squeeze all other intervals.
    return round_up(max(_LEAST, min(max(ends), _BEYOND * median(ends))), is_end=True)


def axis(scale: Axis) -> Html:
    """Return the labels of the axis, hidden from screen readers: strips have their figures in words."""
    ticks = []
    for anchor, value in (("start", scale.low), ("middle", 0.0), ("end", scale.high)):
        text = wording.decimal(value * 100, wording.step_digits(value * 100, most=3), signed=True)
        ticks.append(el("text", f"{text}%", x=_at(scale.place(value)), y="12", text_anchor=anchor, class_="tick"))
    return el("svg", ticks, class_="axis", aria_hidden="true", width="100%", height="18")


def goal_block(goal: GoalResult, arms: Mapping[str, Arm], scale: Axis, number: int) -> Html:
    """Return the heading of a goal, its axis and a row per treatment."""
    notes = [_ROLES[goal.role], "less is better" if goal.direction == "decrease" else None]
    notes += ["no longer in use" if goal.is_archived else None, "not counted yet" if goal.not_evaluable else None]
    head = el("h3", typed(goal.name), " ", el("small", ", ".join(note for note in notes if note)))
    treatments = [row for row in goal.rows if not row.is_control]
    rows = [treatment_row(goal, row, arms, scale, f"f{number}-{index}") for index, row in enumerate(treatments)]
    # Where the adjusted estimate decides, each row has it next to its own figures, but for those of planned looks.
    noted = goal.adjustment
    if noted is not None and noted.status == "decides" and not is_adjusted_at_looks(goal):
        noted = None
    note = el("p", wording.sentence(noted.message), class_="lead") if noted else None
    labels = el("div", el("span"), axis(scale), class_="labels", aria_hidden="true")
    return el("div", head, note, labels, el("ul", rows, role="list"), class_="forest")


def treatment_row(goal: GoalResult, row: ResultRow, arms: Mapping[str, Arm], scale: Axis, key: str) -> Html:
    """Return one treatment: its name, interval, lift and state."""
    lift = wording.lift(row.lift)
    # A control of zero has no lift; the difference still exists.
    if row.lift is None and row.difference is not None:
        lift = wording.apart(row.difference, goal.metric, row.currency)
    return el(
        "li",
        el("div", row_name(row, arms), class_="who"),
        strip(row, scale, key, f"{goal.name}, {row.variation_name} against the control"),
        el("b", lift, class_="num"),
        el("span", wording.lift_between(row.ci), class_="between"),
        el("span", badge(*wording.STATES[row.state]), class_="state"),
        el("p", wording.sentence(row.message), class_="said") if row.state not in _PLAIN else None,
        adjusted_line(row),
    )


def adjusted_line(row: ResultRow) -> Html | None:
    """Return the adjusted estimate in words where it decides; the row's own figures are the plain ones."""
    if row.cuped is None or not row.cuped.decides:
        return None
    figures = f"{wording.lift(row.cuped.lift)} ({wording.lift_between(row.cuped.ci)})"
    return el("p", f"{figures}, {ADJUSTED}. This estimate decides.", class_="said")


def badge(word: str, tone: str) -> Html:
    """Return a word in a tone, with a glyph so that it is understood without the colour."""
    return el("span", el("span", wording.GLYPHS[tone], aria_hidden="true"), f" {word}", class_=f"badge {tone}")
