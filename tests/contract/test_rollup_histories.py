"""Histories of a roll-up by chance: counts of two releases, killed and overtaken at any call of the table.

A reader sees the numbers of one count or has to read again, at every moment; and the next count puts right what was
left.
"""

from __future__ import annotations

import random
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoRollupStore, rollup_store
from abtest.adapters.dynamo.table import Table
from abtest.adapters.dynamo.transaction import Transaction
from abtest.ports.rollup_store import Document
from tests.contract.conftest import Ports
from tests.faults.faults import Fate, KilledError
from tests.support.former_rollups import FormerRollupStore

on_moto = pytest.mark.parametrize("engine", ["moto"], indirect=True, scope="session")
"""The engine whose table is in this process."""

NAME = ("0192a3b4-0000-7000-8000-0000000000e1", 1)
ALL = ("0000-01-01", "9999-12-31")
SIZES = (30, 30, 200, 700, 2_500, 9_000, 15_000)
"""Bytes of days: several are in the totals, one is, or none."""

Store = DynamoRollupStore | FormerRollupStore
Counts = dict[str, str]
"""Contents by name, such as `DAY#2026-01-02`."""


class OutdatedError(Exception):
    """Reading of documents of different counts."""


def seen(store: Store, between: Callable[[], object] = lambda: None) -> Counts | None:
    """Return the counts that a reader shows, None before the first. Raises OutdatedError where it reads again."""
    totals = store.totals(*NAME)
    between()
    if totals is None:
        return None
    counts: Counts = {}
    for kind, read in (("DAY", store.days), ("SEG", store.segments)):
        for document in read(*NAME, *ALL):
            if (name := f"{kind}#{document['date']}") in totals["digests"]:
                if document["generation"] > totals["generation"]:
                    raise OutdatedError
                counts[name] = document["content"]
    if counts.keys() != totals["digests"].keys():
        raise OutdatedError
    assert counts == totals["digests"], "numbers of different counts in one answer"
    return counts


def write(store: Store, counts: Counts) -> tuple[Document, dict[str, Document], dict[str, Document]]:
    """Return the documents of a count, after reading the stored ones."""
    summary = store.summary(*NAME)
    stamp = {"experiment_id": NAME[0], "measurement_epoch": NAME[1], "generation": summary.next_generation}
    before = summary.totals["digests"] if summary.totals and summary.is_whole else {}
    changed = [name for name in {**counts, **before} if counts.get(name) != before.get(name)]
    slices: dict[str, dict[str, Document]] = {"DAY": {}, "SEG": {}}
    for name in changed:
        kind, _, date = name.partition("#")
        slices[kind][date] = {**stamp, "date": date, "content": counts.get(name, "")}
    return {**stamp, "digests": counts}, slices["DAY"], slices["SEG"]


