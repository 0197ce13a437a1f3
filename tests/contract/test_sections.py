"""Counting from a shop's sections of raw objects: the numbers of whole objects, and damage is noticed."""

from __future__ import annotations

from dataclasses import replace
from random import Random

import pytest

from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from abtest.domain.ledger.events import Row
from abtest.domain.ledger.manifests import Section, sectioned
from abtest.domain.ledger.objects import ShopFiles, raw_key
from abtest.domain.ledger.reference import count
from abtest.ports.warehouse import LedgerObjectError
from tests.support.ledgers import BEGIN, OTHER_SHOP, PLAN, SHOP, random_ledger
from tests.support.memory import MemoryBlobs

SHOPS = {name: f"0192f2a0-0000-7000-8000-00000000000{number}" for number, name in enumerate((OTHER_SHOP, SHOP))}
MINE = SHOPS[SHOP]


def rows_of(seed: int) -> list[Row]:
    """Return random rows of shops whose ids are ids."""
    return [{**each, "shop_id": SHOPS[each["shop_id"]]} for each in random_ledger(seed, 300)]


def written(ledger: MemoryBlobs, seed: int) -> tuple[list[str], list[Section]]:
    """Store random rows as several objects; return their keys and the shop's sections."""
    rows = rows_of(seed)
    Random(seed).shuffle(rows)
    keys: list[str] = []
    sections: list[Section] = []
    for number, start in enumerate(range(0, len(rows), 100)):
        key = raw_key([f"{number}"], BEGIN)
        content, manifest = sectioned(key, rows[start : start + 100])
        ledger.put(key, content, content_type="application/x-ndjson")
        keys.append(key)
        sections += [manifest.sections[MINE]]
    return keys, sections


@pytest.mark.parametrize("is_shared", [False, True], ids=["own-members", "shared-members"])
@pytest.mark.parametrize("seed", range(4))
def test_count__from_sections__equals_whole_objects_and_the_reference(
    seed: int, is_shared: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    if not is_shared:
        monkeypatch.setattr("abtest.domain.ledger.manifests.MEMBER_BYTES", 1)
    ledger = MemoryBlobs()
    keys, sections = written(ledger, seed)
    plan = replace(PLAN, shop_id=MINE)
    expected = count(rows_of(seed), plan)
    for files in (ShopFiles(raw=tuple(keys)), ShopFiles(sections=tuple(sections))):
        with DuckDbWarehouse(ledger).open(MINE, files, since=0) as opened:
            assert opened.count(plan) == expected


@pytest.mark.parametrize("damage", ["gone", "cut", "moved"])
def test_open__section_that_cannot_be_read__names_its_object(damage: str) -> None:
    ledger = MemoryBlobs()
    keys, sections = written(ledger, 1)
    content = ledger.objects[keys[1]].blob.content
    ledger.delete(keys[1])
    if damage != "gone":
        broken = content[:-9] if damage == "cut" else b"x" + content
        ledger.put(keys[1], broken, content_type="application/x-ndjson")
    files = ShopFiles(sections=tuple(sections))
    with pytest.raises(LedgerObjectError) as raised:  # noqa: SIM117 - what raises is the opening
        with DuckDbWarehouse(ledger).open(MINE, files, since=0):
            pass
    assert raised.value.key == keys[1]
