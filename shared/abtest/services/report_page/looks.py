"""Planned looks as a table: when they were taken, what they showed, and what they spent."""

from collections.abc import Mapping, Sequence

from abtest.contract.planned_looks import PlannedLook, PlannedLooksOfTreatment
from abtest.contract.report import Report
from abtest.kit.markup import Html, el, typed
from abtest.services.report_page import wording
from abtest.services.report_page.arms import Arm
from abtest.services.report_page.tables import boxed, table

SHOWN = 20
"""Looks of a treatment in the table; of more, the first and the newest ones are shown."""

_FIRST = 3
_HEAD = ["Look", "Information", "Visitors", "Difference", "Interval", "z", "Boundary", "Error spent"]


def planned_looks(report: Report, arms: Mapping[str, Arm]) -> Html | None:
    """Return the planned looks of each treatment; None without any."""
    planned = report.planned_looks
    if planned is None:
        return None
    goal = next((goal.name for goal in report.goals if goal.goal_id == planned.goal_id), "the goal of the plan")
    lead = [
        "Looks at ", typed(goal), f", which share an error of {wording.share(planned.alpha)}. Only these looks ",
        f"decide; reading this report is not one of them. {planned.message}",
    ]  # fmt: skip
    parts = [treatment(one, arms) for one in planned.treatments if one.variation_id in arms]
    heading = el("h2", "Planned looks", id="looks")
    return el("section", heading, el("p", lead), parts, aria_labelledby="looks")


def treatment(one: PlannedLooksOfTreatment, arms: Mapping[str, Arm]) -> Html:
    """Return one treatment's looks, with what is left out of the table."""
    arm = arms[one.variation_id]
    title = el("h3", arm.named())
    state = el("p", wording.sentence(one.message), class_="lead")
    if not one.looks:
        return el("div", title, state, class_="segment")
    rows = [look_cells(look) for look in shown(one.looks)]
    box = boxed(f"Table of planned looks at {arm.name}", table(f"Planned looks at {arm.name}", _HEAD, rows))
    left_out = len(one.looks) - len(rows)
    more = el("p", f"{left_out:,} more, between the first and the newest, are left out.", class_="lead")
    return el("div", title, state, box, more if left_out else None, class_="segment")


def shown(looks: Sequence[PlannedLook]) -> Sequence[PlannedLook]:
    """Return the first looks and the newest ones, `SHOWN` at most."""
    return looks if len(looks) <= SHOWN else [*looks[:_FIRST], *looks[_FIRST - SHOWN :]]


def look_cells(look: PlannedLook) -> list[str]:
    """Return the cells of one look."""
    ends = look.ci and (wording.apart(look.ci.lower, "rate", None), wording.apart(look.ci.upper, "rate", None))
    return [
        wording.minute(look.moment),
        f"{look.information:.0%}",
        wording.count(look.visitors),
        wording.apart(look.difference, "rate", None),
        f"{ends[0]} to {ends[1]}" if ends else wording.NONE,
        wording.decimal(look.z, 2, signed=True),
        wording.NONE if look.boundary is None else wording.decimal(look.boundary, 2),
        wording.percent(look.spent),
    ]
