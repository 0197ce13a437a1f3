"""The handover routes in the OpenAPI document, with their schemas."""

from typing import Annotated

from pydantic import Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output
from abtest.domain.credentials.handover import LONGEST_TOKEN
from abtest.edge.handover_domains import LONGEST_SECONDS
from abtest.edge.handover_request import MAX_BODY_BYTES
from tools.edge_openapi_parts import ERROR, NOT_ALLOWED, RETRY_AFTER, Json, answer, operation, reference

Host = Annotated[str, Field(min_length=1, max_length=253, description="Without a port")]
Visitor = Annotated[str, Field(pattern="^[A-Za-z0-9_-]{16,64}$")]
RequestId = Annotated[
    str,
    Field(pattern="^[A-Za-z0-9_-]{16,64}$", description="The same in each repetition of one request"),
]
Token = Annotated[str, Field(min_length=1, max_length=LONGEST_TOKEN)]


class Signed(Input):
    """Credentials of a storefront inside a body."""

    shop_id: Annotated[Id, Field(alias="_shopId")]
    signature: Annotated[str, Field(alias="_signature", description="`v1.<kid>.<hex>`, as in the snippet")]


class HandoverRequest(Signed):
    """A visitor, and the host to which the visitor goes."""

    visitorId: Visitor  # noqa: N815
    destination: Host


class HandoverToken(Output):
    """A token for one visit to the destination. It works once."""

    token: Token
    expires_at: Annotated[DateTime, Field(description=f"At most {LONGEST_SECONDS} s away")]


class HandoverVerification(Signed):
    """A token, and the host to which it was brought."""

    token: Token
    host: Host
    requestId: RequestId = ABSENT  # noqa: N815


class HandedOverVisitor(Output):
    """The visitor of a token."""

    visitorId: Visitor  # noqa: N815


MODELS = (HandoverRequest, HandoverToken, HandoverVerification, HandedOverVisitor)


def _post(operation_id: str, summary: str, about: str, body: type[Input], result: type[Output], refused: str) -> Json:
    schema = {"schema": reference(body)}
    responses = {
        "200": answer(result.__doc__ or "", reference(result)),
        "400": answer(refused, ERROR),
        "401": answer("`ingest_unauthorized`", ERROR),
        "405": answer("`method_not_allowed`", ERROR, NOT_ALLOWED),
        "413": answer(f"`payload_too_large`: over {MAX_BODY_BYTES} bytes", ERROR),
        "415": answer("`unsupported_media_type`", ERROR),
        "429": answer("`rate_limited`", ERROR, RETRY_AFTER),
        "500": answer("`internal_error`", ERROR),
        "503": answer("`service_unavailable`", ERROR),
    }
    content = {"application/json": schema, "text/plain": schema}
    body_of_request = {"required": True, "content": content}
    return operation(operation_id, summary, responses, description=about, requestBody=body_of_request)


def paths() -> Json:
    """The path items of handovers."""
    mint = _post(
        "mintHandover",
        "Create a token that hands a visitor over to another host of the shop",
        "The SDK requests it when a visitor follows a link to a domain of the external-tracking settings.",
        HandoverRequest,
        HandoverToken,
        "`handover_invalid`, `destination_not_allowed`",
    )
    verify = _post(
        "verifyHandover",
        "Return the visitor of a handover token",
        "The SDK on the other host calls it once, with the token of its address. A token works once: only a request "
        "with the `requestId` of its first use gets the visitor again.",
        HandoverVerification,
        HandedOverVisitor,
        "`handover_invalid`, `handover_expired`, `handover_used`",
    )
    return {"/_svc/handover": {"post": mint}, "/_svc/handover/verify": {"post": verify}}
