"""Telling a shop that failures have stopped one of its endpoints: a message in its inbox, and a row of the audit.

An endpoint is disabled together with the note that its shop is to be told, and the note goes once the message stands.
Who dies in between is followed by another, called by the sweep, who says the same under the same ids.
"""

import logging
from dataclasses import dataclass, replace
from datetime import timedelta
from urllib.parse import urlsplit

from abtest.domain.webhooks.deliveries import RECOVERABLE
from abtest.domain.webhooks.endpoint import Webhook
from abtest.domain.webhooks.health import DISABLED_AFTER
from abtest.kit.clock import Timestamp, parse_timestamp, timestamp
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import named_uuid7
from abtest.ports.catalog import AuditRow, Commit, InboxRow
from abtest.ports.deliveries import DeliveryStore, HealthChange, StaleDeliveryError
from abtest.services.context import World
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.webhooks.records import read_webhook

LONG_ENOUGH = timedelta(hours=1)
"""Before an endpoint was disabled the first of the deliveries was made that did: five attempts take minutes, and most
of an hour where workers are lost."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class Telling:
    """Tells what is still to be told of an endpoint."""

    world: World
    store: DeliveryStore

    def carry_out(self, shop_id: str, webhook_id: str) -> None:
        """Tell the shop, if that is to be done. Repeatable. Raises DatabaseBusyError."""
        health = self.store.health(webhook_id)
        if health.untold is None or health.disabled_at is None:
            return
        self._tell(shop_id, webhook_id, health.disabled_at, health.untold)
        try:
            self.store.put_health(webhook_id, HealthChange(health, health.told()))
        except StaleDeliveryError:
            _log.info("webhook.told_again", extra={"webhook_id": webhook_id})  # by the next who is called

    def _tell(self, shop_id: str, webhook_id: str, disabled_at: Timestamp, error: str) -> None:
        """Who has deleted the endpoint need not know."""
        try:
            webhook = read_webhook(self.world.catalog, shop_id, webhook_id)
        except NotFoundError:
            return
        if webhook.archived_at is None:
            message, audit = _message(webhook, disabled_at, error), self._audit_row(webhook, disabled_at, error)
            self.world.catalog.commit(Commit(inbox=[message], audit=[audit]))
            _log.info("webhook.disabled", extra={"shop_id": shop_id, "webhook_id": webhook_id})

    def _audit_row(self, webhook: Webhook, disabled_at: Timestamp, error: str) -> AuditRow:
        row = self.world.audit_row(
            user_id=SYSTEM_USER_ID,
            shop_id=webhook.shop_id,
            action="webhook.disable",
            entity=("webhook", webhook.id, None),
            diff={"disabledAt": [None, disabled_at], "last_error": [None, error]},
            now=disabled_at,
        )
        return replace(row, id=_id(webhook, disabled_at, "audit"))


def _message(webhook: Webhook, disabled_at: Timestamp, error: str) -> InboxRow:
    return InboxRow(
        id=_id(webhook, disabled_at, "inbox"),
        shop_id=webhook.shop_id,
        role="system",
        body=_text(webhook, disabled_at, error),
        sender_id=None,
        created_at=disabled_at,
    )


def _text(webhook: Webhook, disabled_at: Timestamp, error: str) -> str:
    """Of the address the host only: where receivers have secrets, they are in the rest of it."""
    route, since = f"/webhooks/{webhook.id}", timestamp(parse_timestamp(disabled_at) - LONG_ENOUGH)
    return (
        f"The webhook at {urlsplit(webhook.url).hostname} is disabled since {disabled_at}, because {DISABLED_AFTER} "
        f"deliveries in a row did not arrive. The last error: {error}. Nothing is sent to it until you enable it. "
        f"GET {route}/deliveries?status=dead lists what did not arrive. Once the receiver is mended, try it with "
        f'POST {route}/test, enable it with PATCH {route} and {{"active": true}}, and fetch what was missed, of '
        f'{RECOVERABLE.days} days at most, with POST {route}/recover and {{"since": "{since}"}}.'
    )


def _id(webhook: Webhook, disabled_at: Timestamp, where: str) -> str:
    """The same for whoever tells it again."""
    return named_uuid7(parse_timestamp(disabled_at), f"{where} {webhook.id} {disabled_at}")
