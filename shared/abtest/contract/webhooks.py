"""Webhooks on the wire: endpoints, deliveries, the events available for subscription."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Any, Self

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from abtest.contract.base import ABSENT, DateTime, Id, Input, Moment, Output, Secret, Unique
from abtest.domain.egress.targets import MAX_URL
from abtest.domain.webhooks import catalogue
from abtest.domain.webhooks.deliveries import SNIPPET_BYTES, Delivery, Status
from abtest.domain.webhooks.endpoint import DEFAULT_GRACE, MAX_GRACE
from abtest.domain.webhooks.health import EndpointHealth
from abtest.domain.webhooks.summary import DeliverySummary
from abtest.kit.json_objects import present

_EXAMPLE: dict[str, Any] = {
    "url": "https://hooks.shop.example/experiments",
    "events": ["experiment.started", "experiment.completed"],
}


def known_event(event: str) -> str:
    """Return the event unchanged. Raises PydanticCustomError for an unknown one."""
    if event not in catalogue.EVENTS:
        raise PydanticCustomError("unknown_event", "must be an event that GET /webhook-events lists")
    return event


EventName = Annotated[
    str, AfterValidator(known_event), WithJsonSchema({"type": "string", "enum": list(catalogue.EVENTS)})
]
Events = Annotated[list[EventName], Unique, Field(min_length=1, max_length=len(catalogue.EVENTS))]
Url = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_URL,
        description=(
            "https address on port 443 of a public host, else 422 `url_not_allowed`. Stored in "
            "canonical form: ASCII, without fragment."
        ),
    ),
]


class WebhookInput(Input):
    """The address of the receiver, and the subscribed events: at least one, each once."""

    model_config = ConfigDict(json_schema_extra={"examples": [_EXAMPLE]})

    url: Url
    events: Events


class WebhookUpdate(Input):
    """A merge patch. `active: true` also enables an endpoint that failures disabled."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"active": True}]})

    url: Url = ABSENT
    events: Events = ABSENT
    active: bool = ABSENT


class SecretRotationInput(Input):
    """Time during which the previous secret also signs."""

    grace_seconds: Annotated[int, Field(ge=0, le=int(MAX_GRACE.total_seconds()))] = int(DEFAULT_GRACE.total_seconds())


class WebhookTestInput(Input):
    """The event of the example; by default the first of the subscription."""

    event: EventName = ABSENT


