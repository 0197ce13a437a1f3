"""The edge routes in the OpenAPI document: written by hand from the contract, since they are no FastAPI routes.

They stand under a server of their own, `{worker_base_url}`; tests hold the edge handlers' answers against them.
"""

from abtest.domain.ledger.events import EVENT_TYPES
from abtest.edge.delivery import UNCACHED_PARAMETERS
from tools import edge_openapi_assign as assignment
from tools import edge_openapi_handover as handover
from tools.edge_openapi_parts import (
    ERROR,
    NOT_ALLOWED,
    RETRY_AFTER,
    SERVERS,
    Json,
    answer,
    operation,
    parameter,
    script,
)

SCHEMAS: Json = {
    "WorkerError": {
        "type": "object",
        "description": "The flat error of the edge.",
        "required": ["error", "message"],
        "additionalProperties": False,
        "properties": {"error": {"type": "string"}, "message": {"type": "string"}},
    },
    "IngestEvent": {
        "type": "object",
        "description": (
            "One event. An invalid event is quarantined without affecting the others. Other properties are ignored."
        ),
        "properties": {
            "type": {
                "type": "string",
                "enum": sorted(EVENT_TYPES),
            },
            "eventId": {"type": "string"},
            "shopId": {"type": "string", "format": "uuid"},
            "visitorId": {"type": "string"},
            "sessionId": {"type": "string"},
            "ts": {"type": "integer", "description": "Unix milliseconds"},
            "url": {"type": "string"},
            "qa_mode": {"type": "boolean"},
            "experimentId": {"type": "string"},
            "variationId": {"type": "string"},
            "assignment_epoch": {"type": "integer"},
            "data": {"type": "object", "description": "At most 32 KiB and 64 levels. Goal events have goalId."},
        },
    },
    "IngestBatch": {
        "type": "object",
        "required": ["events"],
        "properties": {
            "events": {"$ref": "#/components/schemas/IngestEvents"},
            "_shopId": {"type": "string", "format": "uuid"},
            "_signature": {"type": "string"},
            "sentAt": {
                "type": "integer",
                "description": (
                    "Time of sending, in Unix milliseconds by the sender's clock. A difference of 2 s or more "
                    "shifts all times of the batch."
                ),
            },
        },
    },
    "IngestEvents": {
        "type": "array",
        "minItems": 1,
        "maxItems": 200,
        "items": {"$ref": "#/components/schemas/IngestEvent"},
    },
    "IngestReceipt": {
        "type": "object",
        "required": ["ingested", "deduplicated", "quarantined", "errors"],
        "additionalProperties": False,
        "properties": {
            "ingested": {"type": "integer"},
            "deduplicated": {"type": "integer"},
            "quarantined": {"type": "integer"},
            "errors": {
                "type": "array",
                "items": {
                    "type": "object",
                    "required": ["index", "event_id", "reason"],
                    "additionalProperties": False,
                    "properties": {
                        "index": {"type": "integer"},
                        "event_id": {"type": ["string", "null"]},
                        "reason": {"type": "string"},
                    },
                },
            },
        },
    },
    "RuntimeConfig": {
        "type": "object",
        "description": "The published config of a storefront; docs/data-model.md has its full description.",
        "required": ["shop_id", "runtime", "signals", "profile", "delivery", "experiments"],
        "properties": {
            "shop_id": {"type": "string", "format": "uuid"},
            "runtime": {"type": "object"},
            "signals": {"type": "object"},
            "profile": {"type": "object"},
            "delivery": {"type": "object"},
            "experiments": {"type": "array", "items": {"type": "object"}},
        },
    },
    "Health": {
        "type": "object",
        "required": [
            "ok",
            "service",
            "environment",
            "release",
            "queue_enabled",
            "queue_name",
            "distributed_rate_limits",
            "dead_letter_queue",
            "checked_at",
        ],
        "properties": {
            "ok": {"type": "boolean"},
            "service": {"type": "string"},
            "environment": {"type": "string"},
            "release": {"type": ["string", "null"]},
            "queue_enabled": {"type": "boolean"},
            "queue_name": {"type": "string"},
            "distributed_rate_limits": {
                "type": "object",
                "required": ["events_per_shop", "snippet_per_ip"],
                "properties": {"events_per_shop": {"type": "boolean"}, "snippet_per_ip": {"type": "boolean"}},
            },
            "dead_letter_queue": {
                "type": "object",
                "required": ["ok"],
                "properties": {"ok": {"type": "boolean"}},
            },
            "checked_at": {"type": "string", "format": "date-time"},
        },
    },
}


