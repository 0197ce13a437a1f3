"""Making, reading, editing, copying and deleting experiments."""

from collections.abc import Mapping, Sequence
from dataclasses import replace
from typing import Any

from abtest.domain.experiments import editing, rules, variations
from abtest.domain.experiments.change import Change, Occasion
from abtest.domain.experiments.duplication import duplicate
from abtest.domain.experiments.editing import Consent
from abtest.domain.experiments.errors import NotDeletableError, refused
from abtest.domain.experiments.model import Experiment, Goal
from abtest.domain.experiments.schedule import set_schedule
from abtest.domain.experiments.states import PRE_LAUNCH
from abtest.domain.goals import lineup
from abtest.kit.errors import ServiceError
from abtest.services.context import Caller
from abtest.services.experiments.publishing import Published
from abtest.services.experiments.store import ExperimentStore, PublicIdTakenError
from abtest.services.goals import shop_goal, shop_goal_ids
from abtest.services.shops import shop_defaults

Stated = Mapping[str, Any]
LAUNCH_SCOPE = "experiments:launch"
_DRAWS = 5


class LaunchScopeRequiredError(ServiceError):
    """A schedule launches, so stating one takes the scope that launching takes."""

    status = 403
    code = "insufficient_scope"

    def __init__(self) -> None:
        super().__init__(f"scheduled_start_at needs the scope {LAUNCH_SCOPE}", extra={"required_scope": LAUNCH_SCOPE})


class Authoring:
    """Use cases around an experiment's fields."""

    def __init__(self, store: ExperimentStore) -> None:
        self._store = store

    def create(self, caller: Caller, stated: Stated) -> Published:
        """A draft from the fields of ExperimentCreate. Raises SlugTakenError and the errors of the domain's rules."""
        _check_idea(stated)
        _check_schedule_scope(caller, stated)
        return self._saved_as_new(caller, lambda: self._new(caller, stated))

    def update(
        self, caller: Caller, reference: str, stated: Stated, *, consent: Consent, expected_version: int | None = None
    ) -> Published:
        """Merge the stated fields in."""
        _check_schedule_scope(caller, stated)

        def decide(experiment: Experiment, occasion: Occasion) -> Change:
            after = _rescheduled(editing.apply(experiment, stated), experiment, occasion)
            return editing.settle(experiment, after, occasion, action="experiment.update", consent=consent)

        return self._store.change(caller, reference, decide, expected_version=expected_version)

    def delete(self, caller: Caller, reference: str, *, expected_version: int | None = None) -> None:
        """Remove a draft that never started. Raises NotDeletableError."""

        def decide(experiment: Experiment, _occasion: Occasion) -> Change:
            if experiment.status != "draft" or experiment.started_at is not None:
                raise NotDeletableError("only drafts that never started can be deleted; archive it instead")
            return Change(before=experiment, after=None, action="experiment.delete")

        self._store.change(caller, reference, decide, expected_version=expected_version)

    def duplicate(self, caller: Caller, reference: str, *, name: str | None, include_goals: bool) -> Published:
        """A draft with the same design under fresh ids; goals of the shop stay the shop's."""
        source = self._store.load(caller.shop_id, reference)
        goal_ids = self._goal_ids(caller, source.goals) if include_goals else None

        def make() -> Change:
            experiment_id, public_id = self._store.new_identity()
            copy = duplicate(
                source,
                experiment_id=experiment_id,
                public_id=public_id,
                variation_identities=[self._store.new_identity() for _ in source.variations],
                goal_ids=goal_ids,
                name=name,
                now=self._store.world.now(),
            )
            return Change(before=None, after=copy, action="experiment.duplicate", note={"source": source.id})

        return self._saved_as_new(caller, make)

    def _new(self, caller: Caller, stated: Stated) -> Change:
        occasion = self._store.occasion(caller)
        experiment_id, public_id = self._store.new_identity()
        parts = {"variations", "goals", "idea_id"}
        blank = Experiment(
            id=experiment_id,
            shop_id=caller.shop_id,
            public_id=public_id,
            name=stated["name"],
            created_at=occasion.now,
            updated_at=occasion.now,
        )
        fields = {name: value for name, value in stated.items() if name not in parts}
        experiment = _rescheduled(editing.apply(blank, fields), blank, occasion)
        arms = stated.get("variations") or variations.DEFAULT_VARIATIONS
        experiment = variations.initial(arms, [self._store.new_identity() for _ in arms], experiment)
        experiment = self._with_goals(experiment, stated.get("goals") or (), occasion)
        rules.check(experiment)
        return Change(before=None, after=experiment, action="experiment.create")

    def _with_goals(self, experiment: Experiment, stated: Sequence[Stated], occasion: Occasion) -> Experiment:
        maker = GoalMaker(self._store)
        made = [maker.make(experiment, fields, occasion, f"goals[{i}].") for i, fields in enumerate(stated)]
        if len({goal.id for goal in made}) != len(made):
            raise refused("goals", "a goal of the shop is attached twice")
        return replace(experiment, goals=lineup.initial(made, stated))

    def _goal_ids(self, caller: Caller, goals: Sequence[Goal]) -> dict[str, str]:
        kept = shop_goal_ids(self._store.world.catalog, caller.shop_id, [goal.id for goal in goals])
        return {goal.id: goal.id if goal.id in kept else self._store.world.new_id() for goal in goals}

    def _saved_as_new(self, caller: Caller, make: Any) -> Published:
        """Store what `make` makes, which draws fresh public ids each time it is called."""
        for _ in range(_DRAWS):
            try:
                return self._store.save(caller, make())
            except PublicIdTakenError:
                continue
        raise AssertionError(f"{_DRAWS} random public ids in a row were taken")


