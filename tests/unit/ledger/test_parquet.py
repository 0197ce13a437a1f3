"""An hour becomes Parquet: every row that may count, once, by shop and bucket; what is no row is told apart."""

from collections.abc import Iterable
from hashlib import sha256
from pathlib import Path

import duckdb
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from abtest.adapters.warehouse.parquet import ROWS_OF_A_FILE, DuckDbHours
from abtest.domain.ledger.columns import COLUMNS, row_of_line
from abtest.domain.ledger.objects import bucket_of
from abtest.kit import canonical_json
from abtest.kit.canonical_json import Json
from abtest.ports.hours import EventsPart, UnreadableLine
from abtest.ports.warehouse import LedgerObjectError
from tests.support.memory import MemoryBlobs
from tests.unit.ledger.raw_hours import NOON, SHOP, Line, put_raw, row, rows_of

TYPES = {"text": "VARCHAR", "integer": "BIGINT", "flag": "BOOLEAN"}


def _parts(*objects: Iterable[Line]) -> tuple[list[EventsPart], list[UnreadableLine]]:
    ledger = MemoryBlobs()
    keys = [put_raw(ledger, f"{number}", lines) for number, lines in enumerate(objects)]
    with DuckDbHours(ledger).open(keys) as rows:
        return list(rows.parts()), list(rows.unreadable)


def _kept(*objects: Iterable[Line]) -> list[dict[str, Json]]:
    return rows_of(*(part.content for part in _parts(*objects)[0]))


def test_parts__one_row__every_column_as_it_was_and_its_bucket(tmp_path: Path) -> None:
    whole = row("e", session_id="é 😀", sent_at=5, revenue_minor=-(2**63), url="", qa_mode=True, data='{"a":"\\u0000"}')
    (part,), unreadable = _parts([whole])
    path = tmp_path / "part.parquet"
    path.write_bytes(part.content)
    with duckdb.connect() as database:
        described = database.execute("DESCRIBE FROM read_parquet($file)", {"file": str(path)}).fetchall()

    types = {name: TYPES[kind] for name, kind in COLUMNS.items()} | {"bucket": "BIGINT"}
    assert [(name, kind) for name, kind, *_ in described] == list(types.items())
    assert rows_of(part.content) == [whole | {"bucket": bucket_of("v-e")}]
    assert (part.shop_id, part.first, part.last, part.rows) == (SHOP, 0, 15, 1)
    assert not unreadable


def test_parts__row_of_an_older_release__lacking_columns_are_null() -> None:
    old = {name: row("e")[name] for name in ("event_id", "shop_id", "type", "visitor_id", "ts", "received_at")}

    (found,) = _kept([old])

    assert found == row("e") | {"bucket": bucket_of("v-e")}


def test_parts__a_big_shop_and_a_small_one__a_file_a_bucket_and_one_file_sorted() -> None:
    big = [row(f"e{number}", visitor_id=f"v-é{number % 999}") for number in range(ROWS_OF_A_FILE)]
    small = [row(f"e{number}", visitor_id=f"v{number}", shop_id="small") for number in range(ROWS_OF_A_FILE - 1)]

    parts, _ = _parts([*small, *big])

    assert [(part.shop_id, part.first, part.last) for part in parts] == [
        *((SHOP, bucket, bucket) for bucket in range(16)),
        ("small", 0, 15),
    ]
    assert sum(part.rows for part in parts) == 2 * ROWS_OF_A_FILE - 1
    for part in parts:
        rows = rows_of(part.content)
        order = [(bucket_of(str(found["visitor_id"])), str(found["visitor_id"]).encode()) for found in rows]
        assert len(rows) == part.rows
        assert order == sorted(order)
        assert all(
            found["bucket"] == bucket and part.first <= bucket <= part.last
            for found, (bucket, _) in zip(rows, order, strict=True)
        )


def test_parts__the_same_objects_in_any_order__the_same_bytes() -> None:
    ledger = MemoryBlobs()
    keys = [put_raw(ledger, f"{n}", [row(f"e{n}-{m}", visitor_id=f"v{m}") for m in range(3000)]) for n in range(9)]

    def digests(order: list[str]) -> list[str]:
        with DuckDbHours(ledger).open(order) as rows:
            return [sha256(part.content).hexdigest() for part in rows.parts()]

    assert digests(keys) == digests(keys[::-1]) == digests(keys)


