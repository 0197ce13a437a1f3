"""Queries of Athena: started once, waited for, cancelled when the time is over, read page by page.

No SQL lives here, and nothing of the ledger. A query that Athena refused or gave up for reasons of its own is asked
again; every request to start one carries a token, so that an answer that was lost on its way starts no second one.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.kit.ids import Randomness, random_base62
from abtest.ports.warehouse import WarehouseUnavailableError

if TYPE_CHECKING:
    from mypy_boto3_athena.type_defs import ColumnInfoTypeDef, QueryExecutionTypeDef, RowTypeDef

MAX_QUERY_BYTES = 262_144
"""Athena takes no longer text."""
ROWS_A_PAGE = 1000
TOKEN_CHARS = 43
STARTS = 3
"""How often a query that Athena itself broke is started; each start is a query of its own."""
CALLS = 6
FIRST_PAUSE_SECONDS = 0.2
MOST_PAUSE_SECONDS = 5.0
PAUSE_GROWTH = 1.5

_BUSY = aws.BUSY_CODES | {"TooManyRequestsException", "InternalServerException"}
_SCAN_LIMIT = "bytes scanned limit"
_SYSTEM = 1  # AthenaError.ErrorCategory: 1 system, 2 user, 3 other

Value = str | int | bool | float | Decimal | None
T = TypeVar("T")


class QueryError(Exception):
    """Athena did not answer a query; the message says why, in Athena's words where it has some."""


class QueryTooLongError(QueryError):
    """The text of a query is longer than Athena takes."""

    def __init__(self, size: int) -> None:
        super().__init__(f"the query has {size:,} bytes, Athena takes {MAX_QUERY_BYTES:,}")


class ScanLimitError(QueryError):
    """The query would have scanned more than the workgroup allows (parameter AthenaScanLimitBytes)."""

    def __init__(self, scanned: int) -> None:
        super().__init__(f"the query was ended by the workgroup's scan limit, after {scanned:,} bytes")
        self.scanned = scanned


class QueryCancelledError(QueryError):
    """Somebody else cancelled the query."""


