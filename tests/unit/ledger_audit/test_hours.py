"""Hours in groups of shops: whatever is wrong in Parquet or in a manifest is reported by one of the hour's parts."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.ledger.compacted_hours import CompactedHour, read_compacted_hour
from abtest.domain.ledger.manifests import manifest_key, read_manifest
from abtest.domain.ledger.objects import compacted_key
from abtest.domain.ledger.shop_groups import ShopGroup, division
from abtest.kit.clock import ManualClock, from_milliseconds
from abtest.services.audit.outcome import Audited
from abtest.services.audit.worker import AuditFailedError
from tests.support.auditing import Auditing, together
from tests.support.memory import MemoryMetrics
from tests.unit.ledger.raw_hours import HOUR, NOON, row
from tests.unit.ledger.rolled_up import RolledUp
from tests.unit.ledger.test_compaction_groups import EVERY, GROUPS, SHOPS, Divided

JSON = "application/json"
FORMS = ("apart", "shared", "whole", "bare")
NAMES = {group: f"raw/dt=2026-05-27/hh=12/#{group.name}" for group in division(GROUPS)}


class Night(Divided):
    """A divided hour, and its audit."""

    def __init__(self) -> None:
        super().__init__()
        bench = RolledUp()
        self.metrics = MemoryMetrics()
        self.clock = ManualClock(from_milliseconds(NOON + 2 * HOUR))
        world = replace(bench.world, clock=self.clock)
        self.auditing = Auditing(
            world=world, ledger=self.ledger, warehouse=bench.warehouse, store=bench.store, metrics=self.metrics
        )
        self.keys = {form: self.put(form, self.rows(form), form=form) for form in FORMS}

    def rows(self, name: str) -> list[Any]:
        return [row(f"{name}-{shop_id}", shop_id=shop_id) for shop_id in SHOPS]

    def audit(self) -> Audited:
        return together([self.auditing.carried_out(body) for body in self.auditing.bodies(records=0)])

    def failures(self) -> list[str]:
        """Texts of the parts that fail; the others are carried out as well."""
        texts: list[str] = []
        for body in self.auditing.bodies(records=0):
            try:
                self.auditing.carried_out(body)
            except AuditFailedError as error:
                texts.append(str(error))
        return texts

    def spoil_manifest(self, key: str, shop_id: str) -> None:
        """Leave the shop out."""
        manifest = read_manifest(self.ledger.objects[manifest_key(key)].blob.content)
        sections = {own: section for own, section in manifest.sections.items() if own != shop_id}
        spoilt = replace(manifest, sections=sections)
        self.ledger.put(manifest_key(key), spoilt.encoded(), content_type=JSON)


@pytest.fixture
def night() -> Night:
    made = Night()
    made.compact()
    return made


def test_hour__in_groups__is_equal(night: Night) -> None:
    assert len(night.auditing.bodies(records=0)) == GROUPS
    assert night.audit() == Audited()
    assert night.metrics.sums["CompactionDifference"] == 0


def test_hour__whose_group_lacks_events__is_reported_by_the_part_of_the_group(night: Night) -> None:
    group = ShopGroup(2, GROUPS)
    assert EVERY[group]
    whole = read_compacted_hour(night.ledger.objects[compacted_key(NOON, group)].blob.content)
    empty = CompactedHour(raw=whole.raw, events=whole.events[1:], rows=1)
    night.ledger.put(compacted_key(NOON, group), empty.encoded(), content_type=JSON)

    assert night.audit().differing == [NAMES[group]]
    assert night.metrics.sums["CompactionDifference"] == 1


@pytest.mark.parametrize("form", ["apart", "shared", "whole"])
def test_manifest__that_lacks_a_shop__is_reported_by_one_part(night: Night, form: str) -> None:
    night.spoil_manifest(night.keys[form], SHOPS[3])

    assert night.audit().differing.count(night.keys[form]) == 1
    assert night.metrics.sums["CompactionDifference"] >= 1


def test_manifest__of_an_object_that_is_not_compacted__is_compared_too(night: Night) -> None:
    late = night.put("late", night.rows("late"))
    night.spoil_manifest(late, SHOPS[0])
    night.ledger.delete(compacted_key(NOON, ShopGroup(1, GROUPS)))

    assert night.audit().differing == [late]


def test_manifest__that_cannot_be_read__fails_and_the_rest_is_compared(night: Night) -> None:
    damaged, wrong = night.keys["apart"], night.keys["shared"]
    night.ledger.put(manifest_key(damaged), b"?", content_type=JSON)
    night.spoil_manifest(wrong, SHOPS[3])

    assert night.failures() == [f"not audited: {damaged}"]
    assert night.metrics.sums["CompactionDifference"] == 1


def test_object__that_a_document_names_and_that_is_gone__fails_in_each_group(night: Night) -> None:
    night.ledger.delete(night.keys["apart"])

    assert sorted(night.failures()) == sorted(f"not audited: {name}" for name in NAMES.values())


def test_document__that_cannot_be_read__is_left_to_compaction_and_manifests_are_compared(night: Night) -> None:
    for group in division(GROUPS):
        night.ledger.put(compacted_key(NOON, group), b"?", content_type=JSON)
    night.spoil_manifest(night.keys["apart"], SHOPS[3])

    assert night.audit().differing == [night.keys["apart"]]


def test_hours__beyond_the_number_or_older_than_a_week__are_not_drawn(night: Night) -> None:
    assert night.auditing.bodies(records=0, hours=0) == []
    night.clock.advance(days=7)
    assert night.auditing.bodies(records=0) == []


def test_hour__whose_objects_are_not_read_in_time__fails_by_its_name(night: Night) -> None:
    names = set()
    for body in night.auditing.bodies(records=0):
        try:
            night.auditing.carried_out(body, minutes=0)
        except AuditFailedError as error:
            names.add(str(error).removeprefix("not audited: "))
    # A part without objects of its own has nothing more to read.
    assert names
    assert names <= set(NAMES.values())
