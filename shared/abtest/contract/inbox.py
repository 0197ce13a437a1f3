"""Messages of the inbox on the wire."""

from typing import Annotated

from pydantic import AfterValidator, ConfigDict, Field

from abtest.contract.base import DateTime, Id, Input, Output, Uuid
from abtest.contract.names import plain
from abtest.domain.inbox.messages import MAX_BODY, InboxRole


class InboxMessage(Output):
    """Message in the inbox of a shop. `body` is plain text: markup in it has no meaning."""

    id: Id
    role: InboxRole
    body: str
    sender_id: str | None
    created_at: DateTime


class InboxMessageCreate(Input):
    """Message to the operators of the service."""

    model_config = ConfigDict(json_schema_extra={"examples": [{"body": "Which hosts should our firewall admit?"}]})

    body: Annotated[str, Field(min_length=1, max_length=MAX_BODY), AfterValidator(plain)]


class InboxUnread(Output):
    """Number of messages behind the caller's mark, at most 100."""

    unread: Annotated[int, Field(ge=0, le=100)]
    has_more: bool
    until: Id | None


class InboxRead(Input):
    """The newest message that the caller has read."""

    until: Uuid
