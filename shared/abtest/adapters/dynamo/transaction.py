"""Transactions (TransactWriteItems): conditional writes, each with the error to raise when its condition fails."""

from dataclasses import dataclass, field
from time import sleep
from typing import Any

from pynamodb.exceptions import TransactWriteError
from pynamodb.expressions.condition import Condition

from abtest.adapters.commit_rules import check_items
from abtest.adapters.dynamo.connection import connection, translated_errors
from abtest.adapters.dynamo.sizes import MAX_TRANSACTION_BYTES, check_item
from abtest.adapters.dynamo.table import PAUSES, Item, Table
from abtest.kit.errors import DatabaseBusyError, ServiceError
from abtest.kit.ids import SystemRandomness, random_base62
from abtest.ports.catalog import CommitTooLargeError, StaleVersionError

_BUSY_REASONS = {"TransactionConflict", "ThrottlingError", "ProvisionedThroughputExceeded"}


class OvertakenError(ServiceError):
    """Write that another writer has made obsolete since its item was read."""

    def __init__(self) -> None:
        super().__init__("another writer has changed the item")


@dataclass(frozen=True, slots=True)
class _Operation:
    request: dict[str, Any]
    refusal: ServiceError | None


@dataclass(slots=True)
class Transaction:
    """Writes to one table that are applied together."""

    table: Table
    _deletes: list[_Operation] = field(default_factory=list)
    _puts: list[_Operation] = field(default_factory=list)
    _bytes: int = 0

    def put(
        self,
        item: Item,
        condition: Condition | None = None,
        refusal: ServiceError | None = None,
        *,
        what: str = "this item",
    ) -> None:
        """Add a put. Raises CommitTooLargeError, which names the item as `what`.

        `refusal` is the error for a condition that does not hold.
        """
        self._bytes += check_item(item, what, CommitTooLargeError)
        if self._bytes > MAX_TRANSACTION_BYTES:
            raise CommitTooLargeError(
                f"this change is too large to be stored at once: over {MAX_TRANSACTION_BYTES:,} bytes; split it"
            )
        self._puts.append(_Operation(self.table.put_request(item, condition), refusal))

    def delete(self, pk: str, sk: str, condition: Condition | None = None, refusal: ServiceError | None = None) -> None:
        """Add a delete. `refusal` is the error for a condition that does not hold."""
        self._deletes.append(_Operation(self.table.delete_request(pk, sk, condition), refusal))

    def write(self) -> None:
        """Apply all writes or none.

        Raises the refusal of a condition, CommitTooLargeError, or DatabaseBusyError when conflicts persist.
        """
        if not self._deletes and not self._puts:
            return None
        check_items(len(self._deletes) + len(self._puts))
        # One token for all attempts: DynamoDB recognises a retry after a lost response. A token made from the content
        # would be wrong: claiming a name, releasing it and claiming it again is not a retry.
        token = write_token()
        for pause in PAUSES:
            try:
                return self._send(token)
            except TransactWriteError as error:
                self._raise_refusal(error)
                sleep(pause)
        raise DatabaseBusyError

    def _send(self, token: str) -> None:
        with translated_errors():
            connection().transact_write_items(
                condition_check_items=[],
                delete_items=[operation.request for operation in self._deletes],
                put_items=[operation.request for operation in self._puts],
                update_items=[],
                client_request_token=token,
            )

    def _raise_refusal(self, error: TransactWriteError) -> None:
        """Raise the refusal or the error itself; return after a conflict with another transaction, for a retry."""
        reasons = [reason.code if reason else None for reason in error.cancellation_reasons]
        refused = [
            operation.refusal
            for operation, reason in zip([*self._deletes, *self._puts], reasons, strict=False)
            if reason == "ConditionalCheckFailed" and operation.refusal
        ]
        if refused:
            # A changed record comes before a taken name: after reading it again, the name may be the record's own.
            raise min(refused, key=lambda refusal: not isinstance(refusal, StaleVersionError)) from error
        if not _BUSY_REASONS.intersection(reasons):
            raise error


def write_token() -> str:
    """Return a random token that identifies one write across all its attempts."""
    return random_base62(22, SystemRandomness())
