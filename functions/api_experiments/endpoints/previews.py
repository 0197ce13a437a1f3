"""Routes of preview sessions."""

from typing import Annotated

from abtest.contract.previews import Preview, PreviewCreate
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.http.deps import PathId, confidential, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.previews import DEFAULT_SECONDS, OpenPreview, Previews
from api_experiments.endpoints.vocabulary import Previewer

UsesPreviews = Annotated[Previews, use(Previews)]

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
    return preview(opened)


@router.get("/{session_id}", operation_id="getPreview", responses=errors(NotFoundError))
@confidential
def get_preview(session_id: PathId, caller: Previewer, previews: UsesPreviews) -> Preview:
    """Return a preview session that has not ended."""
    return preview(previews.get(caller.shop_id, session_id))


@router.delete("/{session_id}", operation_id="revokePreview", status_code=204, responses=errors(NotFoundError))
def revoke_preview(session_id: PathId, caller: Previewer, previews: UsesPreviews) -> None:
    """End a preview session at once. Its address then answers 401."""
    previews.revoke(caller.shop_id, session_id)


def preview(opened: OpenPreview) -> Preview:
    """Response of a session."""
    session = opened.session
    return Preview(
        session_id=session.id,
        url=session.url,
        experiment_id=session.experiment_id,
        variation_id=session.variation_id,
        token=opened.token,
        preview_url=opened.preview_url,
        allowed_hosts=list(session.hosts),
        expires_at=session.expires_at,
    )
