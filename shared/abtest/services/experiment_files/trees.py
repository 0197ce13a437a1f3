"""Use cases of experiment files: read, plan, apply."""

from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass, replace
from datetime import datetime, timedelta
from typing import Any, TypeVar

from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import NO_CONSENT, Consent
from abtest.domain.changes.errors import LiveConsumer, LiveImpactError, SlugTakenError
from abtest.domain.experiment_files import plans
from abtest.domain.experiment_files.bodies import Base
from abtest.domain.experiment_files.plans import Plan, TreeEdit
from abtest.domain.experiment_files.problems import Problem, located
from abtest.domain.experiment_files.rendering import files_of, with_guide
from abtest.domain.experiment_files.texts import Tree, tree_sha256
from abtest.domain.experiment_files.warnings import warnings_of
from abtest.domain.experiments.model import Experiment
from abtest.kit import canonical_json
from abtest.kit.clock import parse_timestamp, timestamp
from abtest.kit.errors import ConflictError, NotFoundError, ServiceError
from abtest.ports.catalog import StaleVersionError
from abtest.ports.limits import Sessions
from abtest.ports.scripts import ScriptChecker
from abtest.services.aggregates import Saved
from abtest.services.context import Caller, World
from abtest.services.experiment_files.changes import Reading, change_of, check_caller, draft_of, reading_of
from abtest.services.experiment_files.errors import TreeConflictError, no_such_plan, other_files, refused_files
from abtest.services.experiment_files.known_scripts import known_scripts
from abtest.services.experiment_files.shop_records import ShopRecords
from abtest.services.experiments.editor import ExperimentEditor
from abtest.services.experiments.records import slug_name, slug_taken
from abtest.services.experiments.scripts import refuse_broken_scripts
from abtest.services.experiments.store import ExperimentStore
from abtest.services.retries import Versions

PLAN_KEPT = timedelta(minutes=15)
PLAN_REMEMBERED = timedelta(days=2)
"""Time for which a plan is recognised that was applied; repeated requests are recognised for one day."""
_EVERY_CONSENT = Consent(confirmed=True)
_ROWS_A_READ = 100

Result = TypeVar("Result")


@dataclass(frozen=True, slots=True, kw_only=True)
class FilesOfExperiment:
    """Files of an experiment, the generated ones included, and the hash of those that people may edit."""

    experiment: Experiment
    files: Tree
    sha256: str


@dataclass(frozen=True, slots=True)
class Applied:
    """Experiment after its plan. `changed` is False where the plan was applied before, or changes nothing."""

    saved: Saved[Experiment]

    @property
    def changed(self) -> bool:
        """True where this request made the change."""
        return self.saved.changed


