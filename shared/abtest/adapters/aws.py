"""Clients of AWS, made in one place: timeouts, retries, one session and one client a service for the whole process.

Clients are made by botocore itself: `import boto3` adds about 100 ms of CPU to a cold start and nothing that we use.
They are made when first needed, and the endpoint, region and credentials come from the environment as botocore reads
it (`AWS_ENDPOINT_URL` leads to another engine).
"""

import threading
from collections.abc import Callable
from typing import TYPE_CHECKING, Any, TypeVar, cast

if TYPE_CHECKING:
    from botocore.config import Config
    from botocore.session import Session
    from mypy_boto3_cloudfront.client import CloudFrontClient
    from mypy_boto3_s3.client import S3Client
    from mypy_boto3_secretsmanager.client import SecretsManagerClient
    from mypy_boto3_sqs.client import SQSClient

CONNECT_SECONDS = 1
READ_SECONDS = 3
ATTEMPTS = 3
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
"""Error codes that mean: the same call may succeed in a moment."""

T = TypeVar("T")
_built: dict[str, Any] = {}
_lock = threading.RLock()


def once(name: str, build: Callable[[], T]) -> T:
    """What `build` returned the first time that `name` was asked for in this process."""
    with _lock:
        if name not in _built:
            _built[name] = build()
        return cast(T, _built[name])


def reset() -> None:
    """Forget every client and connection, so that the next use reads the environment again: for tests."""
    with _lock:
        _built.clear()


def session() -> "Session":
    """The one botocore session; making it and loading its data is the dear part of a cold start."""
    from botocore.session import get_session

    return once("session", get_session)


def config() -> "Config":
    """Timeouts and retries of every client."""
    from botocore.config import Config

    return Config(
        connect_timeout=CONNECT_SECONDS,
        read_timeout=READ_SECONDS,
        retries={"mode": "standard", "total_max_attempts": ATTEMPTS},
        max_pool_connections=POOL_CONNECTIONS,
    )


def s3() -> "S3Client":
    """The client of the object store."""
    return cast("S3Client", _client("s3"))


def sqs() -> "SQSClient":
    """The client of the queues."""
    return cast("SQSClient", _client("sqs"))


def secrets_manager() -> "SecretsManagerClient":
    """The client of the secret store."""
    return cast("SecretsManagerClient", _client("secretsmanager"))


def cloudfront() -> "CloudFrontClient":
    """The client of the CDN."""
    return cast("CloudFrontClient", _client("cloudfront"))


def _client(service: str) -> object:
    return once(service, lambda: session().create_client(service, config=config()))
