"""Use case: publish a shop. The package's docstring explains the order of the steps."""

import logging
from collections.abc import Callable, Sequence
from contextlib import suppress
from dataclasses import dataclass, replace

from abtest.domain.credentials.signing import RootKeys, browser_signature
from abtest.domain.delivery.config import NOTHING, Delivered, Runtime, compile_config, compile_shop
from abtest.domain.delivery.environments import MAX_ENVIRONMENTS, is_environment, planned
from abtest.domain.delivery.manifest import DEFAULT_ENVIRONMENT
from abtest.domain.delivery.snippet import Bundle
from abtest.domain.delivery.snippet_addresses import snippet_paths
from abtest.domain.settings.runtime import RuntimeSettings
from abtest.kit import canonical_json
from abtest.kit.errors import ServiceError
from abtest.ports.blobs import Blobs, BlobsUnavailableError
from abtest.ports.catalog import Commit
from abtest.ports.cdn import Cdn, CdnUnavailableError
from abtest.ports.scripts import ScriptChecker
from abtest.services.context import World
from abtest.services.publication.announcements import announce
from abtest.services.publication.code import ShopCode, sound_code
from abtest.services.publication.outcome import OvertakenError, PublicationOutcome
from abtest.services.publication.pointers import Flips, Rendition
from abtest.services.publication.sources import Sources
from abtest.services.shop_records import read_shop

_REASONS_LOGGED = 20

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True, kw_only=True)
class _Edition:
    """State of a shop now, for any environment. `runtime` is that of the default one."""

    runtime: Runtime
    revision: int
    delivered: Delivered
    in_use: frozenset[str]
    bundle: Bundle
    code: ShopCode
    assets_url: str
    left_out: list[str]

    @property
    def settings(self) -> RuntimeSettings:
        """The shop's runtime settings."""
        return self.runtime.settings

    def rendition(self, environment: str, delivered: Delivered | None = None) -> Rendition:
        """Rendition of an environment, of other parts than the shop's if `delivered` is given."""
        runtime = replace(self.runtime, environment=environment)
        config = compile_config(runtime, delivered or self.delivered, self.revision)
        return Rendition(config=config, bundle=self.bundle, code=self.code, assets_url=self.assets_url)


