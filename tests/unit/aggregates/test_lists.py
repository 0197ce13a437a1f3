"""Lists of every family: order, pages, filters, tenants."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.changes.change import Change
from abtest.services.listing import Filters, Sort
from tests.unit.aggregates.families import FAMILIES, LISTED, OTHER_SHOP, SHOP, number_id
from tests.unit.aggregates.test_store import USER, House


@pytest.fixture(params=LISTED, ids=lambda name: str(name).replace(" ", "_"))
def house(request: pytest.FixtureRequest) -> House:
    return House(FAMILIES[request.param])


def pages(house: House, filters: Filters = Filters(), *, limit: int = 2) -> list[list[str]]:  # noqa: B008 - frozen
    """The ids on each page."""
    listed, after = [], None
    while True:
        items, after = house.store.page(SHOP, filters, limit=limit, after=after)
        listed.append([item.id for item in items])
        if after is None:
            return listed


def ids(house: House, filters: Filters) -> list[str]:
    return [item_id for page in pages(house, filters, limit=100) for item_id in page]


def test_page__newest_first__in_pages_that_continue(house: House) -> None:
    made = [house.add(number).id for number in range(1, 6)]
    assert [page for page in pages(house) if page] == [[made[4], made[3]], [made[2], made[1]], [made[0]]]


@pytest.mark.parametrize("sort", ["created_at", "-created_at", "updated_at", "-updated_at", "name"])
def test_page__in_each_order__has_all_of_them_once(house: House, sort: Sort) -> None:
    made = {house.add(number).id for number in range(1, 6)}
    listed = [item_id for page in pages(house, Filters(sort=sort)) for item_id in page]
    assert (set(listed), len(listed)) == (made, 5)
    if sort == "created_at":
        assert listed == sorted(listed)


def test_page__while_one_is_added__misses_and_repeats_nothing(house: House) -> None:
    made = [house.add(number).id for number in range(1, 5)]
    first, after = house.store.page(SHOP, Filters(), limit=2, after=None)
    house.add(9)
    rest, _ = house.store.page(SHOP, Filters(), limit=10, after=after)
    assert [item.id for item in [*first, *rest]] == made[::-1]


def test_filter__part_of_the_name__in_any_case(house: House) -> None:
    for number in range(1, 4):
        house.add(number)
    # Webhooks have no name, and the name of a file is its path.
    expected = [] if house.family.resource.kind in ("HOOK", "FILE") else [number_id(2)]
    assert ids(house, Filters(q="ITEM 2")) == expected
    assert ids(house, Filters(q="none")) == []


def test_filter__archived__hides_shows_or_selects(house: House) -> None:
    kept, gone = house.add(1), house.add(2)
    if not house.family.is_archivable:
        assert ids(house, Filters(archived="true")) == []
        return
    change: Change[Any] = Change(before=gone, after=house.family.archived(gone), action="x.archive")
    house.store.save(USER, change)
    assert ids(house, Filters()) == [kept.id]
    assert ids(house, Filters(archived="true")) == [gone.id]
    assert ids(house, Filters(archived="all")) == [gone.id, kept.id]


def test_filter__updated_since__is_inclusive(house: House) -> None:
    house.add(1)
    moment = house.add(2).updated_at
    assert len(ids(house, Filters(updated_since=moment))) == 2
    assert ids(house, Filters(updated_since="2999-01-01T00:00:00.000Z")) == []


def test_filter__status_and_attributes__of_the_head(house: House) -> None:
    made = house.add(1)
    head = house.family.resource.head(made)
    narrowed = Filters().where(status=head.status, **dict(head.attributes))  # type: ignore[arg-type]  # ints are equal too
    assert ids(house, narrowed) == [made.id]
    assert ids(house, replace(narrowed, status="another")) == []
    for name in head.attributes:
        assert ids(house, Filters().where(**{name: "another"})) == []


def test_list__of_another_shop__is_its_own(house: House) -> None:
    house.add(1)
    theirs = house.add(1, OTHER_SHOP)
    items, _ = house.store.page(OTHER_SHOP, Filters(), limit=10, after=None)
    assert [(item.id, house.family.resource.shop_id(item)) for item in items] == [(theirs.id, OTHER_SHOP)]
