"""Outbox rows that promise the completion of a publish, and the messages by which the sweep has them kept."""

from collections.abc import Iterator, Mapping, Sequence
from contextlib import suppress
from datetime import datetime, timedelta
from typing import Any, Protocol

from abtest.kit import canonical_json
from abtest.kit.clock import parse_timestamp
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Catalog, OutboxRow
from abtest.services.context import World
from abtest.services.pages.live_hosts import pages_at

_PAGE, _PUBLISH, _HOSTS = "landing_page_id", "publish_id", "page_hosts"


class IncompleteError(Exception):
    """The CDN may still have what was at an address before; the message stays in its queue."""


class Completes(Protocol):
    """Completion of publishes, implemented by `PageFlips`."""

    def complete(self, shop_id: str, page_id: str, publish_id: str) -> Any:
        """Bring a publish to its addresses. What it returns has `is_whole`."""
        ...


def promise(world: World, shop_id: str, page_id: str, publish_id: str) -> OutboxRow:
    """Build the row after which a publish is completed, by the sweep if the request does not."""
    return world.outbox_row(shop_id, "publish", {_PAGE: page_id, _PUBLISH: publish_id})


def promise_for_hosts(world: World, shop_id: str, hosts: Sequence[str]) -> OutboxRow:
    """Build the row after which pages end at hosts that the shop gave up, should any have been published meanwhile."""
    return world.outbox_row(shop_id, "publish", {_HOSTS: [*hosts]})


def is_promise(row: OutboxRow) -> bool:
    """Return whether a row is about landing pages, not about the configuration of its shop."""
    return _PAGE in row.payload or _HOSTS in row.payload


def is_due(row: OutboxRow, now: datetime) -> bool:
    """Return whether the sweep of this minute sends a promise.

    It is sent every minute for 20 minutes, then every ten minutes, and after ten hours every hour.
    """
    minutes = (now - parse_timestamp(row.created_at)) // timedelta(minutes=1)
    interval = 1 if minutes < 20 else 10 if minutes < 600 else 60
    return minutes % interval == 0


def promise_message(row: OutboxRow) -> str:
    """Return the body of a message in PublishQueue that has the row's promise kept."""
    outbox = {"id": row.id, "created_at": row.created_at, "payload": dict(row.payload)}
    return canonical_json.dumps({"shop_id": row.shop_id, "promise": outbox})


def keep_promise(catalog: Catalog, flips: Completes, message: Mapping[str, Any]) -> None:
    """Complete the publishes that a message is about, then remove its row. Raises IncompleteError, ServiceError."""
    row = OutboxRow(shop_id=message["shop_id"], topic="publish", **message["promise"])
    for page_id, publish_id in _publishes(catalog, row):
        # Without the page or the publish there is nothing to complete.
        with suppress(NotFoundError):
            if not flips.complete(row.shop_id, page_id, publish_id).is_whole:
                raise IncompleteError
    catalog.outbox_done(row)


def _publishes(catalog: Catalog, row: OutboxRow) -> Iterator[tuple[str, str]]:
    """Yield page and publish of each one that a row is about."""
    if _PAGE in row.payload:
        yield row.payload[_PAGE], row.payload[_PUBLISH]
    for head in pages_at(catalog, row.shop_id, row.payload.get(_HOSTS, ())):
        yield head.id, str(head.attributes["live_publish_id"])
