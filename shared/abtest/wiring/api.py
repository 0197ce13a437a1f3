"""Composition root of the management families: ports on real stores, use cases, one Lambda handler."""

from collections.abc import Callable, Mapping, Sequence
from functools import cached_property

from abtest.adapters import aws
from abtest.adapters.dynamo import (
    DynamoAuditStore,
    DynamoIdempotency,
    DynamoLeases,
    DynamoRateLimiter,
    DynamoRollupStore,
    DynamoSessions,
)
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.s3.asset_files import S3AssetFiles
from abtest.adapters.scripts import QuickJsChecker
from abtest.adapters.secrets import SecretRootKeys
from abtest.adapters.sqs import SqsQueue
from abtest.domain.credentials.signing import RootKeys
from abtest.http.exchange import Services
from abtest.http.factory import Handler, create_app, handler
from abtest.http.route import Router
from abtest.ports.asset_files import AssetFiles, StoredFiles
from abtest.ports.audit import AuditStore
from abtest.ports.blobs import Blobs
from abtest.ports.limits import Idempotency, Leases, RateLimiter, Sessions
from abtest.ports.queue import Queue
from abtest.ports.rollup_store import RollupStore
from abtest.ports.scripts import ScriptChecker
from abtest.ports.waits import CallerKind
from abtest.services.authentication import Authentication
from abtest.services.context import World
from abtest.services.identity.admission import SessionAdmission
from abtest.services.identity.sessions import SessionStore
from abtest.services.publication import Publication
from abtest.services.publication.budget import CodeBudget
from abtest.services.republication import Republication
from abtest.services.storefronts import Storefronts
from abtest.storefront import bundle
from abtest.wiring.cdn import cdn_of
from abtest.wiring.edge import through_cdn
from abtest.wiring.settings import Settings, settings
from abtest.wiring.worlds import world_of

Uses = Mapping[type, object]


