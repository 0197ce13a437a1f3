"""Goals of an experiment, their order, and the page rules that scope them."""

from collections.abc import Callable, Sequence
from dataclasses import replace

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.experiments import editing
from abtest.domain.experiments import goals as experiment_goals
from abtest.domain.experiments.model import Experiment
from abtest.domain.goals.model import Goal
from abtest.domain.goals.shapes import GoalFields
from abtest.domain.targeting.shapes import PageRules
from abtest.services.aggregates import Saved
from abtest.services.context import Caller
from abtest.services.experiments.goal_maker import GoalMaker
from abtest.services.experiments.store import ExperimentStore
from abtest.services.retries import Versions

Edit = Callable[[Experiment, Occasion], Experiment]


class ExperimentGoals:
    """Use cases of an experiment's goals; each is an edit of the experiment."""

    def __init__(self, store: ExperimentStore) -> None:
        self._store = store

    def add(
        self, caller: Caller, reference: str, given: GoalFields, *, expected_version: Versions
    ) -> tuple[Saved[Experiment], Goal]:
        """A new goal, or a copy of one of the shop's. Raises ConflictError when that is attached already."""
        new_id = self._store.world.new_id()

        def edit(experiment: Experiment, occasion: Occasion) -> Experiment:
            maker = GoalMaker(self._store.world, experiment.shop_id)
            return experiment_goals.join(experiment, maker.make(experiment, given, occasion, new_id=new_id), given)

        saved = self._edit(caller, reference, "create", edit, expected_version)
        return saved, experiment_goals.find(saved.value, given.get("goal_id", new_id))

    def update(
        self, caller: Caller, reference: str, goal_id: str, given: GoalFields, *, expected_version: Versions
    ) -> tuple[Saved[Experiment], Goal]:
        """Change the given fields of a goal. Its type cannot change once the experiment has started."""

        def edit(experiment: Experiment, occasion: Occasion) -> Experiment:
            experiment_goals.check_type_stays(experiment, experiment_goals.find(experiment, goal_id), given)
            return experiment_goals.edit(experiment, goal_id, given, occasion.now)

        saved = self._edit(caller, reference, "update", edit, expected_version)
        return saved, experiment_goals.find(saved.value, goal_id)

    def set_archived(
        self, caller: Caller, reference: str, goal_id: str, archived: bool, *, expected_version: Versions
    ) -> tuple[Saved[Experiment], Goal]:
        """Take a goal out of use, or back into it."""

        def edit(experiment: Experiment, occasion: Occasion) -> Experiment:
            return experiment_goals.set_archived(experiment, goal_id, occasion.now if archived else None, occasion.now)

        saved = self._edit(caller, reference, "archive" if archived else "unarchive", edit, expected_version)
        return saved, experiment_goals.find(saved.value, goal_id)

    def delete(self, caller: Caller, reference: str, goal_id: str, *, expected_version: Versions) -> None:
        """Remove a goal without data. Raises NotDeletableError."""
        self._edit(
            caller,
            reference,
            "delete",
            lambda experiment, _: experiment_goals.delete(experiment, goal_id),
            expected_version,
        )

    def order(
        self, caller: Caller, reference: str, ids: Sequence[str], *, expected_version: Versions
    ) -> Saved[Experiment]:
        """Put the goals in this order; the first becomes primary."""
        return self._edit(
            caller, reference, "order", lambda experiment, _: experiment_goals.order(experiment, ids), expected_version
        )

    def set_page_rules(
        self, caller: Caller, reference: str, rules: Sequence[PageRules], *, expected_version: Versions
    ) -> Saved[Experiment]:
        """Replace the page rules that scope the goals."""
        return self._edit(
            caller,
            reference,
            "scope",
            lambda experiment, _: replace(experiment, goal_page_rules=tuple(rules)),
            expected_version,
        )

    def _edit(
        self, caller: Caller, reference: str, verb: str, edit: Edit, expected_version: Versions
    ) -> Saved[Experiment]:
        def decide(experiment: Experiment, occasion: Occasion) -> Change[Experiment]:
            return editing.settle(experiment, edit(experiment, occasion), occasion, action=f"goal.{verb}")

        return self._store.change(caller, reference, decide, expected_version=expected_version)
