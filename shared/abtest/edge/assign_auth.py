"""Authentication of assignment requests: a tracking source key as a bearer value, nothing else."""

from dataclasses import dataclass

from abtest.edge.gateway import Request
from abtest.edge.ingest_auth import TrackingKeys, bearer_text
from abtest.kit.errors import ServiceError
from abtest.services.rate_limits import FailedAuthentications


class AssignmentUnauthorizedError(ServiceError):
    """No live tracking source key, or another shop than the key's; all get the same answer."""

    status = 401
    code = "assignment_unauthorized"

    def __init__(self) -> None:
        super().__init__("a valid tracking source key is required", headers={"WWW-Authenticate": "Bearer"})


@dataclass(frozen=True, slots=True)
class AssignmentAuth:
    """Checks keys; an address that failed too often is refused before its key is looked up."""

    keys: TrackingKeys
    failures: FailedAuthentications

    def shop(self, request: Request) -> str:
        """Return the shop of the request's key. Raises AssignmentUnauthorizedError, RateLimitedError."""
        given = request.headers.get("authorization")
        if not given:
            raise AssignmentUnauthorizedError  # nothing was guessed, so nothing is counted
        text = bearer_text(given) or ""
        if remembered := self.keys.remembered_shop_of(text):
            return remembered
        self.failures.refuse_after_many(request.address)
        shop_id = self.keys.shop_of(text)
        if shop_id is None:
            self.failures.count(request.address)
            raise AssignmentUnauthorizedError
        return shop_id
