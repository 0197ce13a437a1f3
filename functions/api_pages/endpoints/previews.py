"""Route of previews of landing pages while they are written."""

from typing import Annotated

from abtest.contract.landing_previews import LandingPagePreview, LandingPagePreviewCreate
from abtest.domain.pages.rules import DocumentTooLargeError
from abtest.http.deps import PathId, carries_code, confidential, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.landing_previews import LandingPreviews
from api_pages.endpoints.vocabulary import Writer

router = Router("/landing-pages/{landing_page_id}/previews", tag="Landing pages")


@router.post(
    "",
    operation_id="createLandingPagePreview",
    status_code=201,
    responses=errors(NotFoundError, DocumentTooLargeError, ValidationFailedError),
)
@carries_code
@confidential
def create_preview(
    landing_page_id: PathId,
    body: LandingPagePreviewCreate,
    caller: Writer,
    previews: Annotated[LandingPreviews, use(LandingPreviews)],
) -> LandingPagePreview:
    """Render content before a version is written, and return an address that shows it for an hour.

    It is checked and rendered as `POST …/versions` does, and no version is made. The address shows the page without
    its snippet: nothing runs and nothing is counted. Forms send nothing, and links to other addresses open a window.
    It ends with `DELETE /previews/{session_id}`. A shop makes 120 a minute (429 `rate_limited`).
    """
    opened = previews.open(caller, landing_page_id, body.provided())
    return LandingPagePreview.of(opened.session, opened.preview_url)
