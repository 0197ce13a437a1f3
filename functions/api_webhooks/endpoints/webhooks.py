"""Routes around an endpoint's settings."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf
from abtest.contract.webhooks import Webhook, WebhookCreated, WebhookInput, WebhookUpdate
from abtest.domain.egress.targets import UrlNotAllowedError
from abtest.http.deps import IfMatch, Page, PathId, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, LimitReachedError, NotFoundError
from abtest.services.listing import ArchivedFilter
from abtest.services.webhooks.endpoints import EndpointFilters, Endpoints
from api_webhooks.endpoints.vocabulary import Reader, Writer

router = Router("/webhooks", tag="Webhooks")

Uses = Annotated[Endpoints, use(Endpoints)]


@router.get("", operation_id="listWebhooks")
def list_webhooks(
    caller: Reader,
    page: Page,
    endpoints: Uses,
    active: Annotated[bool | None, Query(description="Whether events are sent to it.")] = None,
    archived: Annotated[ArchivedFilter, Query(description="Archived ones: hidden, alone, or with others.")] = "false",
) -> ListOf[Webhook]:
    """Endpoints, newest first, without secrets. A page may hold fewer than `limit` and still have a next one."""
    filters = EndpointFilters(active=active, archived=archived)
    found, last = endpoints.page(caller.shop_id, filters, limit=page.limit, after=page.after)
    return page.page([Webhook.of(each) for each in found], last)


@router.post("", operation_id="createWebhook", status_code=201, responses=errors(UrlNotAllowedError, LimitReachedError))
def create_webhook(body: WebhookInput, caller: Writer, endpoints: Uses) -> WebhookCreated:
    """A new endpoint, active at once. Its secret is shown this once. A shop has 20 at most."""
    issued = endpoints.create(caller, url=body.url, events=body.events)
    return WebhookCreated.with_secret(issued.standing, issued.secret)


@router.get("/{webhook_id}", operation_id="getWebhook", responses=errors(NotFoundError))
def get_webhook(webhook_id: PathId, caller: Reader, endpoints: Uses) -> Webhook:
    """One endpoint, without its secret."""
    found = endpoints.get(caller.shop_id, webhook_id)
    return Webhook.of(found)


@router.patch(
    "/{webhook_id}",
    operation_id="updateWebhook",
    responses=errors(NotFoundError, ConflictError, UrlNotAllowedError),
)
def update_webhook(
    webhook_id: PathId, body: WebhookUpdate, caller: Writer, endpoints: Uses, if_match: IfMatch
) -> Webhook:
    """Change address, events, or whether it is active. `active: true` clears `disabledAt` and `consecutiveFailures`.

    What died while it was disabled is queued again by `/recover`.
    """
    found = endpoints.update(caller, webhook_id, body.stated(), expected_version=if_match)
    return Webhook.of(found)


@router.delete("/{webhook_id}", operation_id="deleteWebhook", status_code=204, responses=errors(NotFoundError))
def delete_webhook(webhook_id: PathId, caller: Writer, endpoints: Uses, if_match: IfMatch) -> None:
    """Archive the endpoint, for good. The log can still be read.

    Deliveries that are queued die with `webhook_deleted`; those that failed do when their next attempt is due.
    """
    endpoints.archive(caller, webhook_id, expected_version=if_match)


@router.post("/{webhook_id}/archive", operation_id="archiveWebhook", status_code=204, responses=errors(NotFoundError))
def archive_webhook(webhook_id: PathId, caller: Writer, endpoints: Uses, if_match: IfMatch) -> None:
    """The same as deleting it."""
    endpoints.archive(caller, webhook_id, expected_version=if_match)
