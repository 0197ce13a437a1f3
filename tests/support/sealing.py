"""A key service of this process: AES-GCM under a key that lives as long as the test."""

from __future__ import annotations

import base64
import os
from collections.abc import Mapping

from cryptography.exceptions import InvalidTag
from cryptography.hazmat.primitives.ciphers.aead import AESGCM

from abtest.domain.webhooks.endpoint import Sealed
from abtest.kit import canonical_json
from abtest.ports.sealer import SealBrokenError

NONCE_BYTES = 12


class LocalSealer:
    """Seals as KMS does: nothing is opened without its context."""

    def __init__(self) -> None:
        self._key = AESGCM(AESGCM.generate_key(256))

    def seal(self, text: str, context: Mapping[str, str]) -> Sealed:
        nonce = os.urandom(NONCE_BYTES)
        sealed = nonce + self._key.encrypt(nonce, text.encode(), canonical_json.encode(dict(context)))
        return Sealed(base64.b64encode(sealed).decode())

    def open(self, sealed: Sealed, context: Mapping[str, str]) -> str:
        content = base64.b64decode(sealed.text)
        try:
            found = self._key.decrypt(
                content[:NONCE_BYTES], content[NONCE_BYTES:], canonical_json.encode(dict(context))
            )
        except InvalidTag as error:
            raise SealBrokenError from error
        return found.decode()