def _ingest(operation_id: str) -> Json:
    body = {
        "anyOf": [{"$ref": "#/components/schemas/IngestEvents"}, {"$ref": "#/components/schemas/IngestBatch"}],
    }
    content = {media_type: {"schema": body} for media_type in ("application/json", "text/plain")}
    responses = {
        "202": answer("Accepted; invalid events are quarantined", {"$ref": "#/components/schemas/IngestReceipt"}),
        "400": answer("`invalid_json`, `empty_batch`", ERROR),
        "401": answer("`ingest_unauthorized`", ERROR),
        "405": answer("`method_not_allowed`", ERROR, NOT_ALLOWED),
        "413": answer("`batch_too_large`: over 200 events; `payload_too_large`: over 1 MiB", ERROR),
        "415": answer("`unsupported_media_type`", ERROR),
        "429": answer("`rate_limited`", ERROR, RETRY_AFTER),
        "500": answer("`internal_error`", ERROR),
        "503": answer("`service_unavailable`", ERROR),
    }
    parameters = [
        parameter("x-svc-shop", "header", "The shop of the signature", {"type": "string", "format": "uuid"}),
        parameter(
            "x-svc-signature",
            "header",
            "`v1.<kid>.<hex>` (browser) or `t=<unix>,v1=<hex>` (server)",
            {"type": "string"},
        ),
    ]
    return operation(
        operation_id,
        "Send a batch of events",
        responses,
        description=(
            "Authenticated by the two headers, by `_shopId` and `_signature` in the body, or by a tracking source key "
            "as a bearer value. `Content-Encoding: gzip` is accepted, up to 1 MiB of plain data; servers sign the "
            "bytes as sent. Values that strict JSON refuses quarantine only their event; 400 `invalid_json` is "
            "for bodies that cannot be read at all."
        ),
        parameters=parameters,
        requestBody={"required": True, "content": content},
    )


def _config() -> Json:
    parameters = [
        parameter("shopId", "query", "The shop", {"type": "string", "format": "uuid"}, required=True),
        parameter("env", "query", "Runtime environment; `environment` is an alias", {"type": "string"}),
        parameter("environment", "query", "Runtime environment", {"type": "string"}),
        *(
            parameter(name, "query", "Preview, QA or debug; never cached", {"type": "string"})
            for name in sorted(UNCACHED_PARAMETERS)
        ),
    ]
    responses = {
        "200": answer("The runtime config", {"$ref": "#/components/schemas/RuntimeConfig"}),
        "304": {"description": "Not modified"},
        "400": answer("`invalid_shop_id`", ERROR),
        "404": answer("`not_found`: unknown shop or environment", ERROR),
        "405": answer("`method_not_allowed`", ERROR, NOT_ALLOWED),
        "429": answer("`rate_limited`", ERROR, RETRY_AFTER),
        "500": answer("`internal_error`", ERROR),
        "503": answer("`service_unavailable`", ERROR),
    }
    return operation("getRuntimeConfig", "The runtime config of a shop", responses, parameters=parameters)


def _snippet() -> Json:
    responses = {
        "200": script("The install snippet"),
        "304": {"description": "Not modified"},
        "400": script("A comment: the file name is not a shop id"),
        "404": script("A comment: unknown shop"),
        "405": script("A comment: only GET and HEAD are allowed", NOT_ALLOWED),
        "429": script("A comment: too many requests", RETRY_AFTER),
        "500": script("A comment: internal error"),
        "503": script("A comment: temporarily unavailable"),
    }
    file = parameter("file", "path", "`<shop id>.js`", {"type": "string"}, required=True)
    return operation("getSnippet", "The synchronous install snippet of a shop", responses, parameters=[file])


def _health() -> Json:
    health = {"$ref": "#/components/schemas/Health"}
    responses = {
        "200": answer("Healthy", health),
        "405": answer("`method_not_allowed`", ERROR, NOT_ALLOWED),
        "503": answer("Unhealthy: the fields show the failing part. Waiting dead letters count as a failure.", health),
    }
    return operation("getHealth", "Health of the edge", responses)


def edge_paths() -> Json:
    """The path items of the edge."""
    items: Json = {
        "/events": {"post": _ingest("ingestEvents")},
        "/_svc/events": {"post": _ingest("ingestServiceEvents")},
        **assignment.paths(),
        **handover.paths(),
        "/api/exp": {"get": _config()},
        "/s/{file}": {"get": _snippet()},
        "/health": {"get": _health()},
    }
    return {path: {"servers": SERVERS, **item} for path, item in items.items()}


def with_edge_routes(document: Json) -> Json:
    """The document with the edge routes under their own server."""
    components = document["components"]
    schemas = components["schemas"] | SCHEMAS | assignment.SCHEMAS | handover.SCHEMAS
    schemes = components["securitySchemes"] | assignment.SECURITY
    return document | {
        "paths": document["paths"] | edge_paths(),
        "components": components | {"schemas": schemas, "securitySchemes": schemes},
    }
