"""Every family on the one store: races, versions, audit, unique names, publication, tenants."""

from __future__ import annotations

import importlib
import pkgutil
from collections.abc import Iterator
from dataclasses import replace
from datetime import UTC, datetime
from random import Random
from typing import Any

import pytest

import abtest.services
from abtest.domain.changes.change import Change, Occasion
from abtest.kit import canonical_json
from abtest.kit.clock import ManualClock
from abtest.kit.errors import DatabaseBusyError, NotFoundError, VersionConflictError
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import AuditRow, Commit, OutboxRow, StaleVersionError, together
from abtest.services.aggregates import Aggregates, Saved
from abtest.services.context import Caller, World
from abtest.services.publication import PublicationOutcome
from abtest.services.resources import Resource
from abtest.services.storefronts import Storefronts
from tests.support.races import RacedCatalog
from tests.unit.aggregates.families import FAMILIES, LISTED, OTHER_SHOP, SHOP, Family

USER = "0192a3b4-0000-7000-8000-0000000000aa"
FOREVER = "9999-12-31T23:59:59.999Z"


class TickingClock(ManualClock):
    """A clock that moves by a millisecond with each reading, so that ids rise."""

    def now(self) -> datetime:
        self.advance(milliseconds=1)
        return super().now()


class RecordedCatalog(RacedCatalog):
    """Keeps the commits that were accepted."""

    def __init__(self) -> None:
        super().__init__()
        self.commits: list[Commit] = []

    def commit(self, change: Commit) -> None:
        super().commit(change)
        self.commits.append(change)


class House:
    """One family on a catalog in memory, with a publisher that may be busy or fail."""

    def __init__(self, family: Family) -> None:
        self.family = family
        self.catalog = RecordedCatalog()
        self.outcome = PublicationOutcome(ok=True, revision=1)
        self.is_busy = False
        self.published: list[str] = []
        clock = TickingClock(datetime(2026, 3, 2, 9, tzinfo=UTC))
        world = World(catalog=self.catalog, clock=clock, random=SystemRandomness())
        self.store = family.store_on(world, Storefronts(self.catalog, self))

    def publish(self, shop_id: str) -> PublicationOutcome:
        if self.is_busy:
            raise DatabaseBusyError
        self.published.append(shop_id)
        return self.outcome

    def caller(self, shop_id: str = SHOP) -> Caller:
        return Caller(key_id="k", kind="shop", user_id=USER, shop_id=shop_id, scopes=frozenset(), request_id="r")

    def add(self, number: int = 1, shop_id: str = SHOP) -> Any:
        made = self.family.make(number, shop_id)
        return self.store.add(self.caller(shop_id), self.record_id(made), lambda _: made).value

    def record_id(self, aggregate: Any) -> str:
        return self.family.resource.record_id(aggregate)

    def edit(self, aggregate: Any, text: str, *, expected: int | None = None) -> Saved[Any]:
        def decide(before: Any, _occasion: Occasion) -> Change[Any]:
            after = self.family.edited(before, text)
            return Change(before=before, after=after, action=f"{self.family.resource.entity_type}.update")

        return self.store.change(self.caller(), self.record_id(aggregate), decide, expected_version=expected)

    def remove(self, aggregate: Any, *, expected: int | None = None) -> Saved[Any]:
        removed = self.store.remove(self.caller(), self.record_id(aggregate), expected_version=expected)
        assert removed is not None
        return removed

    def stored(self, aggregate: Any) -> Any:
        return self.store.get(SHOP, self.record_id(aggregate))

    def audit(self) -> list[AuditRow]:
        return list(self.catalog.audit(SHOP, entity_id=None, limit=100)[0])

    def outbox(self) -> list[OutboxRow]:
        return list(self.catalog.outbox("publish", created_before=FOREVER, limit=100))


def _has_names(family: Family) -> bool:
    names = family.resource.names(family.make(1, SHOP))
    return bool(names.own or names.service_wide)


WITH_NAMES = [name for name, family in FAMILIES.items() if _has_names(family)]
NAMED = [name for name, family in FAMILIES.items() if family.field != "url"]


@pytest.fixture(params=FAMILIES, ids=lambda name: str(name).replace(" ", "_"))
def house(request: pytest.FixtureRequest) -> House:
    return House(FAMILIES[request.param])


def test_families__of_every_resource__have_an_example() -> None:
    known = {family.resource.kind for family in FAMILIES.values()}
    assert {resource.kind for resource in _declared()} == known


def _declared() -> Iterator[Resource[Any]]:
    for module in pkgutil.walk_packages(abtest.services.__path__, "abtest.services."):
        for value in vars(importlib.import_module(module.name)).values():
            if isinstance(value, Resource):
                yield value


