"""Messages of the roll-up queue: one shop to count, or one unit of a divided shop."""

from dataclasses import dataclass

from abtest.domain.ledger.partitions import Unit
from abtest.kit import canonical_json
from abtest.services.rollups.generations import Generation, generation_of


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


@dataclass(frozen=True, slots=True, kw_only=True)
class UnitMessage:
    """One unit to count of a generation."""

    generation: Generation
    unit: Unit

    @property
    def shop_id(self) -> str:
        """The shop."""
        return self.generation.shop_id

    def encoded(self) -> str:
        """Return the body."""
        return canonical_json.dumps({"unit": self.unit.name, "generation": self.generation.document()})


def read_message(body: str) -> CountMessage | UnitMessage:
    """Read a body. Raises InvalidMessageError."""
    try:
        document = canonical_json.loads(body)
        if "unit" in document:
            generation = generation_of(document["generation"])
            return UnitMessage(generation=generation, unit=generation.division.unit_named(document["unit"]))
        shop_id, head, listed_at = (document[name] for name in ("shop_id", "head", "listed_at"))
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidMessageError(str(error)[:200]) from error
    is_valid = isinstance(shop_id, str) and all(type(number) is int and number >= 0 for number in (head, listed_at))
    if not is_valid:
        raise InvalidMessageError("shop_id must be a text, head and listed_at must be whole numbers from 0")
    return CountMessage(shop_id=shop_id, head=head, listed_at=listed_at)
