"""The catalog: unique names, and that a commit is all or nothing."""

from dataclasses import replace
from functools import partial

import pytest

from abtest.ports.catalog import Commit, NameTakenError, Release, StaleVersionError
from tests.contract.conftest import Ports
from tests.contract.records import (
    OTHER_SHOP,
    SHOP,
    audit_row,
    claim,
    commit_of,
    concurrent,
    iso,
    new_id,
    outbox_row,
    put,
    race,
    record,
)

SLUG = "EXP#SLUG#summer-sale"


def test_claim__free_name__leads_to_its_record(ports: Ports) -> None:
    made = record(new_id())
    ports.catalog.commit(commit_of(put(made), claims=[claim(SLUG, made.head.id)]))
    assert ports.catalog.resolve(SHOP, SLUG) == (SHOP, made.head.id)
    assert ports.catalog.resolve(OTHER_SHOP, SLUG) is None
    assert ports.catalog.resolve(None, SLUG) is None


def test_claim__same_name_in_two_scopes__both_hold(ports: Ports) -> None:
    ports.catalog.commit(
        Commit(claims=[claim(SLUG, "a"), claim(SLUG, "b", scope=OTHER_SHOP), claim(SLUG, "c", scope=None)])
    )
    found = [ports.catalog.resolve(scope, SLUG) for scope in (SHOP, OTHER_SHOP, None)]
    assert found == [(SHOP, "a"), (SHOP, "b"), (SHOP, "c")]


def test_resolve_many__some_of_the_names__tells_those_that_are_claimed(ports: Ports) -> None:
    ports.catalog.commit(Commit(claims=[claim("A", "a"), claim("B", "b"), claim("C", "c", scope=OTHER_SHOP)]))
    names = ["B", "C", "A", "B", "", "x" * 2000, "\ud800"]
    assert ports.another().catalog.resolve_many(SHOP, names) == {"A": (SHOP, "a"), "B": (SHOP, "b")}
    assert ports.catalog.resolve_many(OTHER_SHOP, names) == {"C": (SHOP, "c")}
    assert ports.catalog.resolve_many(None, names) == ports.catalog.resolve_many(SHOP, []) == {}


def test_claim__taken_name__leaves_nothing_of_the_commit(ports: Ports) -> None:
    ports.catalog.commit(Commit(claims=[claim(SLUG, "first")]))
    made = record(new_id(), due={"RUN": iso()})
    with pytest.raises(NameTakenError) as refusal:
        ports.catalog.commit(
            Commit(
                puts=[put(made)],
                claims=[claim("EXP#SLUG#free", made.head.id), claim(SLUG, made.head.id)],
                audit=[audit_row(1)],
                outbox=[outbox_row(1)],
            )
        )
    assert refusal.value.name == SLUG
    assert ports.catalog.get(SHOP, "EXP", made.head.id) is None
    assert ports.catalog.list(SHOP, "EXP", limit=9).heads == []
    assert ports.catalog.due("RUN", iso(9), limit=9) == []
    assert ports.catalog.resolve(SHOP, "EXP#SLUG#free") is None
    assert ports.catalog.resolve(SHOP, SLUG) == (SHOP, "first")
    assert ports.catalog.audit(SHOP, entity_id=None, limit=9) == ([], None)
    assert ports.catalog.outbox("publish", created_before=iso(9), limit=9) == []


def test_stale_version__with_a_free_name__leaves_nothing_of_the_commit(ports: Ports) -> None:
    made = record(new_id())
    ports.catalog.commit(commit_of(put(made)))
    with pytest.raises(StaleVersionError):
        ports.catalog.commit(Commit(puts=[put(made)], claims=[claim(SLUG, made.head.id)], audit=[audit_row(1)]))
    assert ports.catalog.resolve(SHOP, SLUG) is None
    assert ports.catalog.audit(SHOP, entity_id="entity", limit=9) == ([], None)


