"""Rotation of a shop's ingest secret: what servers with the new, the former and older secrets can send."""

import json
from unittest.mock import Mock

import pytest

from abtest.domain.credentials.ingest_epochs import IngestEpochs, claim_attributes, claim_name, from_claim
from abtest.domain.credentials.signing import ingest_secret, server_signature
from abtest.ports.catalog import Claim, Commit
from tests.unit.ingest.edge import OTHER, ROOTS, SHOP, Edge, event, signed_headers

GRACE = 3600


def store(edge: Edge, epochs: IngestEpochs, shop_id: str = SHOP) -> None:
    """Store the claim that the operator's command writes."""
    claim = Claim(
        scope=None,
        name=claim_name(shop_id),
        target_id=shop_id,
        target_shop_id=shop_id,
        attributes=claim_attributes(epochs),
    )
    edge.world.catalog.commit(Commit(claims=[claim]))


def status(edge: Edge, *, epoch: int, shop_id: str = SHOP, kid: str = "k1") -> int:
    """Status of a batch that is signed with the secret of an epoch."""
    raw = json.dumps([event()]).encode()
    seconds = int(edge.clock.now().timestamp())
    signature = server_signature(ingest_secret(ROOTS, shop_id, kid, epoch), seconds, raw)
    return edge.call(raw, headers={"x-svc-shop": shop_id, "x-svc-signature": signature}).status


def test_secret__never_rotated__is_the_one_that_shops_have() -> None:
    edge = Edge()
    assert ingest_secret(ROOTS, SHOP, epoch=1) == ingest_secret(ROOTS, SHOP)
    assert (status(edge, epoch=1), status(edge, epoch=2)) == (202, 401)


@pytest.mark.parametrize("kid", ["k1", "k0"])
def test_secret__rotated__is_valid_with_the_former_one_until_the_grace_ends(kid: str) -> None:
    edge = Edge()
    store(edge, IngestEpochs().rotated(GRACE, edge.world.now()))
    assert [status(edge, epoch=epoch, kid=kid) for epoch in (1, 2, 3)] == [202, 202, 401]
    edge.clock.advance(seconds=GRACE)
    assert [status(edge, epoch=epoch, kid=kid) for epoch in (1, 2)] == [401, 202]


def test_secret__revoked__is_refused_within_seconds_and_other_shops_are_not_affected() -> None:
    edge = Edge()
    assert (status(edge, epoch=1), status(edge, epoch=1, shop_id=OTHER)) == (202, 202)
    store(edge, IngestEpochs().rotated(0, edge.world.now()))
    edge.clock.advance(seconds=5)
    assert [status(edge, epoch=epoch) for epoch in (1, 2)] == [401, 202]
    assert status(edge, epoch=1, shop_id=OTHER) == 202
    assert edge.call([event()], headers=signed_headers()).status == 202  # browsers have no part in it


def test_secret__rotated_while_in_use__is_accepted_within_seconds_and_the_grace_ends_on_time() -> None:
    edge = Edge()
    assert status(edge, epoch=1) == 202
    store(edge, IngestEpochs().rotated(8, edge.world.now()))
    edge.clock.advance(seconds=5)
    assert [status(edge, epoch=epoch) for epoch in (1, 2)] == [202, 202]
    edge.clock.advance(seconds=3)  # the claim was read three seconds ago
    assert [status(edge, epoch=epoch) for epoch in (1, 2)] == [401, 202]


def test_signatures__that_are_wrong__cause_one_read_in_five_seconds(monkeypatch: pytest.MonkeyPatch) -> None:
    edge = Edge()
    read = Mock(wraps=edge.catalog.claim_attributes)
    monkeypatch.setattr(edge.catalog, "claim_attributes", read)
    for _ in range(4):
        assert {status(edge, epoch=9) for _ in range(3)} == {401}
        edge.clock.advance(seconds=2.5)
    assert read.call_count == 2


def test_secret__rotated_twice__ends_every_earlier_one() -> None:
    edge = Edge()
    once = IngestEpochs().rotated(GRACE, edge.world.now())
    store(edge, once.rotated(GRACE, edge.world.now()))
    assert [status(edge, epoch=epoch) for epoch in (1, 2, 3)] == [401, 202, 202]


def test_signatures__of_one_address_that_are_wrong__meet_a_limit_that_right_ones_pass() -> None:
    edge = Edge()
    answers = {status(edge, epoch=9) for _ in range(31)}
    assert answers == {401, 429}
    assert status(edge, epoch=1) == 202


def test_epochs__through_a_claim__are_the_same() -> None:
    rotated = IngestEpochs().rotated(5, "2026-01-01T00:00:00.000Z")
    assert from_claim(claim_attributes(rotated)) == rotated
    assert from_claim(None) == IngestEpochs()
