"""Goals that a shop keeps for reuse: made, listed, changed, archived, deleted.

An experiment that attaches one holds a copy of its own under the same id, so that a test under way keeps measuring what
it was started with.
"""

from collections.abc import Callable, Collection, Mapping, Sequence
from dataclasses import fields, replace
from typing import Any, Literal

from abtest.domain.goals import edits as lineup
from abtest.domain.goals.documents import goal_document, goal_from
from abtest.domain.goals.model import Goal
from abtest.domain.goals.rules import check_goal
from abtest.kit.clock import Timestamp
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import AuditRow, Catalog, Commit, Head, Put, Record, Remove
from abtest.services.context import Caller, World
from abtest.services.retrying import refuse_other_version, retried
from abtest.services.shops import shop_defaults

ArchivedFilter = Literal["false", "true", "all"]
Stored = tuple[Goal, int]
"""A goal and its row version."""

_SCANNED = 1000


def shop_goal(catalog: Catalog, shop_id: str, goal_id: str) -> Goal | None:
    """The shop's goal, if there is one in use."""
    record = catalog.get(shop_id, "GOAL", goal_id)
    goal = goal_from(record.body) if record else None
    return goal if goal and goal.archived_at is None else None


def shop_goal_ids(catalog: Catalog, shop_id: str, goal_ids: Sequence[str]) -> Collection[str]:
    """Those of the ids that are goals of the shop."""
    return {record.head.id for record in catalog.get_many(shop_id, "GOAL", goal_ids)}


class ShopGoals:
    """Use cases of the shop's goals."""

    def __init__(self, world: World) -> None:
        self._world = world

    def page(
        self, shop_id: str, *, archived: ArchivedFilter, limit: int, after: str | None
    ) -> tuple[list[Stored], str | None]:
        """Goals newest first, and the id that continues the list. One page looks at 1,000 goals at most."""
        found: list[str] = []
        scanned = 0
        while scanned < _SCANNED:
            page = self._world.catalog.list(shop_id, "GOAL", limit=limit, after_id=after)
            for head in page.heads:
                after, scanned = head.id, scanned + 1
                if archived == "all" or (archived == "true") == (head.archived_at is not None):
                    found.append(head.id)
                if len(found) == limit:
                    ended = head.id == page.heads[-1].id and page.last_id is None
                    return self._load(shop_id, found), None if ended else after
            if page.last_id is None:
                return self._load(shop_id, found), None
        return self._load(shop_id, found), after

    def get(self, shop_id: str, goal_id: str) -> Stored:
        """One goal. Raises NotFoundError."""
        record = self._world.catalog.get(shop_id, "GOAL", goal_id)
        if record is None:
            raise NotFoundError("no such goal")
        return goal_from(record.body), record.head.version

    def create(self, caller: Caller, stated: Mapping[str, Any]) -> Stored:
        """A goal from the fields of ShopGoalCreate. Raises ValidationFailedError."""
        window = shop_defaults(self._world.catalog, caller.shop_id)["attribution_window_days"]
        goal = lineup.make(
            stated, goal_id=self._world.new_id(), experiment_id=None, now=self._world.now(), window_days=window
        )
        check_goal(goal)
        return self._save(caller, None, 0, goal, "goal.create")

    def update(
        self, caller: Caller, goal_id: str, stated: Mapping[str, Any], *, expected_version: int | None
    ) -> Stored:
        """Change the stated fields; experiments that attached the goal keep what they have."""
        now = self._world.now()
        return self._change(
            caller, goal_id, expected_version, "goal.update", lambda goal: lineup.amend(goal, stated, now)
        )

    def set_archived(self, caller: Caller, goal_id: str, archived: bool, *, expected_version: int | None) -> Stored:
        """Take the goal out of use, or back into it."""
        now = self._world.now()

        def edit(goal: Goal) -> Goal:
            if (goal.archived_at is not None) == archived:
                return goal
            return replace(goal, archived_at=now if archived else None, updated_at=now)

        return self._change(caller, goal_id, expected_version, "goal.archive" if archived else "goal.unarchive", edit)

    def delete(self, caller: Caller, goal_id: str, *, expected_version: int | None) -> None:
        """Remove the goal; experiments that attached it keep their copies."""
        goal, version = self.get(caller.shop_id, goal_id)
        refuse_other_version(expected_version, version)
        head = _head(caller.shop_id, goal, version)
        row = self._audit_row(caller, goal, "goal.delete", {"name": [goal.name, None]})
        self._world.catalog.commit(Commit(removes=[Remove(head=head)], audit=[row]))

    def _load(self, shop_id: str, ids: Sequence[str]) -> list[Stored]:
        records = self._world.catalog.get_many(shop_id, "GOAL", ids)
        return [(goal_from(record.body), record.head.version) for record in records]

    def _change(
        self, caller: Caller, goal_id: str, expected: int | None, action: str, edit: Callable[[Goal], Goal]
    ) -> Stored:

        def attempt() -> Stored:
            before, version = self.get(caller.shop_id, goal_id)
            refuse_other_version(expected, version)
            after = edit(before)
            check_goal(after)
            return (before, version) if after == before else self._save(caller, before, version, after, action)

        return retried(attempt)

    def _save(self, caller: Caller, before: Goal | None, version: int, after: Goal, action: str) -> Stored:
        record = Record(head=_head(caller.shop_id, after, version + 1), body=goal_document(after))
        row = self._audit_row(caller, after, action, _diff(before, after))
        self._world.catalog.commit(Commit(puts=[Put(record=record, expected_version=version)], audit=[row]))
        return after, version + 1

    def _audit_row(self, caller: Caller, goal: Goal, action: str, diff: Mapping[str, Any]) -> AuditRow:
        entity = ("goal", goal.id, goal.name)
        return self._world.audit_row(
            user_id=caller.user_id, shop_id=caller.shop_id, action=action, entity=entity, diff=diff
        )


def _head(shop_id: str, goal: Goal, version: int) -> Head:
    created: Timestamp = goal.created_at
    return Head(
        shop_id=shop_id,
        kind="GOAL",
        id=goal.id,
        version=version,
        created_at=created,
        updated_at=goal.updated_at,
        name=goal.name,
        archived_at=goal.archived_at,
        attributes={"type": goal.type},
    )


def _diff(before: Goal | None, after: Goal) -> dict[str, Any]:
    old = goal_document(before) if before else {}
    new = goal_document(after)
    names = [field.name for field in fields(Goal) if field.name != "updated_at"]
    return {name: [old.get(name), new[name]] for name in names if old.get(name) != new[name]}
