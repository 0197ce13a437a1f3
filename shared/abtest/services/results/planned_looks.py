"""History of planned looks for readers, from the state that auto-stop has stored."""

from math import sqrt

from abtest.contract import planned_looks as contract
from abtest.contract.result_rows import Interval
from abtest.domain.autostop.planned_looks import MESSAGES, are_adjusted
from abtest.domain.autostop.shapes import LookedAt, PlannedLooks
from abtest.domain.stats.group_sequential.documents import LookDocument, State
from abtest.services.results.question import Question, is_rate

ADJUSTED_RATES = "Differences are of rates adjusted for what visitors did in the 14 days before{earlier}."
OF_RATES = (
    "They compare the rate of visitors who reached the goal; its amounts are shown by a test that holds at every look, "
    "which decides nothing here."
)
EARLIER = ", so the last look may be taken with fewer visitors"


def planned_looks_of(question: Question) -> contract.PlannedLooks | None:
    """Return the planned looks; None where none are stored for these numbers."""
    looks = question.looks.get("planned_looks") if question.looks else None
    if looks is None:
        return None
    plan = question.experiment.planned_test or {}
    evaluation = plan.get("evaluation") or {}
    design, required = looks["family"]["design"], plan.get("required_total_visitors")
    ended_by = evaluation.get("ended_by")
    names = {variation.id for variation in question.variations}
    treatments = [
        _treatment(looks, arm, state, is_over=ended_by is not None)
        for arm, state in looks["family"]["treatments"].items()
        if arm in names
    ]
    # With auto-stop off, looks are taken for readers, and nothing ends them but the last one.
    is_over = ended_by is not None or (bool(treatments) and all(one.state == "ended" for one in treatments))
    end = f"The last look is taken at {required:,} visitors." if required and not is_over else "The looks have ended."
    goal = next((goal for goal in question.experiment.goals if goal.id == looks["goal_id"]), None)
    notes = (
        end,
        OF_RATES if goal is not None and not is_rate(goal) else None,
        ADJUSTED_RATES.format(earlier="" if ended_by else EARLIER) if are_adjusted(looks) else None,
    )
    return contract.PlannedLooks(
        goal_id=looks["goal_id"],
        alpha=design["alpha"],
        tail="one-sided" if design["sides"] == 1 else "two-sided",
        spending=contract.SpendingOfLooks(**design["spending"]),
        restarted_at=looks.get("restarted_at"),
        ended_by=ended_by,
        adjusted=are_adjusted(looks),
        message=" ".join(filter(None, notes)),
        treatments=treatments,
    )


def _treatment(looks: PlannedLooks, arm: str, state: State, *, is_over: bool) -> contract.PlannedLooksOfTreatment:
    sides, p_value, left_out = state["design"]["sides"], looks["p_values"].get(arm), looks["left_out"].get(arm)
    counts = looks["counts"].get(arm, [])
    return contract.PlannedLooksOfTreatment(
        variation_id=arm,
        state=(shown := _state(state, is_over=is_over)),
        message=_message(shown, state, MESSAGES[left_out] if left_out else ""),
        p_value=p_value["p"] if p_value else None,
        left_out=left_out,
        looks=[
            _look(look, count, state["planned_information"], sides, falls=looks["falls"])
            for look, count in zip(state["looks"], counts, strict=True)
        ],
    )


def _state(state: State, *, is_over: bool) -> contract.TreatmentState:
    if not state["looks"]:
        return "no_look"
    latest = state["looks"][-1]
    if is_over or latest["place"] >= 1:
        return "ended"
    return "futile" if latest["futility"] is not None and latest["z"] <= latest["futility"] else "goes_on"


def _message(shown: contract.TreatmentState, state: State, left_out: str) -> str:
    if shown == "no_look":
        return f"no planned look yet: {left_out}" if left_out else "no planned look yet"
    latest, number = state["looks"][-1], len(state["looks"])
    taken = (
        f"{number} planned look{'s' if number > 1 else ''}, the latest at {latest['fraction']:.0%} of the information"
    )
    if shown == "ended":
        return f"{taken}; no more follow"
    return f"{taken}; not likely to win: it may be given up, or go on without harm" if shown == "futile" else taken


def _look(
    look: LookDocument, counts: LookedAt, planned_information: float, sides: int, *, falls: bool
) -> contract.PlannedLook:
    root, upper = sqrt(look["fraction"] * planned_information), look["upper"]
    # Looks are stored so that better is positive; the difference is the goal's own.
    sign = -1 if falls else 1
    ends = None if upper is None else sorted((sign * (look["z"] - upper) / root, sign * (look["z"] + upper) / root))
    return contract.PlannedLook(
        moment=counts["computed_at"],
        generation=counts["generation"],
        information=look["fraction"],
        visitors=counts["control"][0] + counts["treatment"][0],
        difference=sign * look["z"] / root,
        ci=Interval(lower=ends[0], upper=ends[1]) if ends else None,
        z=look["z"],
        boundary=upper,
        futility_boundary=look["futility"],
        spent=sides * look["spent"],
    )
