"""The refusal that every rate limit gives."""

from abtest.kit.errors import ServiceError
from abtest.ports.limits import RateDecision


class RateLimitedError(ServiceError):
    """Too many requests; `Retry-After` says when to come back."""

    status = 429
    code = "rate_limited"

    def __init__(self, decision: RateDecision) -> None:
        wait = max(1, decision.retry_after)
        super().__init__(f"too many requests; come back in {wait} s", headers={"Retry-After": str(wait)})
        self.decision = decision
