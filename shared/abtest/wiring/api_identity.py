"""Composition root of sign-in to the console."""

from abtest.adapters.mail import FileMailer, NoMailer, SesMailer
from abtest.ports.mailer import Mailer
from abtest.services.identity.acceptance import Acceptance
from abtest.services.identity.people import People
from abtest.services.identity.sign_in import SignIn
from abtest.wiring.api import Management, Uses

FOLDER = "file:"
"""Begins the setting of a local stack, whose mails are files."""


def identity_uses(base: Management, mailer: Mailer | None = None) -> Uses:
    """Return the use cases of sign-in; `mailer` replaces the deployment's."""
    mails = mailer or mailer_of(base.settings.mail_from)
    return {
        SignIn: SignIn(
            base.world,
            base.session_store,
            base.session_admission,
            base.authentication,
            allow_local=base.settings.allow_local_sign_in == "true",
        ),
        People: People(base.world, base.limiter, mails, origin=base.settings.console_origin),
        Acceptance: Acceptance(base.world, base.session_store),
    }


def mailer_of(sender: str) -> Mailer:
    """Return the mailer of a setting: an address, `file:` and a folder, or empty for none."""
    if sender.startswith(FOLDER):
        return FileMailer(sender.removeprefix(FOLDER))
    return SesMailer(sender) if sender else NoMailer()
