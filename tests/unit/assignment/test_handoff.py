"""Cart hand-offs: signed, read back, and refused when anything about them is wrong."""

from dataclasses import replace

import pytest

from abtest.domain.assignment.handoff import (
    ExpiredHandoffError,
    Handoff,
    InvalidHandoffError,
    Stamp,
    handoff_name,
    read_handoff,
    sign_handoff,
)
from abtest.domain.credentials.preview import PreviewGrant, make_token
from abtest.domain.credentials.signing import RootKeys

OLD = RootKeys(active="k1", keys={"k1": b"first root"})
BOTH = RootKeys(active="k2", keys={"k1": b"first root", "k2": b"second root"})
NEW = RootKeys(active="k2", keys={"k2": b"second root"})
SHOP, CART = "0192a3b4-0000-7000-8000-00000000000a", "cart é \ud800"
ISSUED, BEFORE_END, END = "2026-01-01T00:00:00.000Z", "2026-01-01T23:59:59.999Z", "2026-01-02T00:00:00.000Z"
HANDOFF = Handoff(
    shop_id=SHOP,
    cart_id=CART,
    user_id="visitor",
    assignments=(Stamp("experiment", "variation", 2),),
    issued_at=ISSUED,
    expires_at=END,
)


def test_handoff__read_back_before_its_end__is_the_record() -> None:
    text = sign_handoff(OLD, HANDOFF)
    assert text.startswith("v1.k1.")
    assert text.isascii()
    assert read_handoff(OLD, text, shop_id=SHOP, cart_id=CART, now=BEFORE_END) == HANDOFF


def test_handoff__without_user__says_so() -> None:
    anonymous = replace(HANDOFF, user_id=None)
    assert read_handoff(OLD, sign_handoff(OLD, anonymous), shop_id=SHOP, cart_id=CART, now=ISSUED) == anonymous


def test_handoff__at_its_end__is_over() -> None:
    with pytest.raises(ExpiredHandoffError):
        read_handoff(OLD, sign_handoff(OLD, HANDOFF), shop_id=SHOP, cart_id=CART, now=END)


@pytest.mark.parametrize(("shop_id", "cart_id"), [("another", CART), (SHOP, "another")])
def test_handoff__of_another_shop_or_cart__is_refused(shop_id: str, cart_id: str) -> None:
    with pytest.raises(InvalidHandoffError):
        read_handoff(OLD, sign_handoff(OLD, HANDOFF), shop_id=shop_id, cart_id=cart_id, now=ISSUED)


def test_handoff__any_letter_changed__is_refused() -> None:
    text = sign_handoff(OLD, HANDOFF)
    for position, letter in enumerate(text):
        forged = text[:position] + ("A" if letter != "A" else "B") + text[position + 1 :]
        with pytest.raises(InvalidHandoffError):
            read_handoff(OLD, forged, shop_id=SHOP, cart_id=CART, now=ISSUED)


def test_handoff__during_and_after_a_rotation__holds_while_its_key_does() -> None:
    text = sign_handoff(OLD, HANDOFF)
    assert read_handoff(BOTH, text, shop_id=SHOP, cart_id=CART, now=ISSUED) == HANDOFF
    assert sign_handoff(BOTH, HANDOFF).startswith("v1.k2.")
    with pytest.raises(InvalidHandoffError):
        read_handoff(NEW, text, shop_id=SHOP, cart_id=CART, now=ISSUED)


def test_handoff__a_kid_exchanged_for_another_live_one__is_refused() -> None:
    text = sign_handoff(OLD, HANDOFF).replace("v1.k1.", "v1.k2.", 1)
    with pytest.raises(InvalidHandoffError):
        read_handoff(BOTH, text, shop_id=SHOP, cart_id=CART, now=ISSUED)


@pytest.mark.parametrize("text", ["", ".", "...", "v1.k1.x.y", "v2.k1.x.y", "v1.k9.x.y", "é.é.é.é", "\ud800"])
def test_handoff__no_text_of_ours__is_refused(text: str) -> None:
    with pytest.raises(InvalidHandoffError):
        read_handoff(OLD, text, shop_id=SHOP, cart_id=CART, now=ISSUED)


def test_handoff__signed_for_another_purpose__is_refused() -> None:
    grant = PreviewGrant(session_id="s", shop_id=SHOP, hosts=("shop.example",), expires_at=2**31)
    with pytest.raises(InvalidHandoffError):
        read_handoff(OLD, make_token(OLD, grant), shop_id=SHOP, cart_id=CART, now=ISSUED)


def test_names__of_carts_and_shops__are_apart_and_hide_the_cart() -> None:
    names = {handoff_name(shop, cart) for shop in ("a", "b") for cart in ("1", "2", "\ud800")}
    assert len(names) == 6
    assert "secret-cart" not in handoff_name("a", "secret-cart")
