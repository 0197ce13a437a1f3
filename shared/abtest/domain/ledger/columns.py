"""The columns of the ledger: their order, their types, and which lines of a raw object are rows.

Every reader of the ledger, in any language, accepts a line as a row exactly when `row_of` does.
"""

import re
from collections.abc import Mapping
from typing import Final, Literal, cast

from abtest.domain.ledger.events import Row
from abtest.kit import canonical_json
from abtest.kit.canonical_json import Json

ColumnType = Literal["text", "integer", "flag"]

# Every column in order. A raw line is JSON with these keys; Parquet files have them and `bucket`, an integer, last.
COLUMNS: Final[Mapping[str, ColumnType]] = {
    "event_id": "text",
    "shop_id": "text",
    "type": "text",
    "visitor_id": "text",
    "session_id": "text",
    "ts": "integer",
    "received_at": "integer",
    "sent_at": "integer",
    "experiment_id": "text",
    "variation_id": "text",
    "assignment_epoch": "integer",
    "goal_id": "text",
    "event_name": "text",
    "order_id": "text",
    "revenue_minor": "integer",
    "currency": "text",
    "shop_revenue_minor": "integer",
    "shop_currency": "text",
    "cohort": "text",
    "holdout_config_epoch": "integer",
    "device": "text",
    "country": "text",
    "visitor_kind": "text",
    "source": "text",
    "sender": "text",
    "url": "text",
    "qa_mode": "flag",
    "data": "text",
}

# Columns that every row has. The others are null where an older release did not write them yet.
ESSENTIAL: Final = frozenset({"event_id", "shop_id", "type", "visitor_id", "ts", "received_at"})

# Columns that Parquet files of older releases lack.
ADDED: Final = frozenset({"sender"})

# The value of a column that is missing or null.
ABSENT: Final[Mapping[str, str | bool | None]] = dict.fromkeys(COLUMNS) | {"qa_mode": False, "data": "{}"}

# Integers of Parquet files have 64 bits, JSON numbers any size. `in` computes on a range and does not search.
INTEGERS: Final = range(-(2**63), 2**63)

# The characters of a shop's id, which is part of the names of objects.
SHOP_ID: Final = "[0-9A-Za-z_-]{1,64}"

# Both are more than any queue delivers in one message.
MAX_LINE_BYTES: Final = 16 * 1024 * 1024
MAX_TEXT_CHARS: Final = 1024 * 1024


def row_of_line(line: bytes) -> Row | None:
    """Return the row in a line of a raw object; None for a line that is not a row."""
    try:
        return row_of(canonical_json.loads(line)) if len(line) <= MAX_LINE_BYTES else None
    except canonical_json.InvalidJsonError:
        return None


def row_of(line: Json) -> Row | None:
    """Return the row in a line's JSON; None where an essential column is missing or a value has another type."""
    if not isinstance(line, dict) or not all(_fits(line.get(name), kind) for name, kind in COLUMNS.items()):
        return None
    if any(line.get(name) is None for name in ESSENTIAL) or not is_shop_id(line["shop_id"]):
        return None
    return cast(Row, {name: ABSENT[name] if line.get(name) is None else line[name] for name in COLUMNS})


def is_shop_id(text: str) -> bool:
    """Return whether the text has the form of a shop's id."""
    # Not `match` with `$`, which accepts a line break at the end.
    return re.fullmatch(SHOP_ID, text) is not None


def _fits(value: Json, kind: ColumnType) -> bool:
    if value is None:
        return True
    if kind == "text":
        if not isinstance(value, str) or len(value) > MAX_TEXT_CHARS:
            return False
        # UTF-8 cannot encode halves of surrogate pairs. Most texts are ASCII, which Python knows without a scan.
        return value.isascii() or not any("\ud800" <= character <= "\udfff" for character in value)
    # `type`, because isinstance(True, int) holds in Python, and no other reader would take `true` for an integer.
    return type(value) is bool if kind == "flag" else type(value) is int and value in INTEGERS
