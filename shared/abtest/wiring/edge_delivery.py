"""Composition of the routes that deliver publications: config and snippet."""

from functools import cache
from typing import TYPE_CHECKING

from abtest.adapters.dynamo.rate_limiter import DynamoRateLimiter
from abtest.adapters.s3 import S3Blobs
from abtest.edge.delivery import Delivery
from abtest.edge.publications import Body, Publications
from abtest.kit.clock import SystemClock
from abtest.wiring.settings import settings

if TYPE_CHECKING:
    from abtest.edge.storefront_previews import StorefrontPreviews


def delivery() -> Delivery:
    """Return the use case of both routes. Raises MissingSettingError."""
    config = settings()
    config.need("delivery_bucket", "ephemeral_table", "signing_secret_arn")
    clock, blobs = SystemClock(), S3Blobs(config.delivery_bucket)
    publications = Publications(blobs, clock)

    # Ordinary visitors do not wait for what only people with a preview or in QA need.
    @cache
    def previews() -> "StorefrontPreviews":
        from abtest.adapters.dynamo.sessions import DynamoSessions
        from abtest.adapters.secrets import SecretRootKeys
        from abtest.edge.storefront_previews import StorefrontPreviews
        from abtest.storefront import qa_tool

        return StorefrontPreviews(
            roots=SecretRootKeys(config.signing_secret_arn, clock).current,
            sessions=DynamoSessions(config.ephemeral_table),
            files=blobs,
            publications=publications,
            clock=clock,
            tool=qa_tool(),
        )

    @cache
    def bar_body() -> Body:
        from abtest.storefront import bar

        return Body.of(bar().encode())

    @cache
    def editor_body() -> Body:
        from abtest.storefront import live_editor

        return Body.of(live_editor(config.console_origin).encode())

    return Delivery(
        publications=publications,
        limiter=DynamoRateLimiter(config.ephemeral_table),
        clock=clock,
        previews=previews,
        bar=bar_body,
        editor=editor_body,
    )
