"""The assignment routes in the OpenAPI document, by the contract's field names and the edge's own limits."""

from typing import Annotated, Any, Literal

from pydantic import ConfigDict, Field

from abtest.contract.base import ABSENT, DateTime, Id, Input, Output
from abtest.contract.names import READABLE
from abtest.domain.assignment.decision import Reason
from abtest.domain.assignment.explained import By, Step
from abtest.domain.assignment.sticky import MAX_CHARS
from abtest.domain.ledger.events import MAX_ID_CHARS, MAX_URL_CHARS
from abtest.edge import assign_request as limits
from tools.edge_openapi_parts import ERROR, NOT_ALLOWED, RETRY_AFTER, Json, answer, operation, parameter, reference

SCHEME = "trackingSourceKey"
SECURITY: Json = {SCHEME: {"type": "http", "scheme": "bearer", "description": "`svc_ts_…`, for a shop's own servers"}}

Name = Annotated[str, Field(min_length=1, max_length=limits.MAX_NAME_CHARS)]
LongId = Annotated[str, Field(min_length=1, max_length=MAX_ID_CHARS)]
VariationIndex = Annotated[int, Field(ge=0, le=limits.MAX_INDEX)]


def _about(description: str) -> Any:
    return Field(default_factory=type(None), description=description)


class AssignmentFields(Input):
    """Fields that a query and a body may have."""

    shopId: Name | None = _about("The key's own shop; any other is 401")  # noqa: N815
    user_id: LongId | None = _about("The visitor; required without a customer id")
    url: Annotated[str, Field(min_length=1, max_length=MAX_URL_CHARS, pattern="^[Hh][Tt][Tt][Pp][Ss]?://")] | None = (
        _about("The absolute page address; without it no page rule matches")
    )
    country: Annotated[str, Field(pattern="^[A-Za-z]{2}$")] | None = _about(
        "ISO 3166; the attribute `country`, unless `attributes` has one"
    )
    env: Name | None = _about("Runtime environment; `environment` is an alias")
    environment: Name | None = _about("Runtime environment")


class AssignmentQuery(AssignmentFields):
    """Fields of a query."""

    sticky: str | None = _about(
        "`sticky` of the visitor's last answer, or empty on a first visit. With it, changes of weights and traffic do "
        "not move the visitor. The value of the storefront's cookie `svc_v` is accepted as well, if `user_id` is the "
        "id in it. A text that cannot be read is ignored, with `warnings`"
    )


class AssignmentRequest(AssignmentFields):
    """user_id or a customer id is required. Null is the same as absent; unknown fields are 400 `invalid_request`."""

    model_config = ConfigDict(
        json_schema_extra={
            "examples": [
                {
                    "user_id": "visitor-7f3a",
                    "url": "https://garden.example/products/shears",
                    "attributes": {"device": "mobile"},
                    "sticky": "1.Gg4KhF-3qQ",
                    "cart_id": "cart-9",
                    "request_handoff": True,
                }
            ]
        }
    )

    logged_in_customer_id: LongId | None = _about("Alias `customer_id`; if both are sent, they must be equal")
    customer_id: LongId | None = ABSENT
    attributes: dict[str, Any] | None = _about(
        f"At most {limits.MAX_ATTRIBUTES_BYTES} bytes and {limits.MAX_ATTRIBUTES_DEPTH} levels"
    )
    experiment_ids: Annotated[list[Id], Field(max_length=limits.MAX_EXPERIMENT_IDS)] | None = ABSENT
    force: Annotated[dict[Id, Name | VariationIndex], Field(max_length=limits.MAX_FORCED)] | None = _about(
        "Experiment id to variation id or index"
    )
    sticky: str | Annotated[dict[Name, Name], Field(max_length=limits.MAX_STICKY)] | None = _about(
        "`sticky` of the visitor's last answer, or empty on a first visit. With it, changes of weights and traffic do "
        "not move the visitor. A text that cannot be read is ignored, with `warnings`. Instead of the text, the value "
        "of the storefront's cookie `svc_v` is accepted, if `user_id` is the id in it, and an object of variation ids "
        "by the experiment's seed"
    )
    surface: Annotated[Name, READABLE] | None = _about("Absent on the storefront's own pages")
    cart_id: LongId | None = _about("Required with request_handoff")
    request_handoff: bool | None = ABSENT
    explain: bool | None = _about("Return `explanations` as well")
    values: bool | None = _about("Return `flags` and `personalizations` as well")


class ServerAssignment(Output):
    """The variation of an experiment for the visitor."""

    experiment_id: str
    experiment_name: str | None
    experiment_type: str
    variation_id: str
    variation_name: str | None
    variation_index: Annotated[int, Field(ge=0)]
    assignment_epoch: int | None
    is_control: bool
    is_sticky: Annotated[
        bool,
        Field(
            description=(
                "True if the request had a readable `sticky`, also an empty one. Repeat it in the event "
                "`experiment_viewed`: results count the sessions without it"
            )
        ),
    ]
    mutations: list[dict[str, Any]]
    redirect_url: str | None
    css: str | None
    js: Annotated[str | None, Field(description="A function body")]
    archived_at: DateTime | None = ABSENT
    archived_by: str | None = ABSENT
    commerce_price_only: bool = ABSENT
    attributable_only: Annotated[
        Literal[True],
        Field(description="Listed only to attribute goals at this address; the variation is not delivered"),
    ] = ABSENT


