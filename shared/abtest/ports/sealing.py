"""Secrets that are kept: sealed on their way in, opened only where they are used."""

from collections.abc import Mapping
from typing import Protocol

from abtest.domain.webhooks.endpoint import Sealed
from abtest.kit.errors import ServiceError


class SealBrokenError(Exception):
    """What was sealed cannot be opened: it is no seal of ours, or of something else than the context says."""


class SealingUnavailableError(ServiceError):
    """The key service does not answer, or does not let us use the key at present."""

    status = 503
    code = "service_unavailable"

    def __init__(self) -> None:
        super().__init__("secrets cannot be sealed or opened; repeat the request in 1 s", headers={"Retry-After": "1"})


class Sealer(Protocol):
    """Seals texts under a key that never leaves its service.

    `context` says what the text belongs to (`{"shop_id", "webhook_id"}`); it is not secret, and without it nothing is
    opened. Both raise SealingUnavailableError.
    """

    def seal(self, text: str, context: Mapping[str, str]) -> Sealed:
        """The text, sealed."""
        ...

    def open(self, sealed: Sealed, context: Mapping[str, str]) -> str:
        """The text. Raises SealBrokenError."""
        ...