def test_parts__equal_copies__the_one_received_first() -> None:
    copies = [row("e", ts=NOON - 5, received_at=NOON + late, sent_at=NOON + late) for late in (7, 3, 3, 9)]

    last = row("last", received_at=NOON + 10)
    assert {found["event_id"]: found["received_at"] for found in _kept(copies[:2], [*copies[2:], last])} == {
        "e": NOON + 3,
        "last": NOON + 10,
    }


def test_parts__equal_copies_received_last_of_all__say_how_far_the_hour_reaches() -> None:
    copies = [row("e", ts=NOON - 5, received_at=NOON + late, sent_at=late) for late in (3, 7, 9, 9)]

    assert sorted(str(found["received_at"]) for found in _kept(copies)) == [f"{NOON + 3}", f"{NOON + 9}"]


@pytest.mark.parametrize(
    "other", [{"ts": NOON - 1}, {"type": "order"}, {"visitor_id": "w"}, {"data": "{}{}"}, {"url": ""}, {"shop_id": "s"}]
)
def test_parts__copies_that_differ__both_stay(other: dict[str, Json]) -> None:
    assert len(_kept([row("e"), row("e", received_at=NOON + 1) | other])) == 2


def test_parts__copies_whose_moment_depends_on_their_receipt__both_stay() -> None:
    ahead = [row("e", ts=NOON + 60_000, received_at=NOON + late) for late in (0, 1, 1)]

    assert sorted(str(found["received_at"]) for found in _kept(ahead)) == [str(NOON), str(NOON + 1)]


LINES = [
    b"{}",
    b"[]",
    b"null",
    b"not json",
    b'{"event_id":',
    b"\xff\xfe",
    b"\x00",
    b'"text"',
    canonical_json.encode(row("big", revenue_minor=2**63)),
    canonical_json.encode(row("huge", revenue_minor=10**40)),
    canonical_json.encode(row("low", ts=-(2**63) - 1)),
    canonical_json.encode(row("float", ts=1.5)),
    canonical_json.encode(row("whole float", ts=1.0)),
    canonical_json.encode(row("text for a number", ts="12")),
    canonical_json.encode(row("flag for a number", ts=True)),
    canonical_json.encode(row("number for a text", url=5)),
    canonical_json.encode(row("object for a text", data={"a": 1})),
    canonical_json.encode(row("list for a text", currency=[])),
    canonical_json.encode(row("number for a flag", qa_mode=1)),
    canonical_json.encode(row("text for a flag", qa_mode="true")),
    canonical_json.encode(row("nobody", visitor_id=None)),
    canonical_json.encode(row("nowhere", shop_id="../x")),
    canonical_json.encode(row("half", url="\ud83d")),
    canonical_json.encode(row("infinite", ts=0)).replace(b'"ts":0', b'"ts":1e400'),
    canonical_json.encode(row("not a number", ts=0)).replace(b'"ts":0', b'"ts":NaN'),
    canonical_json.encode(row("long", url="x" * 9_000_000)),
]
ROWS: list[Line] = [
    row("fine"),
    row("extremes", revenue_minor=2**63 - 1, ts=-(2**63)),
    row("NUL", url="a\0b"),
    row("quotes", url='"null"', currency="null", country="true"),
    row("of a later release") | {"another": {"column": [1]}},
    canonical_json.encode(row("spaces")).replace(b",", b" , "),
    canonical_json.encode(row("escapes", url="é")).replace("é".encode(), b"\\u00e9"),
]


@pytest.mark.parametrize("line", LINES)
def test_open__line_that_is_no_row__is_told_apart_and_all_others_stay(line: bytes) -> None:
    parts, unreadable = _parts([row("before"), line, row("after")], [row("elsewhere")])

    assert sorted(str(found["event_id"]) for found in rows_of(*(part.content for part in parts))) == [
        "after",
        "before",
        "elsewhere",
    ]
    ((key, index),) = [(found.key, found.index) for found in unreadable]
    assert (key.startswith("raw/"), index) == (True, 1)


