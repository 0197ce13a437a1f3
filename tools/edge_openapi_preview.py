"""The routes of the preview proxy in the OpenAPI document, with their schemas."""

from typing import Annotated

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output
from abtest.domain.preview.progress import MAX_BLOCKED
from abtest.domain.preview.session import REQUESTS_PER_WINDOW
from abtest.edge.preview import MAX_COOKIES, METHODS
from tools.edge_openapi_parts import ERROR, NOT_ALLOWED, RETRY_AFTER, Json, answer, operation, parameter, reference


class PreviewPage(Output):
    """The last document of a preview."""

    url: str
    status: Annotated[int, Field(description="Status that the shop answered with")]


class PreviewBlocked(Output):
    """An address that a preview did not load."""

    url: str
    reason: Annotated[str, Field(description="Why it was not loaded, in words")]


class PreviewState(Output):
    """The state of a preview session."""

    session_id: Annotated[Id, Field(description="Id of the preview session")]
    hosts: Annotated[list[str], Field(description="Hosts that the preview shows")]
    experiment_id: Id | None
    variation_id: Annotated[Id | None, Field(description="The variation that is shown now; null without an experiment")]
    variation_ids: Annotated[list[Id], Field(description="Variations that can be shown")]
    expires_at: DateTime
    page: Annotated[PreviewPage | None, Field(description="The last document; null before the first")]
    cookies: Annotated[list[str], Field(description="Names of the cookies that the session keeps")]
    blocked: Annotated[list[PreviewBlocked], Field(description=f"The last {MAX_BLOCKED} addresses, the newest last")]


class PreviewStateChange(Input):
    """Another variation, or cookies that scripts of a page have set."""

    model_config = ConfigDict(
        json_schema_extra={"anyOf": [{"required": ["variation_id"]}, {"required": ["url", "cookies"]}]}
    )

    variation_id: Id = ABSENT
    url: Annotated[str, Field(description="Address of the page whose script has set the cookie")] = ABSENT
    cookies: Annotated[
        list[str], Field(max_length=MAX_COOKIES, description="Texts that were assigned to `document.cookie`, in order")
    ] = ABSENT


MODELS = (PreviewPage, PreviewBlocked, PreviewState, PreviewStateChange)
TOKEN = parameter("pst", "query", "Token of the session", {"type": "string"}, required=True)
REFUSED: Json = {
    "400": answer("`invalid_request`", ERROR),
    "401": answer("`preview_token_missing`, `preview_token_invalid`, `preview_token_expired`", ERROR),
    "405": answer("`method_not_allowed`", ERROR, NOT_ALLOWED),
    "413": answer("`payload_too_large`", ERROR),
    "429": answer(f"`rate_limited`: over {REQUESTS_PER_WINDOW} requests of the session a minute", ERROR, RETRY_AFTER),
    "500": answer("`internal_error`", ERROR),
    "503": answer("`service_unavailable`", ERROR),
}


def _page(method: str) -> Json:
    url = parameter("url", "query", "Page of the shop", {"type": "string", "format": "uri"}, required=True)
    responses: Json = {
        "200": {
            "description": "The response of the shop, with its own status",
            "content": {"text/html": {"schema": {"type": "string"}}},
        },
        **REFUSED,
        "403": answer("`preview_host_not_allowed`", ERROR),
        "502": answer("`preview_upstream_failed`, `preview_too_large`", ERROR),
        "504": answer("`preview_upstream_timeout`", ERROR),
    }
    return operation(
        f"{method.lower()}PreviewedPage",
        f"Pass a {method} request of a previewed page to the shop",
        responses,
        description=(
            "The shop's page through the preview proxy, for browsers: addresses lead through the proxy, cookies are "
            "kept for the session, and the snippet shows the session's variation. Errors are HTML where the browser "
            "accepts it."
        ),
        parameters=[TOKEN, url],
    )


def _state() -> Json:
    shown = operation(
        "getPreviewState",
        "The state of a preview session",
        {"200": answer("The state", reference(PreviewState)), **REFUSED},
        description="The last page, the names of cookies, and what was not loaded, with the reason.",
        parameters=[TOKEN],
    )
    body = {"required": True, "content": {"application/json": {"schema": reference(PreviewStateChange)}}}
    changed = operation(
        "changePreviewState",
        "Change the state of a preview session",
        {"204": {"description": "Changed"}, **REFUSED, "415": answer("`unsupported_media_type`", ERROR)},
        description="Pages of the preview call it when a script sets a cookie, or another variation is chosen.",
        parameters=[TOKEN],
        requestBody=body,
    )
    return {"get": shown, "post": changed}


def paths() -> Json:
    """The path items of previews."""
    return {"/api/preview": {method.lower(): _page(method) for method in METHODS}, "/api/preview/state": _state()}
