"""Handler of the messages of WebhookQueue; `notification.py` defines them."""

import logging
from dataclasses import dataclass

from abtest.kit import canonical_json
from abtest.services.webhooks.disabled_notice import DisabledNotices
from abtest.services.webhooks.drain import Drain
from abtest.services.webhooks.fanout import FanOut

_log = logging.getLogger(__name__)


class UnknownMessageError(Exception):
    """The message is not of this release's kinds; it becomes a dead letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class WebhookWorker:
    """Worker that makes deliveries of events, and sends those that are due."""

    fan_out: FanOut
    drain: Drain
    notices: DisabledNotices

    def carry_out(self, body: str) -> None:
        """Make deliveries of the events, or send what is due for the endpoint, that a message names.

        Repeatable. Raises UnknownMessageError, ValueError or KeyError for an invalid message, DatabaseBusyError and
        SealingUnavailableError. When events fail, the first one's error is raised after all others were handled.
        """
        message = canonical_json.loads(body)
        kind = message.get("kind") if isinstance(message, dict) else None
        if kind == "deliveries":
            self.drain.run(message["shop_id"], message["webhook_id"])
            self.notices.send(message["shop_id"], message["webhook_id"])
            return
        if kind != "events":
            raise UnknownMessageError(f"a message of kind {kind!r}")
        failed: Exception | None = None
        for row in message["rows"]:
            # The sweep names waiting rows in the same order again, so a failing row must not stop those behind it.
            try:
                self.fan_out.carry_out(row["id"], row["created_at"])
            except Exception as error:
                _log.exception("webhook.not_fanned_out", extra={"row_id": row.get("id")})
                failed = failed or error
        if failed is not None:
            raise failed
