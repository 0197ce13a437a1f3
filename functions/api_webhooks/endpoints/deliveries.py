"""Routes of webhook deliveries: the log, tests, redelivery, recovery."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf, MomentParameter
from abtest.contract.errors import InvalidStateTransitionEnvelope
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
from abtest.services.webhooks.delivery_log import DeliveryLog
from abtest.services.webhooks.redelivery import Redelivery, WebhookDisabledError
from api_webhooks.endpoints.vocabulary import Reader, Writer

router = Router("/webhooks/{webhook_id}", tag="Webhooks")

Logs = Annotated[DeliveryLog, use(DeliveryLog)]
Repeats = Annotated[Redelivery, use(Redelivery)]
Since = Annotated[MomentParameter | None, Query(description="Only deliveries created at or after this moment.")]


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
    """List the deliveries of the last 30 days, newest first.

    A page may hold fewer than `limit` items and still have a next page.
    """
    which = DeliveryFilter(status=status, event=event, since=since)
    items, last = log.page(caller.shop_id, webhook_id, which, limit=page.limit, after=page.after)
    return page.page([WebhookDelivery.of(delivery) for delivery in items], last)


@router.get("/deliveries/{delivery_id}", operation_id="getWebhookDelivery", responses=errors(NotFoundError))
def get_delivery(webhook_id: PathId, delivery_id: PathId, caller: Reader, log: Logs) -> WebhookDeliveryDetail:
    """Return one delivery with its most recent request and the log of its newest 100 attempts."""
    return WebhookDeliveryDetail.of(log.get(caller.shop_id, webhook_id, delivery_id))


@router.post(
    "/deliveries/{delivery_id}/redeliver",
    operation_id="redeliverWebhookDelivery",
    status_code=202,
    responses=errors(NotFoundError, ConflictError, WebhookDisabledError, s409=InvalidStateTransitionEnvelope),
)
def redeliver(
    webhook_id: PathId, delivery_id: PathId, caller: Writer, redelivery: Repeats, if_match: IfMatch
) -> WebhookDelivery:
    """Send the event again as a new delivery with its own id and `redelivery_of`.

    Deliveries of any status can be sent again. The limit is ten requests a minute, shared with tests.
    """
    return WebhookDelivery.of(redelivery.redeliver(caller, webhook_id, delivery_id, expected_version=if_match))


@router.post(
    "/test",
    operation_id="testWebhook",
    status_code=202,
    responses=errors(NotFoundError, ConflictError, s409=InvalidStateTransitionEnvelope),
)
def send_test(
    webhook_id: PathId, caller: Writer, redelivery: Repeats, if_match: IfMatch, body: WebhookTestInput | None = None
) -> WebhookDelivery:
    """Send an example event with `test: true` in its body, also to a disabled endpoint.

    Without `event` it is the first event of the subscription. Tests do not count towards `consecutiveFailures`. The
    limit is ten requests a minute, shared with redeliveries.
    """
    event = body.provided().get("event") if body else None
    return WebhookDelivery.of(redelivery.test(caller, webhook_id, event, expected_version=if_match))


@router.post(
    "/recover",
    operation_id="recoverWebhook",
    status_code=202,
    responses=errors(
        NotFoundError, ConflictError, WebhookDisabledError, ValidationFailedError, s409=InvalidStateTransitionEnvelope
    ),
)
def recover(
    webhook_id: PathId, body: WebhookRecoveryInput, caller: Writer, redelivery: Repeats, if_match: IfMatch
) -> WebhookRecovery:
    """Queue dead deliveries again under their own ids, oldest first, with five new attempts each.

    Call it after an outage or after enabling the endpoint; a disabled or inactive one is 409 `webhook_disabled`. Tests
    are left out. While `has_more` is true, repeat the request.
    """
    until = body.provided().get("until")
    batch = redelivery.recover(caller, webhook_id, body.since, until, expected_version=if_match)
    return WebhookRecovery(requeued=batch.requeued, has_more=batch.has_more)


@router.get("/stats", operation_id="getWebhookStats", responses=errors(NotFoundError))
def get_stats(webhook_id: PathId, caller: Reader, log: Logs, since: Since = None) -> WebhookStats:
    """Return delivery counts by status, and latencies. The default period is the last day; tests are left out.

    Of more than 10,000 deliveries only the newest are counted, and `complete` is false.
    """
    counts = log.count(caller.shop_id, webhook_id, since)
    return WebhookStats.of(counts.since, counts.summary, complete=counts.complete)
