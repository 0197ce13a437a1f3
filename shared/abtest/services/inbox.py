"""Use cases of the inbox: messages between a shop and its operators, and how far each user has read them."""

from datetime import datetime

from abtest.contract.inbox import InboxMessage, InboxUnread
from abtest.domain.changes.diff import by_hash
from abtest.domain.inbox.messages import InboxRole, is_kept
from abtest.kit.errors import FieldError, NotFoundError, ValidationFailedError
from abtest.kit.ids import after_uuid, before_uuid7
from abtest.ports.catalog import Commit, InboxRow, Record
from abtest.services.context import Caller, World
from abtest.services.retries import retried
from abtest.services.state_records import replaced

MOST_COUNTED = 100
"""Unread messages that are counted."""

MOST_READ = 1000
"""Messages that one request reads: a user who writes much has many of their own behind the mark."""


class Inbox:
    """The inbox of each shop."""

    def __init__(self, world: World) -> None:
        self._world = world
        self._catalog = world.catalog

    def page(
        self, shop_id: str, *, since: datetime | None, oldest_first: bool, limit: int, after: str | None
    ) -> tuple[list[InboxMessage], str | None]:
        """Messages from this moment on, in this order, and the key that continues the list."""
        rows, last = self._catalog.inbox(
            shop_id,
            limit=limit,
            after_id=after,
            from_id=None if since is None else before_uuid7(since),
            oldest_first=oldest_first,
        )
        return [shown(row) for row in rows if self._is_kept(row)], last

    def get(self, shop_id: str, message_id: str) -> InboxMessage:
        """One message. Raises NotFoundError."""
        row = self._catalog.inbox_message(shop_id, message_id)
        if row is None or not self._is_kept(row):
            raise NotFoundError("there is no such message")
        return shown(row)

    def post(self, caller: Caller, body: str) -> InboxMessage:
        """Store a message of the shop with its audit row."""
        return self.send(caller.shop_id, "client", body, user_id=caller.user_id, sender_id=caller.user_id)

    def send(self, shop_id: str, role: InboxRole, body: str, *, user_id: str, sender_id: str | None) -> InboxMessage:
        """Store a message with its audit row, which has the hash of the text. A repeated request stores one message."""
        world = self._world
        message_id, audit_id = world.new_id(), world.audit_row_id()
        stored = self._catalog.inbox_message(shop_id, message_id) if world.is_repeated else None
        if stored:
            return shown(stored)
        row = InboxRow(
            id=message_id, shop_id=shop_id, role=role, body=body, sender_id=sender_id, created_at=world.now()
        )
        audit = world.audit_row(
            user_id=user_id,
            shop_id=shop_id,
            action="inbox_message.create",
            entity=("inbox_message", row.id, None),
            diff={"role": [None, role], "body": [None, by_hash(body, len(body))]},
            row_id=audit_id,
        )
        self._catalog.commit(Commit(inbox=[row], audit=[audit]))
        return shown(row)

    def unread(self, caller: Caller) -> InboxUnread:
        """Count the messages of others behind the caller's mark."""
        mark = self._mark(caller)
        until = None if mark is None else str(mark.body["until"])
        unread, has_more = self._behind(caller, until)
        return InboxUnread(unread=unread, has_more=has_more, until=until)

    def read(self, caller: Caller, until: str) -> InboxUnread:
        """Move the caller's mark to this message, never backwards. Raises ValidationFailedError."""
        row = self._catalog.inbox_message(caller.shop_id, until)
        if row is None or not self._is_kept(row):
            raise ValidationFailedError(
                "a field is invalid", fields=[FieldError("until", "must be a message of the shop")]
            )
        retried(lambda: self._move(caller, until))
        return self.unread(caller)

    def _move(self, caller: Caller, until: str) -> None:
        before = self._mark(caller)
        if before is not None and until <= before.body["until"]:
            return
        now = self._world.now()
        mark = replaced(
            before, shop_id=caller.shop_id, kind="MARK", record_id=caller.user_id, body={"until": until}, now=now
        )
        # Without an audit row: the mark is about the reader, and changes nothing for anybody else.
        self._catalog.commit(Commit(puts=[mark]))

    def _mark(self, caller: Caller) -> Record | None:
        return self._catalog.get(caller.shop_id, "MARK", caller.user_id)

    def _is_kept(self, row: InboxRow) -> bool:
        return is_kept(row.role, row.created_at, self._world.clock.now())

    def _behind(self, caller: Caller, until: str | None) -> tuple[int, bool]:
        """Return the number of messages of others behind a mark, and whether there may be more."""
        unread, after = 0, None
        from_id = None if until is None else after_uuid(until)
        for _ in range(MOST_READ // MOST_COUNTED):
            rows, after = self._catalog.inbox(
                caller.shop_id, limit=MOST_COUNTED, after_id=after, from_id=from_id, oldest_first=True
            )
            unread += sum(1 for row in rows if row.sender_id != caller.user_id and self._is_kept(row))
            if after is None or unread > MOST_COUNTED:
                break
        return min(unread, MOST_COUNTED), after is not None or unread > MOST_COUNTED


def shown(row: InboxRow) -> InboxMessage:
    """Return the response of a message, which never changes."""
    message = InboxMessage(id=row.id, role=row.role, body=row.body, sender_id=row.sender_id, created_at=row.created_at)
    return message.at(1)
