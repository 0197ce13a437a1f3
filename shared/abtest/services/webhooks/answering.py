"""What the worker does with a message of WebhookQueue; doorbell.py says what messages there are."""

from dataclasses import dataclass

from abtest.kit import canonical_json
from abtest.services.webhooks.draining import Drain
from abtest.services.webhooks.fanout import FanOut


class UnknownMessageError(Exception):
    """No message of this release; it becomes a dead letter."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answering:
    """Goes where the doorbell rang."""

    fan_out: FanOut
    drain: Drain

    def carry_out(self, body: str) -> None:
        """Make deliveries of the events, or send what is due for the endpoint, that a message names.

        Repeatable. Raises UnknownMessageError, ValueError or KeyError for what is no message, DatabaseBusyError and
        SealingUnavailableError.
        """
        message = canonical_json.loads(body)
        kind = message.get("kind") if isinstance(message, dict) else None
        if kind == "events":
            for row in message["rows"]:
                self.fan_out.carry_out(row["id"], row["created_at"])
        elif kind == "deliveries":
            self.drain.run(message["shop_id"], message["webhook_id"])
        else:
            raise UnknownMessageError(f"a message of kind {kind!r}")
