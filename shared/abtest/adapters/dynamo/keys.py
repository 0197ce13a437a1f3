"""Items and keys of every table: the only place where keys are written out.

Catalog (pk, sk; sparse index `work` on work + due, keys only; time to live `expires`, Unix seconds)

| item | pk | sk | attributes |
|---|---|---|---|
| head | `S#<shop>#<kind>` | `<id>` | `version`, `head` (JSON) |
| head of a child | `S#<shop>#<kind>#<parent id>` | `<id>` | the same |
| body | `X#<kind>#<shop>#<id>` | `BODY` | `version`, `head`, `body` (gzip of JSON) or `blob` (address) |
| body of a child | `X#<kind>#<shop>#<parent id>#<id>` | `BODY` | the same |
| work entry | `X#<kind>#<shop>#<id>` | `DUE#<queue>` | `work` = `<queue>#<0..7>`, `due` = `<moment>#<id>#<version>` |
| unique name of a shop | `U#<shop>#<name>` | `U` | `shop`, `target`, `attributes` (JSON) |
| unique name of the service | `U#<name>` | `U` | `shop`, `target`, `attributes` |
| audit row | `S#<shop>#AUDIT#<yyyy-mm>` | `<uuid7>` | `row` (gzip of JSON) |
| its entry, by entity | `A#<shop>#<entity id>` | `<uuid7>` | `about` (JSON), or `row` of an earlier release |
| its entry, by user, action, type of entity | `A#<shop>#U#<user>`, `…#V#<action>`, `…#T#<type>` | `<uuid7>` | `about` |
| progress of the entries of a shop's earlier rows | `A#<shop>#INDEXING` | `INDEXING` | `progress` (JSON) |
| shop with audit rows of a UTC day | `S#ALL#AUDIT#<yyyy-mm-dd>` | `<shop>` | |
| message in the inbox | `S#<shop>#INBOX` | `<uuid7>` | `row`; `expires` for messages of the service |
| month that has audit rows | `S#<shop>#AUDIT` | `<yyyy-mm>` | |
| outbox row | `OUTBOX#<topic>#<0..15>`: by its shop for `publish`, else by its id | `<created_at>#<uuid7>` | `row` |
| revision counter | `S#<shop>` | `REVISION` | `revision` |

Lists read heads only; a get reads the body item only. The body item repeats its head, so that both are from one version
without a transaction. The shop is part of every key, so ids of another shop do not exist. The kind is part of a body's
key, so a policy can grant access to bodies of one kind (`X#KEY#*`).

Ephemeral (pk; time to live `expires`, Unix seconds): `RATE#`, `IDEM#`, `LEASE#`, `SESSION#`,
`SIGNIN#`, `SEEN#` + name, see `hashed`.
Roll-ups (pk, sk; time to live `expires`, Unix seconds); `generation`, and `document` (gzip of JSON) or, for one in
parts, `digest` and the number of `parts`

| item | pk | sk | attributes |
|---|---|---|---|
| totals | `R#<experiment id>` | `EPOCH#<6 digits>` | `claimed`, `begun`, `own_until`, `days`: see `rollup_form` |
| day, segments | `R#<experiment id>` | `EPOCH#<6 digits>#DAY#<yyyy-mm-dd>`, `…#SEG#<yyyy-mm-dd>` | |
| looks: the current state | `R#<experiment id>` | `EPOCH#<6 digits>#LOOKS` | `looks`: their number |
| looks: the newest of each hour | `R#<experiment id>` | `EPOCH#<6 digits>#LOOK#<yyyy-mm-ddThh>` | `expires` |
| day of a shop | `R#<shop id>` | `SHOPDAY#<yyyy-mm-dd>` | |
| part of any of them | the same | `PART#<sk>#<12 digits: generation>#<digest>#<3 digits>` | `content` |
| progress of a shop | `R#PROGRESS` | `<shop id>` | `offset`, `counted_at` |
| note that a shop is read | `R#READERS` | `<shop id>` | `read_at`; `expires` |

Deliveries (pk, sk; time to live `expires`, Unix seconds; local index `due` on pk + due, keys only; sparse index
`waiting` on waiting + turn, keys and `shop`). `token` is new with each write; after a lost response it identifies one's
own

| item | pk | sk | attributes |
|---|---|---|---|
| delivery | `W#<webhook>` | `D#<uuid7>` | `shop`, `version`, `token`, `document` (gzip of JSON); see below |
| health of an endpoint | `W#<webhook>` | `HEALTH` | `version`, `token`, `failures`, `disabled_at`, `untold` |

A delivery that has not ended has `due` = `<moment>#<uuid7>`, `waiting` = `WAIT#<0..15>` (by webhook), and `turn` =
`<webhook id reversed>#<moment>`. `HEALTH` has `shop`, `waiting` and `turn` while a notice to its shop is pending, see
`untold`.
"""

