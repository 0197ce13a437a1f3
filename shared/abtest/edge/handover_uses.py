"""Uses of handover tokens: each token works once, across all instances."""

import logging
from functools import partial

from abtest.domain.credentials.handover import Handover, id_of
from abtest.kit.clock import Clock
from abtest.kit.deadlines import within
from abtest.kit.ids import Randomness, random_base62
from abtest.ports import waits
from abtest.ports.limits import Leases

MARGIN_SECONDS = 60
"""Time for which a use is known after the token has expired: more than two clocks differ by."""

_log = logging.getLogger(__name__)


class HandoverUses:
    """Uses as leases that are never released: one conditional write, removed by the table's time to live."""

    def __init__(self, leases: Leases, clock: Clock, random: Randomness) -> None:
        self._leases = leases
        self._clock = clock
        self._random = random

    def is_first(self, token: str, handover: Handover, request_id: str | None) -> bool:
        """Record the use of a valid token, and return whether it is the first one, or the first one repeated.

        A request repeats the one with the same `request_id`. A request without one repeats none. Without a response of
        the store in time, the answer is True: see docs/settings.md.
        """
        now = self._clock.now()
        owner = request_id or random_base62(22, self._random)
        seconds = handover.expires_at - int(now.timestamp()) + MARGIN_SECONDS
        name = f"handover#{id_of(token)}"
        record = partial(self._leases.acquire, name, owner=owner, seconds=seconds, now=now)
        try:
            return within(waits.EDGE.handover, record, group="handover")
        except Exception as error:
            _log.warning("handover.unrecorded", exc_info=error)
            return True
