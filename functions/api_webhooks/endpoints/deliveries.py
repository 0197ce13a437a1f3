"""Routes around what was sent: the log, tests, sending again."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf, Moment
from abtest.contract.webhooks import (
    EventName,
    WebhookDelivery,
    WebhookDeliveryDetail,
    WebhookRecovery,
    WebhookRecoveryInput,
    WebhookStats,
    WebhookTestInput,
)
from abtest.domain.webhooks.deliveries import Status
from abtest.http.deps import IfMatch, Page, PathId, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, NotFoundError, ValidationFailedError
from abtest.ports.deliveries import DeliveryFilter
from abtest.services.webhooks.again import Again, WebhookDisabledError
from abtest.services.webhooks.delivery_log import DeliveryLog
from api_webhooks.endpoints.vocabulary import Reader, Writer

router = Router("/webhooks/{webhook_id}", tag="Webhooks")

Logs = Annotated[DeliveryLog, use(DeliveryLog)]
Repeats = Annotated[Again, use(Again)]
Since = Annotated[Moment | None, Query(description="Made at this moment or later.")]


@router.get("/deliveries", operation_id="listWebhookDeliveries", responses=errors(NotFoundError))
def list_deliveries(
    webhook_id: PathId,
    caller: Reader,
    page: Page,
    log: Logs,
    status: Status | None = None,
    event: EventName | None = None,
    since: Since = None,
) -> ListOf[WebhookDelivery]:
    """Deliveries of the last thirty days, newest first. A page may hold fewer than `limit` and still have a next."""
    which = DeliveryFilter(status=status, event=event, since=since)
    found, last = log.page(caller.shop_id, webhook_id, which, limit=page.limit, after=page.after)
    return page.page([WebhookDelivery.of(delivery) for delivery in found], last)


@router.get("/deliveries/{delivery_id}", operation_id="getWebhookDelivery", responses=errors(NotFoundError))
def get_delivery(webhook_id: PathId, delivery_id: PathId, caller: Reader, log: Logs) -> WebhookDeliveryDetail:
    """One delivery, with the request as it was sent last and a log of its attempts."""
    return WebhookDeliveryDetail.of(log.get(caller.shop_id, webhook_id, delivery_id))


@router.post(
    "/deliveries/{delivery_id}/redeliver",
    operation_id="redeliverWebhookDelivery",
    status_code=202,
    responses=errors(NotFoundError, ConflictError, WebhookDisabledError),
)
def redeliver(
    webhook_id: PathId, delivery_id: PathId, caller: Writer, again: Repeats, if_match: IfMatch
) -> WebhookDelivery:
    """Send the event once more, in a new delivery. Ten times a minute, tests included."""
    return WebhookDelivery.of(again.redeliver(caller, webhook_id, delivery_id, expected_version=if_match))


@router.post("/test", operation_id="testWebhook", status_code=202, responses=errors(NotFoundError, ConflictError))
def send_test(
    webhook_id: PathId, caller: Writer, again: Repeats, if_match: IfMatch, body: WebhookTestInput | None = None
) -> WebhookDelivery:
    """Send an example of an event, with `test: true` in its body; to a disabled endpoint, too.

    It never counts to `consecutiveFailures`. Ten times a minute, redeliveries included.
    """
    event = body.stated().get("event") if body else None
    return WebhookDelivery.of(again.test(caller, webhook_id, event, expected_version=if_match))


@router.post(
    "/recover",
    operation_id="recoverWebhook",
    status_code=202,
    responses=errors(NotFoundError, ConflictError, WebhookDisabledError, ValidationFailedError),
)
def recover(
    webhook_id: PathId, body: WebhookRecoveryInput, caller: Writer, again: Repeats, if_match: IfMatch
) -> WebhookRecovery:
    """Queue dead deliveries again, under their own ids: after an outage, or after the endpoint was enabled."""
    until = body.stated().get("until")
    found = again.recover(caller, webhook_id, body.since, until, expected_version=if_match)
    return WebhookRecovery(requeued=found.requeued, has_more=found.has_more)


@router.get("/stats", operation_id="getWebhookStats", responses=errors(NotFoundError))
def get_stats(webhook_id: PathId, caller: Reader, log: Logs, since: Since = None) -> WebhookStats:
    """How many deliveries stand where, and how long they took; of the last day if nothing else is asked."""
    found = log.count(caller.shop_id, webhook_id, since)
    return WebhookStats.of(found.since, found.tally, complete=found.complete)
