"""Routes of webhook endpoints."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf
from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.webhooks import Webhook, WebhookCreated, WebhookInput, WebhookUpdate
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.http.deps import IfMatch, Page, PathId, reveals_secret, use
from abtest.http.listing import NarrowedByTimeOrArchived
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError
from abtest.services.webhooks.endpoints import Endpoints
from api_webhooks.endpoints.vocabulary import Reader, Writer

router = Router("/webhooks", tag="Webhooks")

Uses = Annotated[Endpoints, use(Endpoints)]


@router.get("", operation_id="listWebhooks", responses=errors(LimitReachedError))
def list_webhooks(
    caller: Reader,
    page: Page,
    endpoints: Uses,
    filters: NarrowedByTimeOrArchived,
    active: Annotated[
        bool | None, Query(description="Only endpoints that are active, or only those that are not.")
    ] = None,
) -> ListOf[Webhook]:
    """List endpoints, newest first, without secrets.

    A page may hold fewer than `limit` items and still have a next page.
    """
    items, last = endpoints.page(caller.shop_id, filters, active, limit=page.limit, after=page.after)
    return page.page([Webhook.of(each) for each in items], last)


@router.post("", operation_id="createWebhook", status_code=201, responses=errors(UrlNotAllowedError, LimitReachedError))
@reveals_secret
def create_webhook(body: WebhookInput, caller: Writer, endpoints: Uses) -> WebhookCreated:
    """Create an endpoint, active immediately. The secret is shown only in this response.

    A shop has at most 20. Events from before the creation are not sent.
    """
    issued = endpoints.create(caller, url=body.url, events=body.events)
    return WebhookCreated.with_secret(issued.endpoint, issued.secret)


@router.get("/{webhook_id}", operation_id="getWebhook", responses=errors(NotFoundError))
def get_webhook(webhook_id: PathId, caller: Reader, endpoints: Uses) -> Webhook:
    """Return one endpoint, without its secret."""
    return Webhook.of(endpoints.get(caller.shop_id, webhook_id))


@router.patch(
    "/{webhook_id}",
    operation_id="updateWebhook",
    responses=errors(NotFoundError, ConflictError, UrlNotAllowedError, s409=InvalidStateTransitionEnvelope),
)
def update_webhook(
    webhook_id: PathId, body: WebhookUpdate, caller: Writer, endpoints: Uses, if_match: IfMatch
) -> Webhook:
    """Change the address, the events, or `active`. `active: true` clears `disabledAt` and `consecutiveFailures`.

    Use `/recover` to queue the deliveries that died while the endpoint was disabled. An archived endpoint is 409
    `conflict`.
    """
    return Webhook.of(endpoints.update(caller, webhook_id, body.provided(), expected_version=if_match))


@router.delete("/{webhook_id}", operation_id="deleteWebhook", status_code=204, responses=errors(NotFoundError))
def delete_webhook(webhook_id: PathId, caller: Writer, endpoints: Uses, if_match: IfMatch) -> None:
    """Archive the endpoint permanently. Its deliveries stay readable; its place among the 20 is free at once.

    Queued deliveries die with `webhook_deleted`; failed ones do so when their next attempt is due. Deleting it again is
    204.
    """
    endpoints.archive(caller, webhook_id, expected_version=if_match)


@router.post("/{webhook_id}/archive", operation_id="archiveWebhook", status_code=204, responses=errors(NotFoundError))
def archive_webhook(webhook_id: PathId, caller: Writer, endpoints: Uses, if_match: IfMatch) -> None:
    """Archive the endpoint permanently: the same as deleting it."""
    endpoints.archive(caller, webhook_id, expected_version=if_match)
