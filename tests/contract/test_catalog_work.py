"""The catalog: work index, outbox, audit."""

from dataclasses import replace

import pytest

from abtest.ports.catalog import Commit, DueEntry, OutboxRow, StaleVersionError
from tests.contract.conftest import Ports
from tests.contract.records import (
    OTHER_SHOP,
    SHOP,
    audit_row,
    commit_of,
    inbox_row,
    iso,
    new_id,
    outbox_row,
    put,
    record,
)


def _due(ports: Ports, queue: str, until: float, limit: int = 99) -> list[str]:
    return [entry.id for entry in ports.catalog.due(queue, iso(until), limit=limit)]


def test_due__entries_of_many_shards__come_oldest_first(ports: Ports) -> None:
    made = [record(new_id(second), due={"RUN": iso(100 - second)}) for second in range(12)]
    ports.catalog.commit(commit_of(*map(put, made)))
    oldest_first = [found.head.id for found in reversed(made)]
    assert _due(ports, "RUN", 1000) == oldest_first
    assert _due(ports, "RUN", 1000, limit=3) == oldest_first[:3]


def test_due__moment_itself__is_included_and_the_next_millisecond_is_not(ports: Ports) -> None:
    made = record(new_id(), due={"LAUNCH": iso(60)})
    ports.catalog.commit(commit_of(put(made)))
    assert _due(ports, "LAUNCH", 59.999) == []
    entry = DueEntry(shop_id=SHOP, kind="EXP", id=made.head.id, due=iso(60), version=1)
    assert ports.catalog.due("LAUNCH", iso(60), limit=9) == [entry]


def test_due__record_at_another_version__is_in_the_entry(ports: Ports) -> None:
    made = new_id()
    ports.catalog.commit(commit_of(put(record(made, due={"COUNT": iso(60)}))))
    ports.catalog.commit(commit_of(put(record(made, version=2, due={"COUNT": iso(60)}))))
    assert [entry.version for entry in ports.catalog.due("COUNT", iso(60), limit=9)] == [2]


def test_due__head_changes__index_follows(ports: Ports) -> None:
    made = new_id()
    ports.catalog.commit(commit_of(put(record(made, due={"LAUNCH": iso(10), "END": iso(20)}))))
    ports.catalog.commit(commit_of(put(record(made, version=2, due={"RUN": iso(5), "END": iso(30)}))))
    assert [_due(ports, queue, 25) for queue in ("LAUNCH", "RUN", "END")] == [[], [made], []]
    assert _due(ports, "END", 30) == [made]
    ports.catalog.commit(commit_of(put(record(made, version=3))))
    assert [_due(ports, queue, 99) for queue in ("LAUNCH", "RUN", "END")] == [[], [], []]


def test_forget_due__entry_that_stands__leaves_the_record_and_other_queues(ports: Ports) -> None:
    made = new_id()
    ports.catalog.commit(commit_of(put(record(made, due={"COUNT": iso(10), "END": iso(20)}))))
    entry = DueEntry(shop_id=SHOP, kind="EXP", id=made, due=iso(10))
    for _ in range(2):
        ports.catalog.forget_due("COUNT", entry)
    assert [_due(ports, queue, 99) for queue in ("COUNT", "END")] == [[], [made]]
    assert ports.catalog.get(SHOP, "EXP", made) is not None
    ports.catalog.commit(commit_of(put(record(made, version=2, due={"COUNT": iso(30)}))))
    assert _due(ports, "COUNT", 99) == [made]


def test_forget_due__entry_that_is_due_at_another_moment_by_now__stays(ports: Ports) -> None:
    made = new_id()
    ports.catalog.commit(commit_of(put(record(made, due={"COUNT": iso(30)}))))
    ports.catalog.forget_due("COUNT", DueEntry(shop_id=SHOP, kind="EXP", id=made, due=iso(10)))
    ports.catalog.forget_due("COUNT", DueEntry(shop_id=SHOP, kind="EXP", id=new_id(), due=iso(10)))
    assert _due(ports, "COUNT", 99) == [made]


