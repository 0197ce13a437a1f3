"""Sealing under a key of KMS. What was opened is kept for five minutes, so that sending does not wait for it.

A seal never changes what it holds: keeping it open longer than the key lives is all that could go wrong.
"""

import base64
import threading
from collections import OrderedDict
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from datetime import datetime, timedelta
from typing import NoReturn

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.domain.webhooks.endpoint import Sealed
from abtest.kit.clock import Clock
from abtest.ports.sealer import SealBrokenError, SealingUnavailableError

KEPT = timedelta(minutes=5)
MOST_KEPT = 1000

_BROKEN_CODES = {"InvalidCiphertextException", "IncorrectKeyException"}
_SILENT_CODES = {
    "DependencyTimeoutException",
    "DisabledException",
    "KMSInternalException",
    "KMSInvalidStateException",
    "KeyUnavailableException",
}
"""The service is unwell, or an operator has switched the key off: nothing is wrong with what is asked."""

_Key = tuple[str, frozenset[tuple[str, str]]]


class KmsSealer:
    """Seals under the key with this ARN; the context is KMS's encryption context, which its log of calls shows."""

    def __init__(self, key_arn: str, clock: Clock) -> None:
        self._key_arn = key_arn
        self._clock = clock
        self._lock = threading.Lock()
        self._open: OrderedDict[_Key, tuple[str, datetime]] = OrderedDict()

    def seal(self, text: str, context: Mapping[str, str]) -> Sealed:
        with _told():
            answer = aws.kms().encrypt(KeyId=self._key_arn, Plaintext=text.encode(), EncryptionContext=dict(context))
        return Sealed(base64.b64encode(answer["CiphertextBlob"]).decode())

    def open(self, sealed: Sealed, context: Mapping[str, str]) -> str:
        key = sealed.text, frozenset(context.items())
        now = self._clock.now()
        with self._lock:
            text, until = self._open.get(key, ("", now))
        if now < until:
            return text
        text = self._opened(sealed, context)
        self._keep(key, text, now + KEPT)
        return text

    def _opened(self, sealed: Sealed, context: Mapping[str, str]) -> str:
        content = _content(sealed)
        with _told():
            answer = aws.kms().decrypt(KeyId=self._key_arn, CiphertextBlob=content, EncryptionContext=dict(context))
        return answer["Plaintext"].decode()

    def _keep(self, key: _Key, text: str, until: datetime) -> None:
        with self._lock:
            self._open[key] = text, until
            self._open.move_to_end(key)
            while len(self._open) > MOST_KEPT:
                self._open.popitem(last=False)


def _content(sealed: Sealed) -> bytes:
    try:
        content = base64.b64decode(sealed.text, validate=True)
    except ValueError as error:
        raise SealBrokenError("what was sealed is not base64") from error
    if not content:
        raise SealBrokenError("what was sealed is empty")
    return content


@contextmanager
def _told() -> Iterator[None]:
    """Raises SealBrokenError or SealingUnavailableError for what they mean; other errors stay what they are."""
    try:
        yield
    except BotoCoreError as error:
        raise SealingUnavailableError from error
    except ClientError as error:
        _raise(error)


def _raise(error: ClientError) -> NoReturn:
    code = error.response.get("Error", {}).get("Code", "")
    if code in _BROKEN_CODES:
        raise SealBrokenError("the key does not open what was sealed, or not in this context") from error
    if code in aws.BUSY_CODES | _SILENT_CODES:
        raise SealingUnavailableError from error
    raise error
