"""Use cases against a catalog where others are faster."""

from datetime import UTC, datetime
from functools import partial
from typing import Any

import pytest

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.changes.consent import NO_CONSENT
from abtest.domain.personalizations.model import Personalization
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.kit.clock import ManualClock
from abtest.kit.errors import DatabaseBusyError, NotFoundError, VersionConflictError
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import StaleVersionError
from abtest.services.context import Caller, World
from abtest.services.personalizations.editor import ACTIVATE_SCOPE, PersonalizationEditor
from abtest.services.personalizations.priorities import Priorities
from abtest.services.personalizations.store import PersonalizationStore
from abtest.services.publication import PublicationOutcome
from abtest.services.publication.budget import CodeBudget
from abtest.services.republication import Republication
from abtest.services.storefronts import Storefronts
from tests.support.memory import MemoryBlobs, MemoryLeases, MemorySessions
from tests.support.races import RacedCatalog
from tests.unit.experiments.examples import SHOP, USER

CALLER = Caller(key_id="k", kind="shop", user_id=USER, shop_id=SHOP, scopes=frozenset({ACTIVATE_SCOPE}), request_id="r")


class House:
    """Use cases on a catalog with one shop, and a publisher that counts."""

    def __init__(self) -> None:
        self.catalog = RacedCatalog()
        self.published = 0
        world = World(
            catalog=self.catalog, clock=ManualClock(datetime(2026, 3, 2, tzinfo=UTC)), random=SystemRandomness()
        )
        storefronts = Storefronts(self.catalog, self)
        republication = Republication(
            world=world, storefronts=storefronts, leases=MemoryLeases(), sessions=MemorySessions()
        )
        self.store = PersonalizationStore(world, storefronts, CodeBudget(MemoryBlobs()))
        self.editor = PersonalizationEditor(self.store, QuickJsChecker(), republication)
        self.priorities = Priorities(self.store)

    def publish(self, shop_id: str) -> PublicationOutcome:
        self.published += 1
        return PublicationOutcome(ok=True, revision=self.published)

    def make(self, key: str = "hero", **fields: Any) -> Personalization:
        return self.editor.create(CALLER, {"name": "Hero", "key": key, **fields}).value

    def update(self, made: Personalization, expected: int | None = None, **fields: Any) -> Personalization:
        published = self.editor.update(CALLER, made.id, fields, consent=NO_CONSENT, expected_version=expected)
        return published.value

    def stored(self, made: Personalization) -> Personalization:
        return self.store.get(SHOP, made.id)


@pytest.fixture
def house() -> House:
    return House()


def test_update__overtaken_by_another__keeps_both(house: House) -> None:
    made = house.make()
    house.catalog.first = [lambda: _ignored(house.update(made, surface="cart"))]
    house.update(made, priority=3)
    found = house.stored(made)
    assert (found.surface, found.priority, found.version) == ("cart", 3, 3)


def test_update__of_a_version_that_was_overtaken__is_refused(house: House) -> None:
    made = house.make()
    house.catalog.first = [lambda: _ignored(house.update(made, surface="cart"))]
    with pytest.raises(VersionConflictError):
        house.update(made, expected=1, priority=3)
    assert house.stored(made).priority == 100


def test_update__overtaken_again_and_again__gives_up(house: House) -> None:
    made = house.make()
    house.catalog.first = [partial(_overtake, house, made, n) for n in range(4)]
    with pytest.raises(StaleVersionError):
        house.update(made, surface="cart")


def test_activate__by_two_at_once__happens_once(house: House) -> None:
    made = house.make()

    def activate() -> None:
        house.editor.act(CALLER, made.id, "activate", expected_version=None)

    house.catalog.first = [activate]
    activate()
    rows, _ = house.catalog.audit(SHOP, entity_id=made.id, limit=10)
    assert sorted(row.action for row in rows) == ["personalization.activate", "personalization.create"]
    assert house.catalog.outbox("publish", created_before="9999", limit=10) == []


def test_delete__of_what_becomes_active_meanwhile__is_refused(house: House) -> None:
    made = house.make()
    house.catalog.first = [lambda: _ignored(house.editor.act(CALLER, made.id, "activate", expected_version=None))]
    with pytest.raises(Exception, match="only drafts can be deleted"):
        house.editor.delete(CALLER, made.id, expected_version=None)


def test_duplicate__whose_key_is_taken_meanwhile__takes_the_next(house: House) -> None:
    made = house.make()
    house.catalog.first = [lambda: _ignored(house.make("hero-copy"))]
    assert house.editor.duplicate(CALLER, made.id, name=None, key=None).value.key == "hero-copy-2"


def test_create__by_two_with_one_key__is_refused_to_the_second(house: House) -> None:
    house.catalog.first = [lambda: _ignored(house.make())]
    with pytest.raises(KeyTakenError):
        house.make()


def test_order__overtaken_by_an_edit__keeps_both(house: House) -> None:
    first, second = house.make("a"), house.make("b", activate=True)
    house.catalog.first = [lambda: _ignored(house.update(first, surface="cart"))]
    house.priorities.order(CALLER, [second.id, first.id])
    assert [house.stored(item).priority for item in (second, first)] == [10, 20]
    assert house.stored(first).surface == "cart"


def test_order__that_is_as_it_was__is_no_commit(house: House) -> None:
    made = house.make(priority=10, activate=True)
    published = house.published
    assert house.priorities.order(CALLER, [made.id]).personalizations == [made]
    assert (house.stored(made).version, house.published) == (1, published)


def test_change__while_the_store_is_busy__changes_nothing(house: House) -> None:
    made = house.make()
    house.catalog.first = [_busy]
    with pytest.raises(DatabaseBusyError):
        house.update(made, priority=3)
    assert house.stored(made) == made
    with pytest.raises(NotFoundError):
        house.store.get(USER, made.id)


def _overtake(house: House, made: Personalization, number: int) -> None:
    """Another's edit, without a race of its own."""
    waiting, house.catalog.first = house.catalog.first, []
    house.update(made, priority=number)
    house.catalog.first = waiting


def _ignored(_: object) -> None:
    """What a race does is of interest, not what it returns."""


def _busy() -> None:
    raise DatabaseBusyError
