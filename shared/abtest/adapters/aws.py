"""Clients of AWS with their timeouts and retries: one session, and one client per service, for the whole process.

Clients are botocore's: `import boto3` adds about 100 ms of CPU to a cold start and nothing that is used here. They are
made at their first use. Endpoint, region and credentials come from the environment variables that botocore reads
(`AWS_ENDPOINT_URL` selects another engine).
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from botocore.config import Config
    from botocore.session import Session
    from mypy_boto3_athena.client import AthenaClient
    from mypy_boto3_cloudfront.client import CloudFrontClient
    from mypy_boto3_kms.client import KMSClient
    from mypy_boto3_s3.client import S3Client
    from mypy_boto3_secretsmanager.client import SecretsManagerClient
    from mypy_boto3_sqs.client import SQSClient

# Limits of one attempt: a call may take ATTEMPTS times as long, plus botocore's pauses between attempts.
CONNECT_SECONDS = 1
READ_SECONDS = 3
ATHENA_READ_SECONDS = 10
"""Longer than for other services, because a page of results may have a thousand rows."""
ATTEMPTS = 3
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
# Reentrant: to build a client calls `once` again for the session.
_lock = threading.RLock()


def once(name: str, build: Callable[[], T]) -> T:
    """Return the object of this name, which `build` makes at the first call in this process."""
    with _lock:
        if name not in _built:
            _built[name] = build()
        return cast(T, _built[name])


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


def config() -> "Config":
    """Return the timeouts and retries of every client."""
    from botocore.config import Config

    return Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
        max_pool_connections=POOL_CONNECTIONS,
    )


def s3() -> "S3Client":
    """Return the client of the object store."""
    return cast("S3Client", _client("s3"))


def s3_signer() -> "S3Client":
    """Return the client that signs URLs, with signature version 4, which all regions and encrypted buckets accept."""
    from botocore.config import Config

    def build() -> object:
        return session().create_client("s3", config=config().merge(Config(signature_version="s3v4")))

    return cast("S3Client", once("s3 signer", build))


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
    """Return the client of the query engine, without retries: callers repeat calls within their own deadline."""
    from botocore.config import Config

    patient = Config(read_timeout=ATHENA_READ_SECONDS, retries={"mode": "standard", "total_max_attempts": 1})
    return cast("AthenaClient", _client("athena", patient))


def cloudfront() -> "CloudFrontClient":
    """Return the client of the CDN."""
    return cast("CloudFrontClient", _client("cloudfront"))


def _client(service: str, own: "Config | None" = None) -> object:
    return once(service, lambda: session().create_client(service, config=config().merge(own) if own else config()))