@dataclass(frozen=True, slots=True, kw_only=True)
class Publication:
    """Publisher of shops. `blobs` is the delivery bucket, `bundle` gives the SDK with some of its parts."""

    world: World
    blobs: Blobs
    checker: ScriptChecker
    roots: Callable[[], RootKeys]
    bundle: Bundle
    worker_base_url: str
    cdn: Cdn

    def publish(self, shop_id: str) -> PublicationOutcome:
        """Publish the catalog's state. Never raises, and can be repeated at any time."""
        try:
            return self._publish(shop_id)
        except ServiceError as error:
            return _failed(shop_id, [error], [])
        except Exception as error:
            # The caller's commit is stored already, so an error here means a stale storefront, not a failed write.
            _log.exception("publication.failed", extra={"shop_id": shop_id})
            return PublicationOutcome(ok=False, reasons=[f"unexpected {type(error).__name__}"])

    def _publish(self, shop_id: str) -> PublicationOutcome:
        # The argument is evaluated first: the revision must be taken before the state is read (see the package).
        edition = self._edition(shop_id, self.world.catalog.next_revision(shop_id))
        flips = Flips(blobs=self.blobs, shop_id=shop_id, revision=edition.revision, now=self.world.now)
        others = [name for name in _flip_default(flips, edition) if name != DEFAULT_ENVIRONMENT]
        failures = [error for name in others if (error := _flip_other(flips, name, edition.rendition(name)))]
        # Also after failures: environments that were flipped must not wait for the others.
        self._invalidate(shop_id, flips, edition.code)
        if (since := edition.settings.webhooks_from) is not None:
            announce(self.world, shop_id, flips.seen, since=since)
        if failures:
            return _failed(shop_id, failures, edition.left_out)
        _log.info("publication.flipped", extra={"shop_id": shop_id, "revision": edition.revision})
        if edition.left_out:
            _log.warning(
                "publication.left_out", extra={"shop_id": shop_id, "reasons": edition.left_out[:_REASONS_LOGGED]}
            )
        return PublicationOutcome(ok=True, revision=edition.revision, reasons=edition.left_out)

    def _invalidate(self, shop_id: str, flips: Flips, code: ShopCode) -> None:
        """Invalidate the shop in the CDN; where that fails, an outbox row requests another publication.

        Raises DatabaseBusyError when that row cannot be stored either, so that the caller's own row stays.
        """
        shown = {flip.environment: flip.shown for flip in flips.seen}
        # Derived from what shoppers get, so a repetition that flipped nothing sends no second order to the CDN.
        reference = canonical_json.sha256([shop_id, *sorted(shown.values())])
        try:
            code.invalidate(self.cdn, snippet_paths(shop_id, sorted(shown)), reference)
            code.save()
        except CdnUnavailableError as error:
            _log.warning("publication.not_invalidated", extra={"shop_id": shop_id, "reason": str(error)})
            self.world.catalog.commit(Commit(outbox=[self.world.publish_row(shop_id)]))
        except BlobsUnavailableError:
            _log.warning("publication.not_remembered", extra={"shop_id": shop_id})

    def _edition(self, shop_id: str, revision: int) -> _Edition:
        shop = read_shop(self.world.catalog, shop_id)
        sources = Sources(self.world.catalog, shop_id)
        stored = sources.stored()
        compiled = compile_shop(shop, stored)
        code = ShopCode(self.blobs, shop_id, self.checker)
        delivered, broken = sound_code(compiled, code)
        return _Edition(
            runtime=Runtime(
                shop_id=shop_id,
                environment=DEFAULT_ENVIRONMENT,
                currency=shop.currency,
                events_url=f"{self.worker_base_url}/events",
                events_signature=browser_signature(self.roots(), shop_id),
                handover_url=f"{self.worker_base_url}/_svc/handover",
                shop_domain=shop.domain,
                settings=sources.settings(),
            ),
            revision=revision,
            delivered=delivered,
            in_use=stored.environments,
            bundle=self.bundle,
            code=code,
            assets_url=f"{self.worker_base_url}/s/{shop_id}/",
            left_out=[*sources.left_out, *compiled.left_out, *broken],
        )


def _flip_default(flips: Flips, edition: _Edition) -> Sequence[str]:
    """Flip the default environment; return all environments, also when a newer publication is current."""

    def named(before: Sequence[str]) -> tuple[str, ...]:
        plan = planned(edition.in_use, before, edition.settings.environments.keys)
        for name in plan.retired:
            # Before the pointer drops the name: a later publication can then repeat this one if it dies in between.
            with suppress(OvertakenError):  # a newer publication has retired it
                flips.flip(name, edition.rendition(name, NOTHING))
        refused.update(plan.refused)
        return tuple(plan.published)

    refused: set[str] = set()
    try:
        environments = flips.flip(
            DEFAULT_ENVIRONMENT,
            edition.rendition(DEFAULT_ENVIRONMENT),
            named,
            active=edition.settings.environments.active_key,
        )
    except OvertakenError as newer:
        return newer.environments
    # `named` runs again after a lost race, so `refused` may hold names that the last run accepted.
    edition.left_out.extend(map(refusal_of, sorted(refused - set(environments))))
    return environments


def _flip_other(flips: Flips, environment: str, rendition: Rendition) -> ServiceError | None:
    """Flip one more environment. Its error is returned, so that the others are flipped too."""
    try:
        flips.flip(environment, rendition)
    except OvertakenError:
        return None
    except ServiceError as error:
        return error
    return None


def refusal_of(environment: str) -> str:
    """Return why an environment is left out."""
    if not is_environment(environment):
        return f"environment {environment!r} is left out: it has no name that an environment can have"
    return f"environment {environment!r} is left out: a shop has at most {MAX_ENVIRONMENTS}"


def _failed(shop_id: str, errors: Sequence[ServiceError], left_out: Sequence[str]) -> PublicationOutcome:
    _log.warning("publication.failed", extra={"shop_id": shop_id, "codes": [error.code for error in errors]})
    reasons = [*(f"{error.code}: {error.message}" for error in errors), *left_out]
    # A 4xx, such as too much code, would come again until the shop changes something.
    return PublicationOutcome(ok=False, reasons=reasons, retriable=any(error.status >= 500 for error in errors))
