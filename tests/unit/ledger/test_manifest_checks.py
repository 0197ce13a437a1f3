"""Manifests compared with their objects: silent for right ones, with the shop and the numbers for wrong ones."""

import gzip
from dataclasses import replace
from typing import Any

import pytest

from abtest.domain.ledger.manifest_checks import is_apart, is_shared, manifest_differences
from abtest.domain.ledger.manifests import Manifest, Section, sectioned, whole_object
from abtest.kit import canonical_json
from tests.unit.ledger.raw_hours import NOON, row

KEY = "raw/dt=2026-05-27/hh=12/a.ndjson.gz"


def _rows() -> list[Any]:
    return [
        row(f"{shop_id}-{number}", shop_id=shop_id, received_at=NOON + number) for shop_id in "abc" for number in (1, 2)
    ]


def _changed(manifest: Manifest, shop_id: str, **changes: Any) -> Manifest:
    sections: dict[str, Section] = {**manifest.sections}
    sections[shop_id] = replace(sections[shop_id], **changes)
    return replace(manifest, sections=sections)


def test_differences__of_sections_as_written__none() -> None:
    content, manifest = sectioned(KEY, _rows())

    assert is_apart(manifest, len(content))
    assert manifest_differences(manifest, content) == []


def test_differences__of_a_whole_object__none() -> None:
    content = gzip.compress(b"\n".join([*map(canonical_json.encode, _rows()), b"?", b"[]"]))
    manifest = whole_object(KEY, len(content), _rows())

    assert (is_apart(manifest, len(content)), is_shared(manifest, len(content))) == (False, True)
    assert manifest_differences(manifest, content) == []


@pytest.mark.parametrize(
    ("changes", "reason"),
    [
        ({"rows": 3}, "rows, oldest and newest are (2, "),
        ({"oldest": NOON}, "rows, oldest and newest are (2, "),
        ({"newest": NOON}, "rows, oldest and newest are (2, "),
    ],
)
def test_differences__of_a_section_with_other_numbers__are_named(changes: dict[str, int], reason: str) -> None:
    content, manifest = sectioned(KEY, _rows())

    (difference,) = manifest_differences(_changed(manifest, "b", **changes), content)

    assert difference.startswith(f"shop b: {reason}")


def test_differences__of_a_section_that_is_cut__are_those_of_its_shop() -> None:
    content, manifest = sectioned(KEY, _rows())

    differences = manifest_differences(_changed(manifest, "b", length=10), content)

    assert not is_apart(_changed(manifest, "b", length=10), len(content))
    assert differences[0] == "shop a: the sections neither add up to the object nor are all of it"


def test_differences__of_damaged_bytes__are_those_of_their_shop() -> None:
    content, manifest = sectioned(KEY, _rows())
    begins = manifest.sections["b"].offset
    damaged = content[: begins + 12] + b"\0\0\0\0" + content[begins + 16 :]

    assert manifest_differences(manifest, damaged) == ["shop b: the section cannot be read"]


def test_differences__of_sections_that_changed_places__are_named() -> None:
    content, manifest = sectioned(KEY, _rows())
    swapped = replace(
        manifest, sections={**manifest.sections, "a": manifest.sections["b"], "b": manifest.sections["a"]}
    )

    assert manifest_differences(swapped, content) == [
        "shop a: the section has rows of other shops",
        "shop b: the section has rows of other shops",
    ]


def test_differences__of_a_shop_that_is_not_in_the_manifest__are_named() -> None:
    content = gzip.compress(b"\n".join(map(canonical_json.encode, _rows())))

    assert manifest_differences(whole_object(KEY, len(content), _rows()[:4]), content) == [
        "shop c: not in the manifest"
    ]