class History:
    """A roll-up, and what comes of it."""

    def __init__(self, seed: int, table: str) -> None:
        self.chance, self.day, self.counts = random.Random(seed), 0, Counts()
        self.new, self.former = DynamoRollupStore(table), FormerRollupStore(table)
        self.written: list[Counts] = []

    def store(self, *, share: float = 0.2) -> Store:
        """A process of either release."""
        return self.former if self.chance.random() < share else self.new

    def rows(self) -> Counts:
        """Counts after new rows: mostly of the newest day, now and then of a new one, or of earlier ones."""
        counts, chance = dict(self.counts), self.chance
        self.day += chance.random() < 0.35
        for _ in range(chance.choice((0, 1, 1, 1, 2, 4, 9))):
            day = self.day if chance.random() < 0.6 else chance.randrange(self.day + 1)
            kind, size = chance.choice(("DAY", "SEG")), chance.choice(SIZES)
            name = f"{kind}#2026-{day // 28 + 1:02}-{day % 28 + 1:02}"
            counts[name] = chance.randbytes(size // 2).hex()
            if chance.random() < 0.05:
                del counts[name]
        self.counts = counts
        return counts

    def count(self, store: Store) -> None:
        """A count that is not disturbed: it is stored, whatever was before."""
        counts = self.rows()
        assert store.put(*write(store, counts))
        self.require(counts)

    def require(self, counts: Counts) -> None:
        """The stored roll-up is whole, and has these counts in the eyes of this release."""
        assert self.new.summary(*NAME).is_whole
        assert seen(self.new) == counts
        for kind, read in (("DAY", self.new.days), ("SEG", self.new.segments)):
            for date in {name.partition("#")[2] for name in counts if name.startswith(kind)}:
                assert [each["content"] for each in read(*NAME, date, date)] == [counts[f"{kind}#{date}"]]

    def look(self) -> None:
        """Readers of both releases, at any moment."""
        for store in (self.new, self.former):
            try:
                counts = seen(store)
            except OutdatedError:
                continue
            assert counts is None or counts in self.written


@contextmanager
def fated(fate: Fate) -> Iterator[None]:
    """Writes of tables have a fate."""
    with pytest.MonkeyPatch.context() as patch:
        for kind, name in ((Table, "put"), (Table, "update"), (Transaction, "write")):
            patch.setattr(kind, name, _fated(getattr(kind, name), fate))
        yield


def _fated(function: Any, fate: Fate) -> Any:
    def call(*arguments: Any, **named: Any) -> Any:
        dies = fate.before_call("write")
        answer = function(*arguments, **named)
        if dies:
            raise KilledError
        return answer

    return call


@on_moto
@pytest.mark.parametrize("seed", range(8))
def test_history__killed_and_overtaken_at_any_write__never_shows_mixed_counts(
    ports: Ports, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    monkeypatch.setattr(rollup_store, "MAX_COMMIT_ITEMS", 4)  # so that few days are more than a transaction takes
    history = History(seed, ports.names[3])
    chance = history.chance
    for _ in range(30):
        what = chance.choice(("whole", "whole", "killed", "overtaken"))
        counts, slow = history.rows(), history.store()
        prepared = write(slow, counts)
        history.written.append(counts)
        if what == "whole":
            assert slow.put(*prepared)
            history.require(counts)
        elif what == "killed":
            fate = Fate(at=chance.randrange(1, 4), after=chance.random() < 0.5)
            with fated(fate), suppress(KilledError):
                slow.put(*prepared)
            history.look()
        else:
            _overtaken(history, slow, prepared)
        history.look()
    history.count(history.new)


def _overtaken(history: History, slow: Store, prepared: Any) -> None:
    """Another process counts at some write of a slow one, which is of an older count."""
    quick = history.store()

    def meanwhile() -> None:
        fate.at = None
        history.look()
        counts = history.rows()
        history.written.append(counts)
        assert quick.put(*write(quick, counts))
        history.look()

    fate = Fate(at=history.chance.randrange(1, 4), happens=meanwhile)
    with fated(fate):
        is_written = slow.put(*prepared)
    assert not (is_written and fate.at is None), "the newer count must stay"


@on_moto
@pytest.mark.parametrize("seed", range(2))
def test_reader__between_whose_two_reads_days_move__loses_none(ports: Ports, seed: int) -> None:
    history = History(seed, ports.names[3])
    for _ in range(8):
        history.count(history.new)
        try:
            seen(history.new, between=lambda: history.count(history.new))
        except OutdatedError:
            continue


@on_moto
@pytest.mark.parametrize("seed", range(2))
def test_days__that_move_between_the_calls_of_one_reading__are_read(
    ports: Ports, monkeypatch: pytest.MonkeyPatch, seed: int
) -> None:
    history = History(seed, ports.names[3])
    readings: list[str] | None = None

    def counted(name: str) -> Callable[..., Any]:
        function = getattr(Table, name)

        def call(*arguments: Any, **named: Any) -> Any:
            nonlocal readings
            if readings:
                readings = None
                history.count(history.new)
            elif readings is not None:
                readings.append(name)
            return function(*arguments, **named)

        return call

    monkeypatch.setattr(Table, "get", counted("get"))
    monkeypatch.setattr(Table, "query", counted("query"))
    for _ in range(15):
        history.count(history.new)
        before = {name[4:] for name in history.counts if name.startswith("DAY#")}
        readings = []
        assert before <= {day["date"] for day in history.new.days(*NAME, *ALL)}
        readings = None


@on_moto
@pytest.mark.parametrize("seed", range(2))
def test_release_before__after_this_one__writes_all_and_reads_right(ports: Ports, seed: int) -> None:
    history = History(seed, ports.names[3])
    for _ in range(6):
        history.count(history.new)
    assert not history.former.summary(*NAME).is_whole, "so it writes everything"
    for _ in range(6):
        history.count(history.former)
        assert seen(history.former) == history.counts
    for _ in range(6):
        history.count(history.new)
