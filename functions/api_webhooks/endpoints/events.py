"""The route that lists the events."""

from abtest.contract.base import ListOf
from abtest.contract.webhooks import WebhookEvent
from abtest.domain.webhooks.catalogue import EVENTS
from abtest.http.deps import Page
from abtest.http.route import Router
from api_webhooks.endpoints.vocabulary import Reader

router = Router("/webhook-events", tag="Webhooks")


@router.get("", operation_id="listWebhookEvents")
def list_events(_caller: Reader, page: Page) -> ListOf[WebhookEvent]:
    """List the events available for subscription, each with the schema of its body and an example."""
    names = list(EVENTS)
    start = names.index(page.after) + 1 if page.after is not None and page.after in EVENTS else 0
    shown = names[start : start + page.limit]
    last = shown[-1] if start + page.limit < len(names) else None
    return page.page([WebhookEvent.of(EVENTS[name]) for name in shown], last)
