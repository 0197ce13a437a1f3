"""Who asks for assignments: a tracking source key as a bearer value, nothing else."""

from dataclasses import dataclass

from abtest.edge.gateway import Request
from abtest.edge.ingest_auth import TrackingKeys, bearer_text
from abtest.kit.errors import ServiceError
from abtest.services.rate_limits import FailedAuthentications


class AssignmentUnauthorizedError(ServiceError):
    """No tracking source key, one that is not live, or a shop that is not the key's: one answer for all."""

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
        """The shop that the request's key belongs to. Raises AssignmentUnauthorizedError, RateLimitedError."""
        given = request.headers.get("authorization")
        if not given:
            raise AssignmentUnauthorizedError  # nothing was guessed, so nothing is counted
        text = bearer_text(given) or ""
        return self.keys.remembered_shop_of(text) or self._looked_up(text, request.address)

    def _looked_up(self, text: str, address: str) -> str:
        self.failures.refuse_after_many(address)
        found = self.keys.shop_of(text)
        if found is None:
            self.failures.count(address)
            raise AssignmentUnauthorizedError
        return found
