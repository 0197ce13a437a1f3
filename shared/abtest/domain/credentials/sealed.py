"""Sealed documents, which we sign and get back: `v1.<kid>.<base64url(JSON)>.<base64url(HMAC-SHA256)>`.

The signature is over `<label>:` and the first three parts, with the key that derives from root key `kid` and a purpose.
"""

import hmac
from base64 import urlsafe_b64decode, urlsafe_b64encode
from binascii import Error as Base64Error
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

from abtest.domain.credentials.signing import Purpose, RootKeys, mac
from abtest.kit import canonical_json


class BrokenSealError(ValueError):
    """The text is not a document that we sealed for this purpose."""


@dataclass(frozen=True, slots=True)
class Seal:
    """Purpose of sealed documents, and the label that their signatures begin with."""

    purpose: Purpose
    label: str

    def close(self, roots: RootKeys, document: Mapping[str, object]) -> str:
        """Return the sealed form, under the active key."""
        signed = f"v1.{roots.active}.{_encoded(canonical_json.encode(document))}"
        return f"{signed}.{self._signature(roots, roots.active, signed)}"

    def open(self, roots: RootKeys, text: str) -> Mapping[str, Any]:
        """Return the document; its signature is compared in constant time before parsing. Raises BrokenSealError."""
        signed, _, signature = text.rpartition(".")
        version, kid, content = (*signed.split("."), "", "")[:3]
        if version != "v1" or kid not in roots.keys or signed.count(".") != 2:
            raise BrokenSealError("not a token of this service")
        # Bytes, because compare_digest raises for texts that are not ASCII.
        if not hmac.compare_digest(signature.encode(errors="replace"), self._signature(roots, kid, signed).encode()):
            raise BrokenSealError("the signature is not ours")
        try:
            # `_encoded` drops the padding, which the decoder requires.
            document: Mapping[str, Any] = canonical_json.loads(urlsafe_b64decode(content + "=" * (-len(content) % 4)))
        except (Base64Error, canonical_json.InvalidJsonError) as error:
            raise BrokenSealError("not a token of this service") from error
        return document

    def _signature(self, roots: RootKeys, kid: str, signed: str) -> str:
        return _encoded(mac(roots.derive(self.purpose, kid), f"{self.label}:{signed}".encode(errors="replace")))


def _encoded(content: bytes) -> str:
    return urlsafe_b64encode(content).decode().rstrip("=")
