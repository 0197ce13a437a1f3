"""Names of the ledger's objects. A name follows from content alone, so that whoever repeats a write overwrites it."""

from collections.abc import Iterable
from hashlib import sha256

from abtest.domain.ledger.events import HOUR_MS
from abtest.kit.clock import from_milliseconds

RAW, SPILL, QUARANTINE = "raw/", "spill/", "quarantine/"


def raw_key(message_ids: Iterable[str], queued_at: int) -> str:
    """The object of a batch of messages, under the hour (Unix milliseconds) in which the newest of them was queued."""
    return f"{raw_hour(queued_at)}{_digest(message_ids)}.ndjson.gz"


def raw_hour(moment: int) -> str:
    """The prefix of one hour; prefixes sort as time does."""
    return f"{RAW}{from_milliseconds(moment):dt=%Y-%m-%d/hh=%H/}"


def raw_start(begins_at: int) -> str:
    """Every object that may hold rows received at or after the moment sorts after this key.

    An hour of margin: edge, queue and worker have clocks of their own.
    """
    return raw_hour(begins_at - HOUR_MS)


def spill_key(received_at: int, spill_id: str) -> str:
    """A message that the queue refused."""
    return f"{SPILL}{received_at}-{spill_id}.json"


def quarantine_key(shop_id: str, received_at: int, batch_id: str) -> str:
    """Events of a shop that were set aside, under the day, so that a listing of one shop reads nothing of others."""
    return f"{QUARANTINE}{from_milliseconds(received_at):dt=%Y-%m-%d}/shop={shop_id}/{received_at}-{batch_id}.ndjson.gz"


def batch_id(message_ids: Iterable[str]) -> str:
    """A name for a set of messages, whatever their order."""
    return _digest(message_ids)


def _digest(message_ids: Iterable[str]) -> str:
    return sha256("\n".join(sorted(message_ids)).encode()).hexdigest()