from hashlib import sha256
from typing import Literal
from uuid import UUID
from zlib import crc32

from abtest.kit.clock import Timestamp, from_milliseconds
from abtest.kit.ids import uuid7_milliseconds
from abtest.ports.catalog import OutboxRow, Topic

BODY = "BODY"
NAME = "U"
REVISION = "REVISION"
WORK_INDEX = "work"
WORK_SHARDS = 8
OUTBOX_SHARDS = 16
DUE_INDEX = "due"
WAITING_INDEX = "waiting"
WAITING_SHARDS = 16
HEALTH = "HEALTH"

# DynamoDB allows 2,048 bytes for pk and 1,024 for sk; a name of this length leaves room for every prefix.
MAX_NAME_BYTES = 900

Key = tuple[str, str]


def is_usable(name: str) -> bool:
    """Return whether the text can be part of a key: not empty, not too long, no lone surrogate."""
    try:
        return 0 < len(name.encode()) <= MAX_NAME_BYTES
    except UnicodeEncodeError:
        return False


def heads(shop_id: str, kind: str, parent_id: str | None = None) -> str:
    """Return the partition of a shop's heads of one kind; for children, those of one parent."""
    return f"S#{shop_id}#{kind}" + ("" if parent_id is None else f"#{parent_id}")


def record(shop_id: str, kind: str, record_id: str, parent_id: str | None = None) -> str:
    """Return the partition of one record's body and work entries."""
    return f"X#{kind}#{shop_id}#" + (record_id if parent_id is None else f"{parent_id}#{record_id}")


def parse_record(pk: str) -> tuple[str, str, str]:
    """Return (shop id, kind, record id) of the partition of a record that has work entries, not of a child."""
    _, kind, shop_id, record_id = pk.split("#", 3)
    return shop_id, kind, record_id


def work_entry(queue: str) -> str:
    """Return the sort key of a record's entry in a queue."""
    return f"DUE#{queue}"


def work_shards(queue: str) -> list[str]:
    """Return the index partitions of a queue."""
    return [f"{queue}#{shard}" for shard in range(WORK_SHARDS)]


def work_shard(queue: str, record_id: str) -> str:
    """Return the index partition of a record's entry in a queue."""
    return f"{queue}#{crc32(record_id.encode()) % WORK_SHARDS}"


def due(moment: Timestamp, record_id: str) -> str:
    """Return the index sort key of an entry."""
    return f"{moment}#{record_id}"


def after_due(moment: Timestamp) -> str:
    """Return an exclusive upper bound of the entries due at a moment or before: `$` sorts after `#`."""
    return f"{moment}$"


def due_version(moment: Timestamp, record_id: str, version: int) -> str:
    """Return the index sort key of an entry of a record at a version; it begins with that of `due`."""
    return f"{due(moment, record_id)}#{version}"


def parse_due(text: str) -> tuple[Timestamp, int]:
    """Return the moment and the record's version in an index sort key, 0 where it has none."""
    moment, _, *version = text.split("#")
    return moment, int(version[0]) if version else 0


def unique_name(scope: str | None, name: str) -> Key:
    """Return the key of a claimed name."""
    return (f"U#{name}" if scope is None else f"U#{scope}#{name}"), NAME


def audit_months(shop_id: str) -> str:
    """Return the partition that lists the months in which a shop has audit rows."""
    return f"S#{shop_id}#AUDIT"


def audit_month(shop_id: str, month: str) -> str:
    """Return the partition of a shop's audit rows of one month."""
    return f"S#{shop_id}#AUDIT#{month}"


