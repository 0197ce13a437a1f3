"""Route of preview links of personalizations."""

from typing import Annotated

from abtest.contract.previews import PersonalizationPreviewLinkInput, PreviewLink
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.http.deps import confidential, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.preview_links import PreviewLinks
from abtest.services.preview_sessions import DEFAULT_SECONDS
from abtest.services.publication import TooLargeError
from api_personalizations.endpoints.vocabulary import PersonalizationId, Previewer

router = Router("/personalizations/{personalization_id}", tag="Personalizations")

Reads = Annotated[PersonalizationStore, use(PersonalizationStore)]
UsesLinks = Annotated[PreviewLinks, use(PreviewLinks)]


@router.post(
    "/preview-link",
    operation_id="createPersonalizationPreviewLink",
    status_code=201,
    responses=errors(NotFoundError, TooLargeError, UrlNotAllowedError, ValidationFailedError),
)
@confidential
def create_preview_link(
    personalization_id: PersonalizationId,
    body: PersonalizationPreviewLinkInput,
    caller: Previewer,
    reading: Reads,
    links: UsesLinks,
) -> PreviewLink:
    """Create a temporary link that shows an experience on the shop's own page, whatever the status is.

    `experience` is a key or an id, by default the first experience. The link works as that of a variation: see `POST
    /experiments/{experiment_id}/variations/{variation_id}/preview-link`.
    """
    given = body.provided()
    opened = links.of_personalization(
        caller,
        reading.get(caller.shop_id, personalization_id),
        url=body.url,
        experience=given.get("experience"),
        ttl_seconds=given.get("ttl_seconds", DEFAULT_SECONDS),
    )
    return PreviewLink.of(opened.session, opened.preview_url, opened.token)
