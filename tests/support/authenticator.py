"""A passkey in software: it makes and signs what browsers send (WebAuthn, sections 6.1, 6.5 and 5.8.1)."""

from __future__ import annotations

import json
import struct
from base64 import urlsafe_b64decode, urlsafe_b64encode
from dataclasses import dataclass, field
from hashlib import sha256
from secrets import token_bytes
from typing import Any

import cbor2
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256

PRESENT, VERIFIED, ATTESTED = 0x01, 0x04, 0x40


def text_of(value: bytes) -> str:
    """Return URL-safe base64 without padding."""
    return urlsafe_b64encode(value).rstrip(b"=").decode()


def bytes_of(text: str) -> bytes:
    """Return the bytes of URL-safe base64 without padding."""
    return urlsafe_b64decode(text + "=" * (-len(text) % 4))


@dataclass
class Authenticator:
    """One credential for ECDSA with P-256. Tests change `origin`, `flags` or `count` to make it lie."""

    origin: str = "https://api.test"
    flags: int = PRESENT | VERIFIED
    count: int = 0
    credential_id: bytes = field(default_factory=lambda: token_bytes(32))
    key: ec.EllipticCurvePrivateKey = field(default_factory=lambda: ec.generate_private_key(ec.SECP256R1()))
    user_handle: bytes = b""
    rp_id: str = ""

    def create(self, options: dict[str, Any]) -> dict[str, Any]:
        """Make the credential that the options of a registration describe."""
        self.rp_id, self.user_handle = options["rp"]["id"], bytes_of(options["user"]["id"])
        numbers = self.key.public_key().public_numbers()
        cose = {1: 2, 3: -7, -1: 1, -2: numbers.x.to_bytes(32, "big"), -3: numbers.y.to_bytes(32, "big")}
        attested = bytes(16) + struct.pack(">H", len(self.credential_id)) + self.credential_id + cbor2.dumps(cose)
        data = self._data(self.flags | ATTESTED) + attested
        response = {
            "clientDataJSON": self._client_data("webauthn.create", options["challenge"]),
            "attestationObject": text_of(cbor2.dumps({"fmt": "none", "attStmt": {}, "authData": data})),
            "transports": ["internal", "hybrid", "unknown to us"],
        }
        return self._credential(response)

    def get(self, options: dict[str, Any]) -> dict[str, Any]:
        """Sign the challenge of a sign-in."""
        self.count += 1
        data = self._data(self.flags)
        client_data = self._client_data("webauthn.get", options["challenge"])
        signed = data + sha256(bytes_of(client_data)).digest()
        response = {
            "clientDataJSON": client_data,
            "authenticatorData": text_of(data),
            "signature": text_of(self.key.sign(signed, ec.ECDSA(SHA256()))),
            "userHandle": text_of(self.user_handle),
        }
        return self._credential(response)

    def _data(self, flags: int) -> bytes:
        return sha256(self.rp_id.encode()).digest() + bytes([flags]) + struct.pack(">I", self.count)

    def _client_data(self, kind: str, challenge: str) -> str:
        client_data = {"type": kind, "challenge": challenge, "origin": self.origin, "crossOrigin": False}
        return text_of(json.dumps(client_data).encode())

    def _credential(self, response: dict[str, Any]) -> dict[str, Any]:
        name = text_of(self.credential_id)
        return {"id": name, "rawId": name, "type": "public-key", "clientExtensionResults": {}, "response": response}
