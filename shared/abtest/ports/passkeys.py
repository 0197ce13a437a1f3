"""Passkeys: the ceremonies of WebAuthn (Level 2, sections 7.1 and 7.2) for one origin."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

Json = Mapping[str, Any]
"""A document of WebAuthn as browsers make and take it (`toJSON`, `parseCreationOptionsFromJSON`)."""


class InvalidCredentialError(Exception):
    """Credential that the browser sent and that does not prove what it must, or that cannot be read."""


@dataclass(frozen=True, slots=True, kw_only=True)
class NewCredential:
    """A verified new credential: id and public key (COSE) in URL-safe base64 without padding."""

    credential_id: str
    public_key: str
    sign_count: int
    transports: tuple[str, ...]


class Passkeys(Protocol):
    """Ceremonies. User verification is required in all of them. `challenge` is URL-safe base64 without padding."""

    def registration_options(
        self, *, user_id: str, user_name: str, challenge: str, credential_ids: Sequence[str]
    ) -> Json:
        """Return the options with which a browser makes a passkey; `credential_ids` are those the user has."""
        ...

    def registered(self, credential: Json, *, challenge: str) -> NewCredential:
        """Return the credential that a browser made. Raises InvalidCredentialError."""
        ...

    def authentication_options(self, *, challenge: str) -> Json:
        """Return the options with which a browser uses any passkey of this origin."""
        ...

    def authenticated(self, credential: Json, *, challenge: str, public_key: str, sign_count: int) -> int:
        """Return the new sign count of a credential that was used. Raises InvalidCredentialError."""
        ...
