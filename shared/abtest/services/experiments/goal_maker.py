"""Goals of an experiment from inputs: new ones, copies of the shop's, and those that it has, changed."""

from dataclasses import replace
from functools import cached_property

from abtest.domain.changes.change import Occasion
from abtest.domain.experiments.goals import check_type_stays
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals import edits
from abtest.domain.goals.model import Goal
from abtest.domain.goals.shapes import GoalFields
from abtest.kit.errors import refused
from abtest.services.context import World
from abtest.services.goals import shop_goal
from abtest.services.shops import shop_defaults


class GoalMaker:
    """Goals of one edit of a shop's experiment; made for each edit, so that the shop is read once for all of them."""

    def __init__(self, world: World, shop_id: str) -> None:
        self._world = world
        self._shop_id = shop_id

    def make(
        self,
        experiment: Experiment,
        given: GoalFields,
        occasion: Occasion,
        path: str = "",
        *,
        new_id: str | None = None,
    ) -> Goal:
        """The goal that an input describes, under a new id unless it is the shop's.

        Raises ValidationFailedError for an unknown goal_id.
        """
        if "goal_id" in given:
            kept = shop_goal(self._world.catalog, self._shop_id, given["goal_id"])
            return _attached(kept, experiment, given, occasion, path)
        return edits.make(
            given,
            goal_id=new_id or self._world.new_id(),
            experiment_id=experiment.id,
            now=occasion.now,
            window_days=self._window_days,
        )

    def named_or_new(self, experiment: Experiment, given: GoalFields, occasion: Occasion, index: int) -> Goal:
        """Return the goal that an item of a list names, with the item's changes; or a new one."""
        path = f"goals[{index}]."
        if "id" not in given:
            return self.make(experiment, given, occasion, path)
        known = next((goal for goal in experiment.goals if goal.id == given["id"]), None)
        if known is None:
            raise refused(f"{path}id", "must be a goal of this experiment")
        fields = given.copy()
        del fields["id"]
        if "goal_id" in fields:
            raise refused(f"{path}goal_id", "must not be given with id")
        check_type_stays(experiment, known, fields)
        return edits.amend(known, fields, occasion.now)

    @cached_property
    def _window_days(self) -> int:
        days: int = shop_defaults(self._world.catalog, self._shop_id)["attribution_window_days"]
        return days


def _attached(kept: Goal | None, experiment: Experiment, given: GoalFields, occasion: Occasion, path: str) -> Goal:
    if kept is None:
        raise refused(f"{path}goal_id", "must be a goal of the shop")
    beyond = sorted(set(given) - {"goal_id", "role", "is_primary"})
    if beyond:
        raise refused(f"{path}{beyond[0]}", "belongs to the shop's goal; change it there")
    own = given.copy()
    del own["goal_id"]
    # An experiment chooses its own primary goal: attaching a goal of the shop must not replace it unnoticed.
    fields = {"is_primary": False, "role": "secondary" if kept.role == "primary" else kept.role, **edits.tidy(own)}
    return replace(kept, experiment_id=experiment.id, created_at=occasion.now, updated_at=occasion.now, **fields)
