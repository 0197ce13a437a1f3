"""A running experiment that nobody is ever seen in. It is said in words, not found: no kind may say it.

How many visitors an experiment should have nobody knows before it had any: its pages may be rare. So nothing can be
expected, as `event_gap` has to, and `broken_delivery` compares arms, none of which has anybody.
"""

from dataclasses import dataclass

from abtest.domain.guardian.evidence import Evidence
from abtest.kit.clock import Timestamp, from_milliseconds, timestamp

UNSEEN_AFTER_MS = 60 * 60 * 1000
"""Of counted time in which the experiment ran without a break."""

ENOUGH_TRAFFIC = 30
"""Visitors of the shop: with fewer, and yet some, it is too early to wonder."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Unseen:
    """Nobody was seen since then; `shop_visitors` were on the shop's pages in that time, of its last day at most."""

    since: Timestamp
    shop_visitors: int


def unseen(evidence: Evidence) -> Unseen | None:
    """Whether it is time to wonder."""
    since = evidence.silent_since
    if since is None or evidence.counted_until - since < UNSEEN_AFTER_MS:
        return None
    if 0 < evidence.shop_visitors < ENOUGH_TRAFFIC:
        return None
    return Unseen(since=timestamp(from_milliseconds(since)), shop_visitors=evidence.shop_visitors)
