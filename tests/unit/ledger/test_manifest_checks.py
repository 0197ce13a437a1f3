"""Manifests compared with their objects: silent for right ones, with the shop and the numbers for wrong ones."""

import gzip
from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.ledger.blocks import Block, blocks_of
from abtest.domain.ledger.manifest_checks import manifest_differences
from abtest.domain.ledger.manifests import Manifest, Section, manifest_of, sectioned, whole_object
from abtest.kit import canonical_json
from tests.unit.ledger.raw_hours import NOON, row
from tests.unit.ledger.test_compaction_groups import apart

KEY = "raw/dt=2026-05-27/hh=12/a.ndjson.gz"


def _rows() -> list[Any]:
    return [
        row(f"{shop_id}-{number}", shop_id=shop_id, received_at=NOON + number) for shop_id in "abc" for number in (1, 2)
    ]


def _changed(manifest: Manifest, shop_id: str, **changes: Any) -> Manifest:
    sections: dict[str, Section] = {**manifest.sections}
    sections[shop_id] = replace(sections[shop_id], **changes)
    return replace(manifest, sections=sections)


def _section(offset: int, length: int, rows: int = 1) -> Section:
    return Section(key=KEY, offset=offset, length=length, rows=rows, oldest=0, newest=0)


def _block(offset: int, length: int, rows: int, shops: str) -> Block:
    return Block(offset=offset, length=length, rows=rows, shops=frozenset(shops))


@pytest.mark.parametrize(
    ("sections", "blocks"),
    [
        ({"a": (0, 4), "b": (4, 6)}, [_block(0, 4, 1, "a"), _block(4, 6, 1, "b")]),
        ({"a": (0, 4), "b": (0, 4), "c": (4, 6)}, [_block(0, 4, 2, "ab"), _block(4, 6, 1, "c")]),
        ({"a": (0, 10), "b": (2, 3), "c": (6, 4)}, [_block(0, 10, 3, "abc")]),
        ({"a": (0, 4), "b": (0, 6), "c": (6, 4)}, [_block(0, 6, 2, "ab"), _block(6, 4, 1, "c")]),
        ({"a": (0, 4), "b": (5, 5)}, None),
        ({"a": (1, 9)}, None),
        ({"a": (0, 9)}, None),
        ({"a": (0, 11)}, None),
        ({"a": (0, 10), "b": (3, 0)}, None),
        ({}, None),
    ],
)
def test_blocks__of_sections__are_divided_where_no_section_crosses(
    sections: dict[str, tuple[int, int]], blocks: list[Block] | None
) -> None:
    manifest = Manifest(key=KEY, sections={shop_id: _section(*span) for shop_id, span in sections.items()})

    assert blocks_of(manifest, 10) == blocks


def test_differences__of_objects_as_written__none() -> None:
    for content, manifest in (sectioned(KEY, _rows()), apart(KEY, _rows())):
        assert manifest_differences(manifest, content) == []


def test_differences__of_a_whole_object__none() -> None:
    content = gzip.compress(b"\n".join([*map(canonical_json.encode, _rows()), b"?", b"[]"]))

    assert manifest_differences(whole_object(KEY, len(content), _rows()), content) == []


@pytest.mark.parametrize("changes", [{"rows": 3}, {"oldest": NOON}, {"newest": NOON}, {"length": 10}, {"offset": 0}])
def test_differences__of_a_section_that_is_wrong__name_its_shop_and_both_sections(changes: dict[str, int]) -> None:
    content, manifest = apart(KEY, _rows())

    (difference,) = manifest_differences(_changed(manifest, "b", **changes), content)

    assert difference.startswith("shop b: ")
    assert f"2 rows in bytes {manifest.sections['b'].offset} to" in difference


def test_differences__of_damaged_bytes__say_that_the_object_cannot_be_read() -> None:
    content, manifest = apart(KEY, _rows())

    (difference,) = manifest_differences(manifest, content[:-3])

    assert difference.startswith("the object cannot be read")


def test_differences__of_shops_on_one_side__are_named() -> None:
    content, manifest = apart(KEY, _rows())
    without = replace(manifest, sections={"a": manifest.sections["a"], "b": manifest.sections["b"]})
    foreign = replace(manifest, sections={**manifest.sections, "d": manifest.sections["c"]})

    assert [each[:26] for each in manifest_differences(without, content)] == ["shop c: no section in the "]
    assert manifest_differences(foreign, content)[0].endswith("no rows in the object")


def test_differences__of_an_object_without_rows__none() -> None:
    content = gzip.compress(b"?\n")

    assert manifest_differences(manifest_of(KEY, content), content) == []
