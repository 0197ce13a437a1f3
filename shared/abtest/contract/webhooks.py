"""Webhooks on the wire: endpoints, deliveries, the events that there are."""
# ruff: noqa: N815 - the contract spells these names so

from typing import Annotated, Any, Self

from pydantic import AfterValidator, ConfigDict, Field, WithJsonSchema
from pydantic_core import PydanticCustomError

from abtest.contract.base import ABSENT, DateTime, Id, Input, Moment, Output, Unique
from abtest.domain.egress.targets import MAX_URL
from abtest.domain.webhooks import catalogue
from abtest.domain.webhooks.deliveries import SNIPPET_BYTES, Delivery, Status
from abtest.domain.webhooks.endpoint import DEFAULT_GRACE, MAX_GRACE
from abtest.domain.webhooks.health import Standing
from abtest.domain.webhooks.tally import Tally

_EXAMPLE: dict[str, Any] = {
    "url": "https://hooks.shop.example/experiments",
    "events": ["experiment.started", "experiment.completed"],
}


def _known(event: str) -> str:
    if event not in catalogue.EVENTS:
        raise PydanticCustomError("unknown_event", "there is no such event; GET /webhook-events lists them")
    return event


EventName = Annotated[str, AfterValidator(_known), WithJsonSchema({"type": "string", "enum": list(catalogue.EVENTS)})]
Events = Annotated[list[EventName], Unique, Field(min_length=1, max_length=len(catalogue.EVENTS))]
Url = Annotated[
    str,
    Field(
        min_length=1,
        max_length=MAX_URL,
        description="https, at port 443 of a public host. Kept as requests are sent to it: in ASCII, without fragment.",
    ),
]


class WebhookInput(Input):
    """Where events are to be sent, and which of them."""

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
    """How long the secret before goes on signing beside the new one."""

    grace_seconds: Annotated[int, Field(ge=0, le=int(MAX_GRACE.total_seconds()))] = int(DEFAULT_GRACE.total_seconds())


class WebhookTestInput(Input):
    """Which event the example is of; without it, the first that the endpoint is subscribed to."""

    event: EventName = ABSENT


class WebhookRecoveryInput(Input):
    """Dead deliveries of events that were made at `since`, at most 14 days ago, or later, and not after `until`."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"since": "2026-03-01T00:00:00Z"}]})

    since: Moment
    until: Moment = ABSENT


class Webhook(Output):
    """An endpoint. `active` is false, too, while failures have disabled it: then `disabledAt` says since when."""

    id: Id
    url: Annotated[str, WithJsonSchema({"type": "string", "format": "uri"})]
    events: list[str]
    active: bool
    hasSecret: bool
    consecutiveFailures: Annotated[int, Field(ge=0, description="Deliveries in a row that died.")]
    disabledAt: DateTime | None
    created_at: DateTime
    archived_at: DateTime | None
    archived_by: Id | None

    @classmethod
    def of(cls, standing: Standing) -> Self:
        """The endpoint as the contract shows it."""
        return cls(**_shown(standing)).at(standing.version)


class WebhookCreated(Webhook):
    """An endpoint with the secret that signs what is sent to it, which is shown this once."""

    secret: Annotated[str, Field(repr=False)]

    @classmethod
    def with_secret(cls, standing: Standing, secret: str) -> Self:
        """The one answer that carries the secret."""
        return cls(**_shown(standing), secret=secret).at(standing.version)


def _shown(standing: Standing) -> dict[str, Any]:
    webhook, health = standing.webhook, standing.health
    return {
        "id": webhook.id,
        "url": webhook.url,
        "events": list(webhook.events),
        "active": standing.is_active,
        "hasSecret": True,
        "consecutiveFailures": health.consecutive_failures,
        "disabledAt": health.disabled_at,
        "created_at": webhook.created_at,
        "archived_at": webhook.archived_at,
        "archived_by": webhook.archived_by,
    }


class WebhookDelivery(Output):
    """One event on its way to one endpoint. `attempts` starts anew when a dead delivery is recovered."""

    id: Id
    webhook_id: Id
    event: str
    status: Status
    attempts: int
    response_status: int | None
    last_error: Annotated[str | None, Field(description="Why it is not delivered, in words or as a code.")]
    next_attempt_at: DateTime | None
    processing_started_at: DateTime | None
    delivered_at: DateTime | None
    created_at: DateTime
    updated_at: DateTime
    redelivery_of: Annotated[Id | None, Field(description="The delivery that this one repeats.")]
    test: Annotated[bool, Field(description="Whether it was asked for as a test.")]

    @classmethod
    def of(cls, delivery: Delivery) -> Self:
        """The delivery as lists show it."""
        return cls(**_told(delivery)).at(delivery.version)


class WebhookRequest(Output):
    """What was sent last; `body` to the byte, `headers` without those of the connection.

    These are `Host`, `Content-Length`, `Accept-Encoding` and `Connection`.
    """

    url: str
    headers: dict[str, str]
    body: str


class WebhookAttempt(Output):
    """One attempt. `n` goes on counting when a delivery is recovered; `status` is the receiver's, null without one."""

    model_config = ConfigDict(populate_by_name=True)

    n: int
    at_: Annotated[DateTime, Field(alias="at")]
    status: int | None
    duration_ms: int
    error: str | None
    response_snippet: Annotated[str | None, Field(description=f"The first {SNIPPET_BYTES} bytes of the answer.")]


