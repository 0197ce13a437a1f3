"""Routes of preview sessions."""

from typing import Annotated

from abtest.contract.previews import Preview, PreviewCreate
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.http.deps import PathId, confidential, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.preview_sessions import DEFAULT_SECONDS, PreviewSessions
from abtest.services.previews import Previews
from api_experiments.endpoints.vocabulary import Previewer

UsesPreviews = Annotated[Previews, use(Previews)]
UsesSessions = Annotated[PreviewSessions, use(PreviewSessions)]

router = Router("/previews", tag="Previews")


@router.post(
    "",
    operation_id="createPreview",
    status_code=201,
    responses=errors(NotFoundError, UrlNotAllowedError, ValidationFailedError),
)
@confidential
def create_preview(body: PreviewCreate, caller: Previewer, previews: UsesPreviews) -> Preview:
    """Open a preview session: the shop's own page through the preview proxy, clickable, with a basket of its own.

    With `experiment_id` the page is shown with `variation_id`, by default the first variation that is not the control,
    whatever the status of the experiment; without it, without any experiment. Nothing is counted. The host of `url`
    must be one of the shop's install domains (422 `url_not_allowed`); the others can be visited too, at most ten.

    The session and its address end after `ttl_seconds`, an hour by default.
    """
    given = body.provided()
    opened = previews.open(
        caller,
        url=body.url,
        experiment=given.get("experiment_id"),
        variation=given.get("variation_id"),
        ttl_seconds=given.get("ttl_seconds", DEFAULT_SECONDS),
    )
    return Preview.of(opened.session, opened.preview_url, opened.token)


@router.get("/{session_id}", operation_id="getPreview", responses=errors(NotFoundError))
@confidential
def get_preview(session_id: PathId, caller: Previewer, sessions: UsesSessions) -> Preview:
    """Return a preview session that has not ended, of the proxy or of a preview link."""
    opened = sessions.get(caller.shop_id, session_id)
    return Preview.of(opened.session, opened.preview_url, opened.token)


@router.delete("/{session_id}", operation_id="revokePreview", status_code=204, responses=errors(NotFoundError))
def revoke_preview(session_id: PathId, caller: Previewer, sessions: UsesSessions) -> None:
    """End a preview session at once. Its address at the proxy then answers 401, and its link shows the original."""
    sessions.revoke(caller.shop_id, session_id)
