"""Cautions of a report: lifts too good to be true, and estimates of tests that stopped at a look."""

from collections.abc import Mapping, Sequence
from typing import Literal

from abtest.contract import results as contract
from abtest.contract.report_advice import EarlyStop, ImplausibleLift
from abtest.domain.stats.samples import Conversions, Sample
from abtest.domain.stats.shrinkage import PRIOR_DEVIATION, Plausibility, kept_at_a_look, plausibility
from abtest.services.results import sequential
from abtest.services.results.adjustment import adjusted_arms
from abtest.services.results.question import Reading
from abtest.services.results.verdicts import deciding

Moment = Literal["stopped", "running"]
_SURE = frozenset({"better", "worse"})
PRIOR = (
    f"Most true lifts are small: 19 of 20 are taken to be within {2 * PRIOR_DEVIATION:.0%} either way before a test."
)


def implausible_lifts(readings: Sequence[Reading], goals: Sequence[contract.GoalResult]) -> list[ImplausibleLift]:
    """Return the marked lifts among significant rows of the first goal, which decides, and of goals that count money.

    Other goals are not marked: clicks on what was changed may well double, orders rarely do.
    """
    marked = []
    for number, (reading, goal) in enumerate(zip(readings, goals, strict=True)):
        if number and goal.type != "revenue":
            continue
        states = {row.variation_id: row for row in goal.rows if row.state in _SURE}
        for control, treatment in reading.pairs():
            row = states.get(treatment.id)
            plain = reading.level(control), reading.level(treatment)
            arms = deciding_arms(reading, row).get(treatment.id, plain) if row else plain
            seen = plausibility(*arms) if row else None
            if row and seen and seen.is_implausible:
                marked.append(implausible_lift(goal, row, seen))
    return marked


def implausible_lift(goal: contract.GoalResult, row: contract.ResultRow, seen: Plausibility) -> ImplausibleLift:
    """Return the mark with its sentence."""
    return ImplausibleLift(
        goal_id=goal.goal_id,
        variation_id=row.variation_id,
        lift=seen.lift,
        prior_deviation=PRIOR_DEVIATION,
        surprise=seen.surprise,
        expected_lift=seen.expected,
        message=(
            f"{goal.name} in “{row.variation_name}” is too {'good' if row.state == 'better' else 'bad'} to be true: a "
            f"lift of {percent(seen.lift)} is more often an error of measurement than an effect. {PRIOR} "
            f"With these data, {percent(seen.expected)} is expected. Check the measurement first."
        ),
    )


def early_stop(
    reading: Reading, goal: contract.GoalResult, variation_id: str | None, moment: Moment
) -> EarlyStop | None:
    """Return the caution about the treatment of the verdict; None where no look of the sequential engine decided."""
    row = next((row for row in goal.rows if row.variation_id == variation_id), None)
    if row is None or row.state not in _SURE or reading.engine != "sequential":
        return None
    pair = pair_of(reading, row)
    if pair is None or pair.test is None:
        return None
    test, level, lift = pair.test, pair.control, deciding(row).lift
    mean = level.as_sample().mean if isinstance(level, Conversions) else level.mean
    kept = kept_at_a_look(test.variance, tau=reading.tau, control_mean=mean)
    corrected = None if lift is None else kept * lift
    return EarlyStop(
        goal_id=goal.goal_id,
        variation_id=row.variation_id,
        lift=lift,
        corrected_lift=corrected,
        difference=test.difference,
        corrected_difference=kept * test.difference,
        message=early_stop_message(lift, corrected, moment),
    )


def pair_of(reading: Reading, row: contract.ResultRow) -> sequential.Pair | None:
    """Return a treatment's present always-valid test, of the estimate that decides; None where there is none."""
    adjusted = adjusted_arms(reading) if deciding(row) is not row else None
    pairs = zip(reading.pairs(), sequential.pairs_of(reading, adjusted), strict=True)
    return next((pair for (_, treatment), pair in pairs if treatment.id == row.variation_id), None)


def deciding_arms(reading: Reading, row: contract.ResultRow) -> Mapping[str, tuple[Sample, Sample]]:
    """Return the adjusted arms by treatment where the row's verdict follows from them."""
    adjusted = adjusted_arms(reading) if deciding(row) is not row else None
    return adjusted.pairs if adjusted else {}


def early_stop_message(lift: float | None, corrected: float | None, moment: Moment) -> str:
    """Return the caution in words."""
    when = "This test stopped at a look" if moment == "stopped" else "If this test stops now, it stops at a look"
    why = f"{when}, and such tests exaggerate: they stop when chance helps."
    if lift is None or corrected is None:
        return f"{why} The interval allows for every look."
    return f"{why} Expect {percent(corrected)} rather than {percent(lift)}; the interval allows for every look."


def percent(share: float) -> str:
    """Return a lift with its sign, such as `−1.5%`."""
    return f"{share:+.1%}".replace("-", "−")
