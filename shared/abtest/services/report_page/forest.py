"""The forest plot: of each goal and treatment the lift, with its interval, on one axis for the whole page."""

from collections.abc import Iterable, Mapping
from statistics import median

from abtest.contract.report import Report
from abtest.contract.results import GoalResult, Interval, ResultRow
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm
from abtest.services.report_page.markup import Html, el, typed
from abtest.services.report_page.scales import round_up

_ROLES = {"primary": "Primary goal", "secondary": "Secondary goal", "guardrail": "Guardrail"}
_LEAST, _BEYOND = 0.01, 3.0
"""The axis reaches a percent at least, and at most this many times what most intervals reach."""

_MIDDLE = 12
_PLAIN = frozenset({"better", "worse", "undecided"})
"""States whose message says no more than the badge and the numbers beside it."""


def forest(report: Report, arms: Mapping[str, Arm]) -> Html:
    """A block a goal, in the report's order."""
    reach = _reach(report)
    level = wording.share(1 - report.alpha)
    lead = (
        f"Change against the control, in percent, with the interval that holds the true change at {level} confidence "
        "or better. An interval across the line at 0 allows for no change at all."
    )
    goals = [_goal(goal, arms, reach, number) for number, goal in enumerate(report.goals)]
    heading = el("h2", "Lift by goal", id="lift")
    return el("section", heading, el("p", lead, class_="lead"), goals, aria_labelledby="lift")


def strip(row: ResultRow, reach: float, key: str, about: str) -> Html:
    """One interval as a drawing; it says in its title what it shows."""
    said = f"{about}: {wording.lift(row.lift)}"
    between = f"Interval {wording.lift_between(row.ci)}." if row.ci else "No interval can be told."
    return el(
        "svg",
        el("title", said, id=f"{key}-t"),
        el("desc", between, id=f"{key}-d"),
        [el("line", x1=f"{at}%", x2=f"{at}%", y1="0", y2="24", class_="grid") for at in (0, 25, 75, 100)],
        el("line", x1="50%", x2="50%", y1="0", y2="24", class_="zero"),
        _whiskers(row.ci, reach) if row.ci else None,
        _point(row, reach),
        class_=f"strip {wording.STATES[row.state][1]}",
        role="img",
        aria_labelledby=f"{key}-t",
        aria_describedby=f"{key}-d",
        width="100%",
        height="24",
    )


def reach_of(rows: Iterable[ResultRow]) -> float:
    """How far an axis goes that shows these rows: round, and not drawn out by the few widest."""
    ends = [max(abs(row.ci.lower), abs(row.ci.upper)) for row in rows if row.ci]
    if not ends:
        return 0.1
    return round_up(max(_LEAST, min(max(ends), _BEYOND * median(ends))), is_end=True)


def axis(reach: float) -> Html:
    """The axis' words; what the strips say, people who hear the page are told row by row."""
    places = ((0, "start", -reach), (50, "middle", 0.0), (100, "end", reach))
    ticks = [
        el("text", _tick(value), x=f"{at}%", y="12", text_anchor=anchor, class_="tick") for at, anchor, value in places
    ]
    return el("svg", ticks, class_="axis", aria_hidden="true", width="100%", height="18")


def _reach(report: Report) -> float:
    return reach_of(row for goal in report.goals for row in goal.rows)


def _tick(value: float) -> str:
    digits = next((digits for digits in range(3) if abs(round(value * 100, digits) - value * 100) < 1e-9), 3)
    return f"{wording.decimal(value * 100, digits, signed=True)}%"


def _goal(goal: GoalResult, arms: Mapping[str, Arm], reach: float, number: int) -> Html:
    notes = [_ROLES[goal.role], "less is better" if goal.direction == "decrease" else None]
    notes += ["no longer in use" if goal.is_archived else None, "not counted yet" if goal.not_evaluable else None]
    head = el("h3", typed(goal.name), " ", el("small", ", ".join(note for note in notes if note)))
    rows = [row for row in goal.rows if not row.is_control]
    listed = el(
        "ul", [_row(goal, row, arms, reach, f"f{number}-{index}") for index, row in enumerate(rows)], role="list"
    )
    labels = el("div", el("span"), axis(reach), class_="labels", aria_hidden="true")
    return el("div", head, labels, listed, class_="forest")


def _row(goal: GoalResult, row: ResultRow, arms: Mapping[str, Arm], reach: float, key: str) -> Html:
    arm = arms.get(row.variation_id)
    word, tone = wording.STATES[row.state]
    about = f"{goal.name}, {row.variation_name} against the control"
    return el(
        "li",
        el("div", arm.named() if arm else typed(row.variation_name), class_="who"),
        strip(row, reach, key, about),
        el("b", _lift(goal, row), class_="num"),
        el("span", wording.lift_between(row.ci), class_="between"),
        el("span", badge(word, tone), class_="state"),
        el("p", wording.sentence(row.message), class_="said") if row.state not in _PLAIN else None,
    )


def _lift(goal: GoalResult, row: ResultRow) -> str:
    """The lift; where the control has nothing to divide by, the difference."""
    if row.lift is None and row.difference is not None:
        return wording.apart(row.difference, goal.metric, row.currency)
    return wording.lift(row.lift)


def badge(word: str, tone: str) -> Html:
    """A word in a tone; the glyph and the word say it without the colour."""
    return el("span", el("span", wording.GLYPHS[tone], aria_hidden="true"), f" {word}", class_=f"badge {tone}")


def _whiskers(interval: Interval, reach: float) -> list[Html]:
    left, right = _place(interval.lower, reach), _place(interval.upper, reach)
    parts = [el("line", x1=f"{left:.2f}%", x2=f"{right:.2f}%", y1=_MIDDLE, y2=_MIDDLE, class_="whisker")]
    if interval.lower < -reach:
        parts.append(el("text", "◂", x="0", y="16", class_="beyond"))
    if interval.upper > reach:
        parts.append(el("text", "▸", x="100%", y="16", text_anchor="end", class_="beyond"))
    return parts


def _point(row: ResultRow, reach: float) -> Html | None:
    if row.lift is None or row.ci is None or abs(row.lift) > reach:
        return None
    return el("circle", cx=f"{_place(row.lift, reach):.2f}%", cy=_MIDDLE, r="4.5", class_="estimate")


def _place(value: float, reach: float) -> float:
    return 50 + 50 * max(-1.0, min(1.0, value / reach))
