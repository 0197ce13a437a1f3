"""The sample of a night, by its seed, and the messages of its parts: records of one shop, or an hour and shops."""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from itertools import chain, islice
from typing import Any, cast

from abtest.domain.ledger.objects import Hour
from abtest.domain.ledger.shop_groups import ShopGroup
from abtest.kit import canonical_json
from abtest.ports.catalog import DueEntry, Kind
from abtest.ports.queue import QueueMessage
from abtest.services.compaction.unit import HourUnit, unit_of

RECORDS_A_MESSAGE = 10
"""Records of a shop that share one reading of manifests, which costs most in large ledgers."""
KINDS: tuple[Kind, ...] = ("EXP", "PZN", "SHOP")
_ID_CHARACTERS = 100


class InvalidAuditMessageError(ValueError):
    """Body that is not a message of this queue; the text names the field."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopPart:
    """Records of one shop, by kind and id, whose roll-ups are compared together. Its own record has the holdout."""

    shop_id: str
    records: tuple[tuple[Kind, str], ...]

    @property
    def name(self) -> str:
        """Name in logs and leases."""
        return f"{self.shop_id}#{self.records[0][1]}"

    def message(self, seed: str) -> QueueMessage:
        """Return the message of the part."""
        document = {"seed": seed, "shop_id": self.shop_id, "records": [list(record) for record in self.records]}
        return QueueMessage(body=canonical_json.dumps(document), group=self.shop_id)


@dataclass(frozen=True, slots=True, kw_only=True)
class HourPart:
    """An hour of a group of shops, and share `share` of `shares` of the hour's raw objects.

    The events of the group are compared with its Parquet files, and the objects of the share with their manifests.
    """

    unit: HourUnit
    share: int
    shares: int

    @property
    def name(self) -> str:
        """Name in logs and leases."""
        return self.unit.name

    def has(self, raw_key: str) -> bool:
        """Return whether the raw object is in the share. Each object is in one, whatever else the hour has by then."""
        return int(sha256(raw_key.encode()).hexdigest()[:8], 16) % self.shares == self.share

    def message(self, seed: str) -> QueueMessage:
        """Return the message of the part."""
        return self.unit.message(seed=seed, share=self.share, shares=self.shares)


def part_of(body: str) -> tuple[str, ShopPart | HourPart]:
    """Return seed and part of the sample in a message. Raises InvalidAuditMessageError for anything else."""
    try:
        document: Any = canonical_json.loads(body)
        if not isinstance(document, dict) or not isinstance(document["seed"], str):
            raise InvalidAuditMessageError("the message must be an object with `seed`, a text")
        return document["seed"], _hour_part(document) if "hour" in document else _shop_part(document)
    except InvalidAuditMessageError:
        raise
    except (ValueError, TypeError, KeyError) as error:
        raise InvalidAuditMessageError(f"the message is not a part of the sample: {str(error)[:200]}") from error


def sampled(entries: Iterable[DueEntry], seed: str, most: int) -> list[ShopPart]:
    """Draw at most so many records by the seed: a few of each shop in turn, then a few others of each.

    Shops without experiments and personalizations, which may have a holdout, come last.
    """
    shops: defaultdict[str, list[DueEntry]] = defaultdict(list)
    for entry in entries:
        if entry.kind in KINDS:
            shops[entry.shop_id].append(entry)
    busy = {shop_id: own for shop_id, own in shops.items() if any(entry.kind != "SHOP" for entry in own)}
    others = {shop_id: own for shop_id, own in shops.items() if shop_id not in busy}
    parts: list[ShopPart] = []
    left = most
    for part in chain(_in_turn(busy, seed), _in_turn(others, seed)):
        if left <= 0:
            break
        parts.append(ShopPart(shop_id=part.shop_id, records=part.records[:left]))
        left -= len(part.records)
    return parts


def sampled_hours(groups: Mapping[Hour, Sequence[ShopGroup]], seed: str, most: int) -> list[HourPart]:
    """Draw at most so many hours by the seed; return a part for each document of these."""
    hours = islice(sorted(groups, key=lambda hour: drawn(seed, str(hour))), max(0, most))
    return [
        HourPart(unit=HourUnit(hour=hour, group=group), share=share, shares=len(groups[hour]))
        for hour in hours
        for share, group in enumerate(groups[hour])
    ]


def drawn(seed: str, name: str) -> str:
    """Sort key that orders names at random, in the same way for one seed."""
    return sha256(f"{seed} {name}".encode()).hexdigest()


def _in_turn(shops: Mapping[str, Sequence[DueEntry]], seed: str) -> Iterator[ShopPart]:
    parts: list[list[ShopPart]] = []
    for shop_id in sorted(shops, key=lambda shop_id: drawn(seed, shop_id)):
        records = [(entry.kind, entry.id) for entry in sorted(shops[shop_id], key=lambda one: drawn(seed, one.id))]
        starts = range(0, len(records), RECORDS_A_MESSAGE)
        parts.append([ShopPart(shop_id=shop_id, records=tuple(records[at : at + RECORDS_A_MESSAGE])) for at in starts])
    turns = range(max(map(len, parts), default=0))
    return (own[turn] for turn in turns for own in parts if turn < len(own))


def _hour_part(document: dict[str, Any]) -> HourPart:
    share, shares = document["share"], document["shares"]
    if not (type(share) is int and type(shares) is int and 0 <= share < shares):
        raise InvalidAuditMessageError("`share` must be an integer from 0 and less than `shares`")
    return HourPart(unit=unit_of(document), share=share, shares=shares)


def _shop_part(document: dict[str, Any]) -> ShopPart:
    shop_id, records = document["shop_id"], document["records"]
    if not _is_id(shop_id):
        raise InvalidAuditMessageError("`shop_id` must be an id")
    if not (isinstance(records, list) and 0 < len(records) <= RECORDS_A_MESSAGE and all(map(_is_record, records))):
        raise InvalidAuditMessageError(f"`records` must have from 1 to {RECORDS_A_MESSAGE} pairs of kind and id")
    return ShopPart(shop_id=shop_id, records=tuple((cast(Kind, kind), id_) for kind, id_ in records))


def _is_record(record: object) -> bool:
    return isinstance(record, list) and len(record) == 2 and record[0] in KINDS and _is_id(record[1])


def _is_id(value: object) -> bool:
    return isinstance(value, str) and 0 < len(value) <= _ID_CHARACTERS and value.isascii() and value.isprintable()
