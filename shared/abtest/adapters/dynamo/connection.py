"""Connection to DynamoDB that all tables share, and the translation of its errors."""

from collections.abc import Iterator
from contextlib import contextmanager

import botocore.session
from botocore.exceptions import BotoCoreError, ClientError
from pynamodb.connection import Connection
from pynamodb.exceptions import PynamoDBException

from abtest.adapters import aws
from abtest.kit.errors import DatabaseBusyError

# Another transaction holds the item, or an earlier attempt of the same transaction is still in progress.
_BUSY_CODES = aws.BUSY_CODES | {"TransactionConflictException", "TransactionInProgressException"}


class _SharedSessionConnection(Connection):
    """PynamoDB's connection on the shared session; one of its own would load botocore's data again."""

    @property
    def session(self) -> botocore.session.Session:
        return aws.session()


def connection() -> Connection:
    """Return the connection of this process, made at its first use."""

    def connect() -> Connection:
        wait = aws.waits().of("dynamodb")
        connected = _SharedSessionConnection(
            connect_timeout_seconds=wait.connect,
            read_timeout_seconds=wait.read,
            retry_configuration={"mode": "standard", "total_max_attempts": wait.attempts},
            max_pool_connections=aws.POOL_CONNECTIONS,
        )
        _ = connected.client  # made now, under the lock of `once`: making clients is not thread-safe in botocore
        return connected

    return aws.once_for_caller("dynamodb", connect)


@contextmanager
def translated_errors() -> Iterator[None]:
    """Raise DatabaseBusyError for a missing response, throttling and conflicts; other errors pass unchanged."""
    try:
        yield
    except (PynamoDBException, BotoCoreError, ClientError) as error:
        # PynamoDB wraps the errors of botocore; only the cause has the response with its code.
        cause = error.cause if isinstance(error, PynamoDBException) and error.cause else error
        is_busy = code(cause) in _BUSY_CODES if isinstance(cause, ClientError) else isinstance(cause, BotoCoreError)
        if is_busy:
            raise DatabaseBusyError from error
        raise


def code(error: ClientError) -> str:
    """Return DynamoDB's code of an error, or "" when it has none."""
    return error.response.get("Error", {}).get("Code", "")
