"""What publications remember of a shop: which scripts are sound, which chunks are stored, what the CDN was told.

To parse scripts and to compress chunks is the dear part of a publication, and most of them have nothing new to parse.
It is memory only: when it is lost, or another publication writes it at the same time, things are found out again.
"""

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from hashlib import sha256
from typing import Any

from abtest.domain.delivery import manifest
from abtest.domain.delivery.chunks import Chunk
from abtest.domain.delivery.encodings import ENCODERS
from abtest.domain.delivery.scripts import Scripts
from abtest.kit import canonical_json
from abtest.ports.blobs import Blobs, PreconditionFailedError
from abtest.ports.cdn import Cdn
from abtest.ports.scripts import RULES, ScriptChecker


@dataclass(frozen=True)
class CheckedScripts(Scripts):
    """Scripts as the checker knows them."""

    checker: ScriptChecker

    def problem(self, source: str) -> str | None:
        error = self.checker.check(source)
        return None if error is None else str(error)

    def parses(self, source: str) -> bool:
        return self.checker.parses(source)

    def is_young(self, source: str) -> bool:
        return self.checker.is_young(source)


@dataclass(frozen=True)
class ShopCode(Scripts):
    """The code of one shop in one publication. `save` what was learnt once all is written."""

    blobs: Blobs
    shop_id: str
    checker: ScriptChecker
    _sound: dict[str, bool] = field(default_factory=dict)
    """Of this publication: the hash of each sound script, and whether it is young."""

    _stored: dict[str, None] = field(default_factory=dict)
    """Files of this publication's chunks."""

    _told: dict[str, None] = field(default_factory=dict)
    """References of this publication's orders to the CDN."""

    def problem(self, source: str) -> str | None:
        name = _name(source)
        if name in self._known_sound:
            self._sound[name] = self._known_sound[name]
            return None
        error = self.checker.check(source)
        if error is not None:
            return str(error)
        self._sound[name] = self.checker.is_young(source)
        return None

    def parses(self, source: str) -> bool:
        return self.checker.parses(source)

    def is_young(self, source: str) -> bool:
        known = self._sound.get(_name(source))
        return self.checker.is_young(source) if known is None else known

    def store(self, chunks: Iterable[Chunk]) -> None:
        """Have the chunks lie in the bucket, every variant."""
        for chunk in chunks:
            if chunk.file not in self._known_stored and chunk.file not in self._stored:
                self._put(chunk)
            self._stored[chunk.file] = None

    def tell(self, cdn: Cdn, paths: Sequence[str], reference: str) -> None:
        """Have the CDN take the order, unless it is the last one that it took. Raises CdnUnavailableError."""
        if reference not in self._known.get("told", ()):
            cdn.invalidate(paths, reference=reference)
        self._told[reference] = None

    def save(self) -> None:
        """Remember what this publication has seen, and nothing that is of no use any more."""
        learnt = {"rules": RULES, "sound": self._sound, "stored": sorted(self._stored), "told": list(self._told)}
        if learnt != self._known:
            key = manifest.code_key(self.shop_id)
            self.blobs.put(key, canonical_json.encode(learnt), content_type=manifest.POINTER_CONTENT_TYPE)

    @cached_property
    def _known(self) -> Mapping[str, Any]:
        found = self.blobs.get(manifest.code_key(self.shop_id))
        return {} if found is None else canonical_json.loads(found.content)

    @cached_property
    def _known_sound(self) -> Mapping[str, bool]:
        sound: Mapping[str, bool] = self._known.get("sound", {}) if self._known.get("rules") == RULES else {}
        return sound

    @cached_property
    def _known_stored(self) -> frozenset[str]:
        return frozenset(self._known.get("stored", ()))

    def _put(self, chunk: Chunk) -> None:
        content_type = manifest.CHUNK_CONTENT_TYPES[chunk.kind]
        for encoding, encode in ENCODERS.items():
            key = manifest.chunk_key(self.shop_id, chunk.file, encoding)
            try:
                self.blobs.put(key, encode(chunk.content), content_type=content_type, if_absent=True)
            except PreconditionFailedError:
                continue  # the same bytes are there already


def _name(source: str) -> str:
    return sha256(source.encode(errors="surrogatepass")).hexdigest()
