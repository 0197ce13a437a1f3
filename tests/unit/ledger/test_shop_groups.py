"""Groups of shops: every shop in one group of each division, and the smaller groups inside the larger ones."""

import pytest

from abtest.domain.ledger.objects import compacted_key, group_of_key, hour_of_key
from abtest.domain.ledger.shop_groups import (
    ALL_SHOPS,
    BYTES_OF_A_GROUP,
    ShopGroup,
    division,
    group_named,
    groups_for,
)
from tests.unit.ledger.raw_hours import NOON

SHOPS = [f"0198a000-0000-7000-8000-{number:012}" for number in range(2000)]


@pytest.mark.parametrize("groups", [1, 2, 4, 8, 16, 32, 64])
def test_division__each_shop__is_in_one_group_of_about_the_same_size(groups: int) -> None:
    members = [[shop_id for shop_id in SHOPS if group.has(shop_id)] for group in division(groups)]

    assert sorted(shop_id for some in members for shop_id in some) == SHOPS
    assert min(map(len, members)) > len(SHOPS) / groups / 3


def test_has__of_half_a_group__is_part_of_the_group() -> None:
    for group in division(64):
        whole = ShopGroup(group.number % 8, 8)
        assert all(whole.has(shop_id) for shop_id in SHOPS if group.has(shop_id))


def test_has__known_shop__stays_in_its_group() -> None:
    # SHA-256 of "a" begins with ca, 202: stored documents depend on it.
    assert [group.number for groups in (1, 4, 64) for group in division(groups) if group.has("a")] == [0, 2, 10]


@pytest.mark.parametrize("name", ["", "3", "3of", "of8", "8of8", "3of6", "03of8", "-1of8", "0of128", "1of0", "xof2"])
def test_group_named__other_text__is_refused(name: str) -> None:
    with pytest.raises(ValueError, match=r"must be|invalid literal"):
        group_named(name)


@pytest.mark.parametrize(
    ("size", "groups"),
    [(0, 1), (BYTES_OF_A_GROUP, 1), (BYTES_OF_A_GROUP + 1, 2), (5 * BYTES_OF_A_GROUP, 8), (10**13, 64)],
)
def test_groups_for__bytes__the_next_power_of_two_up_to_the_largest(size: int, groups: int) -> None:
    assert groups_for(size) == groups


@pytest.mark.parametrize("group", [ALL_SHOPS, ShopGroup(3, 8), ShopGroup(63, 64)])
def test_compacted_key__of_a_group__leads_back(group: ShopGroup) -> None:
    key = compacted_key(NOON, group)

    assert (hour_of_key(key), group_of_key(key)) == (NOON, group)


def test_compacted_key__of_all_shops__is_that_of_older_releases() -> None:
    assert compacted_key(NOON) == "compacted/dt=2026-05-27/hh=12.json"
    assert compacted_key(NOON, ShopGroup(3, 8)) == "compacted/dt=2026-05-27/hh=12/3of8.json"


@pytest.mark.parametrize("name", ["hh=12/0of1.json", "hh=12/3of6.json", "hh=12/3of8/1.json", "hh=12/3of8", "hh=12.x"])
def test_group_of_key__other_key__is_refused(name: str) -> None:
    with pytest.raises(ValueError, match="must be"):
        group_of_key(f"compacted/dt=2026-05-27/{name}")
