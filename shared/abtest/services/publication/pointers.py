"""Writes of publications to the delivery bucket: immutable objects, and pointers that only newer revisions flip."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property
from hashlib import sha256

from abtest.domain.delivery import manifest
from abtest.domain.delivery.encodings import ENCODERS
from abtest.domain.delivery.manifest import Pointer, pointer_key
from abtest.domain.delivery.shapes import PublishedConfig
from abtest.domain.delivery.snippet import Bundle, Snippet, render_snippet
from abtest.domain.experiments.limits import MAX_CONFIG_BYTES
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp
from abtest.ports.blobs import Blobs, PreconditionFailedError
from abtest.services.publication.code import ShopCode
from abtest.services.publication.outcome import OvertakenError, PublicationContendedError, TooLargeError

_FLIP_ATTEMPTS = 8


@dataclass(frozen=True, slots=True, kw_only=True)
class Flipped:
    """Revision that an environment serves, or served when it was read; `shown` names what shoppers get."""

    environment: str
    revision: int
    at: Timestamp
    shown: str = ""


@dataclass(frozen=True, kw_only=True)
class Rendition:
    """Content of an environment, rendered only when it is not served yet. Scripts of `config` must parse."""

    config: PublishedConfig
    bundle: Bundle
    code: ShopCode = field(repr=False)
    assets_url: str

    @cached_property
    def content(self) -> str:
        """Hash of all served bytes but for the revision."""
        # The revision rises with every publication. Inside of the hash it would give equal content a new ETag each
        # time.
        unrevised = replace(self, config={**self.config, "delivery": self.config["delivery"] | {"revision": 0}})
        config, snippet = canonical_json.encode(unrevised.config), unrevised.snippet.text.encode()
        return sha256(b"\n".join([config, snippet])).hexdigest()

    @cached_property
    def snippet(self) -> Snippet:
        """The install snippet with its chunks."""
        return render_snippet(self.config, self.bundle, self.code, self.assets_url)

    def config_bytes(self) -> bytes:
        """The object of `/api/exp`. Raises TooLargeError."""
        return _at_most("config", canonical_json.encode(self.config), MAX_CONFIG_BYTES)

    def snippet_bytes(self) -> bytes:
        """The install snippet. Raises TooLargeError."""
        return _at_most("snippet", self.snippet.text.encode(), manifest.MAX_SNIPPET_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """Pointers of one shop, flipped to one revision. `seen` collects the pointers before and after each flip."""

    blobs: Blobs
    shop_id: str
    revision: int
    now: Callable[[], Timestamp]
    seen: list[Flipped] = field(default_factory=list)

    def flip(
        self,
        environment: str,
        rendition: Rendition,
        named: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None,
        active: str = manifest.DEFAULT_ENVIRONMENT,
    ) -> tuple[str, ...]:
        """Point to the rendition and to the environments that `named` makes of those before; return these.

        Raises OvertakenError when a newer publication is current, PublicationContendedError, TooLargeError.
        """
        # Cached: rendering and storing are the expensive part, and a lost race repeats only the comparison and the
        # flip.
        key, fresh = pointer_key(self.shop_id, environment), cache(lambda: self._fresh(rendition))
        for _ in range(_FLIP_ATTEMPTS):
            blob = self.blobs.get(key)
            current = None if blob is None else manifest.read_pointer(blob.content)
            before = () if current is None else current.environments
            if current is not None:
                self._see(environment, current)
            # Equal when this publication wrote the pointer already: a request was retried after a lost response, or the
            # default environment lost a race and retires this one again. Then the pointer is as it should be.
            if current is not None and current.revision >= self.revision:
                raise OvertakenError(before)
            environments = named(before) if named else ()
            shown = current if current is not None and current.content == rendition.content else fresh()
            pointer = replace(
                shown, revision=self.revision, environments=environments, active=active, flipped_at=self.now()
            )
            try:
                self.blobs.put(
                    key,
                    manifest.write_pointer(pointer),
                    content_type=manifest.POINTER_CONTENT_TYPE,
                    # Conditional in both cases: without it, an older publication could overwrite a newer pointer.
                    if_match=None if blob is None else blob.etag,
                    if_absent=blob is None,
                )
            except PreconditionFailedError:
                continue  # another publication flipped in between: compare the revisions again
            self._see(environment, pointer)
            return pointer.environments
        raise PublicationContendedError

    def _see(self, environment: str, pointer: Pointer) -> None:
        shown = f"{environment} {pointer.content} {pointer.published_at} {pointer.active}"
        flipped = Flipped(environment=environment, revision=pointer.revision, at=pointer.flipped_at, shown=shown)
        self.seen.append(flipped)

    def _fresh(self, rendition: Rendition) -> Pointer:
        # Both sizes are checked before anything is stored.
        config, snippet = rendition.config_bytes(), rendition.snippet_bytes()
        rendition.code.store(rendition.snippet.chunks)  # before a pointer names them
        return Pointer(
            revision=self.revision,
            content=rendition.content,
            config=self._put_object(config, manifest.CONFIG_CONTENT_TYPE),
            snippet=self._put_object(snippet, manifest.SNIPPET_CONTENT_TYPE),
            published_at=self.now(),
        )

    def _put_object(self, content: bytes, content_type: str) -> manifest.Published:
        named = manifest.published(content)
        for encoding, encode in ENCODERS.items():
            try:
                self.blobs.put(
                    manifest.object_key(named.sha256, encoding),
                    encode(content),
                    content_type=content_type,
                    # Objects are immutable and named by hash, so a stored one is never written again.
                    if_absent=True,
                )
            except PreconditionFailedError:
                continue  # the same bytes are stored already
        return named


def _at_most(what: str, content: bytes, limit: int) -> bytes:
    if len(content) > limit:
        raise TooLargeError(f"the {what} of the shop has {len(content)} bytes, more than {limit}")
    return content
