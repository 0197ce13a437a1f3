"""The handover routes in the OpenAPI document, with their schemas."""

from abtest.domain.credentials.handover import LONGEST_TOKEN
from abtest.edge.handover_domains import LONGEST_SECONDS
from abtest.edge.handover_request import MAX_BODY_BYTES
from tools.edge_openapi_parts import ERROR, NOT_ALLOWED, RETRY_AFTER, Json, answer, operation

_SIGNED: Json = {
    "_shopId": {"type": "string", "format": "uuid"},
    "_signature": {"type": "string", "description": "`v1.<kid>.<hex>`, as in the snippet"},
}
_HOST: Json = {"type": "string", "minLength": 1, "maxLength": 253, "description": "Without a port"}
_VISITOR: Json = {"type": "string", "pattern": "^[A-Za-z0-9_-]{16,64}$"}
_TOKEN: Json = {"type": "string", "minLength": 1, "maxLength": LONGEST_TOKEN}


def _object(**properties: Json) -> Json:
    return {"type": "object", "required": list(properties), "additionalProperties": False, "properties": properties}


SCHEMAS: Json = {
    "HandoverRequest": _object(**_SIGNED, visitorId=_VISITOR, destination=_HOST),
    "HandoverToken": _object(
        token=_TOKEN,
        expires_at={"type": "string", "format": "date-time", "description": f"At most {LONGEST_SECONDS} s away"},
    ),
    "HandoverVerification": _object(**_SIGNED, token=_TOKEN, host=_HOST),
    "HandedOverVisitor": _object(visitorId=_VISITOR),
}


def _post(operation_id: str, summary: str, asked: str, told: str, refused: str) -> Json:
    schema = {"schema": {"$ref": f"#/components/schemas/{asked}"}}
    responses = {
        "200": answer(summary, {"$ref": f"#/components/schemas/{told}"}),
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
    return operation(operation_id, summary, responses, requestBody={"required": True, "content": content})


def paths() -> Json:
    """The path items of handovers."""
    mint = _post(
        "mintHandover",
        "Create a token that hands a visitor over to another host of the shop",
        "HandoverRequest",
        "HandoverToken",
        "`handover_invalid`, `destination_not_allowed`",
    )
    verify = _post(
        "verifyHandover",
        "Return the visitor of a handover token",
        "HandoverVerification",
        "HandedOverVisitor",
        "`handover_invalid`, `handover_expired`",
    )
    return {"/_svc/handover": {"post": mint}, "/_svc/handover/verify": {"post": verify}}
