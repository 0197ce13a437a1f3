"""What stands in the files of exports: each event once, whatever the ledger holds, in each format."""

from __future__ import annotations

import gzip

import pytest

from abtest.domain.ledger.columns import COLUMNS
from abtest.ports.warehouse import LedgerObjectError
from tests.support.memory import MemoryCatalog
from tests.unit.exports.office import BEGIN, CALLER, HOUR, SHOP, Office, read_csv, read_parquet, row
from tests.unit.ledger.streams import exposure

NASTY = {
    "a comma": "a,b",
    "quotes": 'she said "no"',
    "a line": "one\ntwo\r\nthree",
    "unicode": "Ünïcödé ☃ 你好 \u2028",
    "empty": "",
    "apostrophe": "'=1",
}
FORMULAS = ["=HYPERLINK(1)", "+1", "-1", "@SUM(A1)", "\tx", "\rx", "\n=1"]


def test_events__of_the_order__are_those_that_happened_in_it_in_order(office: Office) -> None:
    moments = {"before": -1, "first": 0, "middle": 5, "last": HOUR - 1, "after": HOUR}
    office.written(*(row(event_id=name, ts=BEGIN + at, received_at=BEGIN + 2 * HOUR) for name, at in moments.items()))
    assert [found["event_id"] for found in office.records("events")] == ["first", "middle", "last"]


def test_events__of_other_shops_and_experiments__are_left_out(office: Office) -> None:
    office.written(row(event_id="mine"), row(event_id="theirs", shop_id="shop-b"))
    (found,) = office.records("events")
    assert found == row(event_id="mine")
    assert list(found) == list(COLUMNS)


def test_events__with_copies_anywhere__are_those_received_first(office: Office) -> None:
    first = row(event_id="a", received_at=BEGIN + 10, url="first")
    office.written(row(event_id="a", received_at=BEGIN + 20, url="later"), first, name="one")
    office.written(first, row(event_id="b", received_at=BEGIN + 1), name="two")
    office.written(first, row(event_id="b", received_at=BEGIN + 5, ts=BEGIN + 3), at=BEGIN + 30 * HOUR, name="late")
    found = office.records("events")
    assert [(record["event_id"], record["received_at"], record["url"]) for record in found] == [
        ("a", BEGIN + 10, "first"),
        ("b", BEGIN + 1, None),
    ]


def test_event__whose_first_copy_happened_before_the_order__is_not_in_it(office: Office) -> None:
    office.written(row(event_id="a", ts=BEGIN - 1, received_at=BEGIN - 1), at=BEGIN - 1, name="early")
    office.written(row(event_id="a", ts=BEGIN, received_at=BEGIN + 5))
    assert office.records("events") == []


def test_event__that_was_written_weeks_later__is_found(office: Office) -> None:
    office.written(row(received_at=BEGIN + 6 * 24 * HOUR), at=BEGIN + 20 * 24 * HOUR)
    assert len(office.records("events")) == 1


@pytest.mark.parametrize("form", ["csv", "ndjson", "parquet"])
def test_file__of_nothing__is_complete_with_no_rows(office: Office, form: str) -> None:
    made, content = office.made("events", form)
    assert (made.rows, made.progress, made.error) == (0, 100, None)
    if form == "csv":
        assert content == (",".join(COLUMNS) + "\r\n").encode()


def test_csv__of_hostile_texts__reads_back_as_sent_and_holds_no_formula(office: Office) -> None:
    texts = [*NASTY.values(), *FORMULAS]
    office.written(*(row(event_id=f"e-{n:02}", session_id=text) for n, text in enumerate(texts)))
    made, content = office.made("events", "csv")
    found = [record["session_id"] for record in read_csv(content)]
    assert found == [*NASTY.values(), *(f"'{text}" for text in FORMULAS)]
    assert made.rows == len(texts)
    assert content.splitlines(keepends=True)[0] == (",".join(COLUMNS) + "\r\n").encode()
    assert not content.startswith(b"\xef\xbb\xbf")


def test_csv__tells_nothing_from_an_empty_text(office: Office) -> None:
    office.written(row(session_id="", url=None, qa_mode=True, revenue_minor=-5))
    _, content = office.made("events", "csv")
    (found,) = content.decode().splitlines()[1:]
    values = dict(zip(COLUMNS, found.split(","), strict=True))
    assert (values["session_id"], values["url"], values["qa_mode"]) == ('""', "", "true")
    assert values["revenue_minor"] == "-5"