def test_stale_version__with_a_taken_name__is_told_as_stale(ports: Ports) -> None:
    made = record(new_id())
    ports.catalog.commit(commit_of(put(made), claims=[claim(SLUG, "first")]))
    with pytest.raises(StaleVersionError):
        ports.catalog.commit(commit_of(put(made), claims=[claim(SLUG, made.head.id)]))


def test_claim__again_for_its_own_record__is_fine(ports: Ports) -> None:
    ports.catalog.commit(Commit(claims=[claim(SLUG, "same")]))
    ports.catalog.commit(Commit(claims=[claim(SLUG, "same")]))
    assert ports.catalog.resolve(SHOP, SLUG) == (SHOP, "same")


def test_release__then_claim__gives_the_name_to_another(ports: Ports) -> None:
    for target in ("first", "second", "first"):
        ports.catalog.commit(Commit(claims=[claim(SLUG, target)]))
        assert ports.catalog.resolve(SHOP, SLUG) == (SHOP, target)
        ports.catalog.commit(Commit(releases=[Release(scope=SHOP, name=SLUG)]))
        assert ports.catalog.resolve(SHOP, SLUG) is None


def test_release__and_claim_in_one_commit__moves_the_name(ports: Ports) -> None:
    ports.catalog.commit(Commit(claims=[claim(SLUG, "first")]))
    ports.catalog.commit(Commit(releases=[Release(scope=SHOP, name=SLUG)], claims=[claim(SLUG, "second")]))
    assert ports.catalog.resolve(SHOP, SLUG) == (SHOP, "second")


def test_release__name_that_nobody_has__is_fine(ports: Ports) -> None:
    ports.catalog.commit(Commit(releases=[Release(scope=SHOP, name=SLUG)]))


def test_claim__one_name_twice__contradicts_itself(ports: Ports) -> None:
    with pytest.raises(ValueError, match="twice"):
        ports.catalog.commit(Commit(claims=[claim(SLUG, "a"), claim(SLUG, "b")]))


@concurrent
def test_claim__many_callers_at_once__exactly_one_gets_it(ports: Ports) -> None:
    catalog = ports.catalog
    for turn in range(5):
        name = f"{SLUG}-{turn}"
        targets = [f"record-{caller}" for caller in range(4)]
        outcomes = race(*(partial(catalog.commit, Commit(claims=[claim(name, target)])) for target in targets))
        assert outcomes.count(None) == 1
        assert sum(isinstance(outcome, NameTakenError) for outcome in outcomes) == 3
        assert catalog.resolve(SHOP, name) == (SHOP, targets[outcomes.index(None)])


def test_claim_attributes__of_a_held_name__are_the_last_ones_taken_with_it(ports: Ports) -> None:
    first, second = {"sha256": "a", "revoked_at": None}, {"sha256": "a", "revoked_at": iso()}
    ports.catalog.commit(Commit(claims=[replace(claim("KEY#0123456789ab", "key", scope=None), attributes=first)]))
    assert ports.catalog.claim_attributes(None, "KEY#0123456789ab") == first
    ports.catalog.commit(Commit(claims=[replace(claim("KEY#0123456789ab", "key", scope=None), attributes=second)]))
    assert ports.catalog.claim_attributes(None, "KEY#0123456789ab") == second
    assert ports.catalog.claim_attributes(SHOP, "KEY#0123456789ab") is None


def test_claim_attributes__of_a_name_without_any_or_held_by_nobody__are_none_of_another(ports: Ports) -> None:
    ports.catalog.commit(Commit(claims=[replace(claim(SLUG, "record"), attributes={"a": "b"})]))
    ports.catalog.commit(Commit(releases=[Release(scope=SHOP, name=SLUG)]))
    assert ports.catalog.claim_attributes(SHOP, SLUG) is None
    ports.catalog.commit(Commit(claims=[claim(SLUG, "record")]))
    assert ports.catalog.claim_attributes(SHOP, SLUG) == {}
