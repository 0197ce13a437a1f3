"""Running experiments without any visitor. They are reported in words, not as a finding of a kind.

The expected number of visitors is unknown before the first one: the experiment's pages may be rare. So `event_gap` has
no expectation, and `broken_delivery` cannot compare arms without visitors.
"""

from dataclasses import dataclass

from abtest.domain.guardian.evidence import Evidence
from abtest.kit.clock import Timestamp, from_milliseconds, timestamp

# Counted time in which the experiment ran without a break.
UNSEEN_AFTER_MS = 60 * 60 * 1000

# Visitors of the shop: with fewer, but some, it is too early to report. None at all point to a missing snippet.
ENOUGH_TRAFFIC = 30


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """No visitor since `since`; `shop_visitors` were on the shop's pages in that time, of its last day at most."""

    since: Timestamp
    shop_visitors: int


def unseen(evidence: Evidence) -> Unseen | None:
    """Return the time without visitors, or None when it is too short or the shop has too little traffic."""
    since = evidence.silent_since
    if since is None or evidence.counted_until - since < UNSEEN_AFTER_MS:
        return None
    if 0 < evidence.shop_visitors < ENOUGH_TRAFFIC:
        return None
    return Unseen(since=timestamp(from_milliseconds(since)), shop_visitors=evidence.shop_visitors)
