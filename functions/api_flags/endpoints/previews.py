"""Route of preview links of flags."""

from typing import Annotated

from abtest.contract.previews import FlagPreviewLinkInput, PreviewLink
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.http.deps import confidential, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.flags.store import FlagStore
from abtest.services.preview_links import PreviewLinks
from abtest.services.preview_sessions import DEFAULT_SECONDS
from abtest.services.publication import TooLargeError
from api_flags.endpoints.vocabulary import Named, Previewer

router = Router("/flags", tag="Feature flags")

Reads = Annotated[FlagStore, use(FlagStore)]
UsesLinks = Annotated[PreviewLinks, use(PreviewLinks)]


@router.post(
    "/{flag_id}/preview-link",
    operation_id="createFlagPreviewLink",
    status_code=201,
    responses=errors(NotFoundError, TooLargeError, UrlNotAllowedError, ValidationFailedError),
)
@confidential
def create_preview_link(
    named: Named, body: FlagPreviewLinkInput, caller: Previewer, reading: Reads, links: UsesLinks
) -> PreviewLink:
    """Create a temporary link that gives the flag a value on the shop's own page, whatever its status is.

    `value` is `on` unless it is given. Flags for servers alone have no preview (422). The link works as that of a
    variation: see `POST /experiments/{experiment_id}/variations/{variation_id}/preview-link`.
    """
    given = body.provided()
    opened = links.of_flag(
        caller,
        reading.load(caller.shop_id, named),
        url=body.url,
        value=given.get("value", "on"),
        ttl_seconds=given.get("ttl_seconds", DEFAULT_SECONDS),
    )
    return PreviewLink.of(opened.session, opened.preview_url, opened.token)
