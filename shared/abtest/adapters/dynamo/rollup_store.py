"""Roll-ups on DynamoDB: documents of any size, replaced only by a higher generation.

A document that does not fit into its item is stored in parts, named by generation and digest. Parts are written before
the item that names them and removed after it. A reader therefore gets all parts of one version, or reads again.

A write that changes nothing but days in the item of the totals (see `rollup_form`) is one conditional put. A roll-up
that fits into one transaction is written in one. Otherwise the writer first claims the generation in the item of the
totals, and writes the totals last. Until then, readers see that items may be newer than the totals.
"""

from collections.abc import Iterator, Mapping, Sequence
from datetime import timedelta
from typing import Literal, cast

from pynamodb.expressions.condition import Condition
from pynamodb.expressions.operand import Path

from abtest.adapters.dynamo import keys
from abtest.adapters.dynamo.bodies import compress_json, decompress_json
from abtest.adapters.dynamo.ephemeral import expires
from abtest.adapters.dynamo.rollup_form import Held, Packed, Slice, formed, packed
from abtest.adapters.dynamo.sizes import item_size
from abtest.adapters.dynamo.table import ConditionFailedError, Item, Table, absent
from abtest.adapters.dynamo.transaction import OvertakenError, Transaction
from abtest.kit.clock import Timestamp, parse_timestamp
from abtest.kit.documents import decode, encode
from abtest.kit.errors import DatabaseBusyError
from abtest.ports.catalog import MAX_COMMIT_ITEMS
from abtest.ports.rollup_store import Document, RollupSummary, ShopProgress

TRANSACTION_BYTES = 3_500_000
"""Less than DynamoDB's 4 MB, because conditions and names of the request are not counted here."""
MAX_DAYS = 10_000
MAX_SHOPS = 1_000_000
READS_KEPT = timedelta(days=1)
READS = 4
"""Attempts to read a document in parts, because a newer version may replace them during an attempt."""


