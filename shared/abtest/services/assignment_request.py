"""Request of a server for assignments, as the edge has parsed it."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from typing import Any


@dataclass(frozen=True, slots=True, kw_only=True)
class AssignmentRequest:
    """Request with at least one of `user_id` and `customer_id`; `url` is absolute.

    `experiment_ids` None means all; `sticky` is the text of an earlier answer, the storefront's cookie of `user_id`, or
    variation ids by seed; `force` maps experiment ids to a variation id or a decimal index; `cart_id` is there when
    `request_handoff` is; with `values` the response also has those of flags and personalizations, with `explain` why
    each decision is what it is.
    """

    environment: str
    shop_id: str | None = None
    user_id: str | None = None
    customer_id: str | None = None
    url: str | None = None
    surface: str | None = None
    attributes: Mapping[str, Any] = field(default_factory=dict)
    sticky: str | Mapping[str, str] | None = None
    force: Mapping[str, str] = field(default_factory=dict)
    experiment_ids: Sequence[str] | None = None
    cart_id: str | None = None
    request_handoff: bool = False
    explain: bool = False
    values: bool = False
