"""Outcome of a publication, and its errors."""

from collections.abc import Sequence
from dataclasses import dataclass

from abtest.kit.errors import ServiceError


@dataclass(frozen=True, slots=True, kw_only=True)
class PublicationOutcome:
    """Outcome: `ok` when shoppers get the present state, which is that of `revision` or a later one.

    `ok` with reasons: published, but parts were left out. Not `ok`: shoppers still get what was published before, at
    least in one environment; a repetition helps unless `retriable` is false (no such shop, or more code than a
    storefront may load).
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
    """Other publications with older states flipped the pointer each time, so this one must be repeated."""

    status = 503
    code = "service_unavailable"

    def __init__(self) -> None:
        super().__init__("other publications of the shop were faster; repeat")


class OvertakenError(Exception):
    """A newer publication is current; `environments` are those that it names."""

    def __init__(self, environments: Sequence[str] = ()) -> None:
        super().__init__("a newer publication is current")
        self.environments = environments