@dataclass(frozen=True, slots=True, kw_only=True)
class _Outcome:
    """Experiment after an edit, null where there are problems; and the live consumers that it touches."""

    after: Experiment | None
    problems: Sequence[Problem]
    live: Sequence[LiveConsumer] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class ExperimentTrees:
    """Files of experiments: the same rules as the API, one commit for each plan."""

    store: ExperimentStore
    editor: ExperimentEditor
    checker: ScriptChecker
    sessions: Sessions

    def read(self, shop_id: str, reference: str) -> FilesOfExperiment:
        """Return the files of an experiment. Raises NotFoundError."""
        experiment = self.store.get(shop_id, reference)
        tree = files_of(experiment, self._names(shop_id))
        return FilesOfExperiment(experiment=experiment, files=with_guide(tree), sha256=tree_sha256(tree))

    def plan(self, caller: Caller, reference: str | None, edit: TreeEdit, *, base_sha256: str | None = None) -> Plan:
        """Return everything that an edit would do, and change nothing; without a reference it makes an experiment.

        A plan without errors is kept for 15 minutes. Raises NotFoundError, TreeConflictError.
        """
        names = self._names(caller.shop_id)
        base = self._base(caller.shop_id, reference, names)
        if base_sha256 is not None and base_sha256 != tree_sha256(base.tree):
            raise TreeConflictError(tree_sha256(base.tree))
        tree, path_problems = plans.edited(base.tree, edit)
        reading, problems = reading_of(tree, base, names)
        outcome = self._outcome(caller, reading, [*path_problems, *problems])
        after = tree if outcome.after is None else files_of(outcome.after, names)
        plan = Plan(
            experiment_id=base.experiment_id,
            base_tree_sha256=tree_sha256(base.tree),
            operations=plans.operations_of(base.tree, after),
            errors=located(outcome.problems, tree),
            warnings=warnings_of(base.experiment, outcome.after, tree, after),
            live_impact=outcome.live,
        )
        return self._kept(plan, caller.shop_id, base, edit) if plan.ok else plan

    def apply(
        self,
        caller: Caller,
        reference: str,
        edit: TreeEdit,
        plan_sha256: str,
        *,
        consent: Consent,
        base_sha256: str | None = None,
        expected_version: Versions = None,
    ) -> Applied:
        """Make the change of a plan in one commit, once. `base_sha256` is the tree that the caller read, if given.

        Raises NotFoundError, ConflictError, TreeConflictError, LiveImpactError and the errors of an update.
        """

        def decide(before: Experiment, occasion: Occasion) -> Change[Experiment]:
            planned = self._planned(caller.shop_id, plan_sha256, edit)
            if planned["experiment_id"] != before.id:
                raise no_such_plan()
            return self._change(caller, before, edit, planned, occasion, consent, base_sha256)

        return Applied(self.store.change(caller, reference, decide, expected_version=expected_version))

    def create(self, caller: Caller, edit: TreeEdit, plan_sha256: str) -> Applied:
        """Create the experiment of a plan, once. Raises ConflictError and the errors of a creation."""
        planned = self._planned(caller.shop_id, plan_sha256, edit)
        if not planned["is_new"]:
            raise no_such_plan()
        experiment_id = str(planned["experiment_id"])
        if earlier := self.store.earlier(caller.shop_id, experiment_id):
            return Applied(earlier)
        if self._is_applied(caller.shop_id, planned):
            return self._created(caller.shop_id, experiment_id)
        _refuse_expired(planned, self._world.clock.now())
        names = self._names(caller.shop_id)
        tree, _ = plans.edited({}, edit)
        reading, problems = reading_of(tree, Base(experiment_id=experiment_id, experiment=None, tree={}), names)
        _refuse(problems, tree)
        check_caller(caller, reading)

        def make(occasion: Occasion) -> Experiment:
            return _or_refused(
                reading, tree, lambda: draft_of(self.editor, caller.shop_id, experiment_id, reading, occasion)
            )

        try:
            return Applied(self.store.add(caller, experiment_id, make, note={"plan": planned["plan"]}))
        except (StaleVersionError, SlugTakenError):
            # Another request applies the same plan at the same moment, so its id and its slug are taken.
            if self._is_applied(caller.shop_id, planned):
                return self._created(caller.shop_id, experiment_id)
            raise

    def _change(
        self,
        caller: Caller,
        before: Experiment,
        edit: TreeEdit,
        planned: Mapping[str, Any],
        occasion: Occasion,
        consent: Consent,
        base_sha256: str | None,
    ) -> Change[Experiment]:
        """Return the change of a plan as the experiment is now; none where it was made before."""
        if before.version != planned["version"] and self._is_applied(before.shop_id, planned):
            return Change(before=before, after=before, action="experiment.apply")
        _refuse_expired(planned, self._world.clock.now())
        names = self._names(before.shop_id)
        base = Base(experiment_id=before.id, experiment=before, tree=files_of(before, names))
        moved = plans.moved_paths(planned["base"], base.tree)
        if moved or base_sha256 not in (None, tree_sha256(base.tree)):
            raise TreeConflictError(tree_sha256(base.tree), moved)
        tree, _ = plans.edited(base.tree, edit)
        reading, problems = reading_of(tree, base, names)
        _refuse(problems, tree)
        check_caller(caller, reading)
        note = {"plan": planned["plan"]}
        return _or_refused(reading, tree, lambda: change_of(self.editor, before, reading, occasion, consent, note))

    def _outcome(self, caller: Caller, reading: Reading, problems: Sequence[Problem]) -> _Outcome:
        """Return what an edit would make of the experiment, by running all of its rules without storing anything."""
        if problems:
            return _Outcome(after=None, problems=problems)
        occasion, before = self.store.occasion(caller), reading.base.experiment
        live: Sequence[LiveConsumer] = ()
        try:
            check_caller(caller, reading)
            refuse_broken_scripts(reading.given, known_scripts(self.checker, before))
            try:
                after = self._after(caller, reading, occasion, NO_CONSENT)
            except LiveImpactError as error:
                live = error.consumers
                after = self._after(caller, reading, occasion, _EVERY_CONSENT)
            self._refuse_unstorable(before, after)
        except ServiceError as error:
            return _Outcome(after=None, problems=reading.problems_of(error), live=live)
        return _Outcome(after=after, problems=(), live=live)

    def _after(self, caller: Caller, reading: Reading, occasion: Occasion, consent: Consent) -> Experiment:
        before = reading.base.experiment
        if before is None:
            return draft_of(self.editor, caller.shop_id, reading.base.experiment_id, reading, occasion)
        return change_of(self.editor, before, reading, occasion, consent).subject

    def _refuse_unstorable(self, before: Experiment | None, after: Experiment) -> None:
        """Raise the errors that a commit would: too large, or a slug that is taken."""
        if after == before:
            return
        if self.store.admit is not None:
            self.store.admit(before, after)
        slug = after.slug
        if slug is None or (before is not None and slug == before.slug):
            return
        if self._world.catalog.resolve(after.shop_id, slug_name(slug)) is not None:
            raise slug_taken(slug)

    def _base(self, shop_id: str, reference: str | None, names: ShopRecords) -> Base:
        if reference is None:
            # Drawn when it is planned: an application that comes twice would otherwise make two experiments.
            return Base(experiment_id=self._world.new_id(), experiment=None, tree={})
        experiment = self.store.get(shop_id, reference)
        return Base(experiment_id=experiment.id, experiment=experiment, tree=files_of(experiment, names))

    def _kept(self, plan: Plan, shop_id: str, base: Base, edit: TreeEdit) -> Plan:
        """Return the plan with its name and its end, and remember what its application compares."""
        version = base.experiment.version if base.experiment else 0
        about = {
            "shop_id": shop_id,
            "experiment_id": base.experiment_id,
            "is_new": base.experiment is None,
            "version": version,
            "base": plans.short_hashes(base.tree),
            "edit": edit.sha256(),
        }
        sha256, now = canonical_json.sha256(about), self._world.clock.now()
        expires = now + PLAN_KEPT
        document = {**about, "plan": sha256, "planned_at": timestamp(now), "expires_at": timestamp(expires)}
        self.sessions.put(_session_id(shop_id, sha256), document, expires_at=now + PLAN_REMEMBERED)
        return replace(plan, sha256=sha256, expires_at=timestamp(expires))

    def _planned(self, shop_id: str, sha256: str, edit: TreeEdit) -> Mapping[str, Any]:
        """Return what is remembered of a plan. Raises ConflictError for a plan of long ago, and for other files."""
        planned = self.sessions.get(_session_id(shop_id, sha256), now=self._world.clock.now())
        if planned is None:
            raise no_such_plan()
        if planned["edit"] != edit.sha256():
            raise other_files()
        return planned

    def _is_applied(self, shop_id: str, planned: Mapping[str, Any]) -> bool:
        """Return whether the audit has a row that names the plan; it is written with the change or not at all."""
        after: str | None = None
        while True:
            rows, after = self._world.catalog.audit(
                shop_id, entity_id=str(planned["experiment_id"]), limit=_ROWS_A_READ, after_id=after
            )
            if any(row.diff.get("plan") == [None, planned["plan"]] for row in rows):
                return True
            if after is None or rows[-1].created_at < planned["planned_at"]:
                return False

    def _created(self, shop_id: str, experiment_id: str) -> Applied:
        try:
            return Applied(Saved(self.store.get(shop_id, experiment_id), changed=False))
        except NotFoundError as error:
            raise ConflictError("the experiment of this plan was created and deleted; plan again") from error

    def _names(self, shop_id: str) -> ShopRecords:
        return ShopRecords(self._world.catalog, shop_id)

    @property
    def _world(self) -> World:
        return self.store.world


def _refuse(problems: list[Problem], tree: Tree) -> None:
    if problems:
        raise refused_files(located(problems, tree))


def _or_refused(reading: Reading, tree: Tree, decide: Callable[[], Result]) -> Result:
    """Return a decision; an error at fields of the API becomes one at the places in files."""
    try:
        return decide()
    except ServiceError as error:
        if error.fields:
            raise refused_files(located(reading.problems_of(error), tree)) from error
        raise


def _session_id(shop_id: str, sha256: str) -> str:
    return f"plan#{shop_id}#{sha256}"


def _refuse_expired(planned: Mapping[str, Any], now: datetime) -> None:
    """Raise ConflictError for a plan that can no longer be applied; one that was applied is recognised before."""
    if parse_timestamp(planned["expires_at"]) <= now:
        raise no_such_plan()
