"""The assignment routes in the OpenAPI document, by the contract's field names and the edge's own limits."""

from abtest.domain.ledger.events import MAX_ID_CHARS, MAX_URL_CHARS
from abtest.edge import assign_request as limits
from tools.edge_openapi_parts import ERROR, NOT_ALLOWED, RETRY_AFTER, Json, answer, operation, parameter

SCHEME = "trackingSourceKey"
SECURITY: Json = {SCHEME: {"type": "http", "scheme": "bearer", "description": "`svc_ts_…`, for a shop's own servers"}}

_ID: Json = {"type": ["string", "null"], "minLength": 1, "maxLength": MAX_ID_CHARS}
_NAME: Json = {"type": ["string", "null"], "minLength": 1, "maxLength": limits.MAX_NAME_CHARS}
_UUID: Json = {"type": "string", "format": "uuid"}
_TEXT: Json = {"type": "string"}
_TEXT_OR_NULL: Json = {"type": ["string", "null"]}
_VARIATION: Json = {
    "anyOf": [
        {"type": "string", "minLength": 1, "maxLength": limits.MAX_NAME_CHARS},
        {"type": "integer", "minimum": 0, "maximum": limits.MAX_INDEX},
    ]
}

_ASKED: Json = {
    "shopId": _NAME | {"description": "The key's own shop; any other is 401"},
    "user_id": _ID | {"description": "The visitor; required without a customer id"},
    "url": {
        "type": ["string", "null"],
        "minLength": 1,
        "maxLength": MAX_URL_CHARS,
        "pattern": "^[Hh][Tt][Tt][Pp][Ss]?://",
        "description": "The absolute page address; without it no page rule matches",
    },
    "country": {
        "type": ["string", "null"],
        "pattern": "^[A-Za-z]{2}$",
        "description": "ISO 3166; the attribute `country`, unless `attributes` has one",
    },
    "env": _NAME | {"description": "Runtime environment; `environment` is an alias"},
    "environment": _NAME | {"description": "Runtime environment"},
}

_FIELDS: Json = {
    "experiment_id": _TEXT,
    "experiment_name": _TEXT_OR_NULL,
    "experiment_type": _TEXT,
    "variation_id": _TEXT,
    "variation_name": _TEXT_OR_NULL,
    "variation_index": {"type": "integer", "minimum": 0},
    "assignment_epoch": {"type": ["integer", "null"]},
    "is_control": {"type": "boolean"},
    "mutations": {"type": "array", "items": {"type": "object"}},
    "redirect_url": _TEXT_OR_NULL,
    "css": _TEXT_OR_NULL,
    "js": _TEXT_OR_NULL | {"description": "A function body"},
}

