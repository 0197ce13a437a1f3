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
    """Checks keys, and counts failures; a live key passes whatever others failed."""

    keys: TrackingKeys
    failures: FailedAuthentications

    def shop(self, request: Request) -> str:
        """Return the shop of the request's key. Raises AssignmentUnauthorizedError, RateLimitedError."""
        given = request.headers.get("authorization")
        if not given:
            raise AssignmentUnauthorizedError  # nothing was guessed, so nothing is counted
        text = bearer_text(given) or ""
        shop_id = self.keys.shop_of(text)
        if shop_id is None:
            self.failures.count(request.address, self.keys.known_id(text))
            raise AssignmentUnauthorizedError
        return shop_id
