"""Memory of a shop's publications: valid scripts, stored chunks, and invalidations that the CDN accepted.

Parsing scripts and compressing chunks is the expensive part of a publication, and most publications have nothing new to
parse. This is only a cache: when it is lost, or overwritten by a concurrent publication, the work is done again.
"""

from collections.abc import Iterable, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass, field, replace
from functools import cached_property
from hashlib import sha256
from typing import Any

from abtest.domain.delivery import manifest
from abtest.domain.delivery.chunks import Chunk
from abtest.domain.delivery.config import Delivered, Part
from abtest.domain.delivery.encodings import ENCODERS
from abtest.domain.delivery.scripts import Scripts
from abtest.domain.delivery.snippet import without_broken_scripts
from abtest.kit import canonical_json
from abtest.ports.blobs import Blobs, PreconditionFailedError
from abtest.ports.cdn import Cdn
from abtest.ports.scripts import RULES, ScriptChecker


@dataclass(frozen=True)
class CheckedScripts(Scripts):
    """Scripts without a cache."""

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
    """Code of one shop in one publication. Call `save` once all is written."""

    blobs: Blobs
    shop_id: str
    checker: ScriptChecker
    _sound: dict[str, bool] = field(default_factory=dict)
    """Hashes of this publication's valid scripts, with whether each is young."""

    _stored: dict[str, None] = field(default_factory=dict)
    """Files of this publication's chunks."""

    _invalidated: dict[str, None] = field(default_factory=dict)
    """References of this publication's orders to the CDN."""

    def problem(self, source: str) -> str | None:
        name = digest_of(source)
        if name in self._known_sound:
            # Copied over, so that `save` keeps what this publication used and drops the rest.
            self._sound[name] = self._known_sound[name]
            return None
        error = self.checker.check(source)
        # Errors are not remembered: broken scripts are refused when they are written, so they are rare here.
        if error is not None:
            return str(error)
        self._sound[name] = self.checker.is_young(source)
        return None

    def parses(self, source: str) -> bool:
        return self.checker.parses(source)

    def is_young(self, source: str) -> bool:
        known = self._sound.get(digest_of(source))
        return self.checker.is_young(source) if known is None else known

    def store(self, chunks: Iterable[Chunk]) -> None:
        """Store the chunks in every encoding, unless they are stored already."""
        for chunk in chunks:
            if chunk.file not in self._known_stored and chunk.file not in self._stored:
                content_type = manifest.CHUNK_CONTENT_TYPES[chunk.kind]
                for encoding, encode in ENCODERS.items():
                    key = manifest.chunk_key(self.shop_id, chunk.file, encoding)
                    with suppress(PreconditionFailedError):  # the same bytes are stored already
                        self.blobs.put(key, encode(chunk.content), content_type=content_type, if_absent=True)
            self._stored[chunk.file] = None

    def invalidate(self, cdn: Cdn, paths: Sequence[str], reference: str) -> None:
        """Invalidate paths in the CDN, unless this was its last order. Raises CdnUnavailableError."""
        if reference not in self._known.get("told", ()):
            cdn.invalidate(paths, reference=reference)
        self._invalidated[reference] = None

    def save(self) -> None:
        """Store what this publication has learnt, and drop what it no longer uses."""
        learnt = {"rules": RULES, "sound": self._sound, "stored": sorted(self._stored), "told": list(self._invalidated)}
        # Most publications learn nothing; an unconditional write would cost each of them a request.
        if learnt != self._known:
            key = manifest.code_key(self.shop_id)
            self.blobs.put(key, canonical_json.encode(learnt), content_type=manifest.POINTER_CONTENT_TYPE)

    @cached_property
    def _known(self) -> Mapping[str, Any]:
        blob = self.blobs.get(manifest.code_key(self.shop_id))
        return {} if blob is None else canonical_json.loads(blob.content)

    @cached_property
    def _known_sound(self) -> Mapping[str, bool]:
        sound: Mapping[str, bool] = self._known.get("sound", {}) if self._known.get("rules") == RULES else {}
        return sound

    @cached_property
    def _known_stored(self) -> frozenset[str]:
        return frozenset(self._known.get("stored", ()))


def digest_of(source: str) -> str:
    """SHA-256 of a script's source, also of one with lone surrogates."""
    return sha256(source.encode(errors="surrogatepass")).hexdigest()


def sound_code(delivered: Delivered, scripts: Scripts) -> tuple[Delivered, list[str]]:
    """Return compiled parts without their broken scripts, and the reason for each."""
    experiments, reasons = without_broken_scripts(delivered.experiments, scripts)
    configs = [part.config for part in delivered.personalizations]
    whole, more = without_broken_scripts(configs, scripts)
    personalizations = [
        Part(environment=part.environment, config=config)
        for part, config in zip(delivered.personalizations, whole, strict=True)
    ]
    return replace(delivered, experiments=experiments, personalizations=personalizations), reasons + more
