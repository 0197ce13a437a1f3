"""Route that makes an experiment of an idea."""

from typing import Annotated

from abtest.contract.experiments import Experiment, IdeaExperimentCreate
from abtest.http.deps import PathId, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import LimitReachedError, NotFoundError, ValidationFailedError
from abtest.services.experiments.editor import ExperimentEditor
from abtest.services.experiments.shown import ShownExperiments
from abtest.services.scopes import FieldScopeRequiredError
from api_experiments.endpoints.vocabulary import Writer

router = Router("/backlog/ideas", tag="Backlog")

Authors = Annotated[ExperimentEditor, use(ExperimentEditor)]
Shown = Annotated[ShownExperiments, use(ShownExperiments)]


@router.post(
    "/{idea_id}/experiment",
    operation_id="createExperimentOfIdea",
    status_code=201,
    responses=errors(NotFoundError, FieldScopeRequiredError, LimitReachedError, ValidationFailedError),
)
def create_experiment_of_idea(
    idea_id: PathId, caller: Writer, authoring: Authors, ideas: Shown, body: IdeaExperimentCreate | None = None
) -> Experiment:
    """Create a draft from an idea, and link it: as the primary experiment, or as a follow-up of an idea that has one.

    The draft has the title of the idea as its name and the hypothesis as its description, unless the body has others.
    It needs the scope `backlog:write` as well.
    """
    idea = ideas.idea(caller.shop_id, idea_id)
    wished = {} if body is None else body.provided()
    fields = {"name": idea.title, "description": idea.hypothesis, **wished, "idea_id": idea.id}
    return ideas.shown(authoring.create(caller, fields))
