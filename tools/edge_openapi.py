"""The edge routes in the OpenAPI document: operations are listed here, since FastAPI does not serve them.

Their bodies are models, as those of the management API are; the edge itself does not load pydantic. The routes have
a server of their own, `{worker_base_url}`; tests validate the responses of the edge handlers against the document.
"""

from typing import Annotated, Any, Literal

from pydantic import Field, RootModel

from abtest.contract.base import ABSENT, DateTime, Id, Output
from abtest.domain.delivery.drafts import DraftKind
from abtest.domain.ledger.events import EVENT_TYPES
from abtest.edge.delivery import (
    CONFIG_PREVIEW,
    SNIPPET_BAR,
    SNIPPET_EDITOR,
    SNIPPET_PREVIEW,
    SNIPPET_QA,
    UNCACHED_PARAMETERS,
)
from tools import edge_openapi_assign as assignment
from tools import edge_openapi_handover as handover
from tools import edge_openapi_preview as preview
from tools.edge_openapi_parts import (
    ERROR,
    NOT_ALLOWED,
    RETRY_AFTER,
    SERVERS,
    Json,
    Open,
    WorkerError,
    answer,
    operation,
    parameter,
    reference,
    schemas,
    script,
)

Milliseconds = Annotated[int, Field(description="Unix milliseconds")]


class IngestEvent(Open):
    """One event. An invalid event is quarantined without affecting the others. Other properties are ignored."""

    type: Annotated[str, Field(json_schema_extra={"enum": sorted(EVENT_TYPES)})] = ABSENT
    eventId: str = ABSENT  # noqa: N815
    shopId: Id = ABSENT  # noqa: N815
    visitorId: str = ABSENT  # noqa: N815
    sessionId: str = ABSENT  # noqa: N815
    ts: Milliseconds = ABSENT
    url: str = ABSENT
    qa_mode: bool = ABSENT
    experimentId: str = ABSENT  # noqa: N815
    variationId: str = ABSENT  # noqa: N815
    assignment_epoch: int = ABSENT
    is_sticky: Annotated[
        bool,
        Field(
            description=(
                "Of `experiment_viewed` by a server: `is_sticky` of the assignment. Results count the sessions without "
                "it in `without_sticky`"
            )
        ),
    ] = ABSENT
    data: Annotated[dict[str, Any], Field(description="At most 32 KiB and 64 levels. Goal events have goalId.")] = (
        ABSENT
    )


class IngestEvents(RootModel[Annotated[list[IngestEvent], Field(min_length=1, max_length=200)]]):
    """A batch without anything around it."""


class IngestBatch(Open):
    """A batch with its credentials and the time of sending."""

    events: IngestEvents
    shop_id: Annotated[Id, Field(alias="_shopId")] = ABSENT
    signature: Annotated[str, Field(alias="_signature")] = ABSENT
    sentAt: Annotated[  # noqa: N815
        int,
        Field(
            description=(
                "Time of sending, in Unix milliseconds by the sender's clock. A difference of 2 s or more "
                "shifts all times of the batch."
            )
        ),
    ] = ABSENT


class IngestError(Output):
    """An event that was quarantined, by its place in the batch."""

    index: int
    event_id: str | None
    reason: str


class IngestWarning(Output):
    """A fault of the sender's clock; the events were accepted."""

    code: Literal["clock_corrected", "ts_ahead", "sent_at_ignored"]
    message: str


class IngestReceipt(Output):
    """Counts of a batch, and the events that were refused."""

    ingested: int
    deduplicated: int
    quarantined: int
    errors: list[IngestError]
    warnings: list[IngestWarning] = ABSENT


class RuntimePreview(Open):
    """The draft of a preview link, which the config has in place of what is published under its id."""

    kind: DraftKind
    id: Id
    variation_id: Annotated[str, Field(description="Variation, key of an experience, or value of a flag")]
    version: Annotated[int, Field(description="Version of the draft, which later changes do not touch")]
    expires_at: DateTime


class RuntimeConfig(Open):
    """The published config of a storefront; docs/data-model.md has its full description."""

    shop_id: Id
    runtime: dict[str, Any]
    signals: dict[str, Any]
    profile: dict[str, Any]
    delivery: dict[str, Any]
    experiments: list[dict[str, Any]]
    preview: RuntimePreview = ABSENT


class RateLimitHealth(Open):
    """Limits, true where all processes share them."""

    events_per_shop: bool
    snippet_per_ip: bool


class DeadLetterHealth(Open):
    """State of the dead-letter queue."""

    ok: bool


