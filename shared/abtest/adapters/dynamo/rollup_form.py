"""Form of a roll-up in items: its newest days are in the item of the totals while they are small.

DynamoDB charges a write by the kilobytes of each item, and twice in a transaction. A small experiment has less than a
kilobyte a day, so one item with totals and days costs a fraction of a transaction with an item for each.

The item of the totals has every document of the days after `own_until`, and days up to it have items of their own. The
bound never falls, so after a whole write no document is in both places. An interrupted write, or one of a release
without days in the totals, is followed by one that moves all days out.

An item with days has `claimed` one above its generation. A release that does not look for days in the totals takes it
for half written, and writes the whole roll-up again, as it must. Claims of this release are `begun`, too.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal, NamedTuple

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress_json, decompress_json
from abtest.adapters.dynamo.sizes import item_size
from abtest.adapters.dynamo.table import Item, absent
from abtest.ports.rollup_store import Document

PART_BYTES = 300 * 1024
SMALL_BYTES = 4 * 1024
"""Most bytes of an item with several days: what one read unit pays for, so that readers of totals pay nothing more."""
NEWEST_BYTES = 16 * 1024
"""Most bytes of the newest day, if it is the only one in the totals. An experiment with 20,000 rows a day has half of
it. More would cost each reader of totals alone over four read units more, and hardly save: items of such shops change
with every count, so what a day costs is mostly its own kilobytes."""
NO_DATE = "0000-00-00"
"""Before all dates, as text."""
_LAST_DATE = "9999-99-99"
_OTHER_BYTES = 64
"""More than the names of attributes, the date and the claim take."""


class Slice(NamedTuple):
    """Name of a document in a roll-up."""

    kind: Literal["DAY", "SEG"]
    date: str


@dataclass(frozen=True, slots=True)
class Packed:
    """Item to put, and the parts that it names."""

    item: Item
    parts: Sequence[Item] = ()


@dataclass(frozen=True, slots=True)
class Held:
    """The stored item of a roll-up's totals; `item` is None before the first write."""

    item: Item | None

    @property
    def generation(self) -> int:
        """Generation of the totals, 0 without any."""
        return int(self.item.get("generation", 0)) if self.item else 0

    @property
    def claim(self) -> int:
        """The newest generation that a writer began and has not ended, or an older one."""
        if self.item is None:
            return 0
        claimed, begun = int(self.item.get("claimed", 0)), int(self.item.get("begun", 0))
        is_sign = "days" in self.item and claimed == self.generation + 1
        return max(begun, 0 if is_sign else claimed)

    @property
    def is_whole(self) -> bool:
        """True if all items belong to the totals. After a higher claim, slices may be newer than they are."""
        return self.claim <= self.generation

    @property
    def own_until(self) -> str:
        """Newest date that may have items of its own."""
        if self.item is None:
            return NO_DATE
        return str(self.item.get("own_until", _LAST_DATE)) if self.is_whole else _LAST_DATE

    def slices(self) -> dict[Slice, Document]:
        """Return the documents in the item."""
        packed = decompress_json(self.item["days"]) if self.item and "days" in self.item else {}
        return {_slice(name): document for name, document in packed.items()}

    def unchanged(self) -> Condition:
        """Return the condition that no writer has begun or ended since the item was read."""
        if self.item is None:
            return absent()
        same = [_is(name, self.item.get(name)) for name in ("generation", "claimed", "begun")]
        condition: Condition = same[0] & same[1] & same[2]
        return condition


def packed(key: keys.Key, document: Document, generation: int) -> Packed:
    """Return a document as an item of this generation, in parts if it is large."""
    pk, sk = key
    content = compress_json(dict(document))
    item = {"pk": pk, "sk": sk, "generation": generation}
    if len(content) <= PART_BYTES:
        return Packed(item | {"document": content})
    # Two writers may use the same generation; with the digest, neither replaces parts of the other.
    digest = sha256(content).hexdigest()[:24]
    pieces = [content[start : start + PART_BYTES] for start in range(0, len(content), PART_BYTES)]
    names = [keys.rollup_part(key, generation, digest, number) for number in range(len(pieces))]
    parts = [{"pk": pk, "sk": sk, "content": piece} for (pk, sk), piece in zip(names, pieces, strict=True)]
    return Packed(item | {"digest": digest, "parts": len(parts)}, parts)


def formed(held: Held, key: keys.Key, totals: Document, given: Mapping[Slice, Document]) -> list[Packed]:
    """Return all items that a write of these documents puts, the totals last."""
    generation, inside = totals["generation"], held.slices()
    known = {**inside, **given}
    until = held.own_until
    if until == _LAST_DATE:
        until = max([NO_DATE, *(_slice(name).date for name in totals.get("digests", {})), *(date for _, date in known)])
    whole = packed(key, totals, generation)
    room = SMALL_BYTES - item_size(whole.item) - _OTHER_BYTES
    content, until = _newest(
        {slice_: document for slice_, document in known.items() if slice_.date > until}, until, room
    )
    own = [slice_ for slice_ in known if slice_.date <= until]
    # `claimed` is the sign for other releases, see above.
    days = {"days": content, "claimed": generation + 1} if content else {}
    return [
        *(packed(keys.rollup_slice(key, *slice_), known[slice_], generation) for slice_ in own),
        Packed({**whole.item, "own_until": until, **days}, whole.parts),
    ]


def _newest(documents: Mapping[Slice, Document], until: str, room: int) -> tuple[bytes, str]:
    """Return the newest of the documents as one, and the newest date that is not in it, at least `until`."""
    dates = sorted({slice_.date for slice_ in documents})
    while dates:
        chosen = {f"{kind}#{date}": document for (kind, date), document in documents.items() if date >= dates[0]}
        content = compress_json(chosen)
        if len(content) <= (NEWEST_BYTES if len(dates) == 1 else room):
            return content, until
        # Half of the days at once: each time that days move out, the totals cost twice as much.
        moved = (len(dates) + 1) // 2
        until, dates = dates[moved - 1], dates[moved:]
    return b"", until


def _slice(name: str) -> Slice:
    """Return the slice of a name such as `DAY#2026-01-02`."""
    kind, _, date = name.partition("#")
    return Slice("DAY" if kind == "DAY" else "SEG", date)


def _is(name: str, value: int | None) -> Condition:
    condition: Condition = Path(name).does_not_exist() if value is None else Path(name) == value
    return condition
