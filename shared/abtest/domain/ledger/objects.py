"""Names of the ledger's objects, zone by zone. They follow from content alone: a repeated write overwrites itself."""

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from datetime import datetime, timedelta
from hashlib import sha256

from abtest.domain.ledger.events import HOUR_MS
from abtest.kit.clock import from_milliseconds, to_milliseconds

RAW, SPILL, QUARANTINE = "raw/", "spill/", "quarantine/"
EVENTS, COMPACTED = "events/", "compacted/"

_LAST_MOMENT = 10**13 - 1
"""In the year 2286: moments before it have at most thirteen digits."""

BUCKETS = 16
CLOSED_AFTER_MS = HOUR_MS // 3
"""An hour is compacted from this long after its end on: a worker may still be writing what it began before."""

Hour = int
"""The Unix milliseconds at which a UTC hour begins."""


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopFiles:
    """What holds a shop's rows: Parquet files of this shop alone, and raw objects in which other shops have rows too.

    The union counts: a row may stand in several of them.
    """

    parquet: tuple[str, ...] = ()
    raw: tuple[str, ...] = ()


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
        """The object's name."""
        begins = from_milliseconds(self.hour)
        buckets = f"{self.first:02}-{self.last:02}"
        return f"{events_prefix(self.shop_id)}{begins:dt=%Y-%m-%d/%H}-{buckets}-{self.digest}.parquet"


def raw_key(message_ids: Iterable[str], written_at: int) -> str:
    """The object of a batch of messages, under the hour of the moment (Unix milliseconds) in which it is written."""
    return f"{raw_hour(written_at)}{_digest(message_ids)}.ndjson.gz"


def is_raw(key: str) -> bool:
    """Whether the object holds rows; a browser of buckets may leave markers of its own."""
    return key.startswith(RAW) and key.endswith(".ndjson.gz")


def raw_hour(moment: int) -> str:
    """The prefix of one hour; prefixes sort as time does."""
    return f"{raw_day(moment)}{from_milliseconds(moment):hh=%H/}"


def raw_day(moment: int) -> str:
    """The prefix of one UTC day."""
    return f"{RAW}{from_milliseconds(moment):dt=%Y-%m-%d/}"


def raw_start(begins_at: int) -> str:
    """Every object that may hold rows received at or after the moment sorts after this key.

    An hour of margin: edge, queue and worker have clocks of their own.
    """
    return raw_hour(begins_at - HOUR_MS)


def compacted_key(hour: Hour) -> str:
    """The document that says what the hour was made of and became."""
    return f"{COMPACTED}{from_milliseconds(hour):dt=%Y-%m-%d/hh=%H}.json"


def hour_of_key(key: str) -> Hour:
    """The hour under which a raw object or an hour's document stands. Raises ValueError for any other key."""
    try:
        day, hour = key.split("/")[1:3]
        begins = datetime.strptime(f"{day}/{hour[:5]} +0000", "dt=%Y-%m-%d/hh=%H %z")
    except ValueError as error:
        raise ValueError(f"{key[:100]} stands under no hour") from error
    return to_milliseconds(begins)


def events_prefix(shop_id: str) -> str:
    """What the names of a shop's Parquet files begin with."""
    return f"{EVENTS}shop={shop_id}/"


def events_file(key: str) -> EventsFile:
    """What the name of a Parquet file says. Raises ValueError for any other key."""
    try:
        zone, shop, day, name = key.split("/")
        hour, first, last, digest = name.removesuffix(".parquet").split("-")
        begins = datetime.strptime(f"{day}/{hour} +0000", "dt=%Y-%m-%d/%H %z")
        file = EventsFile(
            shop_id=shop.removeprefix("shop="),
            hour=to_milliseconds(begins),
            first=int(first),
            last=int(last),
            digest=digest,
        )
    except ValueError as error:
        raise ValueError(f"{key[:100]} is no Parquet file of the ledger") from error
    if zone != "events" or file.key != key:
        raise ValueError(f"{key[:100]} is no Parquet file of the ledger")
    return file


def bucket_of(visitor_id: str) -> int:
    """The visitor's bucket, 0..15: the first hexadecimal digit of the id's SHA-256."""
    return int(sha256(visitor_id.encode()).hexdigest()[0], 16)


def hour_of(moment: int) -> Hour:
    """The hour in which the moment lies."""
    return moment - moment % HOUR_MS


def is_closed(hour: Hour, now: int) -> bool:
    """Whether nobody writes under the hour any more."""
    return now >= hour + HOUR_MS + CLOSED_AFTER_MS


def days_between(first: int, last: int) -> Iterator[int]:
    """Each UTC day from that of the first moment to that of the last, as the Unix milliseconds of its beginning."""
    day = from_milliseconds(first).replace(hour=0, minute=0, second=0, microsecond=0)
    while to_milliseconds(day) <= last:
        yield to_milliseconds(day)
        day += timedelta(days=1)


def spill_key(received_at: int, spill_id: str) -> str:
    """A message that the queue refused."""
    return f"{SPILL}{received_at}-{spill_id}.json"


def quarantine_key(shop_id: str, received_at: int, batch_id: str) -> str:
    """Events of a shop that were set aside, the newest of which came at that moment (Unix milliseconds).

    Within a day, a shop's newest objects stand first: listings begin with them, however many there are.
    """
    return f"{quarantine_prefix(shop_id, received_at)}{_LAST_MOMENT - received_at:013}-{batch_id}.ndjson.gz"


def quarantine_prefix(shop_id: str, moment: int) -> str:
    """What a shop's objects of one UTC day begin with, so that a listing of one shop reads nothing of others."""
    return f"{QUARANTINE}{from_milliseconds(moment):dt=%Y-%m-%d}/shop={shop_id}/"


def quarantined_at(key: str) -> int:
    """The moment that the name of such an object tells. Raises ValueError for other names."""
    return _LAST_MOMENT - int(key.rpartition("/")[2].partition("-")[0])


def batch_id(message_ids: Iterable[str]) -> str:
    """A name for a set of messages or of objects, whatever their order."""
    return _digest(message_ids)


def _digest(message_ids: Iterable[str]) -> str:
    return sha256("\n".join(sorted(message_ids)).encode()).hexdigest()
