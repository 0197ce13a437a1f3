"""Encryption of secrets under a key of KMS, with a cache of opened texts so that sending does not wait for KMS.

The content of a sealed text never changes, so a cached text can only be stale in one way: the key was disabled since.
"""

import base64
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.domain.webhooks.endpoint import Sealed
from abtest.kit.clock import Clock
from abtest.ports.sealer import SealBrokenError, SealingUnavailableError

KEPT = timedelta(minutes=5)
MOST_KEPT = 1000

_BROKEN_CODES = {"InvalidCiphertextException", "IncorrectKeyException"}
_UNAVAILABLE_CODES = aws.BUSY_CODES | {
    "DependencyTimeoutException",
    "DisabledException",
    "KMSInternalException",
    "KMSInvalidStateException",
    "KeyUnavailableException",
}
"""Codes when the service is down or an operator has disabled the key; the sealed text itself is valid."""

_Key = tuple[str, frozenset[tuple[str, str]]]


class KmsSealer:
    """Sealer with the KMS key of this ARN. The context is KMS's encryption context, which CloudTrail records."""

    def __init__(self, key_arn: str, clock: Clock) -> None:
        self._key_arn = key_arn
        self._clock = clock
        self._lock = threading.Lock()
        self._open: OrderedDict[_Key, tuple[str, datetime]] = OrderedDict()

    def seal(self, text: str, context: Mapping[str, str]) -> Sealed:
        with _translated_errors():
            answer = aws.kms().encrypt(KeyId=self._key_arn, Plaintext=text.encode(), EncryptionContext=dict(context))
        return Sealed(base64.b64encode(answer["CiphertextBlob"]).decode())

    def open(self, sealed: Sealed, context: Mapping[str, str]) -> str:
        key = sealed.text, frozenset(context.items())
        now = self._clock.now()
        with self._lock:
            text, until = self._open.get(key, ("", now))
        if now < until:
            return text
        # Without the lock, so that other texts can be opened meanwhile. Two threads may open the same text, which is
        # harmless.
        text = self._decrypt(sealed, context)
        with self._lock:
            self._open[key] = text, now + KEPT
            self._open.move_to_end(key)
            while len(self._open) > MOST_KEPT:
                self._open.popitem(last=False)
        return text

    def _decrypt(self, sealed: Sealed, context: Mapping[str, str]) -> str:
        try:
            # Without `validate`, characters outside of the alphabet would be skipped.
            content = base64.b64decode(sealed.text, validate=True)
        except ValueError as error:
            raise SealBrokenError("the sealed text is not base64") from error
        # botocore refuses an empty blob with a BotoCoreError, which would count as an unavailable service.
        if not content:
            raise SealBrokenError("the sealed text is empty")
        with _translated_errors():
            # KMS does not need the key's id here. With it, a text that was sealed under another key is refused.
            answer = aws.kms().decrypt(KeyId=self._key_arn, CiphertextBlob=content, EncryptionContext=dict(context))
        return answer["Plaintext"].decode()


@contextmanager
def _translated_errors() -> Iterator[None]:
    """Raise SealBrokenError or SealingUnavailableError for errors of KMS that mean so; other errors pass."""
    try:
        yield
    except BotoCoreError as error:
        raise SealingUnavailableError from error
    except ClientError as error:
        code = error.response.get("Error", {}).get("Code", "")
        if code in _BROKEN_CODES:
            raise SealBrokenError("the key does not open the sealed text, or not in this context") from error
        if code in _UNAVAILABLE_CODES:
            raise SealingUnavailableError from error
        raise
