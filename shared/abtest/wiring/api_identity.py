"""Composition root of sign-in to the console."""

import time
from collections.abc import Callable

from abtest.adapters.mail import FileMailer, NoMailer, SesMailer
from abtest.adapters.passkeys import WebAuthnPasskeys
from abtest.ports.mailer import Mailer
from abtest.ports.passkeys import Passkeys
from abtest.services.identity.acceptance import Acceptance
from abtest.services.identity.codes import EmailCodes
from abtest.services.identity.passkeys import UserPasskeys
from abtest.services.identity.people import People
from abtest.services.identity.sign_in import SignIn
from abtest.wiring.api import Management, Uses

NAME = "A/B testing"
"""Name of the service in the dialogs of browsers and passkey managers."""

FOLDER = "file:"
"""Begins the setting of a local stack, whose mails are files."""


def identity_uses(
    base: Management,
    mailer: Mailer | None = None,
    ceremonies: Passkeys | None = None,
    sleep: Callable[[float], None] = time.sleep,
) -> Uses:
    """Return the use cases of sign-in; the other arguments replace what the deployment has."""
    mails = mailer or mailer_of(base.settings.mail_from)
    origin = base.settings.console_origin
    passkeys = ceremonies or (WebAuthnPasskeys(origin, NAME) if origin else None)
    return {
        SignIn: SignIn(
            base.world,
            base.session_store,
            base.session_admission,
            base.authentication,
            allow_local=base.settings.allow_local_sign_in == "true",
        ),
        UserPasskeys: UserPasskeys(base.world, base.session_store, base.limiter, mails, passkeys),
        EmailCodes: EmailCodes(base.world, base.session_store, base.sign_ins, base.limiter, mails, sleep),
        People: People(base.world, base.limiter, mails, origin=origin),
        Acceptance: Acceptance(base.world, base.session_store),
    }


def mailer_of(sender: str) -> Mailer:
    """Return the mailer of a setting: an address, `file:` and a folder, or empty for none."""
    if sender.startswith(FOLDER):
        return FileMailer(sender.removeprefix(FOLDER))
    return SesMailer(sender) if sender else NoMailer()
