"""The exclusion group aggregate."""

from dataclasses import dataclass

from abtest.domain.assignment.allocation import Range
from abtest.kit.clock import Timestamp


@dataclass(frozen=True, slots=True, kw_only=True)
class Member:
    """An experiment and its part of the group's traffic: a share 0..1, and the buckets that it holds."""

    experiment_id: str
    share: float
    ranges: tuple[Range, ...]


@dataclass(frozen=True, slots=True, kw_only=True)
class ExclusionGroup:
    """The aggregate. `epoch` rises with each change of members or shares."""

    id: str
    shop_id: str
    version: int = 0
    name: str
    members: tuple[Member, ...] = ()
    epoch: int = 1
    created_at: Timestamp
    updated_at: Timestamp
