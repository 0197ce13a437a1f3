"""Editor of experiments: creation, edits, copies and deletion."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import replace
from typing import Any

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import Consent
from abtest.domain.changes.errors import NotDeletableError
from abtest.domain.experiments import editing, redirects, rules, variations
from abtest.domain.experiments import goals as experiment_goals
from abtest.domain.experiments.duplication import duplicate
from abtest.domain.experiments.model import Experiment
from abtest.domain.experiments.schedule import set_schedule
from abtest.domain.experiments.states import PRE_LAUNCH, position
from abtest.domain.goals.model import Goal
from abtest.domain.goals.shapes import GoalFields
from abtest.kit.errors import refused
from abtest.ports.scripts import ScriptChecker
from abtest.services.aggregates import Saved
from abtest.services.context import Caller
from abtest.services.experiments.goal_maker import GoalMaker
from abtest.services.experiments.ideas import IdeasOfExperiments
from abtest.services.experiments.scripts import refuse_broken_scripts
from abtest.services.experiments.store import ExperimentStore
from abtest.services.goals import shop_goal_ids
from abtest.services.retries import Versions, retried
from abtest.services.reusable.references import refuse_unknown_references, with_pages
from abtest.services.scopes import require_scope
from abtest.services.shops import shop_defaults

Given = Mapping[str, Any]
Put = Callable[[Experiment, Given], Experiment]
LAUNCH_SCOPE = "experiments:launch"
BACKLOG_SCOPE = "backlog:write"
_PARTS = frozenset({"variations", "goals", "idea_id"})


class ExperimentEditor:
    """Use cases of an experiment's fields."""

    def __init__(self, store: ExperimentStore, checker: ScriptChecker) -> None:
        self._store = store
        self._checker = checker

    def create(self, caller: Caller, given: Given) -> Saved[Experiment]:
        """Create a draft from the fields of ExperimentCreate.

        Raises SlugTakenError, InvalidScriptError and the errors of the domain's rules.
        """
        check_schedule_scope(caller, given, is_new=True)
        refuse_broken_scripts(given, self._checker)
        world = self._store.world
        experiment_id, link_id = world.new_id(), world.new_id()
        if (idea_id := given.get("idea_id")) is None:
            return self._store.add(
                caller, experiment_id, lambda occasion: self.draft(caller.shop_id, experiment_id, given, occasion)
            )
        require_scope(caller, BACKLOG_SCOPE, field="idea_id")

        def attempt() -> Saved[Experiment]:
            # Read again at each attempt, because the idea is part of the commit.
            idea = IdeasOfExperiments(world).linking(caller, idea_id, experiment_id, link_id)
            return self._store.add(
                caller,
                experiment_id,
                lambda occasion: self.draft(caller.shop_id, experiment_id, given, occasion),
                extra=idea,
                attempts=1,
            )

        # What an earlier run of this request stored must not be linked once more.
        return self._store.earlier(caller.shop_id, experiment_id) or retried(attempt)

    def update(
        self,
        caller: Caller,
        reference: str,
        given: Given,
        *,
        consent: Consent,
        expected_version: Versions = None,
    ) -> Saved[Experiment]:
        """Merge the given fields in; `variations` and `goals` replace the whole list."""
        check_schedule_scope(caller, given, is_new=False)
        # Before the retried part: parsing takes seconds, and its result does not depend on the stored experiment.
        refuse_broken_scripts(given, self._checker)

        def decide(experiment: Experiment, occasion: Occasion) -> Change[Experiment]:
            after = self.edited(experiment, given, occasion)
            return editing.settle(experiment, after, occasion, action="experiment.update", consent=consent)

        return self._store.change(caller, reference, decide, expected_version=expected_version)

    def delete(self, caller: Caller, reference: str, *, expected_version: Versions = None) -> None:
        """Remove a draft that never started. Raises NotDeletableError."""
        self._store.remove(caller, reference, expected_version=expected_version, check=self._require_deletable)

    def duplicate(self, caller: Caller, reference: str, *, name: str | None, include_goals: bool) -> Saved[Experiment]:
        """Create a draft with the same design under new ids; goals of the shop keep their ids."""
        experiment_id = self._store.world.new_id()
        source = self._store.get(caller.shop_id, reference)
        goal_ids = self._goal_ids(caller, source.goals) if include_goals else None

        def make(occasion: Occasion) -> Experiment:
            return duplicate(
                source,
                experiment_id=experiment_id,
                public_id=self._store.new_public_id(),
                variation_identities=[self._store.new_identity() for _ in source.variations],
                goal_ids=goal_ids,
                name=name,
                now=occasion.now,
            )

        return self._store.add(caller, experiment_id, make, action="experiment.duplicate", note={"source": source.id})

    def edited(
        self, experiment: Experiment, given: Given, occasion: Occasion, *, put_fields: Put = editing.apply
    ) -> Experiment:
        """Return the experiment with the given fields; the rules of experiments are checked when the edit is settled.

        `put_fields` merges objects, or replaces them as a whole. Raises ValidationFailedError and NotFoundError.
        """
        fields = {name: value for name, value in given.items() if name not in _PARTS}
        after = _rescheduled(put_fields(experiment, fields), experiment, occasion)
        after = self._with_parts(after, given, occasion)
        self._check_references(experiment, after)
        return after

    def draft(self, shop_id: str, experiment_id: str, given: Given, occasion: Occasion) -> Experiment:
        """Return a new draft with the fields of ExperimentCreate. Raises the errors of the domain's rules."""
        blank = Experiment(
            id=experiment_id,
            shop_id=shop_id,
            public_id=self._store.new_public_id(),
            name=given["name"],
            created_at=occasion.now,
            updated_at=occasion.now,
        )
        fields = {name: value for name, value in given.items() if name not in _PARTS}
        experiment = _rescheduled(editing.begin(blank, fields), blank, occasion)
        arms = given.get("variations") or variations.DEFAULT_VARIATIONS
        experiment = variations.initial(arms, [self._store.new_identity() for _ in arms], experiment)
        experiment = self._with_goals(experiment, given.get("goals") or (), occasion)
        rules.check(experiment)
        self._check_references(blank, experiment)
        return experiment

    def _check_references(self, before: Experiment, after: Experiment) -> None:
        """Refuse unknown pages and audiences, and pages that a redirect leads to."""
        if after.targeting != before.targeting:
            catalog, shop_id = self._store.world.catalog, after.shop_id
            refuse_unknown_references(catalog, shop_id, after.targeting, before=before.targeting)
            redirects.check(replace(after, targeting=with_pages(catalog, shop_id, after.targeting)))

    def _with_parts(self, experiment: Experiment, given: Given, occasion: Occasion) -> Experiment:
        if "variations" in given:
            arms = given["variations"]
            # One for each item, also for existing variations: only the domain can match them. Unused ones cost nothing.
            identities = [self._store.new_identity() for _ in arms]
            experiment = variations.replace_all(
                experiment, arms, identities, now=occasion.now, user_id=occasion.user_id
            )
        if "goals" in given:
            items = given["goals"]
            maker = self._goal_maker(experiment)
            goals = [maker.named_or_new(experiment, item, occasion, i) for i, item in enumerate(items)]
            experiment = experiment_goals.replace_all(experiment, goals, items, occasion.now)
        return experiment

    def _with_goals(self, experiment: Experiment, given: Sequence[GoalFields], occasion: Occasion) -> Experiment:
        maker = self._goal_maker(experiment)
        made = [maker.make(experiment, fields, occasion, f"goals[{i}].") for i, fields in enumerate(given)]
        # A copy keeps the id of the shop's goal, so one named twice would make two goals with one id.
        if len({goal.id for goal in made}) != len(made):
            raise refused("goals", "a goal of the shop is attached twice")
        return replace(experiment, goals=experiment_goals.initial(made, given))

    def _goal_maker(self, experiment: Experiment) -> GoalMaker:
        return GoalMaker(self._store.world, experiment.shop_id)

    def _require_deletable(self, experiment: Experiment) -> None:
        if experiment.status == "draft" and experiment.started_at is None:
            return
        required = shop_defaults(self._store.world.catalog, experiment.shop_id)["require_approval"]
        message = "only drafts that never started can be deleted; archive it instead"
        raise NotDeletableError(message, facts=position(experiment, approval_required=required))

    def _goal_ids(self, caller: Caller, goals: Sequence[Goal]) -> dict[str, str]:
        kept = shop_goal_ids(self._store.world.catalog, caller.shop_id, [goal.id for goal in goals])
        return {goal.id: goal.id if goal.id in kept else self._store.world.new_id() for goal in goals}


def check_schedule_scope(caller: Caller, given: Given, *, is_new: bool) -> None:
    """Raise FieldScopeRequiredError for a schedule from a caller who may not launch."""
    # A schedule launches, so it takes the scope of launching, and so does ending one. A new experiment has none to end.
    if "scheduled_start_at" in given and not (is_new and given["scheduled_start_at"] is None):
        require_scope(caller, LAUNCH_SCOPE, field="scheduled_start_at")


def _rescheduled(after: Experiment, before: Experiment, occasion: Occasion) -> Experiment:
    """Return the edit if its start is valid for a schedule."""
    if after.scheduled_start_at == before.scheduled_start_at:
        return after
    if before.status not in PRE_LAUNCH:
        raise refused("scheduled_start_at", "the experiment has started")
    if after.scheduled_start_at is not None:
        # Only for its checks; the result is dropped, because the edit has its own change and audit row. Only archived
        # ones are refused for their state, and what they allow does not depend on approvals.
        set_schedule(
            before,
            after.scheduled_start_at,
            after.scheduled_end_at,
            occasion,
            approval_required=False,
            start_path="scheduled_start_at",
        )
    return after
