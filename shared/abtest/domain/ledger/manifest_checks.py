"""Comparison of a raw object's manifest with the content of its object."""

from abtest.domain.ledger.blocks import blocks_of
from abtest.domain.ledger.manifests import InvalidRawObjectError, Manifest, Section, manifest_of


def manifest_differences(manifest: Manifest, content: bytes) -> list[str]:
    """Return how the manifest differs from its object, a sentence for each shop: what the shop's readers would miss.

    The sections must be those of the content and add up to it; rows, oldest and newest must be equal.
    """
    try:
        expected = manifest_of(manifest.key, content)
    except InvalidRawObjectError as error:
        return [f"the object cannot be read: {error}"]
    differences = [
        f"shop {shop_id}: {_described(stored)} in the manifest, {_described(section)} in the object"
        for shop_id, section in sorted(expected.sections.items())
        if (stored := manifest.sections.get(shop_id)) != section
    ]
    differences += [
        f"shop {shop_id}: {_described(section)} in the manifest, no rows in the object"
        for shop_id, section in sorted(manifest.sections.items())
        if shop_id not in expected.sections
    ]
    if not differences and expected.sections and blocks_of(manifest, len(content)) is None:
        return ["the sections do not add up to the object"]
    return differences


def _described(section: Section | None) -> str:
    if section is None:
        return "no section"
    bytes_ = f"{section.offset} to {section.offset + section.length}"
    return f"{section.rows} rows in bytes {bytes_}, received {section.oldest} to {section.newest}"
