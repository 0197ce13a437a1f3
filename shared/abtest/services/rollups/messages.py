"""Messages of the roll-up queue: one shop to count."""

from dataclasses import dataclass

from abtest.kit import canonical_json


class InvalidMessageError(Exception):
    """The body is not a message of this queue."""


@dataclass(frozen=True, slots=True, kw_only=True)
class CountMessage:
    """A shop to count up to the feed's offset `head`.

    The feed has everything there that the ledger held at `listed_at` (Unix ms).
    """

    shop_id: str
    head: int
    listed_at: int

    def encoded(self) -> str:
        """Return the body."""
        return canonical_json.dumps({"shop_id": self.shop_id, "head": self.head, "listed_at": self.listed_at})


def read_message(body: str) -> CountMessage:
    """Read a body. Raises InvalidMessageError."""
    try:
        document = canonical_json.loads(body)
        shop_id, head, listed_at = (document[name] for name in ("shop_id", "head", "listed_at"))
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidMessageError(str(error)[:200]) from error
    is_valid = isinstance(shop_id, str) and all(type(number) is int and number >= 0 for number in (head, listed_at))
    if not is_valid:
        raise InvalidMessageError("shop_id must be a text, head and listed_at must be whole numbers from 0")
    return CountMessage(shop_id=shop_id, head=head, listed_at=listed_at)
