"""Texts of the mails to people who sign in. Plain text: nothing in them is loaded or hidden."""

from abtest.domain.identity.people import INVITATION_LIFETIME
from abtest.ports.mailer import Mail


def invitation_mail(to: str, shop_name: str, link: str) -> Mail:
    """Build the mail with the link of an invitation."""
    text = (
        f"You are invited to the console of {shop_name}.\n\n"
        f"Open this link within {INVITATION_LIFETIME.days} days to accept:\n{link}\n\n"
        "The link works once. If you do not know the shop, ignore this mail."
    )
    return Mail(to=to, subject=f"Invitation to {shop_name}", text=text, secret=link)


def code_mail(to: str, code: str) -> Mail:
    """Build the mail with a code."""
    text = (
        f"Your code for the console: {code}\n\n"
        "Type it in the window where you requested it, within 10 minutes. Give it to no one.\n"
        "If you did not request it, ignore this mail."
    )
    return Mail(to=to, subject=f"Your code: {code}", text=text, secret=code)


def notice_mail(to: str, replaceable_at: str) -> Mail:
    """Build the notice that passkeys may be replaced."""
    text = (
        "Someone who signed in with a code to this address has requested to replace all passkeys of your account in "
        f"the console. This is possible from {replaceable_at} on.\n\n"
        "If this was not you, sign in with one of your passkeys: the request then ends."
    )
    return Mail(to=to, subject="Your passkeys will be replaced", text=text)


def passkey_mail(to: str, name: str, verb: str) -> Mail:
    """Build the notice that a passkey was added to, or removed from, an account."""
    text = (
        f"The passkey “{name}” was {verb} your account in the console.\n\n"
        "If this was not you, sign in, remove what you do not know, end all other sessions, and inform an admin."
    )
    return Mail(to=to, subject=f"A passkey was {verb} your account", text=text)


def address_mail(to: str) -> Mail:
    """Build the notice to a former address."""
    text = "Your account in the console has another address now. If this was not you, inform an admin at once."
    return Mail(to=to, subject="The address of your account was changed", text=text)
