"""The one connection to DynamoDB, and what its errors mean."""

from collections.abc import Iterator
from contextlib import contextmanager

import botocore.session
from botocore.exceptions import BotoCoreError, ClientError
from pynamodb.connection import Connection
from pynamodb.exceptions import PynamoDBException

from abtest.adapters import aws
from abtest.kit.errors import DatabaseBusyError

# Another transaction holds the item, or an earlier attempt of the same one is still under way.
_CONFLICT_CODES = {"TransactionConflictException", "TransactionInProgressException"}


class _SharedSessionConnection(Connection):
    """PynamoDB's connection on the session that all clients share: its own would load botocore's data again."""

    @property
    def session(self) -> botocore.session.Session:
        return aws.session()


def connection() -> Connection:
    """The connection of this process, made when first needed."""
    return aws.once("dynamodb", _connect)


def _connect() -> Connection:
    made = _SharedSessionConnection(
        connect_timeout_seconds=aws.CONNECT_SECONDS,
        read_timeout_seconds=aws.READ_SECONDS,
        retry_configuration={"mode": "standard", "total_max_attempts": aws.ATTEMPTS},
        max_pool_connections=aws.POOL_CONNECTIONS,
    )
    _ = made.client  # made here, under the lock of `once`: botocore makes clients in one thread only
    return made


@contextmanager
def told() -> Iterator[None]:
    """Raises DatabaseBusyError in place of silence, throttling and conflicts; other errors stay what they are."""
    try:
        yield
    except (PynamoDBException, BotoCoreError, ClientError) as error:
        if _is_busy(error):
            raise DatabaseBusyError from error
        raise


def _is_busy(error: Exception) -> bool:
    cause = error.cause if isinstance(error, PynamoDBException) and error.cause else error
    if isinstance(cause, ClientError):
        return code(cause) in aws.BUSY_CODES | _CONFLICT_CODES
    return isinstance(cause, BotoCoreError)


def code(error: ClientError) -> str:
    """DynamoDB's name for what went wrong."""
    return error.response.get("Error", {}).get("Code", "")
