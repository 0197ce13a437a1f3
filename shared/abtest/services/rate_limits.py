"""Error of every rate limit, and the limit that all interfaces share: failed authentications of an address."""

from dataclasses import dataclass
from ipaddress import IPv6Address

from abtest.kit.clock import Clock
from abtest.kit.errors import ServiceError
from abtest.ports.limits import RateDecision, RateLimiter

FAILURES_PER_WINDOW, FAILURE_WINDOW_SECONDS = 30, 60


class RateLimitedError(ServiceError):
    """Too many of something, which `subject` names in the plural; `Retry-After` gives the seconds to wait.

    The message has the limit, which most are per minute.
    """

    status = 429
    code = "rate_limited"

    def __init__(self, decision: RateDecision, subject: str, *, per: str = "a minute", hint: str = "") -> None:
        wait = max(1, decision.retry_after)
        message = f"too many {subject}: at most {decision.limit} {per}; try again in {wait} s{hint}"
        super().__init__(message, headers={"Retry-After": str(wait)})
        self.decision = decision


def take_token(
    limiter: RateLimiter, clock: Clock, bucket: str, subject: str, *, limit: int, window_seconds: int, per: str
) -> None:
    """Take a token of a bucket. Raises RateLimitedError about the subject when none is left."""
    decision = limiter.take(bucket, limit=limit, window_seconds=window_seconds, now=clock.now())
    if not decision.allowed:
        raise RateLimitedError(decision, subject, per=per)


def household(address: str) -> str:
    """Return the subscriber's address; of IPv6 the first 64 bits, because one subscriber has the rest."""
    if ":" not in address:
        return address
    return str(IPv6Address(int(IPv6Address(address.partition("%")[0])) >> 64 << 64))


@dataclass(frozen=True, slots=True)
class FailedAuthentications:
    """Counter of wrong credentials, by client address and by the id in the key's text.

    Only failures are counted, after the key was looked up, so that no one is refused for the failures of others who
    share the address. Ids that are not stored share one bucket of the address: with a bucket for each, invented ids
    would never meet a limit, and each would cost a write.
    """

    limiter: RateLimiter
    clock: Clock

    def count(self, address: str, known_id: str = "") -> None:
        """Count a failure; `known_id` is empty unless a key with the id is stored. Raises RateLimitedError."""
        decision = self.limiter.take(
            f"failed-authentication#{household(address)}#{known_id}",
            limit=FAILURES_PER_WINDOW,
            window_seconds=FAILURE_WINDOW_SECONDS,
            now=self.clock.now(),
        )
        if not decision.allowed:
            # The same words for known and unknown ids, because a key's state must not leak.
            subject = "failed authentications from this address"
            raise RateLimitedError(decision, subject, hint="; valid keys are still accepted")
