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
