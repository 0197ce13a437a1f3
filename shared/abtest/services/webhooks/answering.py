"""What the worker does with a message of WebhookQueue; doorbell.py says what messages there are."""

import logging
from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from abtest.kit import canonical_json
from abtest.services.webhooks.draining import Drain
from abtest.services.webhooks.fanout import FanOut
from abtest.services.webhooks.telling import Telling

_log = logging.getLogger(__name__)


class UnknownMessageError(Exception):
    """No message of this release; it becomes a dead letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Goes where the doorbell rang."""

    fan_out: FanOut
    drain: Drain
    telling: Telling

    def carry_out(self, body: str) -> None:
        """Make deliveries of the events, or send what is due for the endpoint, that a message names.

        Repeatable. Raises UnknownMessageError, ValueError or KeyError for what is no message, DatabaseBusyError and
        SealingUnavailableError. Of events that fail the first one's error, once all others were carried out.
        """
        message = canonical_json.loads(body)
        kind = message.get("kind") if isinstance(message, dict) else None
        if kind == "events":
            self._fan_out(message["rows"])
        elif kind == "deliveries":
            self.drain.run(message["shop_id"], message["webhook_id"])
            self.telling.carry_out(message["shop_id"], message["webhook_id"])
        else:
            raise UnknownMessageError(f"a message of kind {kind!r}")

    def _fan_out(self, rows: Sequence[Mapping[str, str]]) -> None:
        """Each of them, though one fails: the sweep names rows in the same order again, those behind it included."""
        failed: Exception | None = None
        for row in rows:
            try:
                self.fan_out.carry_out(row["id"], row["created_at"])
            except Exception as error:
                _log.exception("webhook.not_fanned_out", extra={"row_id": row.get("id")})
                failed = failed or error
        if failed is not None:
            raise failed
