"""What a shop's rows say about one UTC day, for analytics that are no experiment's (docs/data-model.md, section 5)."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import NamedTuple

from abtest.domain.ledger.cells import Money


class Activity(NamedTuple):
    """A quarter of the day (0..95), and quarters since the visitor's last active one: 1..99, 0 is longer ago."""

    quarter: int
    gap: int


class OrderCell(NamedTuple):
    """Orders of a quarter of the day (0..95); `kind` is `own`, `converted`, `foreign` or `unknown`.

    `currency` is the shop's for own, what the sender named for others, empty when unknown.
    """

    quarter: int
    kind: str
    currency: str


class SegmentCount(NamedTuple):
    """Visitors of the day in a segment, their orders of the day and the shop's own and converted money of these."""

    visitors: int = 0
    orders: int = 0
    minor: int = 0


class Stitch(NamedTuple):
    """Orders of the day, and those whose visitor had a page view or exposure in the seven days before."""

    orders: int = 0
    stitched: int = 0


@dataclass(frozen=True, slots=True, kw_only=True)
class ShopDay:
    """The document's fields. `date` is `YYYY-MM-DD`; no entry of a mapping is zero but `steps`, which has all four."""

    shop_id: str
    date: str
    currency: str
    activity: Mapping[Activity, int] = field(default_factory=dict)
    orders: Mapping[OrderCell, Money] = field(default_factory=dict)
    events: Mapping[str, int] = field(default_factory=dict)
    steps: Mapping[str, int] = field(default_factory=dict)
    segments: Mapping[str, Mapping[str, SegmentCount]] = field(default_factory=dict)
    stitch: Stitch = field(default_factory=Stitch)
