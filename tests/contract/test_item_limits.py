"""Items over 400 KB and commits over 4 MB: every engine refuses them with the port's error, and stores nothing."""

from __future__ import annotations

import random
from dataclasses import replace
from typing import Any

import pytest

from abtest.adapters.dynamo.sessions import session_item
from abtest.adapters.dynamo.sizes import MAX_ITEM_BYTES, item_size
from abtest.domain.webhooks.deliveries import Delivery
from abtest.kit.errors import ItemTooLargeError
from abtest.ports.catalog import Commit, CommitTooLargeError
from abtest.ports.limits import StoredAnswer
from tests.contract.conftest import Ports
from tests.contract.records import (
    SHOP,
    at,
    audit_row,
    claim,
    commit_of,
    inbox_row,
    iso,
    new_id,
    outbox_row,
    put,
    record,
)

KB = 1024
NOISE = random.Random(1).randbytes(900 * KB).hex()
"""900 KB that no compression makes smaller, as 1.8 million digits."""


def attributes_of(size: int) -> dict[str, str]:
    """Attributes of a claim or a head; they are stored as they are."""
    return {"noise": NOISE[:size]}


@pytest.mark.parametrize(
    ("change", "named"),
    [
        (Commit(audit=[replace(audit_row(1), diff={"notes": [None, NOISE]})]), "the audit row of experiment.update"),
        (Commit(outbox=[replace(outbox_row(1, "webhook"), payload={"n": NOISE})]), "the webhook event"),
        (Commit(inbox=[replace(inbox_row(1), body=NOISE)]), "the message to the inbox"),
        (Commit(claims=[replace(claim("NAME", "t"), attributes=attributes_of(500 * KB))]), "the name NAME"),
        (commit_of(put(record("0192", attributes=attributes_of(500 * KB)))), "the record EXP 0192"),
    ],
    ids=["audit", "outbox", "inbox", "claim", "head"],
)
def test_commit__with_an_item_over_400_kb__is_refused_and_names_it(ports: Ports, change: Commit, named: str) -> None:
    other = record(new_id())
    with pytest.raises(CommitTooLargeError, match=f"{named} .*too large to be stored: [0-9,]+ bytes") as refusal:
        ports.catalog.commit(replace(change, puts=[*change.puts, put(other)]))
    assert (refusal.value.status, refusal.value.code) == (422, "limit_reached")
    assert ports.catalog.get(SHOP, "EXP", other.head.id) is None
    assert ports.catalog.audit(SHOP, entity_id=None, limit=9)[0] == []


def test_commit__with_an_audit_row_that_compresses_below_400_kb__is_stored(ports: Ports) -> None:
    row = replace(audit_row(1), diff={"notes": [None, "0123456789" * 90 * KB]})
    ports.catalog.commit(Commit(audit=[row]))
    assert ports.catalog.audit(SHOP, entity_id=None, limit=9)[0] == [row]


def test_commit__with_a_body_of_any_size__is_stored(ports: Ports) -> None:
    made = record(new_id(), body={"js": NOISE})
    ports.catalog.commit(commit_of(put(made)))
    assert ports.catalog.get(SHOP, "EXP", made.head.id) == made


def test_commit__over_four_megabytes__is_refused_and_stores_nothing(ports: Ports) -> None:
    puts = [put(record(new_id(second), body={"js": NOISE[: 500 * KB]})) for second in range(17)]
    with pytest.raises(CommitTooLargeError, match="too large to be stored at once"):
        ports.catalog.commit(commit_of(*puts))
    assert ports.catalog.list(SHOP, "EXP", limit=1).heads == []


def test_session__below_400_kb__is_stored_and_one_byte_more_than_that_is_refused(ports: Ports) -> None:
    empty = item_size(session_item("s", {"text": ""}, at(9)))
    # moto refuses items from 405,000 bytes on, DynamoDB from 409,601.
    fits, exceeds = ({"text": NOISE[: size - empty]} for size in (404_000, MAX_ITEM_BYTES + 1))
    ports.sessions.put("s", fits, expires_at=at(9))
    with pytest.raises(ItemTooLargeError, match="409,601 bytes, where 409,600"):
        ports.sessions.put("s", exceeds, expires_at=at(9))
    assert ports.sessions.get("s", now=at(1)) == fits


def test_look__over_400_kb__is_refused_and_nothing_is_stored(ports: Ports) -> None:
    state: Any = {
        "experiment_id": "e",
        "measurement_epoch": 1,
        "generation": 1,
        "looks": 1,
        "minima": {},
        "srm_p": None,
    }
    look = {"generation": 1, "computed_at": "2026-02-03T09:05:00.000Z"}
    for large in ((state | {"noise": NOISE}, look), (state, look | {"noise": NOISE})):
        with pytest.raises(ItemTooLargeError, match="too large to be stored"):
            ports.look_store.put(*large)
    assert ports.look_store.state("e", 1) is None


def test_delivery__over_400_kb__is_refused_and_not_stored(ports: Ports) -> None:
    delivery = Delivery(
        id=new_id(),
        webhook_id=new_id(),
        shop_id=SHOP,
        event="experiment.started",
        payload={"noise": NOISE},
        created_at=iso(),
        updated_at=iso(),
        next_attempt_at=iso(),
    )
    with pytest.raises(ItemTooLargeError, match="too large to be stored"):
        ports.deliveries.add(delivery)
    assert ports.deliveries.get(delivery.webhook_id, delivery.id) is None


def test_stored_answer_and_roll_up__of_any_size__are_kept_in_parts(ports: Ports) -> None:
    answer = StoredAnswer(status=200, headers={}, body=bytes.fromhex(NOISE))
    ports.idempotency.begin("key", body_hash="h", token="t", now=at())
    ports.idempotency.finish("key", body_hash="h", answer=answer, now=at(1))
    assert ports.idempotency.begin("key", body_hash="h", token="u", now=at(2)).answer == answer
    totals = {"experiment_id": "e", "measurement_epoch": 1, "generation": 1, "noise": NOISE}
    assert ports.rollup_store.put(totals, {}, {})
    assert ports.rollup_store.totals("e", 1) == totals
