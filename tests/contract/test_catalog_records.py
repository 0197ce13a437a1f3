"""The catalog: records, versions, lists."""

import random
from functools import partial

import pytest

from abtest.ports.catalog import Commit, CommitTooLargeError, Put, Remove, StaleVersionError
from tests.contract.conftest import Ports
from tests.contract.records import OTHER_SHOP, SHOP, commit_of, concurrent, iso, new_id, put, race, record


def test_get__after_commit__returns_head_and_body_as_they_were(ports: Ports) -> None:
    made = record(
        new_id(),
        name="Été ☀ \U0001f3d6",
        status="draft",
        archived_at=iso(5),
        attributes={"slug": "ete", "weight": 3, "running": False, "parent": None},
        due={"LAUNCH": iso(60)},
        body={"text": "\x00\u2028 \ud800", "number": 0.1, "nested": [{"a": None}, []], "": {"huge": 2**70}},
    )
    ports.catalog.commit(commit_of(put(made)))
    assert ports.another().catalog.get(SHOP, "EXP", made.head.id) == made


@pytest.mark.parametrize("record_id", ["", "no-uuid", "a#b", "x" * 5000, "\ud800", "../../etc", "\x00"])
def test_get__id_that_nothing_has__returns_none(ports: Ports, record_id: str) -> None:
    assert ports.catalog.get(SHOP, "EXP", record_id) is None
    assert ports.catalog.get_many(SHOP, "EXP", [record_id]) == []
    assert ports.catalog.resolve(SHOP, record_id) is None


def test_get__another_shop_or_kind__finds_nothing(ports: Ports) -> None:
    made = record(new_id())
    ports.catalog.commit(commit_of(put(made)))
    assert ports.catalog.get(OTHER_SHOP, "EXP", made.head.id) is None
    assert ports.catalog.get(SHOP, "GOAL", made.head.id) is None
    assert ports.catalog.get_many(OTHER_SHOP, "EXP", [made.head.id]) == []
    assert ports.catalog.list(OTHER_SHOP, "EXP", limit=10).heads == []


def test_fixed_ids__in_two_shops__do_not_meet(ports: Ports) -> None:
    ours = record("SET#DEFAULTS", kind="SET", body={"of": "ours"})
    theirs = record("SET#DEFAULTS", kind="SET", body={"of": "theirs"}, shop_id=OTHER_SHOP)
    ports.catalog.commit(commit_of(put(ours), put(theirs)))
    assert ports.catalog.get(SHOP, "SET", "SET#DEFAULTS") == ours
    assert ports.catalog.get(OTHER_SHOP, "SET", "SET#DEFAULTS") == theirs


