"""Rows made by hand, and objects of the raw zone that hold them."""

import gzip

from abtest.domain.ledger.events import Row
from abtest.kit import canonical_json

SHOP, OTHER_SHOP = "shop-a", "shop-b"
EXPERIMENT = "exp-1"
BEGIN = 1_770_000_000_000
VARIATIONS = ("control", "blue", "red")


def row(**changes: object) -> Row:
    """A ledger row, by default the exposure of one visitor at the beginning."""
    fields: dict[str, object] = dict.fromkeys(Row.__annotations__) | {
        "event_id": "e-1",
        "shop_id": SHOP,
        "type": "experiment_viewed",
        "visitor_id": "v-1",
        "ts": BEGIN,
        "received_at": BEGIN,
        "qa_mode": False,
        "data": "{}",
    }
    return fields | changes  # type: ignore[return-value]


def exposure(visitor_id: str, variation_id: str, ts: int = BEGIN, **changes: object) -> Row:
    """A visitor sees a variation."""
    fields: dict[str, object] = {
        "event_id": f"x-{visitor_id}-{variation_id}-{ts}",
        "visitor_id": visitor_id,
        "variation_id": variation_id,
        "experiment_id": EXPERIMENT,
        "assignment_epoch": 2,
        "ts": ts,
        "received_at": max(ts, BEGIN),
    }
    return row(**(fields | changes))


def ledger_object(rows: list[Row]) -> bytes:
    """What the worker writes."""
    return gzip.compress(b"".join(canonical_json.encode(line) + b"\n" for line in rows))
