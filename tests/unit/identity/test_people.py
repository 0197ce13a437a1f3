"""People: who may change whom, and what is an address."""

import pytest

from abtest.domain.identity.people import (
    Actor,
    Grant,
    RoleNotHeldError,
    email_claim,
    is_address,
    normalised,
    refuse_unmanageable,
)
from abtest.domain.identity.roles import Role

ALL = None


@pytest.mark.parametrize("role", ["viewer", "client", "editor", "launcher", None])
def test_change__by_a_role_below_admin__is_refused(role: Role | None) -> None:
    with pytest.raises(RoleNotHeldError):
        refuse_unmanageable(Actor(role=role, shop_ids=ALL))


@pytest.mark.parametrize(
    ("actor", "grant", "allowed"),
    [
        (Actor(role="admin", shop_ids=ALL), Grant(role="admin", shop_ids=ALL), True),
        (Actor(role="admin", shop_ids=ALL), Grant(role="owner", shop_ids=ALL), False),
        (Actor(role="owner", shop_ids=ALL), Grant(role="owner", shop_ids=ALL), True),
        (Actor(role="admin", shop_ids=("a",)), Grant(role="viewer", shop_ids=("a",)), True),
        (Actor(role="admin", shop_ids=("a",)), Grant(role="viewer", shop_ids=("a", "b")), False),
        (Actor(role="admin", shop_ids=("a",)), Grant(role="viewer", shop_ids=ALL), False),
        (Actor(role="admin", shop_ids=ALL), Grant(role="viewer", shop_ids=("b",)), True),
    ],
)
def test_change__beyond_the_own_role_or_shops__is_refused(actor: Actor, grant: Grant, allowed: bool) -> None:
    if allowed:
        refuse_unmanageable(actor, grant)
    else:
        with pytest.raises(RoleNotHeldError):
            refuse_unmanageable(actor, grant)


@pytest.mark.parametrize(
    "text", ["a@b.example", "first.last+tag@shop.co.uk", "a@xn--mnchen-3ya.example", "a" * 64 + "@b.example"]
)
def test_address__of_a_person__is_one(text: str) -> None:
    assert is_address(text)


@pytest.mark.parametrize(
    "text",
    [
        "",
        "a",
        "a@b",
        "@b.example",
        "a@",
        "a@@b.example",
        "a@b..example",
        "a b@c.example",
        "a@b.example\nBcc: x@y.example",
        "a@b.example, c@d.example",
        '"a"@b.example',
        "<a@b.example>",
        "a@b.example" + "x" * 250,
        "ü@b.example",
        "a@groß.example",
        "a@\u212aing.example",
    ],
)
def test_address__of_another_form__is_none(text: str) -> None:
    assert not is_address(text)


def test_address__in_another_case__is_the_same() -> None:
    assert normalised("Name@Shop.Example") == "name@shop.example"
    assert email_claim("Name@Shop.Example") == email_claim("name@shop.example")
    assert "shop" not in email_claim("name@shop.example")
