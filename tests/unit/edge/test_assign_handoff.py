"""Hand-offs with an assignment: what is signed and stored, what is cleared, what is told when the store fails."""

from typing import Any

import pytest

from abtest.domain.assignment.handoff import HANDOFF_KEPT, Handoff, Stamp, handoff_name, read_handoff
from abtest.kit.clock import timestamp
from tests.support.assigning import EVERYBODY, ON_CART, URL, Server
from tests.support.storefronts import ROOTS, SHOP_ID, experiment, experiment_id, goal, variation

CART = "cart-1"


@pytest.fixture
def server() -> Server:
    return Server().publish(experiment(variations=EVERYBODY, assignment_epoch=2))


def hand_off(server: Server, **asked: Any) -> dict[str, Any]:
    """The answer to a request with a hand-off."""
    answer = server.post(**{"user_id": "visitor", "url": URL, "cart_id": CART, "request_handoff": True, **asked})
    assert answer.status == 200, answer.json
    found: dict[str, Any] = answer.json
    return found


def stored(server: Server, cart_id: str = CART) -> Handoff | None:
    """What a reader of the store finds for the cart."""
    now = server.storefront.clock.now()
    document = server.sessions.get(handoff_name(SHOP_ID, cart_id), now=now)
    if document is None:
        return None
    return read_handoff(ROOTS, document["authorization"], shop_id=SHOP_ID, cart_id=cart_id, now=timestamp(now))


def failing(*_: object, **__: object) -> None:
    raise OSError("no store")


def test_handoff__asked_for__is_stored_and_told_signed(server: Server) -> None:
    now = server.storefront.clock.now()
    told = hand_off(server, customer_id="private")
    assert (told["handoff_persisted"], told["handoff_stale_risk"]) == (True, False)
    expected = Handoff(
        shop_id=SHOP_ID,
        cart_id=CART,
        user_id="visitor",
        assignments=(Stamp(experiment_id(1), variation(1).id, 2),),
        issued_at=timestamp(now),
        expires_at=timestamp(now + HANDOFF_KEPT),
    )
    assert stored(server) == expected
    authorization = told["commerce_authorization"]
    assert read_handoff(ROOTS, authorization, shop_id=SHOP_ID, cart_id=CART, now=timestamp(now)) == expected


@pytest.mark.parametrize("asked", [{"request_handoff": None}, {"request_handoff": False}, {"cart_id": None}])
def test_handoff__not_asked_for__is_neither_made_nor_told(server: Server, asked: dict[str, Any]) -> None:
    answer = server.post(**{"user_id": "visitor", "cart_id": CART, **asked})
    assert answer.json.keys() == {"user_id", "assignments", "sticky", "commerce_authorization"}
    assert answer.json["commerce_authorization"] is None
    assert stored(server) is None


def test_handoff__of_a_customer_alone__names_no_user(server: Server) -> None:
    server.publish(experiment(variations=EVERYBODY, targeting={"identity": "customer"}))
    hand_off(server, user_id=None, customer_id="c")
    found = stored(server)
    assert found is not None
    assert found.user_id is None


def test_handoff__with_attribution_only__stamps_the_cart_too(server: Server) -> None:
    server.publish(experiment(variations=EVERYBODY, targeting=ON_CART, goals=(goal(),)))
    told = hand_off(server)
    assert told["assignments"][0]["attributable_only"] is True
    found = stored(server)
    assert found is not None
    assert len(found.assignments) == 1


def test_handoff__repeated_with_other_assignments__replaces_the_record(server: Server) -> None:
    hand_off(server)
    hand_off(server, force={experiment_id(1): 0})
    found = stored(server)
    assert found is not None
    assert [stamp.variation_id for stamp in found.assignments] == [variation(0).id]


def test_handoff__with_nothing_assigned__clears_the_older_record(server: Server) -> None:
    hand_off(server)
    told = hand_off(server, experiment_ids=[])
    assert told["commerce_authorization"] is None
    assert (told["handoff_persisted"], told["handoff_stale_risk"]) == (True, False)
    assert stored(server) is None


def test_handoff__after_a_day__is_gone(server: Server) -> None:
    hand_off(server)
    server.storefront.clock.advance(hours=23, minutes=59)
    assert stored(server) is not None
    server.storefront.clock.advance(minutes=1)
    assert stored(server) is None


def test_handoff__that_cannot_be_stored__is_told_signed_and_the_older_record_goes(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    hand_off(server)
    monkeypatch.setattr(server.sessions, "put", failing)
    told = hand_off(server)
    assert told["commerce_authorization"] is not None
    assert (told["handoff_persisted"], told["handoff_stale_risk"]) == (False, False)
    assert stored(server) is None


@pytest.mark.parametrize("experiment_ids", [None, []])
def test_handoff__on_a_store_that_is_down__tells_that_an_older_record_may_stand(
    server: Server, monkeypatch: pytest.MonkeyPatch, experiment_ids: list[str] | None
) -> None:
    hand_off(server)
    monkeypatch.setattr(server.sessions, "put", failing)
    monkeypatch.setattr(server.sessions, "delete", failing)
    told = hand_off(server, experiment_ids=experiment_ids)
    assert (told["handoff_persisted"], told["handoff_stale_risk"]) == (False, True)


def test_handoff__while_keys_cannot_be_read__is_neither_signed_nor_stored(server: Server) -> None:
    hand_off(server)

    def unreadable() -> Any:
        raise OSError("no secret")

    server.roots = unreadable
    told = hand_off(server)
    assert told["assignments"]
    assert told["commerce_authorization"] is None
    assert (told["handoff_persisted"], told["handoff_stale_risk"]) == (False, False)
    assert stored(server) is None
