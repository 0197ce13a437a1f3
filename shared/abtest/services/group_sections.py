"""Raw objects, or the sections of them, that have to be read for a group of shops, by the objects' manifests."""

import logging
from collections.abc import Mapping, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass

from abtest.domain.ledger.manifest_checks import in_order, is_apart, is_shared
from abtest.domain.ledger.manifests import InvalidManifestError, Manifest, manifest_key, read_manifest
from abtest.domain.ledger.shop_groups import ALL_SHOPS, ShopGroup
from abtest.ports.blobs import Blobs
from abtest.ports.hours import OwnSection
from abtest.services.ledger_files import AT_ONCE

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class GroupSections:
    """Raw objects that may have rows of the group's shops; of those in `own`, only these sections have."""

    read: Sequence[str]
    own: Mapping[str, Sequence[OwnSection]]


def sections_of_group(ledger: Blobs, sizes: Mapping[str, int], group: ShopGroup) -> GroupSections:
    """Return what to read of these raw objects, given with their bytes, for a group of shops.

    An object without a usable manifest is read whole. Group 0 also reads objects whose lines are not apart by shop,
    because of lines without a shop. Raises BlobsUnavailableError.
    """
    if group == ALL_SHOPS:
        return GroupSections(read=list(sizes), own={})
    with ThreadPoolExecutor(AT_ONCE) as pool:
        manifests = dict(zip(sizes, pool.map(lambda key: manifest_of(ledger, key), sizes), strict=True))
    read: list[str] = []
    own: dict[str, list[OwnSection]] = {}
    for key, manifest in manifests.items():
        if manifest is None or not (is_apart(manifest, sizes[key]) or is_shared(manifest, sizes[key])):
            read.append(key)
        elif not is_apart(manifest, sizes[key]):
            read += [key] if group.number == 0 or any(map(group.has, manifest.sections)) else []
        elif sections := _own(manifest, group):
            read.append(key)
            own[key] = sections
    return GroupSections(read=read, own=own)


def manifest_of(ledger: Blobs, key: str) -> Manifest | None:
    """Return the manifest of a raw object; None where there is none, or one that cannot be read."""
    stored = ledger.get(manifest_key(key))
    if stored is None:
        return None
    try:
        manifest = read_manifest(stored.content)
    except InvalidManifestError:
        _log.exception("manifest.unreadable", extra={"object": key})
        return None
    return manifest if manifest.key == key else None


def _own(manifest: Manifest, group: ShopGroup) -> list[OwnSection]:
    shops = {section.offset: shop_id for shop_id, section in manifest.sections.items()}
    own: list[OwnSection] = []
    line = 0
    for section in in_order(manifest):
        if group.has(shops[section.offset]):
            own.append(OwnSection(section=section, first_line=line))
        line += section.rows
    return own