@pytest.mark.parametrize("form", ["ndjson", "parquet"])
def test_exact_formats__hold_rows_as_the_ledger_does(office: Office, form: str) -> None:
    rows = [row(event_id=f"e-{n:02}", session_id=text) for n, text in enumerate([*NASTY.values(), *FORMULAS])]
    office.written(*rows)
    if form == "ndjson":
        assert office.records("events") == rows
    else:
        assert read_parquet(office.made("events", "parquet")[1]) == rows


def test_exposures__of_a_visitor__are_the_first_in_each_experiment_and_epoch(office: Office) -> None:
    office.written(
        exposure("v-1", "blue", BEGIN + 20, device="mobile"),
        exposure("v-1", "blue", BEGIN + 10, device="desktop", country="DE"),
        exposure("v-2", "red", BEGIN + 5),
        exposure("v-2", "blue", BEGIN + 6),
        exposure("v-1", "red", BEGIN + 7, assignment_epoch=3),
        exposure("v-1", "control", BEGIN + 8, experiment_id="exp-2"),
        exposure("v-3", "red", BEGIN + 1, qa_mode=True),
        exposure("v-4", "red", BEGIN - 1),
        row(event_id="p", type="pageview", visitor_id="v-9"),
    )
    found = [
        (r["experiment_id"], r["assignment_epoch"], r["visitor_id"], r["variation_id"], r["multiple_exposure"])
        for r in office.records("exposures")
    ]
    assert found == [
        ("exp-1", 2, "v-2", "red", True),
        ("exp-1", 3, "v-1", "red", False),
        ("exp-2", 2, "v-1", "control", False),
        ("exp-1", 2, "v-1", "blue", False),
    ]
    segments = office.records("exposures")[-1]
    assert (segments["exposed_at"], segments["device"], segments["country"]) == (BEGIN + 10, "desktop", "DE")


def test_exposure__that_the_sender_made_first__is_the_first_though_it_arrived_later(office: Office) -> None:
    seen = {"type": "experiment_viewed", "experiment_id": "e", "variation_id": "blue", "sender": "browser"}
    office.written(
        row(event_id="a", **seen, ts=BEGIN + 50_001, received_at=BEGIN + 5, source="email"),
        row(event_id="b", **seen, ts=BEGIN + 50_000, received_at=BEGIN + 8, source="search"),
    )
    (record,) = office.records("exposures")
    assert (record["event_id"], record["source"], record["exposed_at"]) == ("b", "search", BEGIN + 5)


@pytest.mark.parametrize(("dataset", "rows"), [("events", 2), ("exposures", 1)])
def test_order__of_one_experiment__holds_nothing_of_others(dataset: str, rows: int) -> None:
    office = Office(catalog=_catalog_with("00000000-0000-7000-8000-00000000000a"))
    wanted = {"experiment_id": "00000000-0000-7000-8000-00000000000a"}
    office.written(
        exposure("v-1", "blue", BEGIN, **wanted), exposure("v-1", "blue", BEGIN + 1, **wanted), exposure("v-2", "red")
    )
    assert [found["experiment_id"] for found in office.records(dataset, **wanted)] == [wanted["experiment_id"]] * rows


def test_object__that_is_listed_and_gone__fails_the_export_in_words_and_the_run(office: Office) -> None:
    office.written(row())
    ordered = office.order("events")
    get = office.ledger.get
    office.ledger.get = lambda key: None if key.startswith("raw/") else get(key)  # type: ignore[method-assign]
    with pytest.raises(LedgerObjectError):
        office.exporter.carry_out(office.queue.bodies[-1])
    shown = office.exports.get(CALLER, ordered.id)
    assert (shown.status, shown.url) == ("failed", None)
    assert "ledger" in (shown.error or "")


def test_line__that_is_no_row__never_keeps_the_others_from_being_exported(office: Office) -> None:
    office.written(row(event_id="good"))
    key = next(entry.key for entry in office.ledger.list("raw/"))
    lines = gzip.decompress(office.ledger.objects[key].blob.content)
    office.ledger.put(key, gzip.compress(b'{"event_id": 5}\n' + lines + b"not json\n"), content_type="x")
    assert [found["event_id"] for found in office.records("events")] == ["good"]


def _catalog_with(experiment_id: str) -> MemoryCatalog:
    from abtest.ports.catalog import Commit, Head, Put, Record

    head = Head(shop_id=SHOP, kind="EXP", id=experiment_id, version=1, created_at="", updated_at="")
    catalog = MemoryCatalog()
    catalog.commit(Commit(puts=[Put(record=Record(head=head, body={}), expected_version=0)]))
    return catalog
