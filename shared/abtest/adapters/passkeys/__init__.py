"""Passkeys by the library webauthn. Only sign-in to the console loads it."""

from abtest.adapters.passkeys.ceremonies import WebAuthnPasskeys

__all__ = ["WebAuthnPasskeys"]