class GoalMaker:
    """Goals from inputs: new ones, or copies of the shop's."""

    def __init__(self, store: ExperimentStore) -> None:
        self._world = store.world

    def make(self, experiment: Experiment, stated: Stated, occasion: Occasion, path: str = "") -> Goal:
        """The goal that an input describes. Raises ValidationFailedError for an unknown goal_id."""
        catalog, shop_id = self._world.catalog, experiment.shop_id
        if "goal_id" in stated:
            return _attached(shop_goal(catalog, shop_id, stated["goal_id"]), experiment, stated, occasion, path)
        return lineup.make(
            stated,
            goal_id=self._world.new_id(),
            experiment_id=experiment.id,
            now=occasion.now,
            window_days=shop_defaults(catalog, shop_id)["attribution_window_days"],
        )


def _attached(kept: Goal | None, experiment: Experiment, stated: Stated, occasion: Occasion, path: str) -> Goal:
    if kept is None:
        raise refused(f"{path}goal_id", "is no goal of the shop")
    beyond = sorted(set(stated) - {"goal_id", "role", "is_primary"})
    if beyond:
        raise refused(f"{path}{beyond[0]}", "is the shop's goal's to say")
    own = {name: stated[name] for name in ("role", "is_primary") if name in stated}
    neutral = {"is_primary": False, "role": "secondary" if kept.role == "primary" else kept.role}
    fields = {**neutral, **lineup.tidy(own)}
    return replace(kept, experiment_id=experiment.id, created_at=occasion.now, updated_at=occasion.now, **fields)


def _check_idea(stated: Stated) -> None:
    if "idea_id" in stated:
        raise refused("idea_id", "there is no such idea")


def _check_schedule_scope(caller: Caller, stated: Stated) -> None:
    if "scheduled_start_at" in stated and LAUNCH_SCOPE not in caller.scopes:
        raise LaunchScopeRequiredError


def _rescheduled(after: Experiment, before: Experiment, occasion: Occasion) -> Experiment:
    """The edit, if its start is one that a schedule may have."""
    if after.scheduled_start_at == before.scheduled_start_at:
        return after
    if before.status not in PRE_LAUNCH:
        raise refused("scheduled_start_at", "the experiment has started")
    if after.scheduled_start_at is not None:
        set_schedule(before, after.scheduled_start_at, after.scheduled_end_at, occasion)
    return after
