"""Composition root of sign-in to the console."""

from abtest.services.identity.sign_in import SignIn
from abtest.wiring.api import Management, Uses


def identity_uses(base: Management) -> Uses:
    """Return the use cases of sign-in."""
    return {
        SignIn: SignIn(
            base.world,
            base.session_store,
            base.session_admission,
            base.authentication,
            allow_local=base.settings.allow_local_sign_in == "true",
        ),
    }
