"""`values` of `/assign`: the flags and personalizations of a visitor, as `window.svc` returns them."""

from __future__ import annotations

import pytest

from tests.support.assigning import ON_CART, Server
from tests.support.delivered import experience, flag, keep, personalization
from tests.support.storefronts import experiment

CART = "https://shop.example/cart"


@pytest.fixture
def server() -> Server:
    server = Server()
    catalog = server.storefront.catalog
    keep(catalog, flag(1, key="limit", on_value={"items": 7}, off_value=None))
    keep(catalog, flag(2, key="on-cart", targeting=ON_CART))
    keep(catalog, flag(3, key="nobody", rollout_percentage=0.0))
    keep(catalog, personalization(1, key="hero", delivery_type="api", experiences=(experience(value={"text": "Hi"}),)))
    keep(
        catalog,
        personalization(2, key="cart", delivery_type="api", experiences=(experience(value=1),), targeting=ON_CART),
    )
    keep(
        catalog,
        personalization(
            3, key="hidden", delivery_type="api", rollout_percentage=0.0, experiences=(experience(value=1),)
        ),
    )
    keep(catalog, personalization(4, key="visual"))
    return server.publish(experiment())


def test_values__are_those_of_the_visitor_at_the_address(server: Server) -> None:
    here = server.post(user_id="v", url="https://shop.example/", values=True).json
    assert here["flags"] == {"limit": {"items": 7}, "on-cart": False, "nobody": False}
    assert here["personalizations"] == {"hero": {"text": "Hi"}}
    cart = server.post(user_id="v", url=CART, values=True).json
    assert cart["flags"]["on-cart"] is True
    assert cart["personalizations"] == {"hero": {"text": "Hi"}, "cart": 1}


@pytest.mark.parametrize("values", [{}, {"values": False}, {"values": None}])
def test_without_values__the_answer_has_none(server: Server, values: dict[str, bool | None]) -> None:
    answer = server.post(user_id="v", url=CART, **values).json
    assert {"flags", "personalizations"}.isdisjoint(answer)


def test_values__that_are_not_a_boolean__are_400(server: Server) -> None:
    answer = server.post(user_id="v", values="yes")
    assert answer.error == (400, "invalid_request")
    assert answer.json["message"] == "values: must be true or false"


def test_values__in_a_query__are_400(server: Server) -> None:
    assert server.get(user_id="v", values="true").json["message"] == "values: is not a field of this request"
