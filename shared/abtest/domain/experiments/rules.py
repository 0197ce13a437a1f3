"""Rules that span the fields of an experiment: what must hold whenever it is stored, and what more while it runs."""

from abtest.domain.experiments import mutations, patterns, redirects
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.errors import WeightsSumError
from abtest.domain.experiments.limits import MAX_GOALS, MIN_VARIATIONS, WEIGHT_TOLERANCE
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.rules import check_goal
from abtest.domain.targeting.checks import check_surface, check_targeting
from abtest.kit.errors import LimitReachedError, refused
from abtest.kit.time_zones import is_time_zone


def check(experiment: Experiment) -> None:
    """What must hold of every stored experiment. Raises errors of status 422 that name the field."""
    _check_variations(experiment)
    _check_goals(experiment)
    for name in ("results_weekdays", "weekday_schedule"):
        weekdays = getattr(experiment, name)
        if weekdays is not None and not is_time_zone(weekdays["timezone"]):
            raise refused(f"{name}.timezone", "is no IANA time zone")
    mutations.check(experiment)
    check_targeting(experiment.targeting)
    check_surface(experiment.targeting)
    patterns.check(experiment)
    redirects.check(experiment)


def check_weights(experiment: Experiment) -> None:
    """Raises WeightsSumError unless the weights of the variations in use sum to 1."""
    if not weights_are_whole(experiment):
        total = sum(variation.weight for variation in in_use(experiment))
        raise WeightsSumError(f"the weights of the variations in use sum to {total:.6g} instead of 1")


def weights_are_whole(experiment: Experiment) -> bool:
    """Whether the weights of the variations in use sum to 1, but for rounding."""
    return abs(sum(variation.weight for variation in in_use(experiment)) - 1) <= WEIGHT_TOLERANCE


def _check_variations(experiment: Experiment) -> None:
    controls = [variation for variation in experiment.variations if variation.is_control]
    if len(controls) != 1:
        raise refused("is_control", f"exactly one variation is the control, not {len(controls)}")
    if len(in_use(experiment)) < MIN_VARIATIONS:
        raise refused("variations", f"at least {MIN_VARIATIONS} variations stay in use")


def _check_goals(experiment: Experiment) -> None:
    if len(experiment.goals) > MAX_GOALS:
        raise LimitReachedError(f"an experiment has at most {MAX_GOALS} goals")
    page_ids = {rules["id"] for rules in experiment.goal_page_rules}
    for index, goal in enumerate(experiment.goals):
        check_goal(goal, f"goals[{index}].", page_ids)
