"""The route that changes an endpoint's secret."""

from datetime import timedelta
from typing import Annotated

from abtest.contract.errors import InvalidStateTransitionEnvelope
from abtest.contract.webhooks import SecretRotationInput, WebhookCreated
from abtest.http.deps import IfMatch, PathId, reveals_secret, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, NotFoundError
from abtest.services.webhooks.endpoints import Endpoints
from api_webhooks.endpoints.vocabulary import Writer

router = Router("/webhooks/{webhook_id}", tag="Webhooks")

Uses = Annotated[Endpoints, use(Endpoints)]


@router.post(
    "/rotate-secret",
    operation_id="rotateWebhookSecret",
    responses=errors(NotFoundError, ConflictError, s409=InvalidStateTransitionEnvelope),
)
@reveals_secret
def rotate_secret(
    webhook_id: PathId, caller: Writer, endpoints: Uses, if_match: IfMatch, body: SecretRotationInput | None = None
) -> WebhookCreated:
    """Create a new secret, shown only in this response.

    For `grace_seconds` both secrets sign: `webhook-signature` has both, the new one first; `X-Service-Signature` uses
    the new one and `X-Service-Signature-Previous` the previous one. A second rotation within that time drops the oldest
    secret immediately.
    """
    grace = timedelta(seconds=(body or SecretRotationInput()).grace_seconds)
    issued = endpoints.rotate(caller, webhook_id, grace, expected_version=if_match)
    return WebhookCreated.with_secret(issued.endpoint, issued.secret)
