"""Rules that span the fields of an experiment: those of every stored one, and the further ones of a running one."""

from abtest.domain.experiments import mutations, patterns, redirects
from abtest.domain.experiments.design import in_use
from abtest.domain.experiments.errors import WeightsSumError
from abtest.domain.experiments.limits import MAX_BYTES, MAX_GOALS, MIN_VARIATIONS, WEIGHT_TOLERANCE
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.rules import check_goal
from abtest.domain.targeting.checks import check_surface, check_targeting
from abtest.kit import canonical_json
from abtest.kit.documents import encode
from abtest.kit.errors import LimitReachedError, refused
from abtest.kit.time_zones import is_time_zone


def check(experiment: Experiment) -> None:
    """Check the rules of every stored experiment. Raises errors of status 422 that name the field."""
    check_controls(experiment)
    if len(in_use(experiment)) < MIN_VARIATIONS:
        raise refused("variations", f"must have at least {MIN_VARIATIONS} that are not archived")
    _check_goals(experiment)
    for name in ("results_weekdays", "weekday_schedule"):
        weekdays = getattr(experiment, name)
        if weekdays is not None and not is_time_zone(weekdays["timezone"]):
            raise refused(f"{name}.timezone", "must be an IANA time zone, such as Europe/Berlin")
    mutations.check(experiment)
    check_targeting(experiment.targeting)
    check_surface(experiment.targeting)
    patterns.check(experiment)
    redirects.check(experiment)


def check_controls(experiment: Experiment, changed_alone: bool = False) -> None:
    """Refuse any number of controls but one. `changed_alone` is for a request whose body is one variation."""
    controls = [index for index, variation in enumerate(experiment.variations) if variation.is_control]
    if len(controls) == 1:
        return
    path = "is_control" if changed_alone else f"variations[{controls[1]}].is_control" if controls else "variations"
    raise refused(path, f"is_control must be true for exactly one variation, not for {len(controls)}")


def check_size(before: Experiment | None, after: Experiment) -> None:
    """Raise LimitReachedError when the experiment grows beyond what a response can hold.

    One that was stored larger by an earlier release may still be paused, or made smaller.
    """
    size = len(canonical_json.encode(encode(after)))
    if size > MAX_BYTES and (before is None or size > len(canonical_json.encode(encode(before)))):
        raise LimitReachedError(f"an experiment has at most {MAX_BYTES} bytes as JSON, and this one would have {size}")


def check_weights(experiment: Experiment) -> None:
    """Raise WeightsSumError unless the weights of the variations in use sum to 1."""
    if not weights_are_whole(experiment):
        total = sum(variation.weight for variation in in_use(experiment))
        raise WeightsSumError(f"the weights of the variations in use sum to {total:.6g} instead of 1")


def weights_are_whole(experiment: Experiment) -> bool:
    """Return whether the weights of the variations in use sum to 1, but for rounding."""
    total = sum(variation.weight for variation in in_use(experiment))
    # Three weights of 0.333333 are at the tolerance, and in binary fractions a hair beyond it.
    return round(abs(total - 1), 9) <= WEIGHT_TOLERANCE


def _check_goals(experiment: Experiment) -> None:
    if len(experiment.goals) > MAX_GOALS:
        raise LimitReachedError(f"an experiment has at most {MAX_GOALS} goals")
    page_ids = {rules["id"] for rules in experiment.goal_page_rules}
    for index, goal in enumerate(experiment.goals):
        check_goal(goal, f"goals[{index}].", page_ids)
