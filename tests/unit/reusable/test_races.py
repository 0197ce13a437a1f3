"""Pages and exclusion groups against a catalog where others are faster."""

from datetime import UTC, datetime

import pytest

from abtest.domain.changes.consent import NO_CONSENT
from abtest.kit.clock import ManualClock
from abtest.kit.errors import NotFoundError, VersionConflictError
from abtest.kit.ids import SystemRandomness
from abtest.services.context import Caller, World
from abtest.services.publication import PublicationOutcome
from abtest.services.reusable.exclusion_groups import ExclusionGroups
from abtest.services.reusable.targets import Pages
from abtest.services.storefronts import Storefronts
from tests.support.races import RacedCatalog
from tests.unit.experiments.examples import SHOP, USER

CALLER = Caller(key_id="k", kind="shop", user_id=USER, shop_id=SHOP, scopes=frozenset(), request_id="r")


class House:
    """Pages and groups of one shop, whose storefronts always follow."""

    def __init__(self) -> None:
        self.catalog = RacedCatalog()
        clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
        world = World(catalog=self.catalog, clock=clock, random=SystemRandomness())
        storefronts = Storefronts(self.catalog, self)
        self.pages, self.groups = Pages(world, storefronts), ExclusionGroups(world, storefronts)

    def publish(self, shop_id: str) -> PublicationOutcome:
        return PublicationOutcome(ok=True, revision=1)

    def page(self) -> str:
        return self.pages.create(CALLER, {"name": "Cart"}).value.id

    def group(self) -> str:
        return self.groups.create(CALLER, {"name": "Checkout"}, consent=NO_CONSENT).value.id

    def rename_page(self, page_id: str) -> None:
        self.pages.update(CALLER, page_id, {"name": "Basket"}, consent=NO_CONSENT, expected_version=None)

    def rename_group(self, group_id: str) -> None:
        self.groups.update(CALLER, group_id, {"name": "Basket"}, consent=NO_CONSENT, expected_version=None)


@pytest.fixture
def house() -> House:
    return House()


def test_delete_page__overtaken_by_an_edit__deletes_what_is_there_now(house: House) -> None:
    page_id = house.page()
    house.catalog.first = [lambda: house.rename_page(page_id)]
    house.pages.delete(CALLER, page_id, expected_version=None)
    with pytest.raises(NotFoundError):
        house.pages.get(SHOP, page_id)


def test_delete_page__of_a_version_that_was_overtaken__is_refused(house: House) -> None:
    page_id = house.page()
    house.catalog.first = [lambda: house.rename_page(page_id)]
    with pytest.raises(VersionConflictError):
        house.pages.delete(CALLER, page_id, expected_version=1)
    assert house.pages.get(SHOP, page_id).name == "Basket"


def test_delete_page__deleted_by_another_meanwhile__is_not_found(house: House) -> None:
    page_id = house.page()
    house.catalog.first = [lambda: house.pages.delete(CALLER, page_id, expected_version=None)]
    with pytest.raises(NotFoundError):
        house.pages.delete(CALLER, page_id, expected_version=None)


def test_delete_group__overtaken_by_an_edit__deletes_what_is_there_now(house: House) -> None:
    group_id = house.group()
    house.catalog.first = [lambda: house.rename_group(group_id)]
    house.groups.delete(CALLER, group_id, expected_version=None)
    with pytest.raises(NotFoundError):
        house.groups.get(SHOP, group_id)


def test_delete_group__of_a_version_that_was_overtaken__is_refused(house: House) -> None:
    group_id = house.group()
    house.catalog.first = [lambda: house.rename_group(group_id)]
    with pytest.raises(VersionConflictError):
        house.groups.delete(CALLER, group_id, expected_version=1)
    assert house.groups.get(SHOP, group_id).name == "Basket"
