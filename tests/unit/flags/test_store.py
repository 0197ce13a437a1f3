"""Use cases of flags against a catalog where others are faster, and a publisher that fails."""

from datetime import UTC, datetime
from typing import Any

import pytest

from abtest.domain.changes.consent import NO_CONSENT
from abtest.domain.changes.errors import InvalidStateTransitionError
from abtest.domain.flags.model import Flag
from abtest.domain.rollouts.errors import KeyTakenError
from abtest.kit.clock import ManualClock
from abtest.kit.errors import DatabaseBusyError, NotFoundError
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import OutboxRow, StaleVersionError
from abtest.services.context import Caller, World
from abtest.services.flags.editor import FlagEditor
from abtest.services.flags.store import FlagStore, Reference
from abtest.services.publication import PublicationOutcome
from abtest.services.publication.budget import CodeBudget
from abtest.services.republication import Republication
from abtest.services.storefronts import Storefronts
from tests.support.memory import MemoryBlobs, MemoryLeases, MemorySessions
from tests.support.races import RacedCatalog

SHOP, USER = "0192a3b4-0000-7000-8000-000000000001", "0192a3b4-0000-7000-8000-000000000002"
CALLER = Caller(
    key_id="k", kind="shop", user_id=USER, shop_id=SHOP, scopes=frozenset({"flags:activate"}), request_id="r"
)
PUBLISHED = PublicationOutcome(ok=True, revision=1)


class Storefront:
    """A publisher that does as it is told."""

    def __init__(self) -> None:
        self.outcome: PublicationOutcome | Exception = PUBLISHED
        self.published = 0

    def publish(self, _shop_id: str) -> PublicationOutcome:
        self.published += 1
        if isinstance(self.outcome, Exception):
            raise self.outcome
        return self.outcome


class House:
    """Use cases of flags on a catalog of one shop."""

    def __init__(self) -> None:
        self.catalog = RacedCatalog()
        self.storefront = Storefront()
        self.clock = ManualClock(datetime(2026, 3, 2, tzinfo=UTC))
        world = World(catalog=self.catalog, clock=self.clock, random=SystemRandomness())
        storefronts = Storefronts(self.catalog, self.storefront)
        republication = Republication(
            world=world, storefronts=storefronts, leases=MemoryLeases(), sessions=MemorySessions()
        )
        self.store = FlagStore(world, storefronts, CodeBudget(MemoryBlobs()))
        self.editor = FlagEditor(self.store, republication)

    def flag(self, key: str = "k", **fields: object) -> Flag:
        return self.editor.create(CALLER, {"key": key, "name": "K", **fields}).value

    def update(self, flag: Flag, **stated: object) -> Flag:
        reference = Reference(flag.id, "production")
        saved = self.editor.update(CALLER, reference, stated, consent=NO_CONSENT, expected_version=None)
        return saved.value

    def act(self, flag: Flag, action: str) -> tuple[Flag, bool]:
        reference = Reference(flag.id, "production")
        saved = self.editor.act(CALLER, reference, action, expected_version=None)  # type: ignore[arg-type]
        return saved.value, saved.warning is not None

    def stored(self, flag: Flag) -> Flag:
        return self.store.load(SHOP, Reference(flag.id, "production"))

    def outbox(self) -> list[OutboxRow]:
        return list(self.catalog.outbox("publish", created_before="9999", limit=100))


@pytest.fixture
def house() -> House:
    return House()


def test_edit__overtaken_by_another__is_made_on_top_of_it(house: House) -> None:
    flag = house.flag()
    house.catalog.first = [lambda: house.update(flag, description="rival")]
    mine = house.update(flag, name="Mine")
    assert (mine.name, mine.description, mine.version) == ("Mine", "rival", 3)
    assert house.stored(flag) == mine


def test_edit__overtaken_every_time__is_given_up_with_the_conflict(house: House) -> None:
    flag = house.flag()

    def rival() -> None:
        armed, house.catalog.first = house.catalog.first, []
        house.update(flag, description=f"rival {house.stored(flag).version}")
        house.catalog.first = armed

    house.catalog.first = [rival] * 4
    with pytest.raises(StaleVersionError):
        house.update(flag, name="Mine")
    assert (house.stored(flag).name, house.stored(flag).description) == ("K", "rival 4")


def test_pause__that_lost_the_race_against_archive__is_refused(house: House) -> None:
    flag = house.flag(activate=True)
    house.catalog.first = [lambda: house.act(flag, "archive")]
    with pytest.raises(InvalidStateTransitionError):
        house.act(flag, "pause")
    assert house.stored(flag).status == "archived"


def test_two_activations_at_once__activate_once(house: House) -> None:
    flag = house.flag()
    house.catalog.first = [lambda: house.act(flag, "activate")]
    active, _ = house.act(flag, "activate")
    assert (active.status, active.version) == ("active", 2)


def test_key__taken_by_a_faster_one__is_taken(house: House) -> None:
    house.catalog.first = [lambda: house.flag("k")]
    with pytest.raises(KeyTakenError):
        house.flag("k")
    assert len(house.catalog.list(SHOP, "FLAG", limit=10).heads) == 1


def test_key__moved_between_two_reads__is_not_found_under_its_old_name(house: House) -> None:
    flag = house.flag("old")
    found = house.catalog.resolve(SHOP, "FLAG#KEY#production#old")
    house.update(flag, key="new")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(house.catalog, "resolve", lambda _scope, _name: found)
        with pytest.raises(NotFoundError):
            house.store.load(SHOP, Reference("old", "production"))
        assert house.store.load(SHOP, Reference("new", "production")).id == flag.id


@pytest.mark.parametrize(
    "outcome",
    [PublicationOutcome(ok=False, reasons=["bucket down"]), PublicationOutcome(ok=False), DatabaseBusyError(1)],
    ids=["reasons", "no reasons", "busy"],
)
def test_publication_fails__commit_stands__with_a_warning_and_a_row_that_waits(
    house: House, outcome: PublicationOutcome | Exception
) -> None:
    flag = house.flag()
    house.storefront.outcome = outcome
    active, warned = house.act(flag, "activate")
    assert (active.status, warned) == ("active", True)
    assert house.stored(flag) == active
    assert len(house.outbox()) == 1
    assert house.act(flag, "activate") == (active, True)
    house.storefront.outcome = PUBLISHED
    assert house.act(flag, "activate") == (active, False), "the same action publishes again"


@pytest.mark.parametrize(
    ("fields", "moves", "published"),
    [
        ({}, ["archive", "unarchive"], 0),
        ({}, ["activate"], 1),
        ({"activate": True}, [], 1),
        ({"activate": True}, ["pause", "archive", "unarchive", "activate"], 5),
        ({"activate": True, "delivery_type": "api"}, ["pause", "archive"], 0),
    ],
)
def test_storefronts__are_told_of_visual_flags_that_are_or_were_evaluated(
    house: House, fields: dict[str, Any], moves: list[str], published: int
) -> None:
    flag = house.flag(**fields)
    for move in moves:
        house.act(flag, move)
    assert house.storefront.published == published
    assert house.outbox() == []


def test_storefronts__are_told_when_a_flag_is_for_servers_only_from_now_on(house: House) -> None:
    flag = house.flag(activate=True)
    house.act(flag, "pause")
    house.storefront.published = 0
    house.update(flag, delivery_type="api")
    house.update(flag, name="Not told")
    assert house.storefront.published == 1
