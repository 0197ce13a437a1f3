"""Routes of quarantined events."""

from typing import Annotated

from fastapi import Query

from abtest.contract.base import ListOf, MomentParameter
from abtest.contract.quarantine import QuarantinedEvent
from abtest.domain.ledger.events import Reason
from abtest.http.deps import Page, use
from abtest.http.route import Router
from abtest.kit.clock import from_milliseconds, parse_milliseconds, timestamp
from abtest.services.quarantine import Quarantined
from api_analytics.endpoints.vocabulary import Analyst

router = Router("/analytics", tag="Analytics")


@router.get("/quarantine", operation_id="listQuarantinedEvents")
def list_quarantined(
    caller: Analyst,
    page: Page,
    quarantined: Annotated[Quarantined, use(Quarantined)],
    reason: Annotated[Reason | None, Query(description="Only events with this reason.")] = None,
    since: Annotated[
        MomentParameter | None, Query(alias="from", description="Only events received at or after this moment.")
    ] = None,
) -> ListOf[QuarantinedEvent]:
    """List events of the last 14 days that are not counted, each with the reason, newest first.

    One request reads a limited number of batches: a page may be shorter than `limit`, even empty, and still have a
    `next_cursor`.
    """
    begins = None if since is None else parse_milliseconds(since)
    items, last = quarantined.page(caller.shop_id, reason=reason, since=begins, limit=page.limit, after=page.after)
    shown = [
        QuarantinedEvent(
            event_id=aside.event_id,
            received_at=timestamp(from_milliseconds(aside.received_at)),
            reason=aside.reason,
            sample=aside.sample,
        )
        for aside in items
    ]
    return page.page(shown, last)
