"""Use cases of data-layer triggers against a catalog where others are faster, and a publisher that fails."""

from datetime import UTC, datetime

import pytest

from abtest.domain.signals.shapes import TriggerFields
from abtest.kit.clock import ManualClock
from abtest.kit.errors import DatabaseBusyError, LimitReachedError
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Head
from abtest.services.context import Caller, World
from abtest.services.publication import PublicationOutcome
from abtest.services.signals.triggers import Triggers
from abtest.services.storefronts import Storefronts
from tests.support.races import RacedCatalog

SHOP, USER = "0192a3b4-0000-7000-8000-000000000001", "0192a3b4-0000-7000-8000-000000000002"
CALLER = Caller(key_id="k", kind="shop", user_id=USER, shop_id=SHOP, scopes=frozenset(), request_id="r")
SAYS: TriggerFields = {"eventName": "purchase"}


class Storefront:
    """A publisher that is there, or busy."""

    busy = False

    def publish(self, _shop_id: str) -> PublicationOutcome:
        if self.busy:
            raise DatabaseBusyError
        return PublicationOutcome(ok=True, revision=1)


class House:
    """Use cases of triggers on a catalog of one shop."""

    def __init__(self) -> None:
        self.catalog, self.storefront = RacedCatalog(), Storefront()
        clock = ManualClock(datetime(2026, 3, 2, 9, 0, tzinfo=UTC))
        world = World(catalog=self.catalog, clock=clock, random=SystemRandomness())
        self.triggers = Triggers(world, Storefronts(self.catalog, self.storefront))

    def create(self) -> str:
        return self.triggers.create(CALLER, SAYS).value.id

    def heads(self) -> list[Head]:
        return list(self.catalog.list(SHOP, "DLT", limit=200).heads)


@pytest.fixture
def house() -> House:
    return House()


def test_create__beyond_a_hundred__is_refused_until_one_is_deleted(house: House) -> None:
    ids = [house.create() for _ in range(100)]
    with pytest.raises(LimitReachedError):
        house.create()
    house.triggers.replace(CALLER, ids[7], {"eventName": "other"}, expected_version=1)
    house.triggers.remove(CALLER, ids[7], expected_version=None)
    house.create()
    with pytest.raises(LimitReachedError):
        house.create()
    assert len(house.heads()) == 100


def test_create__overtaken_for_the_last_place__is_refused(house: House) -> None:
    for _ in range(99):
        house.create()
    house.catalog.first = [house.create]
    with pytest.raises(LimitReachedError):
        house.create()
    assert len(house.heads()) == 100


def test_create__overtaken_with_places_left__takes_another_one(house: House) -> None:
    house.catalog.first = [house.create]
    house.create()
    assert sorted(str(head.attributes["seat"]) for head in house.heads()) == ["0", "1"]


def test_replace__overtaken_by_another_edit__stands_upon_it(house: House) -> None:
    trigger_id = house.create()
    house.catalog.first = [
        lambda: house.triggers.replace(CALLER, trigger_id, {"eventName": "faster"}, expected_version=None)
    ]
    saved = house.triggers.replace(CALLER, trigger_id, {"eventName": "slower"}, expected_version=None)
    assert (saved.value.version, saved.value.name) == (3, "slower")


def test_write__with_a_busy_publisher__stands_and_leaves_the_promise(house: House) -> None:
    house.storefront.busy = True
    saved = house.triggers.create(CALLER, SAYS)
    assert saved.warning is not None
    house.triggers.remove(CALLER, saved.value.id, expected_version=1)
    assert house.heads() == []
    waiting = house.catalog.outbox("publish", created_before="9999-12-31T23:59:59.999Z", limit=10)
    assert len(waiting) == 2
