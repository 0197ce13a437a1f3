"""Envelope of a delivery: its body, and the headers that identify the event and prove that it is ours.

Two families of headers carry the same secret: those of the service, and those of the Standard Webhooks specification
(https://github.com/standard-webhooks/standard-webhooks, version 1), for which libraries exist in most languages.
"""

import base64
import binascii
import hashlib
import hmac
from collections.abc import Mapping, Sequence
from typing import Any

from abtest.kit import canonical_json
from abtest.kit.clock import Timestamp

SECRET_PREFIX = "whsec_"  # noqa: S105 - what secrets begin with
SECRET_BYTES = 32
USER_AGENT = "Service-Webhooks/1.0"
SIGNATURE, PREVIOUS_SIGNATURE = "X-Service-Signature", "X-Service-Signature-Previous"


def secret_of(key: bytes) -> str:
    """Return a signing secret in the form that receivers get."""
    return SECRET_PREFIX + base64.b64encode(key).decode()


def serialized(
    payload: Mapping[str, Any], *, event: str, delivery_id: str, timestamp: Timestamp, is_test: bool = False
) -> bytes:
    """Return the body: the event's fields with its name, the delivery's id, and the moment of serialization."""
    # The fields of the envelope come last, so that a payload cannot replace them.
    body = {**payload, "event": event, "delivery_id": delivery_id, "timestamp": timestamp}
    return canonical_json.encode(body | {"test": True} if is_test else body)


def headers(body: bytes, *, event: str, delivery_id: str, at: int, secrets: Sequence[str]) -> dict[str, str]:
    """Return the headers of a body; `at` in Unix seconds, `secrets` in the receivers' form, the newest first."""
    own = [service_signature(secret, body) for secret in secrets]
    standard = [standard_signature(secret, body, delivery_id=delivery_id, at=at) for secret in secrets]
    fields = {
        "Content-Type": "application/json",
        "User-Agent": USER_AGENT,
        "X-Service-Event": event,
        "X-Service-Delivery-Id": delivery_id,
        SIGNATURE: own[0],
        "webhook-id": delivery_id,
        "webhook-timestamp": str(at),
        "webhook-signature": " ".join(standard),
    }
    return fields | {PREVIOUS_SIGNATURE: own[1]} if len(own) > 1 else fields


def service_signature(secret: str, body: bytes) -> str:
    """Return `sha256=` and the hex HMAC-SHA256 of the body, whose key is the whole text of the secret."""
    return "sha256=" + hmac.new(secret.encode(), body, hashlib.sha256).hexdigest()


def standard_signature(secret: str, body: bytes, *, delivery_id: str, at: int) -> str:
    """Return `v1,` and the base64 HMAC-SHA256 of `<id>.<seconds>.<body>`, whose key is the decoded secret.

    Raises ValueError for a secret of another form.
    """
    try:
        # Without `validate` other characters are dropped: a damaged secret would sign with another key.
        key = base64.b64decode(secret.removeprefix(SECRET_PREFIX), validate=True)
    except binascii.Error as error:
        raise ValueError("a secret must be whsec_ followed by base64") from error
    signed = hmac.new(key, f"{delivery_id}.{at}.".encode() + body, hashlib.sha256).digest()
    return "v1," + base64.b64encode(signed).decode()
