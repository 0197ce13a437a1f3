"""Encryption of stored secrets: sealed before they are stored, opened only where they are used."""

from collections.abc import Mapping
from typing import Protocol

from abtest.domain.webhooks.endpoint import Sealed
from abtest.kit.errors import ServiceError


class SealBrokenError(Exception):
    """Sealed text that cannot be opened: it was altered, or it was sealed with another key or context."""


class SealingUnavailableError(ServiceError):
    """Key service that does not respond, or that does not permit the use of the key at present."""

    status = 503
    code = "service_unavailable"

    def __init__(self) -> None:
        super().__init__("secrets cannot be sealed or opened; repeat the request in 1 s", headers={"Retry-After": "1"})


class Sealer(Protocol):
    """Encryption with a key that never leaves its service.

    `context` names the owner of the text (`{"shop_id", "webhook_id"}`). It is not secret, and the same context is
    needed to open the text. Both calls may raise SealingUnavailableError.
    """

    def seal(self, text: str, context: Mapping[str, str]) -> Sealed:
        """Return the text encrypted under a context."""
        ...

    def open(self, sealed: Sealed, context: Mapping[str, str]) -> str:
        """Return the text. Raises SealBrokenError when the seal or the context is not the right one."""
        ...
