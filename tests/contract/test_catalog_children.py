"""The catalog: records that belong to a parent of their shop."""

import pytest

from abtest.ports.catalog import Commit, Head, Kind, Put, Record, Remove, StaleVersionError
from tests.contract.conftest import Ports
from tests.contract.records import OTHER_SHOP, SHOP, commit_of, new_id, put, record


def child(parent_id: str | None, seconds: float = 0, *, kind: Kind = "LPV", shop_id: str = SHOP) -> Record:
    """A version of a page, made at that moment."""
    return record(new_id(seconds), kind=kind, shop_id=shop_id, parent_id=parent_id)


def page_of(ports: Ports, made: Record, *, limit: int = 9, after_id: str | None = None) -> list[Head]:
    """Heads of the parent of a record."""
    head = made.head
    page = ports.catalog.list(head.shop_id, head.kind, limit=limit, after_id=after_id, parent_id=head.parent_id)
    return list(page.heads)


def test_get__child_under_its_parent__returns_it_as_it_was(ports: Ports) -> None:
    made = child(new_id())
    ports.catalog.commit(commit_of(put(made)))
    catalog = ports.another().catalog
    assert catalog.get(SHOP, "LPV", made.head.id, parent_id=made.head.parent_id) == made
    assert catalog.get_many(SHOP, "LPV", [made.head.id], parent_id=made.head.parent_id) == [made]


def test_get__child_of_another_parent_shop_or_kind__finds_nothing(ports: Ports) -> None:
    made = child(new_id())
    other = child(new_id())
    ports.catalog.commit(commit_of(put(made), put(other)))
    head = made.head
    elsewhere: list[tuple[str, Kind, str | None]] = [
        (SHOP, "LPV", other.head.parent_id),
        (SHOP, "LPV", None),
        (OTHER_SHOP, "LPV", head.parent_id),
        (SHOP, "LPP", head.parent_id),
        (SHOP, "LP", None),
    ]
    for shop, kind, parent in elsewhere:
        assert ports.catalog.get(shop, kind, head.id, parent_id=parent) is None
        assert ports.catalog.get_many(shop, kind, [head.id], parent_id=parent) == []
        assert head not in ports.catalog.list(shop, kind, limit=9, parent_id=parent).heads


@pytest.mark.parametrize("parent_id", ["", "x" * 5000, "\ud800"])
def test_read__parent_that_nothing_can_have__finds_nothing(ports: Ports, parent_id: str) -> None:
    assert ports.catalog.get(SHOP, "LPV", new_id(), parent_id=parent_id) is None
    assert ports.catalog.get_many(SHOP, "LPV", [new_id()], parent_id=parent_id) == []
    assert ports.catalog.list(SHOP, "LPV", limit=9, parent_id=parent_id).heads == []


def test_list__pages__give_every_child_of_the_parent_once_newest_first(ports: Ports) -> None:
    parent, other = new_id(), new_id()
    made = [child(parent, second) for second in range(5)]
    ports.catalog.commit(commit_of(*map(put, made), put(child(other, 2)), put(child(parent, 3, kind="LPP"))))
    first = ports.catalog.list(SHOP, "LPV", limit=2, parent_id=parent)
    second = ports.catalog.list(SHOP, "LPV", limit=2, after_id=first.last_id, parent_id=parent)
    third = ports.catalog.list(SHOP, "LPV", limit=2, after_id=second.last_id, parent_id=parent)
    heads = [head for page in (first, second, third) for head in page.heads]
    assert heads == [one.head for one in reversed(made)]
    assert third.last_id is None


def test_one_id__under_two_parents__is_two_records(ports: Ports) -> None:
    made = new_id()
    first, second = (record(made, kind="LPV", parent_id=new_id(), body={"of": of}) for of in ("first", "second"))
    ports.catalog.commit(commit_of(put(first), put(second)))
    for each in (first, second):
        assert ports.catalog.get(SHOP, "LPV", made, parent_id=each.head.parent_id) == each
        assert page_of(ports, each) == [each.head]


def test_commit__parent_that_is_stale__stores_no_child(ports: Ports) -> None:
    parent = record(new_id(), kind="LP")
    ports.catalog.commit(commit_of(put(parent)))
    made = child(parent.head.id)
    newer = record(parent.head.id, kind="LP", version=3)
    with pytest.raises(StaleVersionError):
        ports.catalog.commit(commit_of(Put(record=newer, expected_version=2), put(made)))
    assert page_of(ports, made) == []
    assert ports.catalog.get(SHOP, "LPV", made.head.id, parent_id=parent.head.id) is None


def test_commit__next_version_of_a_child__replaces_it(ports: Ports) -> None:
    made = child(new_id())
    ports.catalog.commit(commit_of(put(made)))
    newer = record(made.head.id, kind="LPV", parent_id=made.head.parent_id, version=2)
    ports.catalog.commit(commit_of(put(newer)))
    assert page_of(ports, made) == [newer.head]
    with pytest.raises(StaleVersionError):
        ports.catalog.commit(commit_of(put(newer)))


def test_remove__child__takes_it_and_leaves_its_siblings(ports: Ports) -> None:
    parent = new_id()
    made, sibling = child(parent), child(parent, 1)
    ports.catalog.commit(commit_of(put(made), put(sibling)))
    ports.catalog.commit(Commit(removes=[Remove(head=made.head)]))
    assert page_of(ports, made) == [sibling.head]
    assert ports.catalog.get(SHOP, "LPV", made.head.id, parent_id=parent) is None
    with pytest.raises(StaleVersionError):
        ports.catalog.commit(Commit(removes=[Remove(head=made.head)]))


def test_commit__kind_and_parent_that_do_not_fit__contradict_themselves(ports: Ports) -> None:
    for misplaced in (child(None), record(new_id(), kind="EXP", parent_id=new_id())):
        with pytest.raises(ValueError, match="parent"):
            ports.catalog.commit(commit_of(put(misplaced)))
        with pytest.raises(ValueError, match="parent"):
            ports.catalog.commit(Commit(removes=[Remove(head=misplaced.head)]))
