"""The audit over HTTP: filters, rows, seals, proofs, and what verification finds."""

from __future__ import annotations

import json
from collections.abc import Sequence
from dataclasses import replace
from datetime import timedelta
from hashlib import sha256
from typing import Any

import pytest

from abtest.domain.audit.merkle import root_by
from abtest.domain.audit.seals import object_key
from abtest.kit import canonical_json
from abtest.kit.ids import SystemRandomness, uuid7
from abtest.ports.catalog import AuditRow, Commit, Remove
from abtest.services.audit_log.sealer import Sealer, SealingFailedError, SealMissingError
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tools.admin.verification import Verification, Verifier

OTHER_USER = "0192e4a0-ffff-7000-8000-000000000001"


def written(api: MemoryApi, shop_id: str, **fields: Any) -> AuditRow:
    """A row of this moment, and a second passes."""
    api.clock.advance(seconds=1)
    row = api.world.audit_row(
        user_id=fields.pop("user_id", api.world.new_id()),
        shop_id=shop_id,
        action=fields.pop("action", "experiment.update"),
        entity=("experiment", fields.pop("entity_id", api.world.new_id()), "Sale"),
        diff={"name": ["a", "b"]},
    )
    api.management.catalog.commit(Commit(audit=[replace(row, **fields)]))
    return replace(row, **fields)


@pytest.fixture
def sealer(api: MemoryApi) -> Sealer:
    return Sealer(world=api.world, store=api.management.audit, blobs=api.management.seals)


@pytest.fixture
def rows(api: MemoryApi, tenant: Tenant) -> list[AuditRow]:
    """Five rows of the first day; the founding of the shop has rows of its own."""
    return [written(api, tenant.shop.id) for _ in range(5)]


def verified(api: MemoryApi, tenant: Tenant) -> Verification:
    base = api.management
    return Verifier(catalog=base.catalog, store=base.audit, blobs=base.seals, now=api.clock.now()).verify(
        tenant.shop.id
    )


def night(api: MemoryApi, sealer: Sealer) -> None:
    """A day passes and the schedule runs."""
    api.clock.advance(seconds=86_400)
    sealer.run(until=api.clock.now() + timedelta(hours=1))


def listed(client: Client, **query: Any) -> list[str]:
    """Ids of a page."""
    answer = client.get("/audit-logs", query=query)
    assert answer.status == 200, answer.body
    return [each["id"] for each in answer.json()["data"]]


def test_rows__of_a_shop__have_every_field_and_none_of_others(
    api: MemoryApi, client: Client, tenant: Tenant, rows: list[AuditRow]
) -> None:
    written(api, api.tenant("Other").shop.id)
    page = client.get("/audit-logs", query={"limit": 5}).json()
    assert [each["id"] for each in page["data"]] == [row.id for row in rows[::-1]]
    first = page["data"][0]
    assert client.get(f"/audit-logs/{first['id']}").json() == first
    assert first == {
        "id": rows[4].id,
        "shop_id": tenant.shop.id,
        "org_id": None,
        "user_id": rows[4].user_id,
        "action": "experiment.update",
        "entity_type": "experiment",
        "entity_id": rows[4].entity_id,
        "entity_name": "Sale",
        "diff": {"name": ["a", "b"]},
        "created_at": rows[4].created_at,
    }