class WebhookRecoveryInput(Input):
    """The creation time of the dead deliveries: from `since` (at most 14 days ago) to `until`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"since": "2026-03-01T00:00:00Z"}]})

    since: Moment
    until: Moment = ABSENT


class Webhook(Output):
    """An endpoint. `active` is false also while failures have disabled it; then `disabledAt` is set."""

    id: Id
    url: Annotated[str, WithJsonSchema({"type": "string", "format": "uri"})]
    events: list[str]
    active: bool
    hasSecret: bool
    consecutiveFailures: Annotated[int, Field(ge=0, description="Consecutive dead deliveries.")]
    disabledAt: DateTime | None
    created_at: DateTime
    archived_at: DateTime | None
    archived_by: Id | None

    @classmethod
    def of(cls, endpoint: EndpointHealth, **secret: str) -> Self:
        """Return the response of an endpoint. `secret` is the field of responses that show it."""
        webhook, health = endpoint.webhook, endpoint.health
        return cls(
            id=webhook.id,
            url=webhook.url,
            events=list(webhook.events),
            active=endpoint.is_active,
            hasSecret=True,
            consecutiveFailures=health.consecutive_failures,
            disabledAt=health.disabled_at,
            created_at=webhook.created_at,
            archived_at=webhook.archived_at,
            archived_by=webhook.archived_by,
            **secret,
        ).at(endpoint.version)


class WebhookCreated(Webhook):
    """An endpoint with its signing secret, which is shown only once."""

    secret: Secret

    @classmethod
    def with_secret(cls, endpoint: EndpointHealth, secret: str) -> Self:
        """Return the only response with the secret."""
        return cls.of(endpoint, secret=secret)


class WebhookDelivery(Output):
    """One event for one endpoint. `attempts` restarts when a dead delivery is recovered."""

    id: Id
    webhook_id: Id
    event: str
    status: Status
    attempts: int
    response_status: int | None
    last_error: Annotated[str | None, Field(description="Why it was not delivered, in words or as a code.")]
    next_attempt_at: Annotated[DateTime, Field(description="Absent when no attempt is due.")] = ABSENT
    processing_started_at: DateTime | None
    delivered_at: DateTime | None
    created_at: DateTime
    updated_at: DateTime
    redelivery_of: Annotated[Id | None, Field(description="The delivery that this one sends again.")]
    test: Annotated[bool, Field(description="Whether it is a test.")]

    @classmethod
    def of(cls, delivery: Delivery) -> Self:
        """Return a delivery of a list."""
        return cls(**cls.fields_of(delivery)).at(delivery.version)

    @staticmethod
    def fields_of(delivery: Delivery) -> dict[str, Any]:
        """Return the fields that all responses of a delivery have."""
        same = set(WebhookDelivery.model_fields) - {"test", "next_attempt_at"}
        return {
            **{name: getattr(delivery, name) for name in same},
            **present(next_attempt_at=delivery.next_attempt_at),
            "test": delivery.is_test,
        }


class WebhookRequest(Output):
    """The most recent request: `body` byte by byte, `headers` without those of the connection.

    These are `Host`, `Content-Length`, `Accept-Encoding` and `Connection`.
    """

    url: str
    headers: dict[str, str]
    body: str


class WebhookAttempt(Output):
    """One request to the receiver. `n` continues after a recovery; `status` is null without a response."""

    model_config = ConfigDict(populate_by_name=True)

    n: int
    at_: Annotated[DateTime, Field(alias="at")]
    status: int | None
    duration_ms: int
    error: str | None
    response_snippet: Annotated[str | None, Field(description=f"The first {SNIPPET_BYTES} bytes of the answer.")]


_ATTEMPT = ("n", "at", "status", "duration_ms", "error", "response_snippet")


class WebhookDeliveryDetail(WebhookDelivery):
    """A delivery with its most recent request and the log of its attempts. `request` is null before the first."""

    request: WebhookRequest | None
    attempt_log: list[WebhookAttempt]

    @classmethod
    def of(cls, delivery: Delivery) -> Self:
        """Return the whole delivery."""
        request = (
            None
            if delivery.request is None
            else WebhookRequest.model_validate({name: delivery.request[name] for name in ("url", "headers", "body")})
        )
        log = [WebhookAttempt.model_validate({name: entry.get(name) for name in _ATTEMPT}) for entry in delivery.log]
        return cls(**cls.fields_of(delivery), request=request, attempt_log=log).at(delivery.version)


class WebhookRecovery(Output):
    """The number of queued deliveries. While `has_more` is true, repeat the request."""

    requeued: int
    has_more: bool


class DeliveryCounts(Output):
    """Deliveries by their current status."""

    queued: int
    processing: int
    delivered: int
    failed: int
    dead: int


class DeliveryLatency(Output):
    """Milliseconds from creation to arrival, including retries and waiting; null without deliveries."""

    p50: int | None
    p95: int | None


class WebhookStats(Output):
    """Deliveries created since `since`, without tests. `complete` is false when only the newest were counted."""

    since: DateTime
    counts: DeliveryCounts
    latency_ms: DeliveryLatency
    complete: bool

    @classmethod
    def of(cls, since: str, summary: DeliverySummary, *, complete: bool) -> Self:
        """Return the response of a summary of deliveries."""
        latency = DeliveryLatency(p50=summary.latency(50), p95=summary.latency(95))
        return cls(since=since, counts=DeliveryCounts(**summary.counts), latency_ms=latency, complete=complete)


class WebhookEvent(Output):
    """An event available for subscription: JSON Schema (2020-12) of the whole body, and an example."""

    model_config = ConfigDict(populate_by_name=True)

    event: str
    description: str
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    example: dict[str, Any]

    @classmethod
    def of(cls, event: catalogue.EventType) -> Self:
        """Return the response of an event."""
        example = {**event.example, **_ENVELOPE, "event": event.name}
        return cls(event=event.name, description=event.description, schema_=event.schema, example=example)


_ENVELOPE = {"delivery_id": "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d34", "timestamp": "2026-11-21T20:15:01.250Z"}
