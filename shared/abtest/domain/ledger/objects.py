"""Names of the ledger's objects, zone by zone. They depend on content only: a repeated write overwrites itself."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from functools import lru_cache
from hashlib import sha256

from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.margins import RECEIVED_MS
from abtest.domain.ledger.shop_groups import ALL_SHOPS, ShopGroup, group_named
from abtest.kit.clock import from_milliseconds, to_milliseconds

RAW, SPILL, QUARANTINE = "raw/", "spill/", "quarantine/"
EVENTS, COMPACTED = "events/", "compacted/"

# In the year 2286: moments before it have at most thirteen digits.
_LAST_MOMENT = 10**13 - 1

# `bucket_of` reads one hexadecimal digit, so this number cannot change alone.
BUCKETS = 16
# An hour is compacted this long after its end: a worker may still be writing objects that it began before.
CLOSED_AFTER_MS = HOUR_MS // 3

Hour = int
"""The Unix milliseconds at which a UTC hour begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Section:
    """Bytes of a raw object with rows of one shop: a gzip file by themselves.

    A section may have rows of other shops too (shops with few rows share one, and an object of an older release is one
    section for each of its shops), so readers select the shop's rows. `rows` are the shop's, `oldest` and `newest` when
    they were received (Unix ms).
    """

    key: str
    offset: int
    length: int
    rows: int
    oldest: int
    newest: int


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopFiles:
    """The files of a shop's rows: Parquet files of this shop alone, and raw objects shared with other shops.

    Raw objects are read as a whole, or the shop's sections alone. The union counts: a row may be in several of them.
    """

    parquet: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()
    sections: tuple[Section, ...] = ()


@dataclass(frozen=True, slots=True, kw_only=True)
class EventsFile:
    """A Parquet file: a shop's rows of an hour whose visitors are in the buckets from `first` to `last`."""

    shop_id: str
    hour: Hour
    first: int
    last: int
    digest: str

    @property
    def key(self) -> str:
        """Name of the object."""
        buckets = f"{self.first:02}-{self.last:02}"
        return f"{events_prefix(self.shop_id)}{_text(self.hour)}-{buckets}-{self.digest}.parquet"


def raw_key(message_ids: Iterable[str], written_at: int) -> str:
    """Return the object of a batch of messages, under the hour in which it is written (Unix milliseconds)."""
    return f"{raw_hour(written_at)}{batch_id(message_ids)}.ndjson.gz"


def is_raw(key: str) -> bool:
    """Return whether the object has rows; tools that browse buckets may leave markers of their own."""
    return key.startswith(RAW) and key.endswith(".ndjson.gz")


def raw_hour(moment: int) -> str:
    """Return the prefix of one hour; prefixes sort by time."""
    return f"{raw_day(moment)}{from_milliseconds(moment):hh=%H/}"


def raw_day(moment: int) -> str:
    """Return the prefix of one UTC day."""
    return f"{RAW}{from_milliseconds(moment):dt=%Y-%m-%d/}"


def raw_start(begins_at: int) -> str:
    """Return a key before every object that may have rows received at or after the moment."""
    return raw_hour(begins_at - RECEIVED_MS)


def compacted_day(moment: int) -> str:
    """Return the prefix of the documents of one UTC day's compacted hours."""
    return f"{COMPACTED}{from_milliseconds(moment):dt=%Y-%m-%d/}"


def compacted_key(hour: Hour, group: ShopGroup = ALL_SHOPS) -> str:
    """Return the key of a compacted hour's document: that of all shops, or that of a group of them."""
    begins = f"{compacted_day(hour)}{from_milliseconds(hour):hh=%H}"
    return f"{begins}.json" if group == ALL_SHOPS else f"{begins}/{group.name}.json"


def group_of_key(key: str) -> ShopGroup:
    """Return the shops of an hour's document by its key. Raises ValueError for any other key."""
    _, *names = key.removesuffix(".json").split("/")[2:]
    group = group_named(names[0]) if names else ALL_SHOPS
    if key != compacted_key(hour_of_key(key), group):
        raise ValueError(f"{key[:100]} must be the key of an hour's document")
    return group