def test_filters__alone_and_together__choose_rows(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    mine = written(api, tenant.shop.id, user_id=OTHER_USER, action="flag.activate", entity_type="flag")
    later = written(api, tenant.shop.id, user_id=OTHER_USER)
    assert listed(client, user_id=OTHER_USER) == [later.id, mine.id]
    assert listed(client, action="flag.activate") == [mine.id]
    assert listed(client, entity_type="flag", user_id=OTHER_USER) == [mine.id]
    assert listed(client, entity_id=later.entity_id) == [later.id]
    assert listed(client, entity_id=later.entity_id, entity_type="flag") == []
    assert listed(client, user_id=OTHER_USER, to=later.created_at) == [mine.id]
    assert listed(client, **{"user_id": OTHER_USER, "from": later.created_at}) == [later.id]
    assert listed(client, **{"from": later.created_at, "to": later.created_at}) == []


@pytest.mark.parametrize(
    ("query", "path"),
    [
        ({"entity_id": "x"}, "entity_id"),
        ({"user_id": "1"}, "user_id"),
        ({"from": "yesterday"}, "from"),
        ({"to": "2026-13-01T00:00:00Z"}, "to"),
        ({"action": "x" * 201}, "action"),
    ],
)
def test_filter__that_cannot_be_read__is_named(client: Client, query: dict[str, str], path: str) -> None:
    answer = client.get("/audit-logs", query=query)
    assert (answer.status, answer.json()["error"]["fields"][0]["path"]) == (400, path)


def test_row__of_another_shop__does_not_exist(api: MemoryApi, client: Client) -> None:
    foreign = written(api, api.tenant("Other").shop.id)
    for path in (f"/audit-logs/{foreign.id}", f"/audit-logs/{foreign.id}/proof"):
        assert client.get(path).status == 404


def test_proof__of_each_row__is_verified_without_our_code(
    api: MemoryApi, client: Client, sealer: Sealer, rows: list[AuditRow]
) -> None:
    waiting = client.get(f"/audit-logs/{rows[0].id}/proof")
    assert (waiting.status, waiting.json()["error"]["code"]) == (409, "conflict")
    night(api, sealer)
    for row in rows:
        proof = client.get(f"/audit-logs/{row.id}/proof").json()
        # RFC 9162, 2.1.3.2, from the answer alone.
        node, index, last = sha256(b"\0" + proof["content"].encode()).digest(), proof["leaf_index"], 0
        assert node.hex() == proof["leaf"]
        last = proof["seal"]["size"] - 1
        for step in map(bytes.fromhex, proof["path"]):
            if index % 2 or index == last:
                node = sha256(b"\1" + step + node).digest()
                while index % 2 == 0 and index:
                    index, last = index // 2, last // 2
            else:
                node = sha256(b"\1" + node + step).digest()
            index, last = index // 2, last // 2
        assert (node.hex(), last) == (proof["root"], 0)
        assert json.loads(proof["content"])["id"] == row.id
        seal = dict(proof["seal"])
        assert (
            seal.pop("sha256") == sha256(json.dumps(seal, sort_keys=True, separators=(",", ":")).encode()).hexdigest()
        )


def test_row__with_text_that_utf_8_cannot_encode__is_sealed_and_proven(
    api: MemoryApi, client: Client, tenant: Tenant, sealer: Sealer
) -> None:
    row = written(api, tenant.shop.id, entity_name="half \ud83d")
    night(api, sealer)
    proof = client.get(f"/audit-logs/{row.id}/proof").json()
    assert proof["leaf"] == sha256(b"\0" + proof["content"].encode()).hexdigest()
    assert json.loads(proof["content"])["entity_name"] == row.entity_name
    assert verified(api, tenant).problems == []


def test_seals__night_after_night__are_a_chain(
    api: MemoryApi, client: Client, tenant: Tenant, sealer: Sealer, rows: list[AuditRow]
) -> None:
    night(api, sealer)
    night(api, sealer)  # a day without rows
    written(api, tenant.shop.id)
    night(api, sealer)
    sealer.run(until=api.clock.now() + timedelta(hours=1))
    seals = client.get("/audit-logs/seals").json()["data"]
    assert [seal["date"] for seal in seals] == ["2026-03-04", "2026-03-02"]
    assert [seal["previous"] for seal in seals] == [seals[1]["sha256"], None]
    first = client.get("/audit-logs/seals", query={"limit": 1}).json()
    cursor = first["pagination"]["next_cursor"]
    assert client.get("/audit-logs/seals", query={"limit": 1, "cursor": cursor}).json()["data"] == seals[1:]
    assert (verified(api, tenant).problems, verified(api, tenant).seals) == ([], 2)


def test_rows__written_late__are_in_the_next_seal(
    api: MemoryApi, client: Client, tenant: Tenant, sealer: Sealer, rows: list[AuditRow]
) -> None:
    night(api, sealer)
    late = replace(rows[0], id=rows[0].id[:-4] + "ffff")
    api.management.catalog.commit(Commit(audit=[late]))
    assert verified(api, tenant).waiting == 1
    night(api, sealer)
    proof = client.get(f"/audit-logs/{late.id}/proof").json()
    assert (proof["seal"]["date"], proof["seal"]["size"]) == ("2026-03-03", 1)
    assert (verified(api, tenant).problems, verified(api, tenant).waiting) == ([], 0)


def test_rows__of_a_day_that_was_sealed_early__are_in_a_later_seal(
    api: MemoryApi, client: Client, tenant: Tenant, sealer: Sealer, rows: list[AuditRow]
) -> None:
    assert [seal.date for seal in sealer.seal(tenant.shop.id, with_today=True)] == ["2026-03-02"]
    assert client.get(f"/audit-logs/{rows[0].id}/proof").status == 200
    rest = written(api, tenant.shop.id)
    night(api, sealer)
    assert client.get(f"/audit-logs/{rest.id}/proof").status == 409
    night(api, sealer)
    assert client.get(f"/audit-logs/{rest.id}/proof").json()["seal"]["date"] == "2026-03-03"
    assert verified(api, tenant).problems == []


def test_run__that_ends_between_object_and_record__is_completed_by_the_next(
    api: MemoryApi, tenant: Tenant, sealer: Sealer, rows: list[AuditRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    def dies(_: Commit) -> None:
        raise RuntimeError("killed")

    with monkeypatch.context() as broken:
        broken.setattr(api.management.catalog, "commit", dies)
        with pytest.raises(SealingFailedError):
            night(api, sealer)
    api.clock.advance(seconds=60)
    sealer.run(until=api.clock.now() + timedelta(hours=1))
    assert (verified(api, tenant).problems, verified(api, tenant).seals, verified(api, tenant).waiting) == ([], 1, 0)


def test_shop__whose_seal_is_gone__does_not_stop_the_others(
    api: MemoryApi, tenant: Tenant, sealer: Sealer, rows: list[AuditRow]
) -> None:
    other = api.tenant("Other")
    night(api, sealer)
    api.management.seals.delete(object_key(tenant.shop.id, "2026-03-02"))
    for each in (tenant, other):
        written(api, each.shop.id)
    with pytest.raises(SealingFailedError, match=tenant.shop.id):
        night(api, sealer)
    assert verified(api, other).seals == 2
    assert verified(api, tenant).problems[0] == "seal 2026-03-02: its object is gone"
    with pytest.raises(SealMissingError, match="restore it"):
        sealer.seal(tenant.shop.id)


def test_index__that_is_interrupted__is_continued_and_ends_an_hour_later(
    api: MemoryApi, tenant: Tenant, sealer: Sealer, rows: list[AuditRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    store, written_ids = api.management.audit, list[str]()
    monkeypatch.setattr("abtest.services.audit_log.sealer.ROWS_AT_ONCE", 2)

    def index(portion: Sequence[AuditRow]) -> None:
        if len(written_ids) >= 4:
            raise RuntimeError("killed")
        written_ids.extend(row.id for row in portion)

    with monkeypatch.context() as dying:
        dying.setattr(store, "index", index)
        with pytest.raises(RuntimeError, match="killed"):
            sealer.index(tenant.shop.id, until=api.clock.now() + timedelta(hours=1))
    progress = store.indexing(tenant.shop.id)
    assert progress is not None
    assert (progress.through, progress.is_whole) == (written_ids[3], False)
    states = []
    for wait in (1, 3600, 1):
        api.clock.advance(seconds=wait)
        sealer.index(tenant.shop.id, until=api.clock.now() + timedelta(hours=1))
        progress = store.indexing(tenant.shop.id)
        assert progress is not None
        states.append(progress.is_whole)
    assert states == [False, True, True]


def test_run__of_a_shop_that_is_silent_since_an_earlier_release__seals_it(
    api: MemoryApi, tenant: Tenant, sealer: Sealer, rows: list[AuditRow]
) -> None:
    api.clock.advance(days=60)
    assert tenant.shop.id not in [
        shop for back in range(10) for shop in api.management.audit.shops(f"2026-04-{20 + back}")
    ]
    sealer.run(until=api.clock.now() + timedelta(hours=1))
    assert (verified(api, tenant).waiting, verified(api, tenant).problems) == (0, [])


def test_run__without_the_time_for_all_shops__fails_and_the_next_ones_seal_them(
    api: MemoryApi, tenant: Tenant, sealer: Sealer, rows: list[AuditRow]
) -> None:
    night(api, sealer)  # from now on every shop is indexed and has a seal
    api.clock.advance(days=1)
    sealer.run(until=api.clock.now() + timedelta(hours=1))
    written(api, tenant.shop.id)
    for _ in range(30):
        api.clock.advance(days=1)
        with pytest.raises(SealingFailedError, match="shops had to wait"):
            sealer.run(until=api.clock.now())
    night(api, sealer)
    assert (verified(api, tenant).waiting, verified(api, tenant).problems) == (0, [])


def test_index__without_time__leaves_the_rest_and_seals_all_the_same(
    api: MemoryApi, tenant: Tenant, sealer: Sealer, rows: list[AuditRow], monkeypatch: pytest.MonkeyPatch
) -> None:
    api.clock.advance(days=1)
    until = api.clock.now() + timedelta(minutes=1)
    store, indexed = api.management.audit, list[AuditRow]()
    monkeypatch.setattr("abtest.services.audit_log.sealer.ROWS_AT_ONCE", 2)

    def slow(portion: Sequence[AuditRow]) -> None:
        indexed.extend(portion)
        api.clock.advance(seconds=45)

    monkeypatch.setattr(store, "index", slow)
    assert sealer.run(until=until).left == 0
    assert len(indexed) == 4
    assert verified(api, tenant).waiting == 0


@pytest.mark.parametrize(("bound", "count"), [("from", 1), ("to", 0)])
def test_period__before_there_were_ids__is_accepted(client: Client, bound: str, count: int) -> None:
    client.post("/inbox/messages", {"body": "Hello"})
    assert bool(listed(client, **{bound: "1960-01-01T00:00:00Z"})) is bool(count)
    messages = client.get("/inbox/messages", query={"since": "1960-01-01T00:00:00Z"})
    assert (messages.status, len(messages.json()["data"])) == (200, 1)


class TestVerification:
    """Changes behind the back of the service have names."""

    @pytest.fixture(autouse=True)
    def _is_sealed(self, api: MemoryApi, sealer: Sealer, rows: list[AuditRow]) -> None:
        night(api, sealer)

    def test_row__that_was_changed__is_named(self, api: MemoryApi, tenant: Tenant, rows: list[AuditRow]) -> None:
        for row in (rows[3], rows[1]):
            api.management.catalog.commit(Commit(audit=[replace(row, user_id=OTHER_USER)]))
        problems = verified(api, tenant).problems
        assert problems[0] == (
            f"row {rows[1].id}: differs from the seal of 2026-03-02: experiment.update of {rows[1].created_at}"
        )
        assert len(problems) == 2

    def test_row__that_was_changed__has_a_proof_that_fails(
        self, api: MemoryApi, client: Client, rows: list[AuditRow]
    ) -> None:
        api.management.catalog.commit(Commit(audit=[replace(rows[1], user_id=OTHER_USER)]))
        proof = client.get(f"/audit-logs/{rows[1].id}/proof").json()
        path = [bytes.fromhex(each) for each in proof["path"]]
        root = root_by(bytes.fromhex(proof["leaf"]), proof["leaf_index"], proof["seal"]["size"], path)
        assert root is not None
        assert root.hex() != proof["root"]

    def test_row__that_was_removed__is_named(self, api: MemoryApi, tenant: Tenant, rows: list[AuditRow]) -> None:
        api.management.catalog.lose_audit_row(rows[2])
        assert verified(api, tenant).problems == [f"row {rows[2].id}: is gone; the seal of 2026-03-02 has it"]

    def test_row__with_an_id_of_the_future__is_named(
        self, api: MemoryApi, tenant: Tenant, rows: list[AuditRow]
    ) -> None:
        forged = replace(rows[0], id=uuid7(api.clock.now() + timedelta(days=3650), SystemRandomness()))
        api.management.catalog.commit(Commit(audit=[forged]))
        assert verified(api, tenant).problems == [
            f"row {forged.id}: has an id of the future, which the service does not make"
        ]

    def test_row__that_was_added_long_after__is_named(
        self, api: MemoryApi, tenant: Tenant, rows: list[AuditRow], sealer: Sealer
    ) -> None:
        for _ in range(9):
            written(api, tenant.shop.id)
            night(api, sealer)
        forged = replace(rows[0], id=rows[0].id[:-4] + "ffff")
        api.management.catalog.commit(Commit(audit=[forged]))
        night(api, sealer)
        assert verified(api, tenant).problems == [f"row {forged.id}: was added after its day was sealed"]

    def test_seals__that_were_removed_from_the_end__are_noticed(
        self, api: MemoryApi, tenant: Tenant, rows: list[AuditRow]
    ) -> None:
        for head in api.management.catalog.list(tenant.shop.id, "SEAL", limit=9).heads:
            api.management.catalog.commit(Commit(removes=[Remove(head=head)]))
        assert verified(api, tenant).problems == []
        api.clock.advance(days=3)
        (problem,) = verified(api, tenant).problems
        assert "are older than 3 days and in no seal; seals were removed, or CronSeals does not run" in problem

    def test_seal__that_was_written_again__is_named(self, api: MemoryApi, tenant: Tenant, rows: list[AuditRow]) -> None:
        key = object_key(tenant.shop.id, "2026-03-02")
        blob = api.management.seals.get(key)
        assert blob is not None
        document: Any = canonical_json.loads(blob.content)
        document["leaves"][0][1] = "0" * 64
        api.management.seals.put(key, canonical_json.encode(document), content_type="application/json")
        assert verified(api, tenant).problems[0] == "seal 2026-03-02: its object was changed"
        api.management.seals.put(key, b"{}", content_type="application/json")
        assert verified(api, tenant).problems[0] == "seal 2026-03-02: its object is damaged"
