"""Mail by Amazon SES."""

import logging
from functools import partial

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.ports.mailer import Mail, MailUnavailableError

log = logging.getLogger(__name__)


class SesMailer:
    """Sends from one address, which the account of the deployment has verified."""

    is_configured = True

    def __init__(self, sender: str) -> None:
        self._sender = sender

    def send(self, mail: Mail) -> None:
        content = {
            "Simple": {
                "Subject": {"Data": mail.subject, "Charset": "UTF-8"},
                "Body": {"Text": {"Data": mail.text, "Charset": "UTF-8"}},
            }
        }
        send = partial(
            aws.ses().send_email,
            FromEmailAddress=self._sender,
            Destination={"ToAddresses": [mail.to]},
            Content=content,
        )
        try:
            aws.called("sesv2", send)
        except (BotoCoreError, ClientError) as error:
            # The text of the error may repeat the address, so only its kind is shown and logged.
            log.warning("mail.failed: %s", type(error).__name__)
            raise MailUnavailableError("the mail could not be sent; try again in a minute") from error