class Management:
    """Parts that the use cases of all families share, each made at its first use."""

    def __init__(self, config: Settings) -> None:
        self.settings = config

    @cached_property
    def world(self) -> World:
        """Catalog, clock, randomness."""
        return world_of(self.settings)

    @cached_property
    def limiter(self) -> RateLimiter:
        """Rate limits shared by all instances."""
        return DynamoRateLimiter(self.settings.ephemeral_table)

    @cached_property
    def idempotency(self) -> Idempotency:
        """Responses stored for repeated requests."""
        return DynamoIdempotency(self.settings.ephemeral_table)

    @cached_property
    def leases(self) -> Leases:
        """Leases shared by all instances."""
        return DynamoLeases(self.settings.ephemeral_table)

    @cached_property
    def sessions(self) -> Sessions:
        """Documents that expire."""
        return DynamoSessions(self.settings.ephemeral_table)

    @cached_property
    def sign_ins(self) -> Sessions:
        """Sign-in sessions, and tokens that are used once."""
        return DynamoSessions(self.settings.ephemeral_table, "SIGNIN")

    @cached_property
    def seen(self) -> Sessions:
        """Last use of sign-in sessions."""
        return DynamoSessions(self.settings.ephemeral_table, "SEEN")

    @cached_property
    def session_store(self) -> SessionStore:
        """Sign-in sessions of all users."""
        return SessionStore(self.world, self.sign_ins, self.seen)

    @cached_property
    def session_admission(self) -> SessionAdmission:
        """Admission by session, with one cache for the process."""
        return SessionAdmission(self.world, self.session_store)

    @cached_property
    def storefronts(self) -> Storefronts:
        """Publication after commits."""
        return Storefronts(self.world.catalog, self.publication)

    @cached_property
    def republication(self) -> Republication:
        """Publication for actions that change nothing."""
        return Republication(world=self.world, storefronts=self.storefronts, leases=self.leases, sessions=self.sessions)

    @cached_property
    def delivery(self) -> Blobs:
        """Store of publications."""
        return S3Blobs(self.settings.delivery_bucket)

    @cached_property
    def asset_files(self) -> AssetFiles:
        """Store of uploaded files, for the family that has them. Raises MissingSettingError."""
        self.settings.need("assets_bucket")
        return S3AssetFiles(self.settings.assets_bucket)

    @cached_property
    def public_files(self) -> StoredFiles:
        """The same files for readers. Raises MissingSettingError."""
        self.settings.need("assets_bucket")
        return S3AssetFiles(self.settings.assets_bucket)

    @cached_property
    def roots(self) -> Callable[[], RootKeys]:
        """The deployment's current root keys."""
        return SecretRootKeys(self.settings.signing_secret_arn, self.world.clock).current

    @cached_property
    def checker(self) -> ScriptChecker:
        """Syntax checks of customers' scripts."""
        return QuickJsChecker()

    @cached_property
    def authentication(self) -> Authentication:
        """Authentication by key, with one cache for the process."""
        return Authentication(self.world, self.limiter)

    @cached_property
    def budget(self) -> CodeBudget:
        """Limits of the code that shops may have."""
        return CodeBudget(self.delivery)

    @cached_property
    def publication(self) -> Publication:
        """Publication of committed state to shoppers."""
        return Publication(
            world=self.world,
            blobs=self.delivery,
            checker=self.checker,
            roots=self.roots,
            bundle=bundle,
            worker_base_url=self.settings.worker_base_url,
            cdn=cdn_of(self.settings),
        )

    @cached_property
    def audit(self) -> AuditStore:
        """Audit rows, for the family that reads them."""
        return DynamoAuditStore(self.settings.catalog_table)

    @cached_property
    def seals(self) -> Blobs:
        """Sealed days of the audit. Raises MissingSettingError."""
        self.settings.need("audit_bucket")
        return S3Blobs(self.settings.audit_bucket)

    @cached_property
    def page_queue(self) -> Queue:
        """Queue of worker_pages, for the family of landing pages. Raises MissingSettingError."""
        self.settings.need("page_queue_url")
        return SqsQueue(self.settings.page_queue_url)

    @cached_property
    def publish_queue(self) -> Queue:
        """Queue of worker_publish, for families that have others publish. Raises MissingSettingError."""
        self.settings.need("publish_queue_url")
        return SqsQueue(self.settings.publish_queue_url)

    @cached_property
    def screenshot_queue(self) -> Queue:
        """Queue of worker_screenshots; in a deployment without a browser nothing is sent to it."""
        return SqsQueue(self.settings.screenshot_queue_url)

    @cached_property
    def profile_queue(self) -> Queue:
        """Queue of worker_profiles, for the families of the workspace and of settings. Raises MissingSettingError."""
        self.settings.need("profile_queue_url")
        return SqsQueue(self.settings.profile_queue_url)

    @property
    def has_browser(self) -> bool:
        """True for a deployment with a browser."""
        return self.settings.screenshot_queue_url != ""

    @cached_property
    def rollups(self) -> RollupStore:
        """Roll-ups, for the families that read them. Raises MissingSettingError."""
        self.settings.need("rollups_table")
        return DynamoRollupStore(self.settings.rollups_table)

    def services(self, uses: Uses) -> Services:
        """Return the services of the HTTP layer, with a family's use cases."""
        return Services(
            world=self.world,
            authentication=self.authentication,
            limiter=self.limiter,
            idempotency=self.idempotency,
            cursor_key=lambda: self.roots().derive("cursor"),
            sessions=self.session_admission,
            console_origin=self.settings.console_origin,
            uses=uses,
        )


def management() -> Management:
    """Return the shared parts of this process. Raises MissingSettingError."""
    config = settings()
    config.need("catalog_table", "ephemeral_table", "blobs_bucket", "delivery_bucket", "signing_secret_arn")
    return Management(config)


def family(routers: Sequence[Router], uses: Callable[[Management], Uses]) -> Handler:
    """Return the Lambda handler of a family from its routers and its use cases."""
    aws.serve(CallerKind.API)
    base = management()
    answer = handler(create_app(routers, base.services(uses(base))))
    return through_cdn(lambda event, context: answer(dict(event), context))
