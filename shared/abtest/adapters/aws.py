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
    from mypy_boto3_athena.client import AthenaClient
    from mypy_boto3_cloudfront.client import CloudFrontClient
    from mypy_boto3_kms.client import KMSClient
    from mypy_boto3_s3.client import S3Client
    from mypy_boto3_secretsmanager.client import SecretsManagerClient
    from mypy_boto3_sqs.client import SQSClient

CONNECT_SECONDS = 1
READ_SECONDS = 3
ATHENA_READ_SECONDS = 10
"""A page of an answer may have a thousand rows."""
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
    """The one botocore session; loading its data is the expensive part of a cold start."""
    return once("session", _start_session)


def _start_session() -> "Session":
    from botocore import __version__
    from botocore.config import Config
    from botocore.session import get_session

    made = get_session()
    # Given as one text. Otherwise botocore assembles it from fourteen parts, twice for each call: 5 % of a request.
    made.set_default_client_config(Config(user_agent=f"abtest Botocore/{__version__}"))
    return made


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


def s3_signer() -> "S3Client":
    """The same for signed addresses: version 4 of the signature, which every region and encrypted buckets take."""
    from botocore.config import Config

    def build() -> object:
        return session().create_client("s3", config=config().merge(Config(signature_version="s3v4")))

    return cast("S3Client", once("s3 signer", build))


def sqs() -> "SQSClient":
    """The client of the queues."""
    return cast("SQSClient", _client("sqs"))


def secrets_manager() -> "SecretsManagerClient":
    """The client of the secret store."""
    return cast("SecretsManagerClient", _client("secretsmanager"))


def kms() -> "KMSClient":
    """The client of the key service."""
    return cast("KMSClient", _client("kms"))


def athena() -> "AthenaClient":
    """The client of the distributed engine. It repeats nothing: who waits for a query knows how long there is."""
    from botocore.config import Config

    patient = Config(read_timeout=ATHENA_READ_SECONDS, retries={"mode": "standard", "total_max_attempts": 1})
    return cast("AthenaClient", _client("athena", patient))


def cloudfront() -> "CloudFrontClient":
    """The client of the CDN."""
    return cast("CloudFrontClient", _client("cloudfront"))


def _client(service: str, own: "Config | None" = None) -> object:
    return once(service, lambda: session().create_client(service, config=config().merge(own) if own else config()))
