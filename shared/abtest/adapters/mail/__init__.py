"""Mail by SES, and as files of a local stack."""

from abtest.adapters.mail.files import FileMailer
from abtest.adapters.mail.nowhere import NoMailer
from abtest.adapters.mail.ses import SesMailer

__all__ = ["FileMailer", "NoMailer", "SesMailer"]
