"""Routes of the inbox."""

from typing import Annotated, Literal

from fastapi import Query

from abtest.contract.base import ListOf, MomentParameter
from abtest.contract.inbox import InboxMessage, InboxMessageCreate, InboxRead, InboxUnread
from abtest.http.deps import Caller, Page, PathId, require, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.clock import parse_timestamp
from abtest.kit.errors import NotFoundError, ValidationFailedError
from abtest.services.inbox import Inbox

router = Router("/inbox", tag="Inbox")

Reader = Annotated[Caller, require("inbox:read")]
Writer = Annotated[Caller, require("inbox:write")]
UsesInbox = Annotated[Inbox, use(Inbox)]


@router.get("/messages", operation_id="listInboxMessages")
def list_messages(
    caller: Reader,
    page: Page,
    inbox: UsesInbox,
    since: Annotated[MomentParameter | None, Query(description="Only messages of this moment or later.")] = None,
    sort: Annotated[
        Literal["created_at", "-created_at"], Query(description="`created_at` lists the oldest first.")
    ] = "-created_at",
) -> ListOf[InboxMessage]:
    """List the messages of the inbox, newest first.

    Messages of the service (`system`: findings, approvals, schedules that failed, webhooks that were disabled) are kept
    for 90 days, those of people permanently.
    """
    moment = None if since is None else parse_timestamp(since)
    items, last = inbox.page(
        caller.shop_id, since=moment, oldest_first=sort == "created_at", limit=page.limit, after=page.after
    )
    return page.page(items, last)


@router.post("/messages", operation_id="createInboxMessage", status_code=201)
def create_message(body: InboxMessageCreate, caller: Writer, inbox: UsesInbox) -> InboxMessage:
    """Write to the operators of the service. Everybody who reads the inbox of the shop sees the message."""
    return inbox.post(caller, body.body)


@router.get("/messages/{message_id}", operation_id="getInboxMessage", responses=errors(NotFoundError))
def get_message(message_id: PathId, caller: Reader, inbox: UsesInbox) -> InboxMessage:
    """Return one message."""
    return inbox.get(caller.shop_id, message_id)


@router.get("/unread", operation_id="getInboxUnread")
def get_unread(caller: Reader, inbox: UsesInbox) -> InboxUnread:
    """Count the messages that the user of the key has not read; the user's own do not count.

    Counting ends at 100, or after 1,000 messages behind the mark; `has_more` is true where there may be more.
    """
    return inbox.unread(caller)


@router.put("/read", operation_id="markInboxRead", responses=errors(ValidationFailedError))
def mark_read(body: InboxRead, caller: Reader, inbox: UsesInbox) -> InboxUnread:
    """Mark the messages up to and including this one as read by the user of the key.

    A user has one mark for all keys. It never moves backwards: an older message changes nothing.
    """
    return inbox.read(caller, body.until)
