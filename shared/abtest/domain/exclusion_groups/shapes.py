"""Shapes of exclusion groups under the names of the contract."""

from collections.abc import Sequence
from typing import TypedDict


class MemberFields(TypedDict):
    """An experiment and its share of the traffic of a group."""

    experiment_id: str
    share: float


class GroupFields(TypedDict, total=False):
    """Fields of a group of a request."""

    name: str
    members: Sequence[MemberFields]