@pytest.mark.parametrize("size", [10_000, 2_000_000])
def test_get__large_body_that_does_not_compress__returns_it_whole(ports: Ports, size: int) -> None:
    body = {"js": random.Random(size).randbytes(size // 2).hex()}
    made = record(new_id(), body=body)
    ports.catalog.commit(commit_of(put(made)))
    assert ports.catalog.get(SHOP, "EXP", made.head.id) == made
    assert ports.catalog.get_many(SHOP, "EXP", [made.head.id]) == [made]


def test_get_many__some_ids_exist__returns_those_in_the_order_asked(ports: Ports) -> None:
    made = [record(new_id(second)) for second in range(3)]
    ports.catalog.commit(commit_of(*map(put, made)))
    first, second, third = (found.head.id for found in made)
    asked = [third, new_id(), first, second]
    assert [found.head.id for found in ports.catalog.get_many(SHOP, "EXP", asked)] == [third, first, second]


def test_get_many__nothing_asked__returns_nothing(ports: Ports) -> None:
    assert ports.catalog.get_many(SHOP, "EXP", []) == []


def test_get_many__more_than_one_batch__returns_all(ports: Ports) -> None:
    made = [record(new_id(second)) for second in range(110)]
    for start in range(0, 110, 22):
        ports.catalog.commit(commit_of(*map(put, made[start : start + 22])))
    assert ports.catalog.get_many(SHOP, "EXP", [found.head.id for found in made]) == made


def test_list__pages__give_every_head_once_newest_first(ports: Ports) -> None:
    made = [record(new_id(second), name=str(second)) for second in range(5)]
    ports.catalog.commit(commit_of(*map(put, made)))
    first = ports.catalog.list(SHOP, "EXP", limit=2)
    second = ports.catalog.list(SHOP, "EXP", limit=2, after_id=first.last_id)
    third = ports.catalog.list(SHOP, "EXP", limit=2, after_id=second.last_id)
    names = [head.name for page in (first, second, third) for head in page.heads]
    assert names == ["4", "3", "2", "1", "0"]
    assert third.last_id is None
    assert first.heads[0] == made[4].head


def test_list__exactly_one_page__has_no_continuation(ports: Ports) -> None:
    ports.catalog.commit(commit_of(*(put(record(new_id(second))) for second in range(2))))
    assert ports.catalog.list(SHOP, "EXP", limit=2).last_id is None


def test_list__newer_record_arrives_while_paging__does_not_disturb(ports: Ports) -> None:
    made = [record(new_id(second)) for second in range(3)]
    ports.catalog.commit(commit_of(*map(put, made)))
    first = ports.catalog.list(SHOP, "EXP", limit=2)
    ports.catalog.commit(commit_of(put(record(new_id(99)))))
    rest = ports.catalog.list(SHOP, "EXP", limit=2, after_id=first.last_id)
    assert rest.heads == [made[0].head]


def test_commit__next_version__replaces_head_and_body(ports: Ports) -> None:
    made = new_id()
    ports.catalog.commit(commit_of(put(record(made, name="old"))))
    newer = record(made, version=2, name="new")
    ports.catalog.commit(commit_of(put(newer)))
    assert ports.catalog.get(SHOP, "EXP", made) == newer
    assert ports.catalog.list(SHOP, "EXP", limit=9).heads == [newer.head]


@pytest.mark.parametrize(("stored", "expected"), [(2, 1), (2, 0), (2, 3), (0, 1)])
def test_commit__other_version_than_expected__is_stale(ports: Ports, stored: int, expected: int) -> None:
    made = new_id()
    for version in range(1, stored + 1):
        ports.catalog.commit(commit_of(put(record(made, version=version))))
    with pytest.raises(StaleVersionError):
        ports.catalog.commit(commit_of(Put(record=record(made, version=9), expected_version=expected)))
    found = ports.catalog.get(SHOP, "EXP", made)
    assert (found.head.version if found else 0) == stored


def test_remove__present_version__takes_everything_away(ports: Ports) -> None:
    made = record(new_id(), due={"RUN": iso()})
    ports.catalog.commit(commit_of(put(made)))
    ports.catalog.commit(Commit(removes=[Remove(head=made.head)]))
    assert ports.catalog.get(SHOP, "EXP", made.head.id) is None
    assert ports.catalog.list(SHOP, "EXP", limit=9).heads == []
    assert ports.catalog.due("RUN", iso(99), limit=9) == []
    with pytest.raises(StaleVersionError):
        ports.catalog.commit(Commit(removes=[Remove(head=made.head)]))


def test_remove__older_version__is_stale(ports: Ports) -> None:
    made = record(new_id())
    ports.catalog.commit(commit_of(put(made)))
    ports.catalog.commit(commit_of(put(record(made.head.id, version=2))))
    with pytest.raises(StaleVersionError):
        ports.catalog.commit(Commit(removes=[Remove(head=made.head)]))


@concurrent
def test_commit__two_writers_of_one_version__exactly_one_wins(ports: Ports) -> None:
    made = new_id()
    ports.catalog.commit(commit_of(put(record(made))))
    for version in range(2, 7):
        writers = [record(made, version=version, body={"by": writer}) for writer in range(4)]
        outcomes = race(*(partial(ports.catalog.commit, commit_of(put(writer))) for writer in writers))
        assert outcomes.count(None) == 1
        assert sum(isinstance(outcome, StaleVersionError) for outcome in outcomes) == 3
        found = ports.catalog.get(SHOP, "EXP", made)
        assert found is not None
        assert found.body == {"by": outcomes.index(None)}


@concurrent
def test_get__while_another_writes__never_joins_two_versions(ports: Ports) -> None:
    made = new_id()
    ports.catalog.commit(commit_of(put(record(made, body={"version": 1}))))

    def write() -> None:
        for version in range(2, 30):
            ports.catalog.commit(commit_of(put(record(made, version=version, body={"version": version}))))

    def read() -> list[tuple[int, int]]:
        found = [ports.catalog.get(SHOP, "EXP", made) for _ in range(60)]
        return [(one.head.version, one.body["version"]) for one in found if one]

    written, *readings = race(write, read, read)
    assert written is None
    pairs = [pair for reading in readings if isinstance(reading, list) for pair in reading]
    assert len(pairs) == 120
    assert all(of_head == of_body for of_head, of_body in pairs)


def test_commit__over_one_hundred_items__is_refused_and_nothing_is_stored(ports: Ports) -> None:
    many = [record(new_id(second)) for second in range(51)]
    with pytest.raises(CommitTooLargeError, match="102 stored items"):
        ports.catalog.commit(commit_of(*map(put, many)))
    assert ports.catalog.list(SHOP, "EXP", limit=9).heads == []


def test_commit__one_hundred_items__is_stored(ports: Ports) -> None:
    many = [record(new_id(second)) for second in range(50)]
    ports.catalog.commit(commit_of(*map(put, many)))
    assert len(ports.catalog.list(SHOP, "EXP", limit=99).heads) == 50


def test_commit__nothing__is_fine(ports: Ports) -> None:
    ports.catalog.commit(Commit())


def test_commit__one_record_twice__contradicts_itself(ports: Ports) -> None:
    made = record(new_id())
    with pytest.raises(ValueError, match="twice"):
        ports.catalog.commit(commit_of(put(made), put(made)))


def test_what_was_read__changed_by_its_reader__stays_what_it_was_in_the_store(ports: Ports) -> None:
    made = record(new_id(), body={"list": [1]})
    ports.catalog.commit(commit_of(put(made)))
    found = ports.catalog.get(SHOP, "EXP", made.head.id)
    assert found is not None
    found.body["list"].append(2)
    assert ports.catalog.get(SHOP, "EXP", made.head.id) == made


@concurrent
def test_next_revision__many_callers__gives_every_number_once_and_rises(ports: Ports) -> None:
    catalog = ports.catalog
    taken = race(*[lambda: [catalog.next_revision(SHOP) for _ in range(5)]] * 4)
    numbers = [number for series in taken if isinstance(series, list) for number in series]
    assert sorted(numbers) == list(range(1, 21))
    assert all(series == sorted(series) for series in taken if isinstance(series, list))
    assert catalog.next_revision(OTHER_SHOP) == 1
