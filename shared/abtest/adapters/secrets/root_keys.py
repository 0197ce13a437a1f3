"""Signing secret, cached for five minutes so that a rotation reaches every instance."""

import threading
from datetime import datetime, timedelta
from functools import partial

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.domain.credentials.signing import RootKeys
from abtest.kit import canonical_json
from abtest.kit.clock import Clock
from abtest.kit.errors import ServiceError

KEPT = timedelta(minutes=5)


class SecretUnavailableError(ServiceError):
    """Secret that cannot be read and is not cached."""

    status = 503
    code = "service_unavailable"

    def __init__(self) -> None:
        super().__init__("the signing keys cannot be read; repeat the request in 1 s", headers={"Retry-After": "1"})


class SecretRootKeys:
    """Root keys in the secret with this ARN."""

    def __init__(self, arn: str, clock: Clock) -> None:
        self._arn = arn
        self._clock = clock
        self._lock = threading.Lock()
        self._read: tuple[RootKeys, datetime] | None = None

    def current(self) -> RootKeys:
        """Return the root keys, at most five minutes old, or older while the secret store does not respond.

        Raises SecretUnavailableError when they were never read and cannot be read now.
        """
        with self._lock:
            # The lock is held during the read, so one thread reads an expired secret and the others wait.
            now = self._clock.now()
            if self._read is None or self._read[1] + KEPT <= now:
                # Cached keys that replace a failed read count as new, so a failing store is called once in five
                # minutes.
                self._read = (self._fetch(), now)
            return self._read[0]

    def _fetch(self) -> RootKeys:
        read = partial(aws.secrets_manager().get_secret_value, SecretId=self._arn)
        try:
            answer = aws.called("secretsmanager", read)
        except (BotoCoreError, ClientError) as error:
            # Root keys are valid for much longer than five minutes, so the cached ones are better than refusing
            # requests.
            if self._read is None:
                raise SecretUnavailableError from error
            return self._read[0]
        return RootKeys.from_secret(canonical_json.loads(answer["SecretString"]))
