"""Routes of the experiment of a landing page."""

from typing import Annotated

from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.landing_pages import LandingPage, LandingPageExperimentInput
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.http.deps import IfMatch, PathId, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, NotFoundError, ValidationFailedError
from abtest.services.pages.experiments import PageExperiments
from api_pages.endpoints.vocabulary import Shown, Writer

router = Router("/landing-pages/{landing_page_id}/experiment", tag="Landing pages")

Uses = Annotated[PageExperiments, use(PageExperiments)]


@router.put(
    "",
    operation_id="linkLandingPageExperiment",
    responses=errors(
        NotFoundError,
        InvalidStateTransitionError,
        ConflictError,
        ValidationFailedError,
        s409=InvalidStateTransitionEnvelope,
    ),
)
def link_experiment(
    landing_page_id: PathId,
    body: LandingPageExperimentInput,
    caller: Writer,
    experiments: Uses,
    shown: Shown,
    if_match: IfMatch,
) -> LandingPage:
    """Link a landing page to an experiment, with the version that each variation shows.

    It takes effect with the next publish. `versions` has a version of this page for each variation that is not
    archived. The server decides before it sends the page, so these are 422: redirect tests, completed and archived
    experiments, page rules that do not match the page's address, and conditions that only a browser can evaluate, such
    as `device`, a cookie or a trigger. An experiment belongs to one page at most (409 `conflict`). While it is linked,
    it cannot be deleted.
    """
    return shown(experiments.link(caller, landing_page_id, body.provided(), expected_version=if_match).value)


@router.delete("", operation_id="unlinkLandingPageExperiment", responses=errors(NotFoundError))
def unlink_experiment(
    landing_page_id: PathId, caller: Writer, experiments: Uses, shown: Shown, if_match: IfMatch
) -> LandingPage:
    """Remove the link of a landing page to its experiment, if there is one.

    It takes effect with the next publish: until then, visitors see the variants.
    """
    return shown(experiments.unlink(caller, landing_page_id, expected_version=if_match).value)
