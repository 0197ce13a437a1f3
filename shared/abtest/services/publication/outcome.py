"""What is said of a publication: how it ended, and what can go wrong."""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.kit.errors import ServiceError


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationOutcome:
    """Whether shoppers get the present state (`revision` or a later one), and what there is to say about it.

    `ok` with reasons: published, but parts were left out. Not `ok`: shoppers still get what was published before, at
    least in one environment; repeating helps unless `retriable` is false (no such shop, or more than a storefront may
    load).
    """

    ok: bool
    revision: int | None = None
    reasons: Sequence[str] = ()
    retriable: bool = True


class TooLargeError(ServiceError):
    """The configuration is larger than a storefront should load."""

    status = 422
    code = "code_budget_exceeded"


class PublicationContendedError(ServiceError):
    """Others flipped the pointer each time; they had older states, so this one must be repeated."""

    status = 503
    code = "service_unavailable"

    def __init__(self) -> None:
        super().__init__("other publications of the shop were faster; repeat")


class OvertakenError(Exception):
    """A newer publication stands; `environments` are those that it names."""

    def __init__(self, environments: Sequence[str] = ()) -> None:
        super().__init__("a newer publication stands")
        self.environments = environments