def is_audit_place(pk: str, row_id: str) -> bool:
    """Return whether a row with this id belongs into this partition of a month."""
    try:
        return pk.endswith(f"#AUDIT#{month_of(row_id)}")
    except ValueError:  # an id that the service never makes
        return False


def shop_of(pk: str) -> str:
    """Return the shop of a partition such as `S#<shop>#AUDIT#<month>`."""
    return pk.split("#")[1]


def audit_entity(shop_id: str, entity_id: str) -> str:
    """Return the partition of the entries of the audit rows about one entity."""
    return f"A#{shop_id}#{entity_id}"


def audit_user(shop_id: str, user_id: str) -> str:
    """Return the partition of the entries of the audit rows by one user."""
    return f"A#{shop_id}#U#{user_id}"


def audit_action(shop_id: str, action: str) -> str:
    """Return the partition of the entries of the audit rows of one action."""
    return f"A#{shop_id}#V#{action}"


def audit_type(shop_id: str, entity_type: str) -> str:
    """Return the partition of the entries of the audit rows about one type of entity."""
    return f"A#{shop_id}#T#{entity_type}"


def audit_indexing(shop_id: str) -> Key:
    """Return the key of the progress of a shop's entries. `INDEXING` is not the id of any entity."""
    return f"A#{shop_id}#INDEXING", "INDEXING"


def audit_sealing() -> Key:
    """Return the key of the day up to which every shop is sealed. `ALL` is not the id of any shop."""
    return "A#ALL#SEALING", "SEALING"


def audit_day(date: str) -> str:
    """Return the partition that lists the shops with audit rows of a UTC day. `ALL` is not the id of any shop."""
    return f"S#ALL#AUDIT#{date}"


def inbox(shop_id: str) -> str:
    """Return the partition of a shop's messages."""
    return f"S#{shop_id}#INBOX"


def month_of(row_id: str) -> str:
    """Return the month (`yyyy-mm`) in which a UUID version 7 was made. Raises ValueError for any other text."""
    return f"{from_milliseconds(uuid7_milliseconds(row_id)):%Y-%m}"


def day_of(row_id: str) -> str:
    """Return the UTC day (`yyyy-mm-dd`) in which a UUID version 7 was made. Raises ValueError for any other text."""
    return f"{from_milliseconds(uuid7_milliseconds(row_id)):%Y-%m-%d}"


def month_of_bound(text: str) -> str:
    """Return the month of a bound between ids: a text with the form of a UUID, whose version may be any."""
    return f"{from_milliseconds(UUID(text).int >> 80):%Y-%m}"


def outbox_shards(topic: Topic) -> list[str]:
    """Return the partitions of the outbox that hold a topic."""
    return [f"OUTBOX#{topic}#{shard}" for shard in range(OUTBOX_SHARDS)]


def event(created_at: Timestamp, row_id: str) -> Key:
    """Return the key of the outbox row of an event: messages name its moment and id."""
    return _outbox_shard("webhook", row_id), f"{created_at}#{row_id}"


def outbox(row: OutboxRow) -> Key:
    """Return the key of an outbox row. Publications of a shop are in one partition, which others share."""
    if row.topic == "publish":
        return unpublished(row.shop_id), f"{row.created_at}#{row.id}"
    return event(row.created_at, row.id)


def unpublished(shop_id: str) -> str:
    """Return the partition of the outbox that holds the publications of a shop, among those of others."""
    return _outbox_shard("publish", shop_id)


def outbox_before(row: OutboxRow) -> Key:
    """Return the key that earlier releases gave to an outbox row of any topic."""
    return _outbox_shard(row.topic, row.id), f"{row.created_at}#{row.id}"


def _outbox_shard(topic: Topic, name: str) -> str:
    return f"OUTBOX#{topic}#{crc32(name.encode()) % OUTBOX_SHARDS}"


def revision(shop_id: str) -> Key:
    """Return the key of a shop's publication counter."""
    return f"S#{shop_id}", REVISION


def rollup(experiment_id: str, measurement_epoch: int) -> Key:
    """Return the key of the totals of a measurement epoch's roll-up."""
    return f"R#{experiment_id}", f"EPOCH#{measurement_epoch:06d}"