class Health(Open):
    """Health of the edge and of the queue behind it."""

    ok: bool
    service: str
    environment: str
    release: str | None
    queue_enabled: bool
    queue_name: str
    distributed_rate_limits: RateLimitHealth
    dead_letter_queue: DeadLetterHealth
    checked_at: DateTime


MODELS = (WorkerError, IngestEvent, IngestBatch, IngestEvents, IngestReceipt, RuntimePreview, RuntimeConfig, Health)


def _ingest(operation_id: str) -> Json:
    body = {
        "anyOf": [reference(IngestEvents), reference(IngestBatch)],
    }
    content = {media_type: {"schema": body} for media_type in ("application/json", "text/plain")}
    responses = {
        "202": answer("Accepted; invalid events are quarantined", reference(IngestReceipt)),
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
        parameter(CONFIG_PREVIEW, "query", "Token of a preview link; never cached", {"type": "string"}),
        *(
            parameter(name, "query", "Preview, QA or debug; never cached", {"type": "string"})
            for name in sorted(UNCACHED_PARAMETERS)
        ),
    ]
    responses = {
        "200": answer("The runtime config", reference(RuntimeConfig)),
        "304": {"description": "Not modified"},
        "400": answer("`invalid_shop_id`", ERROR),
        "401": answer(
            "`preview_token_missing`, `preview_token_expired`, `preview_token_invalid`: also of another shop, or ended",
            ERROR,
        ),
        "404": answer("`not_found`: unknown shop or environment", ERROR),
        "405": answer("`method_not_allowed`", ERROR, NOT_ALLOWED),
        "429": answer("`rate_limited`", ERROR, RETRY_AFTER),
        "500": answer("`internal_error`", ERROR),
        "503": answer("`service_unavailable`", ERROR),
    }
    return operation(
        "getRuntimeConfig",
        "The runtime config of a shop",
        responses,
        description=(
            "What storefronts run: experiments, flags, personalizations and settings of one environment. With the "
            "token of a preview link the draft is added, and `preview` describes it."
        ),
        parameters=parameters,
    )


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
    schema = {"type": "string", "pattern": r"^[0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}\.js$"}
    file = parameter("file", "path", "`<shop id>.js`", schema, required=True)
    return operation(
        "getSnippet",
        "The synchronous install snippet of a shop",
        responses,
        description=(
            "One script with the SDK and the configuration of the shop. Refusals are scripts, too: a comment. With "
            "`svc_preview` or `svc_qa` it is the script of a preview or of QA instead, for one person and never "
            "cached; a token that shows nothing is 200 as well, and the script explains why."
        ),
        parameters=[
            file,
            parameter(SNIPPET_PREVIEW, "query", "Token of a preview link", {"type": "string"}),
            parameter(SNIPPET_QA, "query", "Loads the tool for QA", {"type": "string"}),
            parameter(SNIPPET_BAR, "query", "Loads the bar of previews and QA", {"type": "string"}),
            parameter(SNIPPET_EDITOR, "query", "Loads the part of the visual editor in pages", {"type": "string"}),
        ],
    )


def _health() -> Json:
    health = reference(Health)
    responses = {
        "200": answer("Healthy", health),
        "405": answer("`method_not_allowed`", ERROR, NOT_ALLOWED),
        "503": answer("Unhealthy: the fields show the failing part. Waiting dead letters count as a failure.", health),
    }
    return operation(
        "getHealth", "Health of the edge", responses, description="For monitors: 503 when events may be lost or late."
    )


def edge_paths() -> Json:
    """The path items of the edge."""
    items: Json = {
        "/events": {"post": _ingest("ingestEvents")},
        "/_svc/events": {"post": _ingest("ingestServiceEvents")},
        **assignment.paths(),
        **handover.paths(),
        **preview.paths(),
        "/api/exp": {"get": _config()},
        "/s/{file}": {"get": _snippet()},
        "/health": {"get": _health()},
    }
    return {path: {"servers": SERVERS, **item} for path, item in items.items()}


def with_edge_routes(document: Json) -> Json:
    """The document with the edge routes under their own server."""
    components = document["components"]
    edge = schemas([*MODELS, *assignment.MODELS, *handover.MODELS, *preview.MODELS])
    if taken := edge.keys() & components["schemas"].keys():
        raise ValueError(f"the management API has other models of these names: {', '.join(sorted(taken))}")
    schemes = components["securitySchemes"] | assignment.SECURITY
    return document | {
        "paths": document["paths"] | edge_paths(),
        "components": components | {"schemas": components["schemas"] | edge, "securitySchemes": schemes},
    }
