"""Routes of experiment files: read, plan, apply."""

from typing import Annotated

from starlette.requests import Request

from abtest.contract.experiment_files import (
    AppliedPlan,
    EditedTree,
    ExperimentFilesystemFile,
    ExperimentPlan,
    ExperimentTree,
    NewTree,
    PlannedNewTree,
    PlannedTree,
    TreeConflictEnvelope,
)
from abtest.domain.changes.errors import InvalidStateTransitionError, LiveImpactError, SlugTakenError
from abtest.domain.experiments.errors import WeightsSumError
from abtest.http.deps import IfMatch, carries_code, use, versioned
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit import canonical_json
from abtest.kit.content_coding import accepts_gzip
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.experiment_files.errors import TreeConflictError
from abtest.services.experiment_files.trees import Applied, ExperimentTrees
from abtest.services.experiments.shown import ShownExperiments
from abtest.services.publication import TooLargeError
from abtest.services.scopes import FieldScopeRequiredError
from api_experiments.endpoints.vocabulary import ExperimentId, Reader, Writer

router = Router("/experiments", tag="Experiment files")

Trees = Annotated[ExperimentTrees, use(ExperimentTrees)]
Shown = Annotated[ShownExperiments, use(ShownExperiments)]

MAX_PLAIN_BYTES = 4_400_000
"""Size of the files as JSON that a response without compression can have."""

APPLYING = (
    ConflictError,
    FieldScopeRequiredError,
    LimitReachedError,
    SlugTakenError,
    TooLargeError,
    ValidationFailedError,
    WeightsSumError,
)


def applied(result: Applied, ideas: ShownExperiments) -> AppliedPlan:
    """Return the response of an application."""
    experiment = result.saved.value
    return AppliedPlan(
        ok=True, experimentId=experiment.id, applied=result.changed, experiment=ideas.shown(result.saved)
    ).at(experiment.version)


@router.post("/filesystem/plan", operation_id="planNewExperimentFiles")
@carries_code
def plan_new(body: NewTree, caller: Writer, trees: Trees) -> ExperimentPlan:
    """Plan a new experiment from its files, such as those of an experiment of another shop, and change nothing.

    `experiment.json` is required; pages, audiences and goals that it names must be in the shop. The plan can be applied
    for 15 minutes.
    """
    return ExperimentPlan.of(trees.plan(caller, None, body.edit()))


@router.post("/filesystem/apply", operation_id="applyNewExperimentFiles", status_code=201, responses=errors(*APPLYING))
@versioned
@carries_code
def apply_new(body: PlannedNewTree, caller: Writer, trees: Trees, ideas: Shown) -> AppliedPlan:
    """Create the experiment of a plan, once: applied again, it returns the same experiment and changes nothing."""
    return applied(trees.create(caller, body.edit(), body.plan_sha256), ideas)


@router.get(
    "/{experiment_id}/filesystem", operation_id="getExperimentFiles", responses=errors(NotFoundError, LimitReachedError)
)
@versioned
def read(experiment_id: ExperimentId, caller: Reader, trees: Trees, request: Request) -> ExperimentTree:
    """Return the whole design of an experiment as files.

    JSON has a stable order and two spaces a level; code is in files of its own. Variations in use and goals in use are
    shown, archived ones are not. Pages, audiences and goals of the shop are named where the name is unique. Files of
    more than 4.4 MB as JSON need `Accept-Encoding: gzip`.
    """
    result = trees.read(caller.shop_id, experiment_id)
    # Lambda refuses responses over 6 MB, and base64 adds a third.
    is_large = len(canonical_json.encode(dict(result.files))) > MAX_PLAIN_BYTES
    if is_large and not accepts_gzip(request.headers.get("accept-encoding", "")):
        raise LimitReachedError("the files are too large for a plain response; send Accept-Encoding: gzip")
    files = [ExperimentFilesystemFile.of(path, content) for path, content in result.files.items()]
    # Pages, audiences and goals of the shop that are renamed change the files without the experiment.
    return ExperimentTree(files=files, tree_sha256=result.sha256).at(result.experiment.version, shows_others=True)


@router.post(
    "/{experiment_id}/filesystem/plan",
    operation_id="planExperimentFiles",
    responses=errors(NotFoundError, TreeConflictError, s409=TreeConflictEnvelope),
)
@carries_code
def plan(experiment_id: ExperimentId, body: EditedTree, caller: Writer, trees: Trees) -> ExperimentPlan:
    """Return everything that the files would change, and change nothing: operations with diffs, errors, warnings.

    Files that the request does not name stay as they are. The same rules apply as to every other request; an error
    names the line and the column. `live_impact` has what shoppers would notice, which the application must acknowledge.
    The plan can be applied for 15 minutes.
    """
    return ExperimentPlan.of(
        trees.plan(caller, experiment_id, body.edit(), base_sha256=body.provided().get("base_tree_sha256"))
    )


@router.post(
    "/{experiment_id}/filesystem/apply",
    operation_id="applyExperimentFiles",
    responses=errors(
        NotFoundError,
        InvalidStateTransitionError,
        LiveImpactError,
        TreeConflictError,
        *APPLYING,
        s409=TreeConflictEnvelope,
    ),
)
@versioned
@carries_code
def apply(
    experiment_id: ExperimentId, body: PlannedTree, caller: Writer, trees: Trees, ideas: Shown, if_match: IfMatch
) -> AppliedPlan:
    """Make the changes of a plan in one commit with one audit row, or none of them.

    Send the files and deletes of the plan again. Applied again, a plan changes nothing. Files that changed since the
    plan are 409 `tree_conflict`, with their `paths`. While the experiment runs, a change that shoppers would notice
    needs `confirm_live_impact`.
    """
    result = trees.apply(
        caller,
        experiment_id,
        body.edit(),
        body.plan_sha256,
        consent=body.consent(),
        base_sha256=body.provided().get("base_tree_sha256"),
        expected_version=if_match,
    )
    return applied(result, ideas)