def rollup_slice(totals: Key, kind: Literal["DAY", "SEG"], date: str) -> Key:
    """Return the key of a day's cells or segments, in the partition of the totals."""
    pk, sk = totals
    return pk, f"{sk}#{kind}#{date}"


def parse_slice(sk: str) -> str:
    """Return the date of the sort key of a day's cells or segments."""
    return sk.rpartition("#")[2]


def looks_state(totals: Key) -> Key:
    """Return the key of the current state of an epoch's looks, in the partition of the totals."""
    pk, sk = totals
    return pk, f"{sk}#LOOKS"


def look(totals: Key, hour: str) -> Key:
    """Return the key of the newest look of an hour (`yyyy-mm-ddThh`)."""
    pk, sk = totals
    return pk, f"{sk}#LOOK#{hour}"


def shop_day(shop_id: str, date: str) -> Key:
    """Return the key of a shop's day."""
    return f"R#{shop_id}", f"SHOPDAY#{date}"


def shop_progress(shop_id: str) -> Key:
    """Return the key of the item with the progress of a shop's counts."""
    return SHOP_PROGRESS, shop_id


SHOP_PROGRESS = "R#PROGRESS"
"""Partition of the progress of all shops: small items, written once in a few minutes each, and read together."""


def shop_reader(shop_id: str) -> Key:
    """Return the key of the note that someone reads a shop's results."""
    return SHOP_READERS, shop_id


SHOP_READERS = "R#READERS"
"""Partition of the notes of all shops that are read, which expire after a day."""


def rollup_part(whole: Key, generation: int, digest: str, number: int) -> Key:
    """Return the key of a part of a document that is too large for its item."""
    pk, sk = whole
    return pk, f"{rollup_parts(sk, generation)}#{digest}#{number:03d}"


def rollup_parts(sk: str, generation: int) -> str:
    """Return a lower bound of the parts of a generation, which sorts after the parts of all earlier ones."""
    return f"PART#{sk}#{generation:012d}"


def webhook(webhook_id: str) -> str:
    """Return the partition of an endpoint's deliveries and health."""
    return f"W#{webhook_id}"


def parse_webhook(pk: str) -> str:
    """Return the webhook id of an endpoint's partition."""
    return pk.removeprefix("W#")


def delivery(delivery_id: str) -> str:
    """Return the sort key of a delivery."""
    return f"D#{delivery_id}"


def parse_delivery(sk: str) -> str:
    """Return the delivery id of a sort key."""
    return sk.removeprefix("D#")


def after_delivery(delivery_id: str) -> str:
    """Return a bound between a delivery and the next one; for an empty id, before all of them."""
    return f"{delivery(delivery_id)}#"


def after_deliveries() -> str:
    """Return a bound after every delivery and before the health: `$` sorts after `#`."""
    return "D$"


def waiting_shards() -> list[str]:
    """Return the index partitions of endpoints with pending work."""
    return [f"WAIT#{shard}" for shard in range(WAITING_SHARDS)]


def waiting_shard(webhook_id: str) -> str:
    """Return the index partition of an endpoint with pending work."""
    return f"WAIT#{crc32(webhook_id.encode()) % WAITING_SHARDS}"


def turn(webhook_id: str, moment: Timestamp) -> str:
    """Return the index sort key of pending work: by endpoint, then by the moment it is due.

    The id is reversed, its random end first, so that endpoints of one day are spread over the whole range.
    """
    return f"{webhook_id[::-1]}#{moment}"


def parse_turn(text: str) -> Timestamp:
    """Return the moment in a sort key of pending work."""
    return text.partition("#")[2]


def after_turns(turn: str) -> str:
    """Return a bound between all work of the endpoint that a sort key belongs to and that of the next."""
    return turn.partition("#")[0] + "$"


def hashed(prefix: str, name: str) -> str:
    """Return the key of an ephemeral item whose name comes from callers: long, or personal such as an IP address.

    Leases have no hash in their keys: their names are ours, and operators look them up.
    """
    return f"{prefix}#{sha256(name.encode(errors='surrogatepass')).hexdigest()}"
