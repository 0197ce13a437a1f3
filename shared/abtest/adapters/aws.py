"""Clients of AWS: one session, and one client per service, for the whole process.

Their timeouts and attempts are those of the process's caller, in `ports/waits.py`.

Clients are botocore's: `import boto3` adds about 100 ms of CPU to a cold start and nothing that is used here. They are
made at their first use. Endpoint, region and credentials come from the environment variables that botocore reads
(`AWS_ENDPOINT_URL` selects another engine).
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

from abtest.adapters.breaker import Breaker
from abtest.ports.waits import WAITS, CallerKind, Service, Wait, Waits

if TYPE_CHECKING:
    from botocore.config import Config
    from botocore.session import Session
    from mypy_boto3_athena.client import AthenaClient
    from mypy_boto3_cloudfront.client import CloudFrontClient
    from mypy_boto3_kms.client import KMSClient
    from mypy_boto3_s3.client import S3Client
    from mypy_boto3_secretsmanager.client import SecretsManagerClient
    from mypy_boto3_sqs.client import SQSClient

# Above this number, a connection is closed after one call, and the next call needs a new TLS handshake.
POOL_CONNECTIONS = 20

BUSY_CODES = frozenset(
    {
        "InternalError",
        "InternalServerError",
        "LimitExceededException",
        "ProvisionedThroughputExceededException",
        "RequestLimitExceeded",
        "RequestTimeout",
        "ServiceUnavailable",
        "SlowDown",
        "Throttling",
        "ThrottlingException",
    }
)
"""Error codes after which the same call may succeed in a moment."""

T = TypeVar("T")
_built: dict[str, Any] = {}
_caller = CallerKind.OPERATOR
# Reentrant: to build a client calls `once` again for the session.
_lock = threading.RLock()


def serve(caller: CallerKind) -> None:
    """Declare who waits for this process. A composition root calls this before any client is made."""
    global _caller
    _caller = caller


def waits() -> Waits:
    """Return what the caller of this process waits for."""
    return WAITS[_caller]


def called(service: Service, call: Callable[[], T]) -> T:
    """Return the result of a call to a service, within the caller's total.

    Raises SilentServiceError, a BotoCoreError, at the deadline, and at once while the breaker is open.
    """
    total = waits().of(service).total
    if total is None:
        return call()
    return once_for_caller(f"breaker of {service}", lambda: Breaker(service, total)).call(call)


def once(name: str, build: Callable[[], T]) -> T:
    """Return the object of this name, which `build` makes at the first call in this process."""
    with _lock:
        if name not in _built:
            _built[name] = build()
        return cast(T, _built[name])


def once_for_caller(name: str, build: Callable[[], T]) -> T:
    """Return what `once` returns, apart for each caller: only tests have several in one process."""
    return once(f"{name} for {_caller}", build)


def reset() -> None:
    """Drop the shared clients and connections, so that the next one is made from the environment again. For tests.

    A `Table` that was used before keeps its connection.
    """
    with _lock:
        _built.clear()


def session() -> "Session":
    """Return the botocore session that all clients share, because loading its data dominates a cold start."""
    from botocore import __version__
    from botocore.config import Config
    from botocore.session import get_session

    def start() -> "Session":
        started = get_session()
        # With a fixed user agent, botocore does not assemble it from fourteen parts twice per call: 5 % of a request.
        started.set_default_client_config(Config(user_agent=f"abtest Botocore/{__version__}"))
        return started

    return once("session", start)


def config(wait: Wait) -> "Config":
    """Return the timeouts and retries of a client."""
    from botocore.config import Config

    return Config(
        connect_timeout=wait.connect,
        read_timeout=wait.read,
        retries={"mode": "standard", "total_max_attempts": wait.attempts},
        max_pool_connections=POOL_CONNECTIONS,
    )


def s3() -> "S3Client":
    """Return the client of the object store."""
    return cast("S3Client", _client("s3"))


def s3_signer() -> "S3Client":
    """Return the client that signs URLs, with signature version 4, which all regions and encrypted buckets accept."""
    from botocore.config import Config

    def build() -> object:
        signing = config(waits().of("s3")).merge(Config(signature_version="s3v4"))
        return session().create_client("s3", config=signing)

    return cast("S3Client", once_for_caller("s3 signer", build))


def sqs() -> "SQSClient":
    """Return the client of the queues."""
    return cast("SQSClient", _client("sqs"))


def secrets_manager() -> "SecretsManagerClient":
    """Return the client of the secret store."""
    return cast("SecretsManagerClient", _client("secretsmanager"))


def kms() -> "KMSClient":
    """Return the client of the key service."""
    return cast("KMSClient", _client("kms"))


def athena() -> "AthenaClient":
    """Return the client of the query engine."""
    return cast("AthenaClient", _client("athena"))


def ses() -> Any:
    """Return the client of the mail service."""
    return _client("sesv2")


def cloudfront() -> "CloudFrontClient":
    """Return the client of the CDN."""
    return cast("CloudFrontClient", _client("cloudfront"))


def _client(service: Service) -> object:
    return once_for_caller(service, lambda: session().create_client(service, config=config(waits().of(service))))
