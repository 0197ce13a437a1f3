"""One command as one TransactWriteItems: conditional writes, each with the error that its refusal means."""

from collections.abc import Mapping
from dataclasses import dataclass, field
from time import sleep
from typing import Any

from pynamodb.exceptions import TransactWriteError
from pynamodb.expressions.condition import Condition

from abtest.adapters.dynamo.connection import connection, told
from abtest.adapters.dynamo.table import PAUSES, Item, Table
from abtest.kit.errors import DatabaseBusyError, ServiceError
from abtest.kit.ids import SystemRandomness, random_base62
from abtest.ports.catalog import CommitTooLargeError, StaleVersionError

MAX_ITEM_BYTES = 400 * 1024
MAX_BYTES = 4_000_000

_BUSY_REASONS = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


@dataclass(frozen=True, slots=True)
class _Operation:
    request: dict[str, Any]
    refusal: ServiceError | None


@dataclass(slots=True)
class Transaction:
    """Collects writes to one table and applies them together."""

    table: Table
    _deletes: list[_Operation] = field(default_factory=list)
    _puts: list[_Operation] = field(default_factory=list)
    _bytes: int = 0

    def put(self, item: Item, condition: Condition | None = None, refusal: ServiceError | None = None) -> None:
        """Add a put; `refusal` is raised when its condition does not hold. Raises CommitTooLargeError."""
        size = item_size(item)
        self._bytes += size
        if size > MAX_ITEM_BYTES or self._bytes > MAX_BYTES:
            raise CommitTooLargeError("this change is too large to be stored at once; split it")
        self._puts.append(_Operation(self.table.put_request(item, condition), refusal))

    def delete(self, pk: str, sk: str, condition: Condition | None = None, refusal: ServiceError | None = None) -> None:
        """Add a delete; `refusal` is raised when its condition does not hold."""
        self._deletes.append(_Operation(self.table.delete_request(pk, sk, condition), refusal))

    def write(self) -> None:
        """Apply all or nothing. Raises the refusal of a condition, or DatabaseBusyError when conflicts do not end."""
        if not self._deletes and not self._puts:
            return None
        # One token for all attempts: when an answer was lost, AWS recognises the repetition. A token made from the
        # content would be wrong: taking a name, giving it back and taking it again is not a repetition.
        token = random_base62(22, SystemRandomness())
        for pause in PAUSES:
            try:
                return self._send(token)
            except TransactWriteError as error:
                self._raise_refusal(error)
                sleep(pause)
        raise DatabaseBusyError

    def _send(self, token: str) -> None:
        with told():
            connection().transact_write_items(
                condition_check_items=[],
                delete_items=[operation.request for operation in self._deletes],
                put_items=[operation.request for operation in self._puts],
                update_items=[],
                client_request_token=token,
            )

    def _raise_refusal(self, error: TransactWriteError) -> None:
        """Raise what the error means; return when another transaction stood in the way and may be gone in a moment."""
        reasons = [reason.code if reason else None for reason in error.cancellation_reasons]
        refused = [
            operation.refusal
            for operation, reason in zip([*self._deletes, *self._puts], reasons, strict=False)
            if reason == "ConditionalCheckFailed" and operation.refusal
        ]
        if refused:
            # A changed record outranks a taken name: who reads it again may find that the name is its own.
            raise min(refused, key=lambda refusal: not isinstance(refusal, StaleVersionError)) from error
        if not _BUSY_REASONS.intersection(reasons):
            raise error


def item_size(item: Mapping[str, Any]) -> int:
    """Bytes that DynamoDB counts, names included; a number counts as its largest form."""
    return sum(len(name) + _value_size(value) for name, value in item.items())


def _value_size(value: str | int | bytes) -> int:
    if isinstance(value, int):
        return 21
    return len(value.encode() if isinstance(value, str) else value)
