"""Publication: what the catalog says becomes what shoppers get, by immutable objects and one pointer that is flipped.

Every step can be repeated and may be the last one of a dying process: objects are named by their hash and written
before the pointer that names them, so until the flip the old publication stands whole.

The revision is taken *before* the state is read. So of two publications the one with the higher revision read the later
state (a commit's own publication takes its revision after the commit), and the higher revision always wins the pointer.
When nothing but the revision changed, only the pointer's revision rises: the objects, and with them every ETag, stay.
"""

import logging
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, replace

from abtest.domain.credentials.signing import RootKeys, browser_signature
from abtest.domain.delivery import manifest
from abtest.domain.delivery.config import Config, Runtime, compile_config
from abtest.domain.delivery.encodings import ENCODERS
from abtest.domain.delivery.manifest import Pointer, pointer_key
from abtest.domain.delivery.snippet import render_snippet, without_broken_scripts
from abtest.domain.experiments.documents import experiment_from
from abtest.domain.experiments.model import Experiment
from abtest.kit import canonical_json
from abtest.kit.errors import ServiceError
from abtest.ports.blobs import Blob, Blobs, PreconditionFailedError
from abtest.ports.scripts import ScriptChecker
from abtest.services.context import World
from abtest.services.shop_records import read_shop

_PAGE = 100
_FLIP_ATTEMPTS = 8

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationOutcome:
    """Whether shoppers get the present state (`revision` or a later one), and what there is to say about it.

    `ok` with reasons: published, but parts were left out. Not `ok`: shoppers still get what was published before;
    repeating helps unless `retriable` is false (no such shop, or more than a storefront may load).
    """

    ok: bool
    revision: int | None = None
    reasons: Sequence[str] = ()
    retriable: bool = True


class TooLargeError(ServiceError):
    """The configuration is larger than a storefront should load."""

    status = 422
    code = "code_budget_exceeded"


class PublicationContendedError(ServiceError):
    """Others flipped the pointer each time; they had older states, so this one must be repeated."""

    status = 503
    code = "service_unavailable"

    def __init__(self) -> None:
        super().__init__("other publications of the shop were faster; repeat")


class _OvertakenError(Exception):
    """A newer publication stands."""


@dataclass(frozen=True, slots=True, kw_only=True)
class _Rendered:
    """Everything that a publication serves."""

    content: str
    config: bytes
    snippet: bytes


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """Publishes shops. `blobs` is the delivery bucket, `bundle` gives the SDK as an expression."""

    world: World
    blobs: Blobs
    checker: ScriptChecker
    roots: Callable[[], RootKeys]
    bundle: Callable[[], str]
    events_url: str

    def publish(self, shop_id: str) -> PublicationOutcome:
        """Bring what shoppers get up to the catalog's state; never raises, can be repeated at any time."""
        try:
            return self._publish(shop_id)
        except ServiceError as error:
            _log.warning("publication.failed", extra={"shop_id": shop_id, "code": error.code})
            reasons = [f"{error.code}: {error.message}"]
            return PublicationOutcome(ok=False, reasons=reasons, retriable=error.status >= 500)
        except Exception as error:
            # The caller's commit stands already, so whatever went wrong here is a stale storefront, not a failed write.
            _log.exception("publication.failed", extra={"shop_id": shop_id})
            return PublicationOutcome(ok=False, reasons=[f"unexpected {type(error).__name__}"])

    def _publish(self, shop_id: str) -> PublicationOutcome:
        revision = self.world.catalog.next_revision(shop_id)
        config, reasons = without_broken_scripts(self._config(shop_id, revision), self._problem)
        try:
            self._flip(shop_id, revision, self._render(config))
        except _OvertakenError:
            return PublicationOutcome(ok=True, revision=revision, reasons=reasons)
        _log.info("publication.flipped", extra={"shop_id": shop_id, "revision": revision, "left_out": len(reasons)})
        return PublicationOutcome(ok=True, revision=revision, reasons=reasons)

    def _config(self, shop_id: str, revision: int) -> Config:
        runtime = Runtime(
            shop_id=shop_id,
            environment=manifest.DEFAULT_ENVIRONMENT,
            currency=read_shop(self.world.catalog, shop_id).currency,
            events_url=self.events_url,
            events_signature=browser_signature(self.roots(), shop_id),
        )
        return compile_config(runtime, self._running(shop_id), revision)

    def _running(self, shop_id: str) -> Iterator[Experiment]:
        """From the heads, which are read consistently; the work index may lag behind the commit just made."""
        after: str | None = None
        while True:
            page = self.world.catalog.list(shop_id, "EXP", limit=_PAGE, after_id=after)
            running = [head.id for head in page.heads if head.status == "running" and head.archived_at is None]
            for record in self.world.catalog.get_many(shop_id, "EXP", running):
                yield experiment_from(record.body)
            after = page.last_id
            if after is None:
                return

    def _problem(self, source: str) -> str | None:
        error = self.checker.check(source)
        return None if error is None else str(error)

    def _render(self, config: Config) -> _Rendered:
        bundle = self.bundle()
        rendered = _Rendered(
            content=canonical_json.sha256([{**config, "delivery": config["delivery"] | {"revision": 0}}, bundle]),
            config=canonical_json.encode(config),
            snippet=render_snippet(config, bundle, self._problem).encode(),
        )
        _refuse_larger("config", rendered.config, manifest.MAX_CONFIG_BYTES)
        _refuse_larger("snippet", rendered.snippet, manifest.MAX_SNIPPET_BYTES)
        return rendered

    def _flip(self, shop_id: str, revision: int, rendered: _Rendered) -> None:
        """Point to what was rendered unless a newer publication stands. Raises _OvertakenError."""
        for _ in range(_FLIP_ATTEMPTS):
            found = self.blobs.get(pointer_key(shop_id))
            standing = None if found is None else manifest.read_pointer(found.content)
            if standing is not None and standing.revision >= revision:
                raise _OvertakenError
            try:
                return self._put_pointer(shop_id, self._pointer(revision, rendered, standing), found)
            except PreconditionFailedError:
                continue  # somebody flipped in between: look again whose state is newer
        raise PublicationContendedError

    def _pointer(self, revision: int, rendered: _Rendered, standing: Pointer | None) -> Pointer:
        if standing is not None and standing.content == rendered.content:
            return replace(standing, revision=revision)
        return Pointer(
            revision=revision,
            content=rendered.content,
            config=self._put_object(rendered.config, manifest.CONFIG_CONTENT_TYPE),
            snippet=self._put_object(rendered.snippet, manifest.SNIPPET_CONTENT_TYPE),
            published_at=self.world.now(),
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

    def _put_pointer(self, shop_id: str, pointer: Pointer, found: Blob | None) -> None:
        self.blobs.put(
            pointer_key(shop_id),
            manifest.write_pointer(pointer),
            content_type=manifest.POINTER_CONTENT_TYPE,
            if_match=None if found is None else found.etag,
            if_absent=found is None,
        )


def _refuse_larger(what: str, content: bytes, limit: int) -> None:
    if len(content) > limit:
        raise TooLargeError(f"the {what} of the shop has {len(content)} bytes, more than {limit}")