class QueryDeadlineError(WarehouseUnavailableError):
    """The query was not done in time and has been cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """The rows of a query, values typed by their columns, and the bytes that it scanned."""

    rows: Sequence[tuple[Value, ...]]
    scanned: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaQueries:
    """A database asked through a workgroup, which says where answers lie and how much a query may scan.

    `seconds` is what one query may take. `pause` and `passed` are how this waits and knows how long it has.
    """

    database: str
    workgroup: str
    random: Randomness
    seconds: float = 200.0
    pause: Callable[[float], None] = time.sleep
    passed: Callable[[], float] = field(default=time.monotonic)

    def ask(self, text: str) -> Answer:
        """The whole answer to a query.

        Raises QueryError with Athena's reason, QueryDeadlineError, and WarehouseUnavailableError when it stays busy.
        """
        execution = self._succeeded(text)
        scanned = execution.get("Statistics", {}).get("DataScannedInBytes", 0)
        return Answer(rows=list(self._rows(execution["QueryExecutionId"])), scanned=scanned)

    def run(self, text: str) -> None:
        """Have a statement carried out that answers nothing. Raises as `ask` does."""
        self._succeeded(text)

    def stream(self, text: str) -> Iterator[tuple[Value, ...]]:
        """The rows of an answer that may be large, a page at a time. Raises as `ask` does, when it is iterated."""
        yield from self._rows(self._succeeded(text)["QueryExecutionId"])

    def _succeeded(self, text: str) -> "QueryExecutionTypeDef":
        if (size := len(text.encode())) > MAX_QUERY_BYTES:
            raise QueryTooLongError(size)
        until = self.passed() + self.seconds
        for start in range(STARTS):
            execution = self._ended(self._start(text, until), until)
            if execution["Status"]["State"] == "SUCCEEDED":
                return execution
            if start == STARTS - 1 or not _is_athenas_fault(execution):
                raise _failure(execution)
            self._wait(start, until)
        raise AssertionError("the last start returns or raises")

    def _start(self, text: str, until: float) -> str:
        # Made once for all attempts to hand in this query: Athena starts a token's query once.
        token = random_base62(TOKEN_CHARS, self.random)
        started = self._called(
            lambda: aws.athena().start_query_execution(
                QueryString=text,
                ClientRequestToken=token,
                QueryExecutionContext={"Database": self.database},
                WorkGroup=self.workgroup,
            ),
            until,
        )
        return started["QueryExecutionId"]

    def _ended(self, query_id: str, until: float) -> "QueryExecutionTypeDef":
        """The execution when it is over, one way or the other; whatever interrupts the waiting ends the query, too."""
        polls = count()
        try:
            while True:
                found = self._called(lambda: aws.athena().get_query_execution(QueryExecutionId=query_id), until)
                if found["QueryExecution"]["Status"]["State"] not in ("QUEUED", "RUNNING"):
                    return found["QueryExecution"]
                self._wait(next(polls), until)
        except BaseException:
            _cancel(query_id)
            raise

    def _rows(self, query_id: str) -> Iterator[tuple[Value, ...]]:
        request: dict[str, Any] = {"QueryExecutionId": query_id, "MaxResults": ROWS_A_PAGE}
        for number in count():
            page = self._called(
                lambda: aws.athena().get_query_results(**request),
                self.passed() + self.seconds,
            )
            found = page["ResultSet"]
            columns = found["ResultSetMetadata"]["ColumnInfo"]
            # The first page of a SELECT begins with the columns' names.
            for row in found["Rows"][0 if number else 1 :]:
                yield _typed(row, columns)
            if "NextToken" not in page:
                return
            request["NextToken"] = page["NextToken"]

    def _called(self, call: Callable[[], T], until: float) -> T:
        """What Athena says, asked again while it is busy."""
        for number in range(CALLS):
            try:
                return call()
            except ClientError as error:
                code, message = error.response["Error"]["Code"], error.response["Error"].get("Message", "")
                if code not in _BUSY:
                    raise QueryError(f"{code}: {message}") from error
                reason: Exception = error
            except BotoCoreError as error:
                reason = error
            if number < CALLS - 1:
                self._wait(number, until)
        raise WarehouseUnavailableError(f"Athena stays busy: {reason}") from reason

    def _wait(self, number: int, until: float) -> None:
        """Sleep before the next attempt, longer each time. Raises QueryDeadlineError instead of sleeping too long."""
        seconds = FIRST_PAUSE_SECONDS * PAUSE_GROWTH ** min(number, 20)
        left = until - self.passed()
        if left <= 0:
            raise QueryDeadlineError(f"Athena did not answer within {self.seconds:g} s")
        self.pause(min(seconds, MOST_PAUSE_SECONDS, left))


def _cancel(query_id: str) -> None:
    """Stop paying for what nobody waits for. That it cannot be stopped changes nothing for who waited."""
    try:
        aws.athena().stop_query_execution(QueryExecutionId=query_id)
    except (BotoCoreError, ClientError):
        return


def _is_athenas_fault(execution: "QueryExecutionTypeDef") -> bool:
    error = execution["Status"].get("AthenaError", {})
    return error.get("Retryable", False) or error.get("ErrorCategory") == _SYSTEM


def _failure(execution: "QueryExecutionTypeDef") -> QueryError:
    status = execution["Status"]
    reason = status.get("StateChangeReason") or status.get("AthenaError", {}).get("ErrorMessage") or "no reason given"
    if _SCAN_LIMIT in reason.lower():
        return ScanLimitError(execution.get("Statistics", {}).get("DataScannedInBytes", 0))
    if status["State"] == "CANCELLED":
        return QueryCancelledError(f"the query was cancelled: {reason}")
    return QueryError(reason)


def _typed(row: "RowTypeDef", columns: Sequence["ColumnInfoTypeDef"]) -> tuple[Value, ...]:
    """Athena writes every value as text and leaves null out."""
    return tuple(
        None if "VarCharValue" not in datum else _READERS[column["Type"]](datum["VarCharValue"])
        for datum, column in zip(row["Data"], columns, strict=True)
    )


def _decimal(text: str) -> int | Decimal:
    value = Decimal(text)
    return int(value) if value == value.to_integral_value() else value


_READERS: dict[str, Callable[[str], Value]] = {
    "varchar": str,
    "char": str,
    "boolean": lambda text: text == "true",
    "tinyint": int,
    "smallint": int,
    "integer": int,
    "bigint": int,
    "decimal": _decimal,
    "double": float,
    "float": float,
}
