"""Electronic mail to people who sign in."""

from dataclasses import dataclass
from typing import Protocol

from abtest.kit.errors import ServiceError


class MailUnavailableError(ServiceError):
    """Mail that the deployment cannot send: it has no sender, or the mail service does not take it."""

    status = 503
    code = "mail_unavailable"


@dataclass(frozen=True, slots=True, kw_only=True)
class Mail:
    """A message of plain text to one address. `secret` is what the log of a local stack may show of it."""

    to: str
    subject: str
    text: str
    secret: str = ""


class Mailer(Protocol):
    """Sender of mail."""

    @property
    def is_configured(self) -> bool:
        """False in a deployment that sends no mail at all."""
        ...

    def send(self, mail: Mail) -> None:
        """Hand the mail to the mail service. Raises MailUnavailableError."""
        ...