SCHEMAS: Json = {
    "ServerAssignment": {
        "type": "object",
        "required": list(_FIELDS),
        "additionalProperties": False,
        "properties": _FIELDS
        | {
            "archived_at": {"type": ["string", "null"], "format": "date-time"},
            "archived_by": _TEXT_OR_NULL,
            "commerce_price_only": {"type": "boolean"},
            "attributable_only": {
                "const": True,
                "description": "Listed only to attribute goals at this address; the variation is not delivered",
            },
        },
    },
    "ServerAssignmentResponse": {
        "type": "object",
        "required": ["user_id", "assignments", "commerce_authorization"],
        "additionalProperties": False,
        "dependentRequired": {
            "identity_source": ["decision_scope"],
            "decision_scope": ["identity_source"],
            "cohort": ["holdout_config_epoch"],
            "holdout_config_epoch": ["cohort"],
            "handoff_persisted": ["handoff_stale_risk"],
            "handoff_stale_risk": ["handoff_persisted"],
        },
        "properties": {
            "user_id": _TEXT_OR_NULL,
            "identity_source": {"const": "platform_customer"},
            "decision_scope": {"const": "aggregate_only"},
            "cohort": {"enum": ["holdout", "active"]},
            "holdout_config_epoch": {"type": "integer", "minimum": 1, "description": "Unix milliseconds"},
            "assignments": {"type": "array", "items": {"$ref": "#/components/schemas/ServerAssignment"}},
            "commerce_authorization": _TEXT_OR_NULL
            | {
                "description": (
                    "`v1.<kid>.<payload>.<mac>`: the cart's assignments, signed, valid for 24 hours; with "
                    "`request_handoff`"
                )
            },
            "handoff_persisted": {"type": "boolean"},
            "handoff_stale_risk": {"type": "boolean"},
        },
    },
    "AssignmentRequest": {
        "type": "object",
        "description": (
            "user_id or a customer id is required. Null is the same as absent; unknown fields are 400 "
            "`invalid_request`."
        ),
        "additionalProperties": False,
        "properties": _ASKED
        | {
            "logged_in_customer_id": _ID | {"description": "Alias `customer_id`; if both are sent, they must be equal"},
            "customer_id": _ID,
            "attributes": {
                "type": ["object", "null"],
                "description": f"At most {limits.MAX_ATTRIBUTES_BYTES} bytes and {limits.MAX_ATTRIBUTES_DEPTH} levels",
            },
            "experiment_ids": {"type": ["array", "null"], "maxItems": limits.MAX_EXPERIMENT_IDS, "items": _UUID},
            "force": {
                "type": ["object", "null"],
                "maxProperties": limits.MAX_FORCED,
                "propertyNames": _UUID,
                "additionalProperties": _VARIATION,
                "description": "Experiment id to variation id or index",
            },
            "sticky": {
                "type": ["object", "null"],
                "maxProperties": limits.MAX_STICKY,
                "propertyNames": {"minLength": 1, "maxLength": limits.MAX_NAME_CHARS},
                "additionalProperties": {"type": "string", "minLength": 1, "maxLength": limits.MAX_NAME_CHARS},
                "description": "Earlier assignments: seed of the experiment to variation id",
            },
            "surface": _NAME | {"description": "Absent on the storefront's own pages"},
            "cart_id": _ID | {"description": "Required with request_handoff"},
            "request_handoff": {"type": ["boolean", "null"]},
        },
        "examples": [
            {
                "user_id": "visitor-7f3a",
                "url": "https://garden.example/products/shears",
                "attributes": {"device": "mobile"},
                "cart_id": "cart-9",
                "request_handoff": True,
            }
        ],
    },
}

_RESPONSES: Json = {
    "200": answer("The assignments", {"$ref": "#/components/schemas/ServerAssignmentResponse"}),
    "400": answer("`invalid_request`, `invalid_json`, `customer_id_requires_post`", ERROR),
    "401": answer("`assignment_unauthorized`", ERROR, {"WWW-Authenticate": {"schema": {"type": "string"}}}),
    "404": answer("`not_found`: the shop has no publication in this environment", ERROR),
    "429": answer("`rate_limited`", ERROR, RETRY_AFTER),
    "500": answer("`internal_error`", ERROR),
    "503": answer("`service_unavailable`, `database_busy`", ERROR),
    "405": answer("`method_not_allowed`", ERROR, NOT_ALLOWED),
}
_POST_RESPONSES: Json = _RESPONSES | {
    "413": answer(f"`payload_too_large`: over {limits.MAX_BODY_BYTES} bytes", ERROR),
    "415": answer("`unsupported_media_type`", ERROR),
}


def _get(operation_id: str) -> Json:
    parameters = [
        parameter(name, "query", schema.get("description", ""), schema | {"type": "string"})
        for name, schema in _ASKED.items()
    ]
    return operation(
        operation_id,
        "Assignments of a visitor",
        _RESPONSES,
        description="Customer ids are refused here, because URLs are logged.",
        parameters=parameters,
        security=[{SCHEME: []}],
    )


def _post(operation_id: str) -> Json:
    content = {"application/json": {"schema": {"$ref": "#/components/schemas/AssignmentRequest"}}}
    return operation(
        operation_id,
        "Assignments of a visitor or a customer",
        _POST_RESPONSES,
        description=(
            "Decides like the storefront. With `request_handoff` the cart's assignments are signed "
            "and stored; if nothing is assigned, an older record is removed."
        ),
        requestBody={"required": True, "content": content},
        security=[{SCHEME: []}],
    )


def paths() -> Json:
    """The path items of assignment."""
    return {
        "/assign": {"get": _get("getAssignments"), "post": _post("postAssignments")},
        "/_svc/assign": {"get": _get("getServiceAssignments"), "post": _post("postServiceAssignments")},
    }
