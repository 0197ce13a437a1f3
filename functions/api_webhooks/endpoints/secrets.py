"""The route that changes an endpoint's secret."""

from datetime import timedelta
from typing import Annotated

from abtest.contract.webhooks import SecretRotationInput, WebhookCreated
from abtest.http.deps import IfMatch, PathId, use
from abtest.http.openapi import errors
from abtest.http.route import Router
from abtest.kit.errors import ConflictError, NotFoundError
from abtest.services.webhooks.endpoints import Endpoints
from api_webhooks.endpoints.vocabulary import Writer

router = Router("/webhooks/{webhook_id}", tag="Webhooks")

Uses = Annotated[Endpoints, use(Endpoints)]


@router.post("/rotate-secret", operation_id="rotateWebhookSecret", responses=errors(NotFoundError, ConflictError))
def rotate_secret(
    webhook_id: PathId, caller: Writer, endpoints: Uses, if_match: IfMatch, body: SecretRotationInput | None = None
) -> WebhookCreated:
    """A new secret, shown this once. For the grace, what is sent is signed with the one before as well."""
    grace = timedelta(seconds=(body or SecretRotationInput()).grace_seconds)
    issued = endpoints.rotate(caller, webhook_id, grace, expected_version=if_match)
    return WebhookCreated.with_secret(issued.standing, issued.secret)
