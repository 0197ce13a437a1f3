"""Derived attributes, and what is given over them."""

from typing import Any

from abtest.domain.targeting.attributes import attributes_of
from abtest.domain.targeting.urls import parse_address
from abtest.domain.targeting.weekdays import LocalTimes

MONDAY = 1_767_607_500_000  # 2026-01-05T10:05Z
URL = "https://shop.example/a?utm_source=mail&utm_source=x&q=a+b&q=c&__proto__=p#f"


def derived(url: str | None = URL, given: Any = None, **ids: Any) -> dict[str, Any]:
    address = None if url is None else parse_address(url)
    known = {"visitor_id": "v", "customer_id": None, **ids}
    return attributes_of(
        **known, given=given or {}, address=address, times=LocalTimes(MONDAY), zones=["Asia/Tokyo", "?"]
    )


def test_attributes__of_an_address__are_its_text_and_first_parameters() -> None:
    found = derived()
    assert found["url"] == URL
    assert found["query"] == {"utm_source": "mail", "q": "a b", "__proto__": "p"}
    assert found["utm"] == {"source": "mail"}


def test_attributes__without_an_address__have_empty_objects_and_no_url() -> None:
    found = derived(None)
    assert "url" not in found
    assert found["query"] == found["utm"] == {}


def test_attributes__of_zones__are_local_times_of_those_that_exist() -> None:
    assert derived()["local"] == {"Asia/Tokyo": {"day": "monday", "hour": 19, "time": "19:05"}}


def test_attributes__of_a_customer__say_logged_in() -> None:
    assert derived()["logged_in"] is False
    assert "customer_id" not in derived()
    found = derived(visitor_id=None, customer_id="c")
    assert (found["logged_in"], found["customer_id"], "id" in found) == (True, "c", False)


def test_attributes__that_are_given__win_by_top_level_name() -> None:
    found = derived(given={"query": {"z": 1}, "country": "DE", "logged_in": None})
    assert found["query"] == {"z": 1}
    assert found["country"] == "DE"
    assert found["logged_in"] is None
    assert found["utm"] == {"source": "mail"}
