"""Longest waits for stores, by who is waiting: the one table of all deadlines. ADR 41 has the reasons.

Clients are made from this table (`adapters/aws.py`), and a test reads it from the clients of each function.
"""

from collections.abc import Mapping
from dataclasses import dataclass, field
from enum import StrEnum
from typing import Literal

Service = Literal["athena", "cloudfront", "dynamodb", "kms", "s3", "secretsmanager", "sesv2", "sqs"]


class CallerKind(StrEnum):
    """Kind of caller. Each process has one, which its composition root declares."""

    SHOPPER = "shopper"
    """Page or server of a shop, behind `edge_*`: waits for as little as possible."""
    API = "api"
    """Client of the management API, behind `api_*`, which the gateway leaves after 29 s."""
    WORKER = "worker"
    """Queue, behind `worker_*`: it delivers again what was not done."""
    SCHEDULE = "schedule"
    """Schedule, behind `cron_*`: the next run goes on."""
    OPERATOR = "operator"
    """Person with a tool, or a test; the default of a process."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Wait:
    """Limits of one call in seconds.

    `connect` and `read` are those of each attempt and each packet. `total` bounds the whole call with everything in
    it, the lookup of the host name too; after it, the process does not call the service for `PAUSE_SECONDS`. None
    leaves that out.
    """

    attempts: int
    connect: float
    read: float
    total: float | None = None

    @property
    def longest(self) -> float:
        """Seconds until a call to a silent service returns. botocore pauses at most 1, 2, 4 … s between attempts."""
        return self.total or self.attempts * (self.connect + self.read) + 2 ** (self.attempts - 1) - 1


@dataclass(frozen=True, slots=True, kw_only=True)
class Waits:
    """Limits of one kind of caller. A service that is absent is never called.

    `limiter`: for the decision of a rate limit; then the request passes uncounted. None: as long as the call takes.
    """

    services: Mapping[Service, Wait] = field(default_factory=dict)
    limiter: float | None = None

    def of(self, service: Service) -> Wait:
        """Return the limits for a service. Raises KeyError when this caller never uses it."""
        return self.services[service]


PAUSE_SECONDS = 3.0
"""Time without calls to a service that left a call with `total` without a response."""


@dataclass(frozen=True, slots=True, kw_only=True)
class EdgeWaits:
    """Waits of the edge routes for several calls together, and for servers outside AWS.

    `copy`: a published pointer and its object while the process has a copy, which is served then. `publication`: the
    same without a copy, two or three calls to S3; then 503. `variant`: the config and the document of a variant, each,
    without a copy; then a page has its base. `preview`: the secret, the session and the draft of a preview link; then
    the page shows the original. `handover`: the record of a token's use; then the visitor is handed over without it.
    `probes`: all probes of `/health` together.
    `analytics_store`: the server that gets events where there is no queue.
    """

    copy: float
    publication: float
    variant: float
    handover: float
    preview: float
    probes: float
    analytics_store: float


EDGE = EdgeWaits(copy=0.2, publication=1.2, variant=0.14, handover=0.2, preview=1.2, probes=1.3, analytics_store=2.0)

_ATHENA = Wait(attempts=1, connect=1, read=10)
"""One attempt, because the adapter repeats calls within its own deadline. A page may have a thousand rows."""


def _patient(attempts: int) -> dict[Service, Wait]:
    wait = Wait(attempts=attempts, connect=1, read=3)
    return {
        "athena": _ATHENA,
        "cloudfront": wait,
        "dynamodb": wait,
        "kms": wait,
        "s3": wait,
        "secretsmanager": wait,
        "sesv2": wait,
        "sqs": wait,
    }


WAITS: dict[CallerKind, Waits] = {
    # `limiter` and `copy` together are 300 ms, the longest that a shopper waits where this process has a copy.
    CallerKind.SHOPPER: Waits(
        services={
            "dynamodb": Wait(attempts=1, connect=0.3, read=0.6, total=0.6),
            "s3": Wait(attempts=1, connect=0.3, read=0.8, total=0.8),
            "secretsmanager": Wait(attempts=1, connect=0.3, read=0.5, total=0.5),
            "sqs": Wait(attempts=1, connect=0.3, read=0.8, total=0.8),
        },
        limiter=0.1,
    ),
    # Three silent calls fit into the 29 s of the gateway.
    CallerKind.API: Waits(services=_patient(attempts=2), limiter=2.0),
    CallerKind.WORKER: Waits(services=_patient(attempts=3)),
    CallerKind.SCHEDULE: Waits(services=_patient(attempts=3)),
    CallerKind.OPERATOR: Waits(services=_patient(attempts=3)),
}