_ATTEMPT = ("n", "at", "status", "duration_ms", "error", "response_snippet")


class WebhookDeliveryDetail(WebhookDelivery):
    """A delivery with the request as it was sent last, and a log of its attempts. `request` is null before."""

    request: WebhookRequest | None
    attempt_log: list[WebhookAttempt]

    @classmethod
    def of(cls, delivery: Delivery) -> Self:
        """The whole delivery."""
        request = (
            None
            if delivery.request is None
            else WebhookRequest.model_validate({name: delivery.request[name] for name in ("url", "headers", "body")})
        )
        log = [WebhookAttempt.model_validate({name: entry.get(name) for name in _ATTEMPT}) for entry in delivery.log]
        return cls(**_told(delivery), request=request, attempt_log=log).at(delivery.version)


def _told(delivery: Delivery) -> dict[str, Any]:
    same = set(WebhookDelivery.model_fields) - {"test"}
    return {**{name: getattr(delivery, name) for name in same}, "test": delivery.is_test}


class WebhookRecovery(Output):
    """How many dead deliveries are queued again; `has_more` says that the same request has more to do."""

    requeued: int
    has_more: bool


class DeliveryCounts(Output):
    """Deliveries by their present status."""

    queued: int
    processing: int
    delivered: int
    failed: int
    dead: int


class DeliveryLatency(Output):
    """Milliseconds from the making of a delivery to its arrival, retries and waiting included; null without any."""

    p50: int | None
    p95: int | None


class WebhookStats(Output):
    """Deliveries made at `since` or later, tests left out. `complete` is false where only the newest were counted."""

    since: DateTime
    counts: DeliveryCounts
    latency_ms: DeliveryLatency
    complete: bool

    @classmethod
    def of(cls, since: str, tally: Tally, *, complete: bool) -> Self:
        """What was counted."""
        latency = DeliveryLatency(p50=tally.latency(50), p95=tally.latency(95))
        return cls(since=since, counts=DeliveryCounts(**tally.counts), latency_ms=latency, complete=complete)


class WebhookEvent(Output):
    """An event that an endpoint may ask for: JSON Schema (2020-12) of the body that is sent, and an example of it."""

    model_config = ConfigDict(populate_by_name=True)

    event: str
    description: str
    schema_: Annotated[dict[str, Any], Field(alias="schema")]
    example: dict[str, Any]

    @classmethod
    def of(cls, event: catalogue.EventType) -> Self:
        """The event as the catalogue shows it."""
        example = {**event.example, **_ENVELOPE, "event": event.name}
        return cls(event=event.name, description=event.description, schema_=event.schema, example=example)


_ENVELOPE = {"delivery_id": "0192f3a0-1b5c-7d1e-8f00-3c5a7e9b1d34", "timestamp": "2026-11-21T20:15:01.250Z"}