def test_due__queue_that_the_kind_does_not_have__is_refused(ports: Ports) -> None:
    with pytest.raises(ValueError, match="no work queue"):
        ports.catalog.commit(commit_of(put(record(new_id(), kind="GOAL", due={"RUN": iso()}))))


def test_outbox__rows_not_done__come_oldest_first_until_done(ports: Ports) -> None:
    rows = [outbox_row(second) for second in (30, 10, 20, 40)]
    ports.catalog.commit(Commit(outbox=rows))
    early = ports.catalog.outbox("publish", created_before=iso(40), limit=9)
    assert early == [rows[1], rows[2], rows[0]]
    assert ports.catalog.outbox("publish", created_before=iso(40), limit=2) == [rows[1], rows[2]]
    for _ in range(2):
        ports.catalog.outbox_done(rows[1])
    assert ports.catalog.outbox("publish", created_before=iso(99), limit=9) == [rows[2], rows[0], rows[3]]


def test_event__until_it_is_done__is_read_by_moment_and_id(ports: Ports) -> None:
    row, publish = outbox_row(10, topic="webhook"), outbox_row(10)
    ports.catalog.commit(Commit(outbox=[row, publish]))
    assert ports.catalog.event(row.created_at, row.id) == row
    assert ports.catalog.event(publish.created_at, publish.id) is None
    assert ports.catalog.event(iso(11), row.id) is None
    ports.catalog.outbox_done(row)
    assert ports.catalog.event(row.created_at, row.id) is None


def test_unpublished__of_a_shop__has_its_rows_oldest_first_until_done(ports: Ports) -> None:
    shop, others = new_id(), [replace(outbox_row(second), shop_id=new_id()) for second in range(40)]
    rows = [replace(outbox_row(second), shop_id=shop) for second in (30, 10, 20)]
    event = replace(outbox_row(5, topic="webhook"), shop_id=shop)
    ports.catalog.commit(Commit(outbox=[*others, *rows, event]))

    def pending(limit: int = 99) -> list[OutboxRow]:
        return [row for row in ports.catalog.unpublished(shop, limit=limit) if row.shop_id == shop]

    assert pending() == [rows[1], rows[2], rows[0]]
    assert len(ports.catalog.unpublished(shop, limit=2)) == 2
    for row in rows[:2]:
        ports.catalog.outbox_done(row)
        ports.catalog.outbox_done(row)
    assert pending() == [rows[2]]


def test_outbox__row_of_any_payload__comes_back_as_it_was(ports: Ports) -> None:
    row = OutboxRow(id=new_id(), shop_id=SHOP, topic="webhook", payload={"é": [1, None]}, created_at=iso())
    ports.catalog.commit(Commit(outbox=[row]))
    assert ports.catalog.outbox("webhook", created_before=iso(1), limit=1) == [row]


def test_outbox__more_rows_of_another_topic_than_are_asked_for__are_not_in_the_way(ports: Ports) -> None:
    webhooks = [outbox_row(second, topic="webhook") for second in range(40)]
    publish = outbox_row(50)
    ports.catalog.commit(Commit(outbox=[*webhooks, publish]))
    assert ports.catalog.outbox("publish", created_before=iso(99), limit=2) == [publish]
    ports.catalog.outbox_done(publish)
    assert ports.catalog.outbox("publish", created_before=iso(99), limit=2) == []
    assert ports.catalog.outbox("webhook", created_before=iso(99), limit=99) == webhooks