class AssignmentWarning(Output):
    """A field of the request that was accepted and ignored."""

    code: Literal["unreadable_sticky"]
    message: str


class Explained(Output):
    """The step of the decision that settled an entry of the config, and what it compared."""

    id: str | None
    step: Annotated[Step, Field(description="The step that settled it")]
    detail: Annotated[dict[str, Any], Field(description="What the step compared: the table of docs/explanations.md")]


class AssignedVariation(Output):
    """The variation of a visitor, and what selected it."""

    id: str
    index: Annotated[int, Field(ge=0, description="Position in the experiment; 0 is the first")]
    by: Annotated[By, Field(description="What selected the variation")]


class AssignedExperience(Output):
    """The experience of a visitor."""

    id: str
    key: str


class ExplainedExperiment(Explained):
    """Why a visitor gets what in an experiment."""

    name: str | None
    applied: Annotated[bool, Field(description="It is delivered on this page")]
    assigned: Annotated[
        AssignedVariation | None, Field(description="The visitor's variation, also where this page does not show it")
    ]


class ExplainedPersonalization(Explained):
    """Why a visitor gets what of a personalization."""

    key: str | None
    name: str | None
    applied: Annotated[bool, Field(description="It is delivered on this page")]
    assigned: Annotated[
        AssignedExperience | None, Field(description="The experience, also for visitors outside the rollout")
    ]


class ExplainedFlag(Explained):
    """Why a visitor gets the value of a flag."""

    key: str | None
    applied: Annotated[bool, Field(description="It is on")]
    value: Annotated[Any, Field(description="The value; a long one is cut and shows `…`")]
    reason: Annotated[Reason | None, Field(description="The rule that gave the value")]


class Explanations(Output):
    """Explanation of each experiment, personalization and flag of the config, in its order."""

    experiments: Annotated[
        list[ExplainedExperiment], Field(description="The experiments, or those of `experiment_ids`")
    ]
    personalizations: Annotated[list[ExplainedPersonalization], Field(description="The personalizations")]
    flags: Annotated[list[ExplainedFlag], Field(description="The flags")]


class ServerAssignmentResponse(Output):
    """The assignments of a visitor or a customer."""

    model_config = ConfigDict(
        json_schema_extra={
            "dependentRequired": {
                name: [other]
                for pair in (
                    ("identity_source", "decision_scope"),
                    ("cohort", "holdout_config_epoch"),
                    ("handoff_persisted", "handoff_stale_risk"),
                )
                for name, other in (pair, pair[::-1])
            }
        }
    )

    user_id: str | None
    identity_source: Literal["platform_customer"] = ABSENT
    decision_scope: Literal["aggregate_only"] = ABSENT
    cohort: Literal["holdout", "active"] = ABSENT
    holdout_config_epoch: Annotated[int, Field(ge=1, description="Unix milliseconds")] = ABSENT
    assignments: list[ServerAssignment]
    flags: Annotated[dict[str, Any], Field(description="Value of each flag by its key; with `values`")] = ABSENT
    personalizations: Annotated[
        dict[str, Any],
        Field(description="Value of each experience that is shown, by the key of its personalization; with `values`"),
    ] = ABSENT
    sticky: Annotated[
        str,
        Field(
            max_length=MAX_CHARS,
            description=(
                "The visitor's variations, opaque. Store it with the visitor, and send it with the visitor's next "
                "request. Letters, digits, `.`, `-` and `_`; it fits into a cookie and a query parameter"
            ),
        ),
    ]
    warnings: list[AssignmentWarning] = ABSENT
    explanations: Annotated[Explanations, Field(description="With `explain`")] = ABSENT
    commerce_authorization: Annotated[
        str | None,
        Field(
            description=(
                "`v1.<kid>.<payload>.<mac>`: the cart's assignments, signed, valid for 24 hours; with `request_handoff`"
            )
        ),
    ]
    handoff_persisted: bool = ABSENT
    handoff_stale_risk: bool = ABSENT


MODELS = (
    AssignmentWarning,
    AssignedExperience,
    AssignedVariation,
    ExplainedExperiment,
    ExplainedFlag,
    ExplainedPersonalization,
    Explanations,
    ServerAssignment,
    ServerAssignmentResponse,
    AssignmentRequest,
)

_CHALLENGE: Json = {
    "WWW-Authenticate": {
        "description": "The scheme of the credential",
        "required": True,
        "schema": {"type": "string"},
    }
}

_RESPONSES: Json = {
    "200": answer("The assignments", reference(ServerAssignmentResponse)),
    "400": answer("`invalid_request`, `invalid_json`, `customer_id_requires_post`", ERROR),
    "401": answer("`assignment_unauthorized`", ERROR, _CHALLENGE),
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
    properties = AssignmentQuery.model_json_schema()["properties"]
    parameters = [
        parameter(name, "query", schema["description"], schema["anyOf"][0]) for name, schema in properties.items()
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
    content = {"application/json": {"schema": reference(AssignmentRequest)}}
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
