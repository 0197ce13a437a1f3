"""Events that are set aside: the one form in which the quarantine keeps them, whoever found what is wrong."""

from typing import TypedDict

from abtest.domain.ledger.events import MAX_SAMPLE_CHARS


class AsideLine(TypedDict):
    """One line of an object of the quarantine; `index` is where the event stood in what held it.

    `reason` is a `Reason`, or `unreadable_message` of a whole message. `received_at` in Unix milliseconds.
    """

    event_id: str | None
    index: int | None
    reason: str
    received_at: int
    sample: str
    shop_id: str | None


def sample_of(text: str) -> str:
    """The beginning of what was sent as ASCII, so that whatever made it unstorable can be stored."""
    return text[:MAX_SAMPLE_CHARS].encode("ascii", "backslashreplace").decode()
