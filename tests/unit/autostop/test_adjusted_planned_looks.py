"""Planned looks at rates adjusted for the time before exposures."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.domain.autostop.evidence import Arms, Evidence
from abtest.domain.autostop.group_sequential import decide
from abtest.domain.autostop.observed_rates import observed_rates
from abtest.domain.autostop.planned_looks import are_adjusted, looked
from abtest.domain.autostop.shapes import PlannedLooks
from abtest.domain.autostop.verdicts import Evaluated, GuardrailFinding, Waiting
from abtest.domain.stats.cuped import CovariateSums, cuped
from abtest.domain.stats.group_sequential.observation import Observation
from abtest.domain.stats.samples import Sample
from tests.support.autostopping import CONTROL, GOAL, GROUP_SEQUENTIAL, TREATMENT, Arm, Shopkeeper, plan, running
from tests.unit.autostop.test_group_sequential import MOMENT, PAUSING, SETTINGS, Counts, arms, evidence

Past = dict[str, tuple[int, int]]
"""Of each arm: visitors who did it before, and those who did it before and after."""

HARM = GuardrailFinding(goal_id="guardrail", variation_id=TREATMENT, status="harmed", p=0.001)
EVEN: Counts = arms(750, 150, 156)
AHEAD: Counts = arms(1000, 200, 236)
"""Too little for the plain test on the way."""

STRONG, STRONGER = {CONTROL: (150, 120), TREATMENT: (150, 124)}, {CONTROL: (202, 165), TREATMENT: (200, 168)}
TWICE = plan(baseline_rate=0.2, required_total_visitors=6000, covariate_adjustment="cuped")


def adjusted(counts: Counts, past: Past | None) -> Evidence:
    """Evidence of a plan that adjusts; without a past it was not counted."""
    seen = evidence(counts)
    if past is None:
        return seen
    sums = [
        CovariateSums(n=n, y=y, yy=y, x=past[arm][0], xx=past[arm][0], xy=past[arm][1])
        for arm, (n, y) in counts.items()
    ]
    pairs = cuped(sums)
    treatments = list(counts)[1:]
    made = {arm: Arms(*pairs.pair(0, place + 1, is_rate=True)) for place, arm in enumerate(treatments)}
    return replace(seen, measures={GOAL: replace(seen.measures[GOAL], adjusts=True, adjusted=made)})


def looks_at(*series: tuple[Counts, Past | None], planned: Any = TWICE) -> PlannedLooks:
    looks: PlannedLooks | Waiting | None = None
    for number, each in enumerate(series):
        assert not isinstance(looks, Waiting)
        looks = looked(looks, planned, replace(adjusted(*each), generation=number + 1), SETTINGS, MOMENT)
    assert looks is not None
    assert not isinstance(looks, Waiting)
    return looks


def decided(*series: tuple[Counts, Past | None], planned: Any = TWICE, **changed: Any) -> Evaluated | Waiting:
    given = {"settings": SETTINGS, "guardrails": (), **changed}
    looks = looks_at(*series, planned=planned)
    return decide(planned, looks, adjusted(*series[-1]), is_covered=True, **given)


def documents(looks: PlannedLooks) -> Any:
    return looks["family"]["treatments"][TREATMENT]["looks"]


def test_looked__with_the_time_before__has_more_information_and_freezes_it() -> None:
    plain, other = looks_at((EVEN, None)), looks_at((EVEN, STRONG))

    assert (are_adjusted(plain), are_adjusted(other)) == (False, True)
    assert documents(other)[0]["fraction"] > 1.5 * documents(plain)[0]["fraction"]
    control = other["counts"][TREATMENT][0]["adjusted"]
    assert control["rate"] == pytest.approx(0.2, abs=0.01)
    assert control["share"] == pytest.approx(0.5, abs=0.05)
    assert "adjusted" not in plain["counts"][TREATMENT][0]


def test_looked__the_first_count_without_the_time_before__stays_plain() -> None:
    looks = looks_at((EVEN, None), (AHEAD, STRONGER))

    assert documents(looks) == documents(looks_at((EVEN, None), (AHEAD, None)))
    assert not are_adjusted(looks)


def test_looked__stored_by_an_older_release__is_plain() -> None:
    before = looks_at((EVEN, None))
    del before["adjusted"]

    after = looked(before, TWICE, replace(adjusted(AHEAD, STRONGER), generation=2), SETTINGS, MOMENT)

    assert not isinstance(after, Waiting)
    assert documents(after) == documents(looks_at((EVEN, None), (AHEAD, None)))


def test_looked__a_later_count_without_the_time_before__spends_nothing_and_goes_on() -> None:
    once, without = looks_at((EVEN, STRONG)), looks_at((EVEN, STRONG), (AHEAD, None))

    assert without == {**once, "left_out": {TREATMENT: "covariate_not_counted"}}
    assert len(documents(looks_at((EVEN, STRONG), (AHEAD, None), (AHEAD, STRONGER)))) == 2


def test_decide__a_winner_by_adjusted_rates__has_their_difference_and_p() -> None:
    assert decided((AHEAD, None)) == Waiting("no_winner")
    evaluation = decided((AHEAD, STRONGER))
    assert isinstance(evaluation, Evaluated)
    assert evaluation.winner is not None
    pair = adjusted(AHEAD, STRONGER).measures[GOAL].adjusted[TREATMENT]
    assert (evaluation.ended_by, evaluation.winner.is_adjusted) == ("winner", True)
    assert evaluation.winner.difference == pair.difference != pytest.approx(0.036, abs=1e-9)
    assert evaluation.winner.p == looks_at((AHEAD, STRONGER))["p_values"][TREATMENT]["p"]


def test_decide__ahead_by_plain_rates_and_now_behind_by_adjusted_ones__does_not_win() -> None:
    turned = {CONTROL: (200, 165), TREATMENT: (400, 236)}
    behind = adjusted(AHEAD, turned)
    assert behind.measures[GOAL].adjusted[TREATMENT].difference < 0

    assert decide(TWICE, looks_at((AHEAD, STRONGER)), behind, SETTINGS, is_covered=True) == Waiting("no_winner")


@pytest.mark.parametrize("counts", [AHEAD, arms(3000, 600, 708)])
def test_decide__a_count_without_the_time_before__waits_also_at_the_planned_end(counts: Counts) -> None:
    assert decided((EVEN, STRONG), (counts, None)) == Waiting("covariate_not_counted")


def test_decide__a_count_without_the_time_before__ends_the_test_for_harm() -> None:
    series = ((EVEN, STRONG), (AHEAD, None))
    evaluation = decided(*series, guardrails=(HARM,))
    assert isinstance(evaluation, Evaluated)
    assert (evaluation.outcome, evaluation.ended_by, evaluation.pauses) == ("harm", "harm", True)
    lenient = replace(PAUSING, pauses_for_harm=False)
    assert decided(*series, guardrails=(HARM,), settings=lenient) == Waiting("covariate_not_counted")


def test_decide__before_any_look_and_without_the_time_before__waits_for_it() -> None:
    assert decided((arms(10, 1, 1), {CONTROL: (1, 1), TREATMENT: (1, 1)}), (EVEN, None)) == Waiting(
        "covariate_not_counted"
    )


def test_looked__treatment_without_adjusted_arms__is_left_out() -> None:
    seen = adjusted(EVEN, STRONG)
    nothing = Arms(Sample(n=0, mean=0.0, variance=0.0), Sample(n=0, mean=0.0, variance=0.0))
    bare = replace(seen, measures={GOAL: replace(seen.measures[GOAL], adjusted={TREATMENT: nothing})})

    looks = looked(None, TWICE, bare, SETTINGS, MOMENT)

    assert not isinstance(looks, Waiting)
    assert looks["left_out"] == {TREATMENT: "no_variance"}


@settings(max_examples=40, deadline=None)
@given(
    sizes=st.lists(st.tuples(st.integers(100, 700), st.integers(25, 75), st.integers(25, 75)), min_size=1, max_size=5)
)
def test_looked__without_any_past__is_as_plain_looks(sizes: list[tuple[int, int, int]]) -> None:
    series: list[Counts] = []
    n = control = treatment = 0
    for more, of_control, of_treatment in sizes:
        n, control, treatment = n + more, control + of_control, treatment + of_treatment
        series.append(arms(n, control, treatment))

    plain = looks_at(*((each, None) for each in series))
    other = looks_at(*((each, dict.fromkeys(each, (0, 0))) for each in series))

    assert (are_adjusted(other), other["left_out"]) == (True, plain["left_out"])
    assert len(documents(plain)) == len(documents(other))
    for one, two in zip(documents(plain), documents(other), strict=True):
        close = {name: value if value is None else pytest.approx(value, rel=1e-9) for name, value in one.items()}
        assert two == close


@settings(max_examples=40, deadline=None)
@given(st.integers(100, 5000), st.integers(1, 90), st.integers(1, 90))
def test_observed__of_a_past_without_correlation__is_nearly_plain(n: int, control: int, treatment: int) -> None:
    # A quarter of all, and a quarter of those who did it, had done it before.
    counts = arms(4 * n, 4 * control, 4 * treatment)
    measure = adjusted(counts, {CONTROL: (n, control), TREATMENT: (n, treatment)}).measures[GOAL]

    plain, other = (observed_rates(measure, CONTROL, TREATMENT, is_adjusted=how) for how in (False, True))

    assert isinstance(plain, Observation)
    assert other == pytest.approx(plain, rel=3 / n)


ARMS: dict[str, Arm] = {CONTROL: (1500, 300), TREATMENT: (1500, 345)}


def of_round(keeper: Shopkeeper, generation: int, both: tuple[int, int] | None) -> str:
    if generation == 1:
        planned = plan(baseline_rate=0.2, required_total_visitors=5000, covariate_adjustment="cuped")
        keeper.keep(running(auto_stop_override=GROUP_SEQUENTIAL, planned_test=planned))
    sums = zip((CONTROL, TREATMENT), both, strict=True) if both else ()
    past: dict[str, Any] = (
        {"covariates": {GOAL: {arm: [300, "300", str(number)] for arm, number in sums}}} if both else {}
    )
    keeper.count(generation, ARMS, **past)
    return keeper.one()


def test_round__of_a_winner_by_adjusted_rates__pauses_with_the_estimate_in_the_audit() -> None:
    assert of_round(Shopkeeper(), 1, None) == "no_winner"
    keeper = Shopkeeper()
    assert of_round(keeper, 1, (260, 265)) == "paused"
    diff, state = keeper.audited()[0].diff, keeper.state()["planned_looks"]
    assert (diff["winner"], diff["estimate"]) == ([None, TREATMENT], [None, "cuped"])
    assert (diff["adjusted_p"][1], state["adjusted"]) == (state["p_values"][TREATMENT]["p"], True)


def test_round__without_the_past_at_a_later_count__waits_for_it() -> None:
    keeper = Shopkeeper()
    reasons = [of_round(keeper, number, both) for number, both in ((1, (60, 69)), (2, None))]
    assert reasons == ["no_winner", "covariate_not_counted"]
    assert keeper.look()["planned"] == {TREATMENT: {"left_out": "covariate_not_counted"}}
