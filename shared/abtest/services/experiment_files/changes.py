"""Changes that files make to an experiment: the contract and the use cases of the API decide, as for every request."""

from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from pydantic import ValidationError

from abtest.contract.experiments import ExperimentCreate, ExperimentUpdate
from abtest.contract.schema_messages import schema_message
from abtest.domain.changes.change import Change, Occasion
from abtest.domain.changes.consent import Consent
from abtest.domain.experiment_files.bodies import Base, Body, body_of
from abtest.domain.experiment_files.part_names import with_file_names
from abtest.domain.experiment_files.positions import Pointer
from abtest.domain.experiment_files.problems import Problem
from abtest.domain.experiment_files.reading import Sheets, sheets_of
from abtest.domain.experiment_files.shop_names import ShopNames
from abtest.domain.experiment_files.sources import folders_in_body, pointer_of, problem_at
from abtest.domain.experiment_files.texts import Tree
from abtest.domain.experiments import editing, rules
from abtest.domain.experiments.model import Experiment
from abtest.kit.errors import ServiceError
from abtest.services.context import Caller
from abtest.services.experiments.editor import LAUNCH_SCOPE, ExperimentEditor, check_schedule_scope
from abtest.services.scopes import FieldScopeRequiredError


@dataclass(frozen=True, slots=True, kw_only=True)
class Reading:
    """Files as a request: the given fields, and those of goals that are changed behind their attachment."""

    base: Base
    sheets: Sheets
    body: Body
    given: dict[str, Any]

    def problems_of(self, error: ServiceError) -> list[Problem]:
        """Return the error of a use case at its places in the files."""
        if isinstance(error, FieldScopeRequiredError):
            return [self._at(("scheduled_start_at",), f"needs a key with the scope {LAUNCH_SCOPE}")]
        if not error.fields:
            return [self._at((), error.message)]
        return [self._at(pointer_of(each.path), each.message) for each in error.fields]

    def _at(self, location: Pointer, message: str) -> Problem:
        folders = folders_in_body(self.body.folders, "variations" in self.body.fields, self.base.experiment)
        return problem_at(location, message, folders, self.sheets.blocks)


def reading_of(tree: Tree, base: Base, names: ShopNames) -> tuple[Reading, list[Problem]]:
    """Return what files say as a request, and everything in them that the contract refuses."""
    sheets = sheets_of(tree)
    unread = list(sheets.problems)
    body = body_of(sheets, base, names)
    reading = Reading(base=base, sheets=sheets, body=body, given={})
    model = ExperimentCreate if base.experiment is None else ExperimentUpdate
    given, problems = _validated(reading, model, body.fields, lambda location: location)
    items = list(body.amendments.values())
    indices = list(body.amendments)
    amended, further = _validated(
        reading,
        ExperimentUpdate,
        {"goals": items} if items else {},
        lambda location: (*location[:1], indices[int(location[1])], *location[2:]) if len(location) > 1 else location,
    )
    if "goals" in amended:
        body.amendments = dict(zip(indices, amended["goals"], strict=True))
    # A file that cannot be read has no values, so what follows from that is not reported as well.
    paths = {problem.path for problem in unread}
    rest = [each for each in (*sheets.problems[len(unread) :], *problems, *further) if each.path not in paths]
    return replace(reading, given=given), [*unread, *rest]


def check_caller(caller: Caller, reading: Reading) -> None:
    """Raise FieldScopeRequiredError for a field that the caller's key may not set."""
    check_schedule_scope(caller, reading.given, is_new=reading.base.experiment is None)


def change_of(
    editor: ExperimentEditor,
    before: Experiment,
    reading: Reading,
    occasion: Occasion,
    consent: Consent,
    note: Mapping[str, object] | None = None,
) -> Change[Experiment]:
    """Return the change that files make. Raises LiveImpactError and every error of an update."""
    after = editor.edited(before, reading.given, occasion, put_fields=editing.begin)
    after = _completed(editor, after, reading, occasion)
    return editing.settle(before, after, occasion, action="experiment.apply", consent=consent, note=note)


def draft_of(
    editor: ExperimentEditor, shop_id: str, experiment_id: str, reading: Reading, occasion: Occasion
) -> Experiment:
    """Return the experiment that files describe. Raises every error of a creation."""
    draft = _completed(editor, editor.draft(shop_id, experiment_id, reading.given, occasion), reading, occasion)
    rules.check(draft)
    return draft


def _completed(editor: ExperimentEditor, after: Experiment, reading: Reading, occasion: Occasion) -> Experiment:
    """Return the experiment with what one request of the API cannot do together with the rest."""
    body = reading.body
    if body.amendments:
        changed = {item["id"]: item for item in body.amendments.values()}
        goals = [changed.get(goal.id, {"id": goal.id}) for goal in after.goals]
        after = editor.edited(after, {"goals": goals}, occasion)
    in_use = [arm.id for arm in after.variations if arm.archived_at is None]
    bare = {arm_id for arm_id, folder in zip(in_use, body.folders, strict=False) if folder in body.without_redirect}
    arms = (replace(arm, redirect_url=None) if arm.id in bare else arm for arm in after.variations)
    after = replace(after, variations=tuple(arms))
    # Without folders a new experiment has the variations of every new one, with the names that these have.
    return with_file_names(after, body.folders, body.keys) if len(body.folders) == len(in_use) else after


def _validated(
    reading: Reading, model: type[ExperimentCreate | ExperimentUpdate], fields: Any, place: Callable[[Pointer], Pointer]
) -> tuple[dict[str, Any], list[Problem]]:
    try:
        given: dict[str, Any] = model.model_validate(fields).provided()
    except ValidationError as error:
        return {}, [*_problems(reading, error, place)]
    return given, []


def _problems(reading: Reading, error: ValidationError, place: Callable[[Pointer], Pointer]) -> Iterable[Problem]:
    for each in error.errors(include_url=False, include_input=False):
        yield reading._at(place(each["loc"]), schema_message(each))
