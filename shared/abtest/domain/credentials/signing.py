"""Signatures that only we make and check, all derived from the deployment's root keys.

A root key has a kid; two are valid while one replaces the other. Each purpose has a key of its own,
HMAC-SHA256(root, purpose), so that a signature made for one purpose is worth nothing for another.
"""

import hmac
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from hashlib import sha256
from typing import Literal

from abtest.domain.credentials.ingest_epochs import FIRST

Purpose = Literal["ingest", "ingest-secret", "cursor", "preview", "handoff", "handover"]

SERVER_TOLERANCE_SECONDS = 300


@dataclass(frozen=True, slots=True)
class RootKeys:
    """Root keys by kid; `active` signs, all verify."""

    active: str
    keys: Mapping[str, bytes]

    @classmethod
    def from_secret(cls, document: Mapping[str, str]) -> "RootKeys":
        """Read the stored secret `{"active": "k1", "k1": "…"}`. Raises KeyError when the active key is missing."""
        keys = {kid: text.encode() for kid, text in document.items() if kid != "active"}
        active = document["active"]
        if active not in keys:
            raise KeyError(active)
        return cls(active=active, keys=keys)

    def derive(self, purpose: Purpose, kid: str | None = None) -> bytes:
        """Return the key of one purpose. Raises KeyError for an unknown kid."""
        return mac(self.keys[kid or self.active], purpose.encode())


def mac(key: bytes, message: bytes) -> bytes:
    """Return the HMAC-SHA256 of a message."""
    return hmac.new(key, message, sha256).digest()


def browser_signature(roots: RootKeys, shop_id: str, kid: str | None = None) -> str:
    """Return the fixed ingest signature of a shop, which its snippet contains: `v1.<kid>.<hex>`."""
    used = kid or roots.active
    return f"v1.{used}.{mac(roots.derive('ingest', used), f'ingest:v1:{shop_id}'.encode()).hex()}"


def is_browser_signature(roots: RootKeys, shop_id: str, signature: str) -> bool:
    """Return whether the signature is the shop's under any live kid; constant-time in the signature."""
    version, _, rest = signature.partition(".")
    kid, _, _ = rest.partition(".")
    if version != "v1" or kid not in roots.keys:
        return False
    return _same(signature, browser_signature(roots, shop_id, kid))


def ingest_secret(roots: RootKeys, shop_id: str, kid: str | None = None, epoch: int = FIRST) -> str:
    """Return the shop's secret for server-side ingest in an epoch, hex."""
    # The first epoch is older than rotations, and its secrets are in use.
    message = shop_id if epoch == FIRST else f"{shop_id}#{epoch}"
    return mac(roots.derive("ingest-secret", kid), message.encode()).hex()


def server_signature(secret: str, unix_seconds: int, body: bytes) -> str:
    """Return the ingest signature of one request from a shop's server: `t=<unix>,v1=<hex>`."""
    return f"t={unix_seconds},v1={mac(secret.encode(), f'{unix_seconds}.'.encode() + body).hex()}"


def is_server_signature(
    roots: RootKeys, shop_id: str, signature: str, body: bytes, now_seconds: int, epochs: Sequence[int] = (FIRST,)
) -> bool:
    """Return whether the signature is right under a live kid in a live epoch, and at most five minutes from now."""
    stamp = signature.partition(",")[0].removeprefix("t=")
    # isdigit() alone accepts `²`, for which int() raises; int() also raises for texts of thousands of digits.
    if not (stamp.isascii() and stamp.isdigit() and len(stamp) <= 12):
        return False
    if abs(now_seconds - int(stamp)) > SERVER_TOLERANCE_SECONDS:
        return False
    # The signature of a server names neither kid nor epoch, so each live pair is tried.
    secrets = (ingest_secret(roots, shop_id, kid, epoch) for kid in roots.keys for epoch in epochs)
    return any(_same(signature, server_signature(secret, int(stamp), body)) for secret in secrets)


def _same(given: str, right: str) -> bool:
    return hmac.compare_digest(given.encode(errors="surrogatepass"), right.encode())