def hour_of_key(key: str) -> Hour:
    """Return the hour in the key of a raw object or an hour's document. Raises ValueError for any other key."""
    try:
        day, hour = key.split("/")[1:3]
        # Five characters, as in `hh=07`: the keys of documents have `.json` behind them. The zone is parsed along,
        # because a naive datetime would count as local time.
        begins = datetime.strptime(f"{day}/{hour[:5]} +0000", "dt=%Y-%m-%d/hh=%H %z")
    except ValueError as error:
        raise ValueError(f"{key[:100]} must be the key of a raw object or an hour's document") from error
    return to_milliseconds(begins)


def events_prefix(shop_id: str) -> str:
    """Return the prefix of a shop's Parquet files."""
    return f"{EVENTS}shop={shop_id}/"


def events_file(key: str) -> EventsFile:
    """Parse the key of a Parquet file. Raises ValueError for any other key."""
    try:
        zone, shop, day, name = key.split("/")
        hour, first, last, digest = name.removesuffix(".parquet").split("-")
        file = EventsFile(
            shop_id=shop.removeprefix("shop="),
            hour=_begins(f"{day}/{hour}"),
            first=int(first),
            last=int(last),
            digest=digest,
        )
    except ValueError as error:
        raise ValueError(f"{key[:100]} must be the key of a Parquet file of the ledger") from error
    # Writing the key again detects spellings that the parser accepts too, such as buckets of one digit.
    if zone != "events" or file.key != key:
        raise ValueError(f"{key[:100]} must be the key of a Parquet file of the ledger")
    return file


@lru_cache(maxsize=2048)
def _text(hour: Hour) -> str:
    return f"{from_milliseconds(hour):dt=%Y-%m-%d/%H}"


@lru_cache(maxsize=2048)
def _begins(text: str) -> Hour:
    """Return the hour of a text such as `dt=2026-02-02/03`. An index of the ledger has each hour for many shops."""
    return to_milliseconds(datetime.strptime(f"{text} +0000", "dt=%Y-%m-%d/%H %z"))


def bucket_of(visitor_id: str) -> int:
    """Return the visitor's bucket, 0..15: the first hexadecimal digit of the id's SHA-256."""
    return int(sha256(visitor_id.encode()).hexdigest()[0], 16)


def hour_of(moment: int) -> Hour:
    """Return the hour of the moment."""
    return moment - moment % HOUR_MS


def is_closed(hour: Hour, now: int) -> bool:
    """Return whether every writer has finished with the hour."""
    return now >= hour + HOUR_MS + CLOSED_AFTER_MS


def days_between(first: int, last: int) -> Iterator[int]:
    """Yield each UTC day from that of the first moment to that of the last, as the Unix milliseconds of its start."""
    day = from_milliseconds(first).replace(hour=0, minute=0, second=0, microsecond=0)
    while to_milliseconds(day) <= last:
        yield to_milliseconds(day)
        day += timedelta(days=1)


def spill_key(received_at: int, spill_id: str) -> str:
    """Return the key of a message that the queue refused."""
    return f"{SPILL}{received_at}-{spill_id}.json"


def quarantine_key(shop_id: str, received_at: int, batch_id: str) -> str:
    """Return the key of a shop's quarantined events, the newest of them received at that moment (Unix milliseconds)."""
    # The complement of the time puts the newest objects of a day first in every listing, however many there are.
    return f"{quarantine_prefix(shop_id, received_at)}{_LAST_MOMENT - received_at:013}-{batch_id}.ndjson.gz"


def quarantine_prefix(shop_id: str, moment: int) -> str:
    """Return the prefix of a shop's quarantine of one UTC day; its listing reads no other shop's objects."""
    return f"{QUARANTINE}{from_milliseconds(moment):dt=%Y-%m-%d}/shop={shop_id}/"


def quarantined_at(key: str) -> int:
    """Return the moment in the key of a quarantine object. Raises ValueError for other keys."""
    return _LAST_MOMENT - int(key.rpartition("/")[2].partition("-")[0])


def batch_id(message_ids: Iterable[str]) -> str:
    """Return a name for a set of messages or objects, the same in any order."""
    return sha256("\n".join(sorted(message_ids)).encode()).hexdigest()
