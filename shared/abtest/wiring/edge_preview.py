"""Composition root of edge_preview: the preview proxy."""

from abtest.adapters import aws
from abtest.adapters.dynamo.rate_limiter import DynamoRateLimiter
from abtest.adapters.dynamo.sessions import DynamoSessions
from abtest.adapters.outbound_http import Limits, OutboundHttp
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.secrets import SecretRootKeys
from abtest.edge.cdn import Handler
from abtest.edge.preview import PreviewRoutes
from abtest.edge.preview_sessions import OpenSessions
from abtest.edge.preview_upstream import Upstream
from abtest.kit.clock import SystemClock
from abtest.ports.waits import CallerKind
from abtest.storefront import bridge, editor
from abtest.wiring.edge import through_cdn
from abtest.wiring.egress import customer_rules
from abtest.wiring.settings import settings

UPSTREAM_SECONDS = 10.0
UPSTREAM_BYTES = 5 * 1024 * 1024


def create_handler() -> Handler:
    """Return the handler of the routes. Raises MissingSettingError."""
    aws.serve(CallerKind.SHOPPER)
    config = settings()
    config.need("ephemeral_table", "delivery_bucket", "signing_secret_arn", "worker_base_url")
    clock = SystemClock()
    sessions = OpenSessions(
        roots=SecretRootKeys(config.signing_secret_arn, clock).current,
        sessions=DynamoSessions(config.ephemeral_table),
        limiter=DynamoRateLimiter(config.ephemeral_table),
        clock=clock,
        base=config.preview_base_url or config.worker_base_url,
        worker_base_url=config.worker_base_url,
        bridge=bridge(),
    )
    client = OutboundHttp(customer_rules(config), Limits(seconds=UPSTREAM_SECONDS, body_bytes=UPSTREAM_BYTES))
    routes = PreviewRoutes(
        sessions=sessions,
        upstream=Upstream(client, clock),
        files=S3Blobs(config.delivery_bucket),
        clock=clock,
        editor=editor,
    )
    return through_cdn(routes.answer)
