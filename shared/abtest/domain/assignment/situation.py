"""Situation of a decision: one visitor on one page view at one moment. Nothing is decided here."""

from collections.abc import Sequence

from abtest.domain.assignment.hash import bucket
from abtest.domain.assignment.reading import Dark, Share
from abtest.domain.assignment.visitor import Visitor
from abtest.domain.targeting.attributes import attributes_of
from abtest.domain.targeting.pages import PageView
from abtest.domain.targeting.urls import parse_address
from abtest.domain.targeting.weekdays import LocalTimes


class Situation:
    """Address, attributes, local times and buckets of the unit, each computed once; exclusion groups share buckets."""

    __slots__ = ("_buckets", "_times", "unit", "view", "visitor")

    def __init__(self, visitor: Visitor, url: str | None, now: float, zones: Sequence[str]) -> None:
        address = None if url is None else parse_address(url)
        self.visitor = visitor
        self.unit = visitor.unit
        self._times = LocalTimes(now)
        attributes = attributes_of(visitor.id, visitor.customer_id, visitor.attributes, address, self._times, zones)
        self.view = PageView(address, attributes, visitor.triggers)
        self._buckets: dict[int, int] = {}

    def bucket(self, state: int) -> int | None:
        """Return the unit's bucket; None without a unit."""
        if self.unit is None:
            return None
        if state not in self._buckets:
            self._buckets[state] = bucket(self.unit, state)
        return self._buckets[state]

    def is_within(self, share: Share) -> bool:
        """Return whether the unit is within a share."""
        drawn = self.bucket(share.state)
        return drawn is not None and drawn < share.below

    def day(self, zone: str) -> str | None:
        """Return the weekday in a zone; None for an unknown zone."""
        local = self._times.at(zone)
        return None if local is None else local["day"]

    def is_dark(self, dark: Dark | None) -> bool:
        """Return whether nothing is delivered today."""
        return dark is not None and self._times.is_dark(dark.days, dark.zone)