def test_families__of_every_store_that_overrides_the_shared_one__have_an_example() -> None:
    stores = {type(House(family).store) for family in FAMILIES.values()}
    list(_declared())  # loads every module, so that all subclasses are known
    overriding = {
        kind for kind in _subclasses(Aggregates) if (vars(kind).keys() & vars(Aggregates).keys()) - _OF_CLASSES
    }
    assert overriding
    assert overriding <= stores


_OF_CLASSES = {"__module__", "__doc__", "__init__", "__orig_bases__", "__parameters__"}


def _subclasses(kind: type[object]) -> Iterator[type[object]]:
    for subclass in kind.__subclasses__():
        yield subclass
        yield from _subclasses(subclass)


def test_record__of_an_aggregate__gives_it_back(house: House) -> None:
    made = house.add()
    record = house.family.resource.record(made)
    assert house.family.resource.from_record(record) == made
    assert house.stored(made) == made
    assert len(canonical_json.encode({"name": record.head.name, **record.head.attributes})) < 1024


def test_add__is_version_1__audited_with_its_fields(house: House) -> None:
    made = house.add()
    [row] = house.audit()
    resource = house.family.resource
    assert made.version == 1
    assert (row.action, row.user_id, row.shop_id) == (f"{resource.entity_type}.create", USER, SHOP)
    assert (row.entity_type, row.entity_id) == (resource.entity_type, made.id)
    assert all(before is None for before, _ in row.diff.values())
    assert "secret" not in canonical_json.dumps(row.diff)


def test_change__is_one_version_on__audited_with_what_differs(house: House) -> None:
    made = house.add()
    saved = house.edit(made, "Other")
    assert (saved.changed, saved.value.version) == (True, 2)
    assert house.stored(made) == saved.value
    newest, _ = house.audit()
    assert (newest.action, len(newest.diff)) == (f"{house.family.resource.entity_type}.update", 1)


def test_change__that_changes_nothing__is_neither_stored_audited_nor_published(house: House) -> None:
    made = house.add()
    house.edit(made, "Other")
    rows, published = house.audit(), list(house.published)
    saved = house.edit(made, "Other")
    assert (saved.changed, saved.value.version, saved.reasons) == (False, 2, ())
    assert (house.audit(), house.published) == (rows, published)


def test_change__that_only_notes__is_audited_and_changes_no_version(house: House) -> None:
    made = house.add()
    published = list(house.published)
    saved = house.store.save(USER, Change(before=made, after=made, action="x.note", note={"reason": "why"}))
    assert (saved.changed, house.stored(made).version) == (False, 1)
    row = house.audit()[0]
    assert row.diff == {"reason": [None, "why"]}
    assert house.catalog.commits[-1] == together(Commit(audit=[row]))
    assert house.published == published


@pytest.mark.parametrize("name", NAMED)
def test_change__of_long_incompressible_text__keeps_the_audit_row_small(name: str) -> None:
    house, random = House(FAMILIES[name]), Random(1)
    made = house.add()
    house.edit(made, random.randbytes(100_000).hex())
    house.edit(made, random.randbytes(100_000).hex())
    [pair] = house.audit()[0].diff.values()
    assert [set(side) for side in pair] == [{"sha256", "length"}] * 2


def test_change__overtaken_by_another__is_decided_on_top_of_it(house: House) -> None:
    made = house.add()
    house.catalog.first = [lambda: house.edit(made, "Rival's")]
    assert house.edit(made, "Mine").value.version == 3
    names = [next(iter(row.diff.values())) for row in house.audit()[:2]]
    assert names[0][0] == names[1][1]


def test_change__overtaken_every_time__is_given_up(house: House) -> None:
    made = house.add()

    def rival() -> None:
        armed, house.catalog.first = house.catalog.first, []
        house.edit(made, f"Rival's {house.stored(made).version}")
        house.catalog.first = armed

    house.catalog.first = [rival] * 4
    with pytest.raises(StaleVersionError):
        house.edit(made, "Mine")
    assert house.stored(made).version == 5


def test_change__of_an_expected_version_that_was_overtaken__is_refused(house: House) -> None:
    made = house.add()
    house.catalog.first = [lambda: house.edit(made, "Rival's")]
    with pytest.raises(VersionConflictError):
        house.edit(made, "Mine", expected=1)
    with pytest.raises(VersionConflictError):
        house.edit(made, "Mine", expected=1)
    assert house.stored(made).version == 2


def test_remove__overtaken_by_an_edit__removes_what_is_there_now(house: House) -> None:
    made = house.add()
    house.catalog.first = [lambda: house.edit(made, "Rival's")]
    house.remove(made)
    with pytest.raises(NotFoundError, match=house.family.resource.noun):
        house.stored(made)
    row = house.audit()[0]
    assert row.action == f"{house.family.resource.entity_type}.delete"
    assert all(after is None for _, after in row.diff.values())