def test_audit__rows_of_two_months__come_newest_first_in_pages(ports: Ports) -> None:
    rows = [audit_row(second) for second in (0, 1800, 3600, 3601, 5400)]  # the month ends at 3600
    for row in rows:
        ports.catalog.commit(Commit(audit=[row]))
    first, after_first = ports.another().catalog.audit(SHOP, entity_id=None, limit=2)
    second, after_second = ports.catalog.audit(SHOP, entity_id=None, limit=2, after_id=after_first)
    third, after_third = ports.catalog.audit(SHOP, entity_id=None, limit=2, after_id=after_second)
    assert [*first, *second, *third] == rows[::-1]
    assert after_third is None


def test_audit__of_one_entity__leaves_out_other_entities_and_shops(ports: Ports) -> None:
    ours, other = audit_row(1), audit_row(2, entity_id="other")
    foreign = audit_row(3, shop_id=OTHER_SHOP)
    ports.catalog.commit(Commit(audit=[ours, other, foreign]))
    assert ports.catalog.audit(SHOP, entity_id="entity", limit=9) == ([ours], None)
    assert ports.catalog.audit(OTHER_SHOP, entity_id="entity", limit=9) == ([foreign], None)
    assert ports.catalog.audit(SHOP, entity_id=None, limit=9) == ([other, ours], None)


def test_audit__of_one_entity_in_pages__gives_every_row_once(ports: Ports) -> None:
    rows = [audit_row(second) for second in range(3)]
    ports.catalog.commit(Commit(audit=rows))
    first, after = ports.catalog.audit(SHOP, entity_id="entity", limit=2)
    rest, end = ports.catalog.audit(SHOP, entity_id="entity", limit=2, after_id=after)
    assert [*first, *rest] == rows[::-1]
    assert end is None


def test_inbox__messages_of_a_shop__come_newest_first_and_page_by_page(ports: Ports) -> None:
    sent = [inbox_row(second) for second in (1, 3, 2)]
    ports.catalog.commit(Commit(inbox=[*sent, inbox_row(4, shop_id=OTHER_SHOP)]))
    newest_first = [sent[1], sent[2], sent[0]]
    assert ports.catalog.inbox(SHOP, limit=9) == (newest_first, None)
    assert ports.catalog.inbox(SHOP, limit=2) == (newest_first[:2], sent[2].id)
    assert ports.catalog.inbox(SHOP, limit=2, after_id=sent[2].id) == ([sent[0]], None)


def test_inbox__oldest_first_and_from_an_id__are_other_ways_through_the_same_messages(ports: Ports) -> None:
    sent = [inbox_row(second) for second in range(5)]
    ports.catalog.commit(Commit(inbox=sent))
    first, after = ports.catalog.inbox(SHOP, limit=2, oldest_first=True)
    rest, end = ports.catalog.inbox(SHOP, limit=9, oldest_first=True, after_id=after)
    assert ([*first, *rest], end) == (sent, None)
    assert ports.catalog.inbox(SHOP, limit=9, oldest_first=True, from_id=sent[3].id) == (sent[3:], None)
    newest, after = ports.catalog.inbox(SHOP, limit=2, from_id=sent[1].id)
    older, end = ports.catalog.inbox(SHOP, limit=2, from_id=sent[1].id, after_id=after)
    assert ([*newest, *older], end) == (sent[:0:-1], None)


def test_inbox_message__by_its_id__belongs_to_its_shop(ports: Ports) -> None:
    row = inbox_row(1)
    ports.catalog.commit(Commit(inbox=[row]))
    assert ports.catalog.inbox_message(SHOP, row.id) == row
    assert ports.catalog.inbox_message(OTHER_SHOP, row.id) is None
    assert ports.catalog.inbox_message(SHOP, new_id(2)) is None


def test_inbox__commit_that_is_refused__sends_nothing(ports: Ports) -> None:
    made = record(new_id())
    ports.catalog.commit(commit_of(put(made)))
    with pytest.raises(StaleVersionError):
        ports.catalog.commit(Commit(puts=[put(made)], inbox=[inbox_row(1)]))
    assert ports.catalog.inbox(SHOP, limit=9) == ([], None)
