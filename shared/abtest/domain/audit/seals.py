"""Seals: the Merkle root of a shop's audit rows up to the end of a day, chained to the seal before."""

from collections.abc import Sequence
from dataclasses import dataclass
from datetime import UTC, datetime, timedelta
from typing import Any

from abtest.domain.audit.merkle import root_of
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp
from abtest.kit.documents import decode, encode
from abtest.kit.ids import named_uuid7

LATE = timedelta(days=7)
"""How long after its id was made a row may be written: notices of webhooks have ids of the moment they report."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Seal:
    """Root over the rows of a day (`yyyy-mm-dd`, UTC) and of rows that were written late, of the days before.

    `previous` is the SHA-256 of the shop's seal before, None for its first.
    """

    shop_id: str
    date: str
    size: int
    root: str
    previous: str | None
    sealed_at: Timestamp

    @property
    def sha256(self) -> str:
        """SHA-256 of the canonical JSON of the fields, which the next seal has as `previous`."""
        return canonical_json.sha256(encode(self))


@dataclass(frozen=True, slots=True)
class SealedRows:
    """A seal with id and leaf hash (hexadecimal) of each of its rows, in the order of the tree."""

    seal: Seal
    leaves: Sequence[tuple[str, str]]

    @property
    def is_whole(self) -> bool:
        """True when the leaves are those of the seal's root."""
        return (len(self.leaves), root_hex(self.leaves)) == (self.seal.size, self.seal.root)

    def index(self, row_id: str) -> int | None:
        """Return the place of a row among the leaves, or None."""
        return next((at for at, (each, _) in enumerate(self.leaves) if each == row_id), None)

    def write(self) -> bytes:
        """Return the stored form, canonical JSON."""
        return canonical_json.encode({"seal": encode(self.seal), "leaves": [list(leaf) for leaf in self.leaves]})

    @classmethod
    def read(cls, content: bytes) -> "SealedRows":
        """Return what `write` wrote. Raises ValueError for any other content."""
        try:
            document: Any = canonical_json.loads(content)
            leaves = [(str(row_id), str(leaf)) for row_id, leaf in document["leaves"]]
            return cls(decode(Seal, document["seal"]), leaves)
        except (KeyError, TypeError, AttributeError) as error:
            raise ValueError("this is not a seal") from error


def sealed(
    leaves: Sequence[tuple[str, str]], *, shop_id: str, date: str, previous: Seal | None, now: Timestamp
) -> SealedRows:
    """Return the seal of these leaves behind the previous one."""
    seal = Seal(
        shop_id=shop_id,
        date=date,
        size=len(leaves),
        root=root_hex(leaves),
        previous=previous.sha256 if previous else None,
        sealed_at=now,
    )
    return SealedRows(seal, leaves)


def root_hex(leaves: Sequence[tuple[str, str]]) -> str:
    """Return the root over leaf hashes in hexadecimal digits."""
    return root_of([bytes.fromhex(leaf) for _, leaf in leaves]).hex()


def object_key(shop_id: str, date: str) -> str:
    """Return the key of the object that has a seal with its leaves."""
    return f"seals/{shop_id}/{date}.json"


def seal_id(shop_id: str, date: str) -> str:
    """Return the id of a seal's record. Ids sort by day."""
    return named_uuid7(day_start(date), f"seal {shop_id} {date}")


def day_start(date: str) -> datetime:
    """Return midnight, UTC, of a day. Raises ValueError."""
    return datetime.strptime(date, "%Y-%m-%d").replace(tzinfo=UTC)
