"""Outbox rows that promise the completion of a publish, and the messages by which the sweep has them kept."""

from collections.abc import Mapping
from contextlib import suppress
from typing import Any, Protocol

from abtest.kit import canonical_json
from abtest.kit.errors import NotFoundError
from abtest.ports.catalog import Catalog, OutboxRow
from abtest.services.context import World

_PAGE, _PUBLISH = "landing_page_id", "publish_id"


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


def is_promise(row: OutboxRow) -> bool:
    """Return whether a row is about a landing page, not about the configuration of its shop."""
    return _PAGE in row.payload


def promise_message(row: OutboxRow) -> str:
    """Return the body of a message in PublishQueue that has the row's promise kept."""
    outbox = {"id": row.id, "created_at": row.created_at, "payload": dict(row.payload)}
    return canonical_json.dumps({"shop_id": row.shop_id, "promise": outbox})


def keep_promise(catalog: Catalog, flips: Completes, message: Mapping[str, Any]) -> None:
    """Complete the publish that a message names, then remove its row. Raises IncompleteError, and ServiceErrors."""
    row = OutboxRow(shop_id=message["shop_id"], topic="publish", **message["promise"])
    # Without the page or the publish there is nothing to complete.
    with suppress(NotFoundError):
        if not flips.complete(row.shop_id, row.payload[_PAGE], row.payload[_PUBLISH]).is_whole:
            raise IncompleteError
    catalog.outbox_done(row)
