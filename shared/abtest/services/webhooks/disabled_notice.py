"""Notice to a shop that failures have disabled one of its endpoints: an inbox message and an audit row.

The write that disables an endpoint also stores that a notice is due; the mark is removed once the notice is stored. If
a worker dies in between, the sweep calls another, which stores the same notice under the same ids.
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
from abtest.ports.catalog import Commit, InboxRow
from abtest.ports.deliveries import DeliveryStore, HealthChange, StaleDeliveryError
from abtest.services.context import World
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.webhooks.records import read_webhook

LONG_ENOUGH = timedelta(hours=1)
"""The deliveries that disabled an endpoint were made at most this long before: five attempts take minutes, and half an
hour where workers are lost."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class DisabledNotices:
    """Sender of notices that are due."""

    world: World
    store: DeliveryStore

    def send(self, shop_id: str, webhook_id: str) -> None:
        """Notify the shop if a notice of this endpoint is due. Repeatable. Raises DatabaseBusyError."""
        health = self.store.health(webhook_id)
        if health.unreported is None or health.disabled_at is None:
            return
        try:
            webhook = read_webhook(self.world.catalog, shop_id, webhook_id)
        except NotFoundError:
            webhook = None
        # A shop that deleted the endpoint meanwhile needs no notice.
        if webhook is not None and webhook.archived_at is None:
            # The notice goes first, the mark after it: a worker that dies in between repeats the notice under the same
            # ids.
            self.world.catalog.commit(self.notice(webhook, health.disabled_at, health.unreported))
            _log.info("webhook.disabled", extra={"shop_id": shop_id, "webhook_id": webhook_id})
        try:
            self.store.put_health(webhook_id, HealthChange(health, health.reported()))
        except StaleDeliveryError:
            _log.info("webhook.disabled_notice_repeated", extra={"webhook_id": webhook_id})

    def notice(self, webhook: Webhook, disabled_at: Timestamp, error: str) -> Commit:
        """Build the inbox message and the audit row, whose ids follow from the endpoint and the moment."""
        moment, suffix = parse_timestamp(disabled_at), f"{webhook.id} {disabled_at}"
        message = InboxRow(
            id=named_uuid7(moment, f"inbox {suffix}"),
            shop_id=webhook.shop_id,
            role="system",
            body=notice_text(webhook, disabled_at, error),
            sender_id=None,
            created_at=disabled_at,
        )
        audit = self.world.audit_row(
            user_id=SYSTEM_USER_ID,
            shop_id=webhook.shop_id,
            action="webhook.disable",
            entity=("webhook", webhook.id, None),
            diff={"disabledAt": [None, disabled_at], "last_error": [None, error]},
            now=disabled_at,
        )
        return Commit(inbox=[message], audit=[replace(audit, id=named_uuid7(moment, f"audit {suffix}"))])


def notice_text(webhook: Webhook, disabled_at: Timestamp, error: str) -> str:
    """Return the text of the notice. It has only the host of the address, because the rest may hold secrets."""
    route, since = f"/webhooks/{webhook.id}", timestamp(parse_timestamp(disabled_at) - LONG_ENOUGH)
    return (
        f"The webhook at {urlsplit(webhook.url).hostname} has been disabled since {disabled_at}, because "
        f"{DISABLED_AFTER} deliveries in a row did not arrive. The last error: {error}. Nothing is sent to it until "
        f"you enable it. GET {route}/deliveries?status=dead lists what did not arrive. Once the receiver is repaired, "
        f'test it with POST {route}/test, enable it with PATCH {route} and {{"active": true}}, and recover missed '
        f'deliveries of up to {RECOVERABLE.days} days with POST {route}/recover and {{"since": "{since}"}}.'
    )
