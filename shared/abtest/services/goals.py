"""Goals of a shop for reuse: created, listed, changed, archived, deleted.

An experiment that attaches one has its own copy under the same id, so a running test measures the goals that it was
started with.
"""

from collections.abc import Callable, Collection, Sequence
from dataclasses import dataclass, replace

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.diff import Diff
from abtest.domain.goals import edits
from abtest.domain.goals.model import Goal
from abtest.domain.goals.rules import check_goal
from abtest.domain.goals.shapes import GoalFields
from abtest.kit.clock import Timestamp
from abtest.kit.documents import decode, encode
from abtest.ports.catalog import Catalog, Record
from abtest.services.aggregates import Aggregates, Saved
from abtest.services.context import Caller, World
from abtest.services.resources import Resource, Summary
from abtest.services.retries import Versions
from abtest.services.shops import shop_defaults


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopGoal:
    """A goal that belongs to a shop."""

    shop_id: str
    goal: Goal
    version: int = 0

    @property
    def id(self) -> str:
        """The goal's id."""
        return self.goal.id

    @property
    def created_at(self) -> Timestamp:
        """When the goal was created."""
        return self.goal.created_at

    @property
    def updated_at(self) -> Timestamp:
        """When the goal was last changed."""
        return self.goal.updated_at


def _from_record(record: Record) -> ShopGoal:
    return ShopGoal(shop_id=record.head.shop_id, goal=decode(Goal, record.body), version=record.head.version)


def _summary(kept: ShopGoal) -> Summary:
    goal = kept.goal
    return Summary(name=goal.name, archived_at=goal.archived_at, attributes={"type": goal.type})


def audited(kept: ShopGoal) -> Diff:
    """Fields for the audit."""
    return {name: value for name, value in encode(kept.goal).items() if name != "updated_at"}


GOALS: Resource[ShopGoal] = Resource(
    kind="GOAL",
    noun="goal",
    to_document=lambda kept: encode(kept.goal),
    from_record=_from_record,
    summary=_summary,
    audited=audited,
)


def shop_goal(catalog: Catalog, shop_id: str, goal_id: str) -> Goal | None:
    """The shop's goal, if there is one in use."""
    record = catalog.get(shop_id, "GOAL", goal_id)
    goal = decode(Goal, record.body) if record else None
    return goal if goal and goal.archived_at is None else None


def shop_goal_ids(catalog: Catalog, shop_id: str, goal_ids: Sequence[str]) -> Collection[str]:
    """Return those of the ids that are goals of the shop."""
    return {record.head.id for record in catalog.get_many(shop_id, "GOAL", goal_ids)}


class ShopGoals(Aggregates[ShopGoal]):
    """Use cases of the shop's goals. Changing or deleting one leaves the copies of experiments as they are."""

    def __init__(self, world: World) -> None:
        super().__init__(world, GOALS)

    def create(self, caller: Caller, given: GoalFields) -> Saved[ShopGoal]:
        """Create a goal from the fields of ShopGoalCreate. Raises ValidationFailedError."""
        window = shop_defaults(self.world.catalog, caller.shop_id)["attribution_window_days"]

        goal_id = self.world.new_id()

        def make(occasion: Occasion) -> ShopGoal:
            goal = edits.make(given, goal_id=goal_id, experiment_id=None, now=occasion.now, window_days=window)
            check_goal(goal)
            return ShopGoal(shop_id=caller.shop_id, goal=goal)

        return self.add(caller, goal_id, make)

    def update(self, caller: Caller, goal_id: str, given: GoalFields, *, expected_version: Versions) -> Saved[ShopGoal]:
        """Change the given fields. Raises NotFoundError, ValidationFailedError."""
        return self._edit(caller, goal_id, "update", lambda goal, now: edits.amend(goal, given, now), expected_version)

    def set_archived(
        self, caller: Caller, goal_id: str, archived: bool, *, expected_version: Versions
    ) -> Saved[ShopGoal]:
        """Take the goal out of use, or back into it. Raises NotFoundError."""

        def edit(goal: Goal, now: Timestamp) -> Goal:
            if (goal.archived_at is not None) == archived:
                return goal
            return replace(goal, archived_at=now if archived else None, updated_at=now)

        return self._edit(caller, goal_id, "archive" if archived else "unarchive", edit, expected_version)

    def _edit(
        self,
        caller: Caller,
        goal_id: str,
        verb: str,
        edit: Callable[[Goal, Timestamp], Goal],
        expected_version: Versions,
    ) -> Saved[ShopGoal]:
        def decide(before: ShopGoal, occasion: Occasion) -> Change[ShopGoal]:
            after = edit(before.goal, occasion.now)
            check_goal(after)
            return Change(before=before, after=replace(before, goal=after), action=f"goal.{verb}")

        return self.change(caller, goal_id, decide, expected_version=expected_version)