def test_remove__twice__is_not_found(house: House) -> None:
    made = house.add()
    house.remove(made)
    with pytest.raises(NotFoundError):
        house.remove(made)


def test_names__are_held_while_the_aggregate_exists(house: House) -> None:
    made = house.add()
    names = house.family.resource.names(made)
    shop_id, record_id = house.family.resource.shop_id(made), house.record_id(made)
    for name in names.own:
        assert house.catalog.resolve(shop_id, name) == (shop_id, record_id)
    for name, attributes in names.service_wide.items():
        assert house.catalog.resolve(None, name) == (shop_id, record_id)
        assert house.catalog.claim_attributes(None, name) == attributes
    house.remove(made)
    assert not any(house.catalog.resolve(shop_id, name) for name in names.own)
    assert not any(house.catalog.resolve(None, name) for name in names.service_wide)


@pytest.mark.parametrize("name", WITH_NAMES)
def test_names__of_another__are_refused_and_nothing_is_stored(name: str) -> None:
    house = House(FAMILIES[name])
    made = house.add()
    twin = house.family.make(2, SHOP)
    same = replace(made, id=twin.id, version=twin.version)
    with pytest.raises(Exception, match=r".") as raised:
        house.store.save(USER, Change(before=None, after=same, action="x.create"))
    assert getattr(raised.value, "status", None) == 409
    assert len(house.audit()) == 1


def test_publication__follows_what_reaches_shoppers__and_ticks_the_promise_off(house: House) -> None:
    made = house.add()
    reaches = house.family.resource.reaches_shoppers(None, made)
    assert house.published == ([SHOP] if reaches else [])
    assert house.outbox() == []


@pytest.mark.parametrize("failure", ["busy", "failed"])
def test_publication__that_fails__leaves_the_commit_a_warning_and_the_promise(house: House, failure: str) -> None:
    house.is_busy = failure == "busy"
    house.outcome = PublicationOutcome(ok=False, revision=1, reasons=("no answer",))
    made = house.family.make(1, SHOP)
    saved = house.store.add(house.caller(), house.record_id(made), lambda _: made)
    reaches = house.family.resource.reaches_shoppers(None, made)
    assert house.stored(made).version == 1
    assert (saved.warning is not None, len(house.outbox())) == (reaches, int(reaches))


def test_another_shop__finds_changes_and_removes_nothing(house: House) -> None:
    made = house.add()
    stranger, record_id = house.caller(OTHER_SHOP), house.record_id(made)
    with pytest.raises(NotFoundError):
        house.store.get(OTHER_SHOP, record_id)
    with pytest.raises(NotFoundError):
        house.store.remove(stranger, record_id, expected_version=None)
    with pytest.raises(NotFoundError):
        house.store.change(stranger, record_id, lambda before, _: Change(before=before, after=None, action="x"))
    assert house.store.get_many(OTHER_SHOP, [record_id]) == []
    assert house.stored(made) == made


@pytest.mark.parametrize("name", LISTED)
def test_save_many__is_one_commit_under_one_audit_row_and_one_publication(name: str) -> None:
    house = House(FAMILIES[name])
    first, second = house.add(1), house.add(2)
    before, house.published = len(house.audit()), []
    reaches = house.family.resource.reaches_shoppers(first, house.family.edited(first, "Moved 0"))
    changes = [
        Change(before=each, after=house.family.edited(each, f"Moved {n}"), action="x.order")
        for n, each in enumerate((first, second))
    ]
    values, reasons = house.store.save_many(changes, house.store.audit_row(USER, changes[0]))
    assert ([value.version for value in values], tuple(reasons)) == ([2, 2], ())
    assert [house.stored(value) for value in values] == list(values)
    assert len(house.audit()) == before + 1
    assert house.published == ([SHOP] if reaches else [])


@pytest.mark.parametrize("name", LISTED)
def test_save_many__of_changed_and_unchanged__leaves_the_unchanged_alone(name: str) -> None:
    house = House(FAMILIES[name])
    first, second = house.add(1), house.add(2)
    moved = Change(before=first, after=house.family.edited(first, "Moved"), action="x.order")
    same: Change[Any] = Change(before=second, after=second, action="x.order")
    values, _ = house.store.save_many([moved, same], house.store.audit_row(USER, moved))
    assert [value.version for value in values] == [2, 1]
    assert [house.stored(value) for value in values] == list(values)


def test_save_many__under_a_given_audit_row__compares_nothing_itself() -> None:
    family = FAMILIES["pages"]
    compared = []

    def audited(aggregate: Any) -> Any:
        compared.append(aggregate)
        return family.resource.audited(aggregate)

    house = House(replace(family, resource=replace(family.resource, audited=audited)))
    made = house.add()
    change = Change(before=made, after=family.edited(made, "Moved"), action="x.order")
    audit = house.store.audit_row(USER, change)
    compared.clear()
    house.store.save_many([change], audit)
    assert compared == []
