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
    """Goals of one edit of a shop's experiment; made for each edit, so that the shop is asked once for all of them."""

    def __init__(self, world: World, shop_id: str) -> None:
        self._world = world
        self._shop_id = shop_id

    def make(self, experiment: Experiment, stated: GoalFields, occasion: Occasion, path: str = "") -> Goal:
        """The goal that an input describes. Raises ValidationFailedError for an unknown goal_id."""
        if "goal_id" in stated:
            kept = shop_goal(self._world.catalog, self._shop_id, stated["goal_id"])
            return _attached(kept, experiment, stated, occasion, path)
        return edits.make(
            stated,
            goal_id=self._world.new_id(),
            experiment_id=experiment.id,
            now=occasion.now,
            window_days=self._window_days,
        )

    def named_or_new(self, experiment: Experiment, stated: GoalFields, occasion: Occasion, index: int) -> Goal:
        """The experiment's goal that an item of a list names, changed as it says; or a new one."""
        path = f"goals[{index}]."
        if "id" not in stated:
            return self.make(experiment, stated, occasion, path)
        known = next((goal for goal in experiment.goals if goal.id == stated["id"]), None)
        if known is None:
            raise refused(f"{path}id", "is no goal of this experiment")
        said = stated.copy()
        del said["id"]
        if "goal_id" in said:
            raise refused(f"{path}goal_id", "an item states id or goal_id, not both")
        check_type_stays(experiment, known, said)
        return edits.amend(known, said, occasion.now)

    @cached_property
    def _window_days(self) -> int:
        days: int = shop_defaults(self._world.catalog, self._shop_id)["attribution_window_days"]
        return days


def _attached(kept: Goal | None, experiment: Experiment, stated: GoalFields, occasion: Occasion, path: str) -> Goal:
    if kept is None:
        raise refused(f"{path}goal_id", "is no goal of the shop")
    beyond = sorted(set(stated) - {"goal_id", "role", "is_primary"})
    if beyond:
        raise refused(f"{path}{beyond[0]}", "is the shop's goal's to say")
    own = stated.copy()
    del own["goal_id"]
    # An experiment chooses its own primary goal: attaching a goal of the shop must not replace it unnoticed.
    fields = {"is_primary": False, "role": "secondary" if kept.role == "primary" else kept.role, **edits.tidy(own)}
    return replace(kept, experiment_id=experiment.id, created_at=occasion.now, updated_at=occasion.now, **fields)
