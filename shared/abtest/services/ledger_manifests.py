"""Manifests of raw objects, read many at once. One that is missing or damaged is made again from its object.

The worker writes an object first and its manifest second. A worker that died between the two, or one of a release that
knew no manifests, leaves an object without one.
"""

import logging
from collections.abc import Callable, Iterable
from concurrent.futures import ThreadPoolExecutor

from abtest.domain.ledger.manifests import (
    InvalidManifestError,
    InvalidRawObjectError,
    Manifest,
    manifest_key,
    manifest_of,
    read_manifest,
)
from abtest.ports.blobs import Blobs, PreconditionFailedError

_log = logging.getLogger(__name__)

JSON = "application/json"
AT_ONCE = 16
"""Manifests that are read at the same time."""


class Manifests:
    """Manifests in the ledger's bucket. Every call may raise BlobsUnavailableError."""

    def __init__(self, ledger: Blobs) -> None:
        self._ledger = ledger

    def read(self, raw_keys: Iterable[str]) -> dict[str, Manifest]:
        """Return manifests by raw key, in this order; those that are missing or damaged are left out."""
        return self._each(self._stored, raw_keys)

    def made(self, raw_keys: Iterable[str]) -> dict[str, Manifest]:
        """Return manifests by raw key, in this order; those that are missing or damaged are made and stored.

        Objects that do not exist or cannot be read are logged and left out.
        """
        return self._each(lambda key: self._stored(key) or self._made(key), raw_keys)

    def _each(self, call: Callable[[str], Manifest | None], raw_keys: Iterable[str]) -> dict[str, Manifest]:
        keys = list(raw_keys)
        with ThreadPoolExecutor(AT_ONCE) as pool:
            manifests = zip(keys, pool.map(call, keys), strict=True)
            return {key: manifest for key, manifest in manifests if manifest is not None}

    def _stored(self, raw_key: str) -> Manifest | None:
        stored = self._ledger.get(manifest_key(raw_key))
        return _readable(raw_key, stored.content) if stored else None

    def _made(self, raw_key: str) -> Manifest | None:
        raw = self._ledger.get(raw_key)
        try:
            made = manifest_of(raw_key, raw.content) if raw else None
        except InvalidRawObjectError as error:
            _log.error("manifest.unreadable_object", extra={"object": raw_key, "reason": str(error)})
            return None
        if made is None:
            _log.error("manifest.missing_object", extra={"object": raw_key})
            return None
        self._put(made)
        return made

    def _put(self, manifest: Manifest) -> None:
        key, content = manifest_key(manifest.key), manifest.encoded()
        try:
            self._ledger.put(key, content, content_type=JSON, if_absent=True)
        except PreconditionFailedError:
            present = self._ledger.get(key)
            if present and _readable(manifest.key, present.content) is None:
                # Without a condition: another process that repairs it writes the same.
                self._ledger.put(key, content, content_type=JSON)


def _readable(raw_key: str, content: bytes) -> Manifest | None:
    try:
        manifest = read_manifest(content)
    except InvalidManifestError as error:
        _log.error("manifest.damaged", extra={"object": raw_key, "reason": str(error)})
        return None
    if manifest.key != raw_key:
        _log.error("manifest.damaged", extra={"object": raw_key, "reason": "it names another object"})
        return None
    return manifest
