"""Checks of a raw object's manifest: by its bytes alone, and against the content of its object."""

import gzip
import zlib
from collections.abc import Iterator, Mapping
from typing import Any

from abtest.domain.ledger.manifests import Manifest, Section
from abtest.kit import canonical_json

_BROKEN = (OSError, EOFError, zlib.error)


def is_apart(manifest: Manifest, size: int) -> bool:
    """Return whether each byte of an object of this size is in the section of exactly one shop."""
    ends = 0
    for section in in_order(manifest):
        if section.offset != ends or section.length < 1:
            return False
        ends += section.length
    return ends == size


def is_shared(manifest: Manifest, size: int) -> bool:
    """Return whether each section is all of an object of this size, as in objects of older releases."""
    return all((section.offset, section.length) == (0, size) for section in manifest.sections.values())


def in_order(manifest: Manifest) -> list[Section]:
    """Return the sections in the order of their bytes."""
    return sorted(manifest.sections.values(), key=lambda section: section.offset)


def manifest_differences(manifest: Manifest, content: bytes) -> list[str]:
    """Return what is wrong with the manifest of an object with this content, a sentence for each shop.

    A reader of the manifest would miss rows of these shops, or read rows of others for nothing.
    """
    if not is_apart(manifest, len(content)):
        return list(_of_shared(manifest, content))
    return [
        f"shop {shop_id}: {reason}"
        for shop_id, section in sorted(manifest.sections.items())
        if (reason := _difference(shop_id, section, _rows(content[section.offset : section.offset + section.length])))
    ]


def _of_shared(manifest: Manifest, content: bytes) -> Iterator[str]:
    rows = _rows(content)
    for shop_id, section in sorted(manifest.sections.items()):
        if (section.offset, section.length) != (0, len(content)):
            yield f"shop {shop_id}: the sections neither add up to the object nor are all of it"
        elif reason := _difference(shop_id, section, rows and {shop_id: rows.get(shop_id, [])}):
            yield f"shop {shop_id}: {reason}"
    for shop_id in sorted((rows or {}).keys() - manifest.sections.keys()):
        yield f"shop {shop_id}: not in the manifest"


def _difference(shop_id: str, section: Section, rows: Mapping[str, list[int]] | None) -> str | None:
    """Return how the section differs from these times of receipt by shop; None if it does not."""
    if rows is None:
        return "the section cannot be read"
    if rows.keys() - {shop_id}:
        return "the section has rows of other shops"
    times = rows.get(shop_id) or [0]
    expected = (section.rows, section.oldest, section.newest)
    counted = (len(rows.get(shop_id, [])), min(times), max(times))
    return None if expected == counted else f"rows, oldest and newest are {counted}, in the manifest {expected}"


def _rows(content: bytes) -> dict[str, list[int]] | None:
    """Times of receipt of all rows, by shop; None where the content is damaged. Lines that are not rows are skipped."""
    times: dict[str, list[int]] = {}
    try:
        lines = gzip.decompress(content).splitlines()
    except _BROKEN:
        return None
    for line in lines:
        row = _document(line)
        shop_id, received_at = row.get("shop_id"), row.get("received_at")
        if isinstance(shop_id, str) and isinstance(received_at, int):
            times.setdefault(shop_id, []).append(received_at)
    return times


def _document(line: bytes) -> Mapping[str, Any]:
    try:
        document = canonical_json.loads(line, own=True)
    except canonical_json.InvalidJsonError:
        return {}
    return document if isinstance(document, dict) else {}