class DynamoRollupStore:
    """Roll-up store on the roll-ups table."""

    def __init__(self, table_name: str) -> None:
        self._table = Table(table_name, sorted_items=True)
        self._read: tuple[keys.Key, Held] | None = None
        """Items of the latest summary, which a writer reads before it puts."""

    def put(self, totals: Document, days: Mapping[str, Document], segments: Mapping[str, Document]) -> bool:
        key, generation = keys.rollup(totals["experiment_id"], totals["measurement_epoch"]), totals["generation"]
        given = {Slice("DAY", date): day for date, day in days.items()}
        given |= {Slice("SEG", date): segment for date, segment in segments.items()}
        read, self._read = self._read, None
        held = read[1] if read and read[0] == key else Held(self._table.get(*key))
        while max(held.generation, held.claim) < generation:
            *own, whole = formed(held, key, totals, given)
            # The parts are not removed if the write fails, as they may belong to the stored version. The next
            # generation removes them.
            for part in (part for each in (*own, whole) for part in each.parts):
                self._table.put(part)
            try:
                self._put_items([each.item for each in own], whole.item, held)
            except (OvertakenError, ConditionFailedError):
                present = Held(self._table.get(*key))
                if present == held:  # an item of a day is newer
                    return False
                # The days in the totals may be others now, and a write of a lower generation does not stop this one.
                held = present
                continue
            for each in (*own, whole):
                self._remove_older_parts(each)
            return True
        return False

    def summary(self, experiment_id: str, measurement_epoch: int) -> RollupSummary:
        key = keys.rollup(experiment_id, measurement_epoch)
        held = Held(self._table.get(*key))
        self._read = key, held
        return RollupSummary(
            totals=self._document(held.item) if held.item and held.generation else None,
            is_whole=held.is_whole,
            next_generation=max(held.generation, held.claim) + 1,
        )

    def totals(self, experiment_id: str, measurement_epoch: int) -> Document | None:
        return self.summary(experiment_id, measurement_epoch).totals

    def totals_of(self, measurements: Sequence[tuple[str, int]]) -> Mapping[tuple[str, int], Document]:
        named = {keys.rollup(*each): each for each in measurements}
        items = self._table.get_many(list(named))
        return {named[item["pk"], item["sk"]]: self._document(item) for item in items if item.get("generation", 0)}

    def days(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        return self._slices("DAY", keys.rollup(experiment_id, measurement_epoch), first, last)

    def segments(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Document]:
        return self._slices("SEG", keys.rollup(experiment_id, measurement_epoch), first, last)

    def put_shop_day(self, document: Document) -> bool:
        generation = document["generation"]
        day = packed(keys.shop_day(document["shop_id"], document["date"]), document, generation)
        for part in day.parts:
            self._table.put(part)
        try:
            self._table.put(day.item, _older_than(generation))
        except ConditionFailedError:
            return False
        self._remove_older_parts(day)
        return True

    def shop_days(self, shop_id: str, first: str, last: str) -> Sequence[Document]:
        return self._between(keys.shop_day(shop_id, first), keys.shop_day(shop_id, last))

    def put_shop_progress(self, progress: ShopProgress) -> bool:
        pk, sk = keys.shop_progress(progress.shop_id)
        offset, counted_at = progress.offset, progress.counted_at
        item = {
            "pk": pk,
            "sk": sk,
            "offset": offset,
            "counted_at": counted_at,
            "document": compress_json(encode(progress)),
        }
        is_older = (
            absent() | (Path("offset") < offset) | ((Path("offset") == offset) & (Path("counted_at") <= counted_at))
        )
        try:
            self._table.put(item, is_older)
        except ConditionFailedError:
            return False
        return True

    def shop_progress(self, shop_id: str) -> ShopProgress | None:
        item = self._table.get(*keys.shop_progress(shop_id))
        return decode(ShopProgress, decompress_json(item["document"])) if item else None

    def progress_of_shops(self) -> Iterator[ShopProgress]:
        for item in self._table.query(keys.SHOP_PROGRESS, limit=MAX_SHOPS):
            yield decode(ShopProgress, decompress_json(item["document"]))

    def note_read(self, shop_id: str, at: Timestamp, *, unless_after: Timestamp) -> bool:
        pk, sk = keys.shop_reader(shop_id)
        item = {"pk": pk, "sk": sk, "read_at": at, "expires": expires(parse_timestamp(at) + READS_KEPT)}
        try:
            self._table.put(item, absent() | (Path("read_at") <= unless_after))
        except ConditionFailedError:
            return False
        return True

    def shops_read(self, since: Timestamp) -> Mapping[str, Timestamp]:
        # Expired items may stand for days, so the moment decides.
        items = self._table.query(keys.SHOP_READERS, limit=MAX_SHOPS)
        return {item["sk"]: item["read_at"] for item in items if item["read_at"] >= since}

    def _put_items(self, own: Sequence[Item], totals: Item, held: Held) -> None:
        """Write items, totals last. Raises OvertakenError or ConditionFailedError if others have written meanwhile."""
        generation, batches = totals["generation"], list(_batches([*own, totals]))
        if len(batches) > 1:
            # If a newer writer claims meanwhile, the totals must fail: they would be older than its slices.
            claims = [Path(name).set(generation) for name in ("claimed", "begun")]
            held = Held(self._table.update(totals["pk"], totals["sk"], claims, held.unchanged()))
        for batch in batches:
            conditions = [held.unchanged() if item is totals else _older_than(generation) for item in batch]
            if len(batch) == 1:  # in a transaction an item costs twice as much
                self._table.put(batch[0], conditions[0])
                continue
            transaction = Transaction(self._table)
            for item, condition in zip(batch, conditions, strict=True):
                transaction.put(item, condition, OvertakenError())
            transaction.write()

    def _slices(self, kind: Literal["DAY", "SEG"], key: keys.Key, first: str, last: str) -> list[Document]:
        # The totals are read first: days that move out of them afterwards have items of their own then.
        held = Held(self._table.get(*key))
        inside = {each.date: document for each, document in held.slices().items() if each.kind == kind}
        slices = {date: document for date, document in inside.items() if first <= date <= last}
        if held.item is None or first <= held.own_until:
            for item in self._items(keys.rollup_slice(key, kind, first), keys.rollup_slice(key, kind, last)):
                date, own = keys.parse_slice(item["sk"]), self._document(item)
                if date not in slices or slices[date]["generation"] <= own["generation"]:
                    slices[date] = own
        return [slices[date] for date in sorted(slices)]

    def _between(self, first: keys.Key, last: keys.Key) -> list[Document]:
        return [self._document(item) for item in self._items(first, last)]

    def _items(self, first: keys.Key, last: keys.Key) -> Iterator[Item]:
        return self._table.query(first[0], limit=MAX_DAYS, where=Path("sk").between(first[1], last[1]))

    def _document(self, item: Item) -> Document:
        """Return the document of an item or of its parts. Raises DatabaseBusyError when it changes at every read."""
        for _ in range(READS):
            if "document" in item:
                return cast(Document, decompress_json(item["document"]))
            key, count = (item["pk"], item["sk"]), item["parts"]
            names = [keys.rollup_part(key, item["generation"], item["digest"], number) for number in range(count)]
            parts = {part["sk"]: part["content"] for part in self._table.get_many(names)}
            if len(parts) == count:
                return cast(Document, decompress_json(b"".join(parts[sk] for _, sk in names)))
            # A newer version has replaced the parts since the item was read.
            item = self._table.get(*key) or item
        raise DatabaseBusyError

    def _remove_older_parts(self, packed: Packed) -> None:
        """Remove parts of earlier generations."""
        if not packed.parts:  # nearly always: a document without parts has no older ones, unless it has shrunk
            return
        pk, sk = packed.item["pk"], packed.item["sk"]
        older = Path("sk").between(keys.rollup_parts(sk, 0), keys.rollup_parts(sk, packed.item["generation"]))
        for part in self._table.query(pk, limit=MAX_DAYS, where=older):
            self._table.delete(pk, part["sk"])


def _batches(items: Sequence[Item]) -> Iterator[list[Item]]:
    """Yield the items in their order, as many at once as a transaction allows."""
    batch: list[Item] = []
    size = 0
    for item in items:
        size += item_size(item)
        if batch and (len(batch) == MAX_COMMIT_ITEMS or size > TRANSACTION_BYTES):
            yield batch
            batch, size = [], item_size(item)
        batch.append(item)
    yield batch


def _older_than(generation: int) -> Condition:
    older: Condition = Path("generation").does_not_exist() | (Path("generation") < generation)
    return older
