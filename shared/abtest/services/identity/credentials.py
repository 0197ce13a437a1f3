"""Parts of a WebAuthn credential that are read before it is verified: its challenge, and the user that it names."""

import json
from base64 import urlsafe_b64decode
from binascii import Error as NotBase64
from collections.abc import Mapping
from typing import Any

from abtest.ports.passkeys import InvalidCredentialError, Json


def challenge_in(credential: Json) -> str:
    """Return the challenge that a credential claims to answer. Raises InvalidCredentialError."""
    client_data = _decoded(_response(credential).get("clientDataJSON"))
    try:
        challenge = json.loads(client_data)["challenge"]
    except (ValueError, KeyError, TypeError, RecursionError) as error:
        raise InvalidCredentialError from error
    if not isinstance(challenge, str):
        raise InvalidCredentialError
    return challenge


def is_handle(credential: Json, user_id: str) -> bool:
    """Return whether the user handle is that of the user; authenticators may leave it out."""
    handle = _response(credential).get("userHandle")
    return handle is None or _decoded(handle) == user_id.encode()


def _response(credential: Json) -> Mapping[str, Any]:
    response = credential.get("response")
    if not isinstance(response, Mapping) or not isinstance(credential.get("id"), str):
        raise InvalidCredentialError
    return response


def _decoded(text: object) -> bytes:
    if not isinstance(text, str):
        raise InvalidCredentialError
    try:
        return urlsafe_b64decode(text + "=" * (-len(text) % 4))
    except (NotBase64, ValueError) as error:
        raise InvalidCredentialError from error
