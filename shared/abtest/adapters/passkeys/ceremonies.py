"""Ceremonies of WebAuthn by the library webauthn, which verifies formats, signatures, origin and flags."""

import json
from collections.abc import Mapping, Sequence
from typing import Any
from urllib.parse import urlsplit

from webauthn import (
    generate_authentication_options,
    generate_registration_options,
    options_to_json,
    verify_authentication_response,
    verify_registration_response,
)
from webauthn.helpers import base64url_to_bytes, bytes_to_base64url
from webauthn.helpers.structs import (
    AuthenticatorSelectionCriteria,
    PublicKeyCredentialDescriptor,
    ResidentKeyRequirement,
    UserVerificationRequirement,
)

from abtest.ports.passkeys import InvalidCredentialError, Json, NewCredential

_TRANSPORTS = frozenset({"ble", "cable", "hybrid", "internal", "nfc", "smart-card", "usb"})


class WebAuthnPasskeys:
    """Passkeys of one origin, whose host is the RP id. Neither is ever taken from a request."""

    def __init__(self, origin: str, name: str) -> None:
        self._origin = origin
        self._rp_id = urlsplit(origin).hostname or ""
        self._name = name

    def registration_options(
        self, *, user_id: str, user_name: str, challenge: str, credential_ids: Sequence[str]
    ) -> Json:
        options = generate_registration_options(
            rp_id=self._rp_id,
            rp_name=self._name,
            user_id=user_id.encode(),
            user_name=user_name,
            challenge=base64url_to_bytes(challenge),
            exclude_credentials=[PublicKeyCredentialDescriptor(id=base64url_to_bytes(each)) for each in credential_ids],
            authenticator_selection=AuthenticatorSelectionCriteria(
                resident_key=ResidentKeyRequirement.REQUIRED,
                user_verification=UserVerificationRequirement.REQUIRED,
            ),
        )
        return _json(options)

    def registered(self, credential: Json, *, challenge: str) -> NewCredential:
        try:
            made = verify_registration_response(
                credential=dict(credential),
                expected_challenge=base64url_to_bytes(challenge),
                expected_rp_id=self._rp_id,
                expected_origin=self._origin,
                require_user_verification=True,
            )
        except Exception as error:  # the library raises more than its own errors for malformed bytes
            raise InvalidCredentialError(type(error).__name__) from error
        return NewCredential(
            credential_id=bytes_to_base64url(made.credential_id),
            public_key=bytes_to_base64url(made.credential_public_key),
            sign_count=made.sign_count,
            transports=_transports(credential),
        )

    def authentication_options(self, *, challenge: str) -> Json:
        options = generate_authentication_options(
            rp_id=self._rp_id,
            challenge=base64url_to_bytes(challenge),
            user_verification=UserVerificationRequirement.REQUIRED,
        )
        return _json(options)

    def authenticated(self, credential: Json, *, challenge: str, public_key: str, sign_count: int) -> int:
        try:
            used = verify_authentication_response(
                credential=dict(credential),
                expected_challenge=base64url_to_bytes(challenge),
                expected_rp_id=self._rp_id,
                expected_origin=self._origin,
                credential_public_key=base64url_to_bytes(public_key),
                credential_current_sign_count=sign_count,
                require_user_verification=True,
            )
        except Exception as error:  # as above
            raise InvalidCredentialError(type(error).__name__) from error
        return int(used.new_sign_count)


def _json(options: Any) -> Json:
    document: dict[str, Any] = json.loads(options_to_json(options))
    return document


def _transports(credential: Json) -> tuple[str, ...]:
    response = credential.get("response")
    given = response.get("transports") if isinstance(response, Mapping) else None
    return tuple(sorted({each for each in given if each in _TRANSPORTS})) if isinstance(given, list) else ()
