"""Mail as files in a folder, for local stacks: nothing leaves the machine."""

import logging
from pathlib import Path
from time import time_ns

from abtest.ports.mailer import Mail, MailUnavailableError

log = logging.getLogger(__name__)


class FileMailer:
    """Writes each mail into the folder, and its code or link into the log."""

    is_configured = True

    def __init__(self, folder: str) -> None:
        self._folder = Path(folder)

    def send(self, mail: Mail) -> None:
        try:
            self._folder.mkdir(parents=True, exist_ok=True)
            file = self._folder / f"{time_ns()}.txt"
            file.write_text(f"To: {mail.to}\nSubject: {mail.subject}\n\n{mail.text}\n")
        except OSError as error:
            raise MailUnavailableError("the mail could not be written") from error
        log.warning("mail to %s in %s: %s", mail.to, file, mail.secret)
