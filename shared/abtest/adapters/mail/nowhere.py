"""Mail in a deployment without a sender."""

from abtest.ports.mailer import Mail, MailUnavailableError


class NoMailer:
    """Refuses every mail."""

    is_configured = False

    def send(self, mail: Mail) -> None:  # noqa: ARG002 - the port's
        raise MailUnavailableError("this deployment sends no mail: its operator must set MailFrom")
