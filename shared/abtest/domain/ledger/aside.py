"""Events that are set aside: the one form in which the quarantine stores them, at the edge and in workers."""

from typing import TypedDict

from abtest.domain.ledger.events import MAX_SAMPLE_CHARS


class AsideLine(TypedDict):
    """One line of an object of the quarantine; `index` is the event's position in its batch or object.

    `reason` is a `Reason`, or `unreadable_message` of a whole message. `received_at` in Unix milliseconds.
    """

    event_id: str | None
    index: int | None
    reason: str
    received_at: int
    sample: str
    shop_id: str | None


def sample_of(text: str) -> str:
    """Return the beginning of the text as ASCII, so that characters that cannot be stored are visible."""
    return text[:MAX_SAMPLE_CHARS].encode("ascii", "backslashreplace").decode()