@pytest.mark.parametrize("alone", [True, False])
@pytest.mark.parametrize("line", ROWS)
def test_open__any_row__reads_the_same_whether_its_neighbour_is_strange_or_not(line: Line, alone: bool) -> None:
    text = line if isinstance(line, bytes) else canonical_json.encode(line)
    expected = row_of_line(text)
    assert expected is not None

    (found,) = _kept([text] if alone else [text, b"strange"])

    assert found == {**expected, "bucket": bucket_of(expected["visitor_id"])}


def test_open__unreadable_line__says_what_could_be_told_of_it() -> None:
    _, (told, untold) = _parts([row("e", ts="x"), b"\x00\xff"])

    assert (told.shop_id, told.event_id, told.index) == (SHOP, "e", 0)
    assert '"ts":"x"' in told.sample
    assert (untold.shop_id, untold.event_id, untold.index, untold.sample) == (None, None, 1, "\x00\\xff")


@given(
    st.dictionaries(
        st.sampled_from(list(COLUMNS)),
        st.none()
        | st.booleans()
        | st.integers(-(2**65), 2**65)
        | st.floats(allow_nan=False, allow_infinity=False)
        | st.text(max_size=5)
        | st.just([])
        | st.just({"a": 1}),
        max_size=3,
    )
)
@settings(max_examples=40, deadline=None)
def test_open__random_values__are_rows_exactly_when_the_domain_says_so(changes: dict[str, Json]) -> None:
    line = canonical_json.encode(row("e") | changes)
    expected = row_of_line(line)

    parts, unreadable = _parts([line])
    found = rows_of(*(part.content for part in parts))

    assert found == ([] if expected is None else [{**expected, "bucket": bucket_of(expected["visitor_id"])}])
    assert len(unreadable) == (expected is None)


def test_open__object_that_is_gone__names_it() -> None:
    with pytest.raises(LedgerObjectError, match=r"^raw/gone"), DuckDbHours(MemoryBlobs()).open(["raw/gone"]):
        pass


@pytest.mark.parametrize("content", [b"", b"no gzip", b"\x1f\x8b\x08\x00cut"])
def test_open__object_that_is_damaged__names_it(content: bytes) -> None:
    ledger = MemoryBlobs()
    keys = [put_raw(ledger, f"{number}", [row(f"{number}")]) for number in range(2)]
    ledger.put(keys[1], content, content_type="application/x-ndjson")

    with pytest.raises(LedgerObjectError, match=keys[1]), DuckDbHours(ledger).open(keys):
        pass


def test_open__no_objects__no_parts() -> None:
    assert _parts() == ([], [])


def test_compared__what_it_made_itself__is_equal() -> None:
    ledger = MemoryBlobs()
    raw = [put_raw(ledger, "1", [row("a"), row("b"), row("a", url="x"), b"strange"]), put_raw(ledger, "2", [row("b")])]
    (part,), _ = _parts([row("a"), row("b")])
    ledger.put("a.parquet", part.content, content_type="application/vnd.apache.parquet")

    found = DuckDbHours(ledger).compared(raw, ["a.parquet"])

    assert (found.events, found.missing, found.foreign, list(found.examples)) == (2, 0, 0, [])


def test_compared__lost_and_invented_events__are_counted_and_named() -> None:
    ledger = MemoryBlobs()
    raw = [put_raw(ledger, "1", [row("a"), row("b"), row("c", shop_id="other")])]
    (part,), _ = _parts([row("a"), row("c")])
    ledger.put("a.parquet", part.content, content_type="application/vnd.apache.parquet")

    found = DuckDbHours(ledger).compared(raw, ["a.parquet"])

    assert (found.events, found.missing, found.foreign) == (3, 2, 1)
    assert list(found.examples) == [
        f"only in raw: shop {SHOP}, event b",
        f"only in Parquet: shop {SHOP}, event c",
        "only in raw: shop other, event c",
    ]
    assert DuckDbHours(ledger).compared(raw, []).missing == 3
