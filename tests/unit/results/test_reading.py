"""What is read of a roll-up belongs together, and is read once."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import pytest

from abtest.kit.errors import DatabaseBusyError
from abtest.services.results.curves import Span
from abtest.services.results.snapshots import ATTEMPTS, ReadItems, RollupReader, Snapshot
from tests.support.memory import MemoryRollupStore

DATE, DAY = "2026-03-02", 20514


def totals(generation: int, digest: str) -> dict[str, Any]:
    return {
        "experiment_id": "e",
        "measurement_epoch": 1,
        "generation": generation,
        "goals": {},
        "variations": {},
        "digests": {f"DAY#{DATE}": digest},
    }


def day(generation: int, visitors: int) -> dict[str, Any]:
    identity = {"experiment_id": "e", "measurement_epoch": 1, "generation": generation, "date": DATE}
    return {**identity, "cells": [["v", "quarter", DAY * 96, "", visitors]], "goals": {}, "money": {}}


class Racing(MemoryRollupStore):
    """Counts reads of days, and lets a count be written between totals and days, as often as told."""

    def __init__(self, races: int = 0) -> None:
        super().__init__()
        self.races, self.reads = races, 0
        self.put(totals(1, "d1"), {DATE: day(1, 1)}, {})

    def days(self, experiment_id: str, measurement_epoch: int, first: str, last: str) -> Sequence[Any]:
        self.reads += 1
        if self.races:
            self.races -= 1
            generation = self.summary("e", 1).next_generation
            self.put(totals(generation, f"d{generation}"), {DATE: day(generation, generation)}, {})
        return super().days(experiment_id, measurement_epoch, first, last)


def generation_and_visitors(snapshot: Snapshot) -> tuple[int, list[int]]:
    found = snapshot.days(DAY, DAY)[DAY].visitors["v"]
    assert snapshot.totals
    return snapshot.totals["generation"], found.between(Span(DAY * 96, DAY * 96 + 96))


def test_reading__while_a_count_is_written__is_of_one_generation() -> None:
    reader = RollupReader(Racing(races=ATTEMPTS - 1))
    assert reader.read("e", 1, generation_and_visitors) == (ATTEMPTS, [ATTEMPTS])


def test_reading__while_counts_never_cease__asks_to_come_back() -> None:
    with pytest.raises(DatabaseBusyError):
        RollupReader(Racing(races=ATTEMPTS)).read("e", 1, generation_and_visitors)


def test_item__that_did_not_change__is_read_once() -> None:
    store = Racing()
    reader = RollupReader(store)
    for _ in range(3):
        assert reader.read("e", 1, generation_and_visitors) == (1, [1])
    assert store.reads == 1
    store.put(totals(2, "d1"), {}, {})
    assert reader.read("e", 1, generation_and_visitors) == (2, [1])
    assert store.reads == 1


def test_items__beyond_the_room__are_forgotten_oldest_first() -> None:
    items = ReadItems(entries=3)
    for name in "abc":
        items.keep(name, name.upper(), 1)
    assert items.get("a") == "A"
    items.keep("d", "D", 1)
    assert (items.get("a"), items.get("b"), items.get("d")) == ("A", None, "D")
    items.keep("e", "E", 4)
    assert (items.get("a"), items.get("e")) == (None, None)
