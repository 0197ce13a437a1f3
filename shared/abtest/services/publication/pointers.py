"""The delivery bucket as publications write it: immutable objects, and pointers that only newer revisions flip."""

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from functools import cache, cached_property

from abtest.domain.delivery import manifest
from abtest.domain.delivery.encodings import ENCODERS
from abtest.domain.delivery.manifest import Pointer, pointer_key
from abtest.domain.delivery.parts import Config
from abtest.domain.delivery.snippet import Check, render_snippet
from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp
from abtest.ports.blobs import Blobs, PreconditionFailedError
from abtest.services.publication.outcome import OvertakenError, PublicationContendedError, TooLargeError

_FLIP_ATTEMPTS = 8


@dataclass(frozen=True, kw_only=True)
class Rendition:
    """What an environment is to serve, rendered only when it is not served yet. Scripts of `config` must parse."""

    config: Config
    bundle: str
    check: Check = field(repr=False)

    @cached_property
    def content(self) -> str:
        """The hash of everything but the revision."""
        delivery = self.config["delivery"] | {"revision": 0}
        return canonical_json.sha256([{**self.config, "delivery": delivery}, self.bundle])

    def config_bytes(self) -> bytes:
        """The object of `/api/exp`. Raises TooLargeError."""
        return _at_most("config", canonical_json.encode(self.config), manifest.MAX_CONFIG_BYTES)

    def snippet_bytes(self) -> bytes:
        """The install snippet. Raises TooLargeError."""
        snippet = render_snippet(self.config, self.bundle, self.check).encode()
        return _at_most("snippet", snippet, manifest.MAX_SNIPPET_BYTES)


@dataclass(frozen=True, slots=True, kw_only=True)
class Flips:
    """The pointers of one shop, flipped to one revision."""

    blobs: Blobs
    shop_id: str
    revision: int
    now: Callable[[], Timestamp]

    def flip(
        self, environment: str, rendition: Rendition, named: Callable[[tuple[str, ...]], tuple[str, ...]] | None = None
    ) -> tuple[str, ...]:
        """Point to what is rendered and to the environments that `named` makes of those named before; these.

        Raises OvertakenError when a newer publication stands, PublicationContendedError, TooLargeError.
        """
        key, fresh = pointer_key(self.shop_id, environment), cache(lambda: self._fresh(rendition))
        for _ in range(_FLIP_ATTEMPTS):
            found = self.blobs.get(key)
            standing = None if found is None else manifest.read_pointer(found.content)
            before = () if standing is None else standing.environments
            if standing is not None and standing.revision >= self.revision:
                raise OvertakenError(before)
            environments = named(before) if named else ()
            shown = standing if standing is not None and standing.content == rendition.content else fresh()
            pointer = replace(shown, revision=self.revision, environments=environments)
            try:
                self.blobs.put(
                    key,
                    manifest.write_pointer(pointer),
                    content_type=manifest.POINTER_CONTENT_TYPE,
                    if_match=None if found is None else found.etag,
                    if_absent=found is None,
                )
            except PreconditionFailedError:
                continue  # somebody flipped in between: look again whose state is newer
            return pointer.environments
        raise PublicationContendedError

    def _fresh(self, rendition: Rendition) -> Pointer:
        config, snippet = rendition.config_bytes(), rendition.snippet_bytes()
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
                    if_absent=True,
                )
            except PreconditionFailedError:
                continue  # the same bytes are there already
        return named


def _at_most(what: str, content: bytes, limit: int) -> bytes:
    if len(content) > limit:
        raise TooLargeError(f"the {what} of the shop has {len(content)} bytes, more than {limit}")
    return content
