"""Queries of Athena: start, wait, cancel at the deadline, and read results by page.

There is no SQL of the ledger here. A query that failed because of Athena itself is started again. Every start request
has a token, so that a retry after a lost response does not start a second query.
"""

import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import suppress
from dataclasses import dataclass, field
from decimal import Decimal
from itertools import count
from typing import TYPE_CHECKING, Any, TypeVar

from botocore.exceptions import BotoCoreError, ClientError

from abtest.adapters import aws
from abtest.kit.ids import Randomness, random_base62
from abtest.ports.warehouse import WarehouseUnavailableError

if TYPE_CHECKING:
    from mypy_boto3_athena.type_defs import QueryExecutionTypeDef

MAX_QUERY_BYTES = 262_144
"""Longest query text that Athena accepts."""
ROWS_A_PAGE = 1000
TOKEN_CHARS = 43  # Athena requires 32 to 128
STARTS = 3
"""Starts of a query that fails because of Athena itself; each start is a separate query."""
CALLS = 6
FIRST_PAUSE_SECONDS = 0.2
MOST_PAUSE_SECONDS = 5.0
PAUSE_GROWTH = 1.5

_BUSY = aws.BUSY_CODES | {"TooManyRequestsException", "InternalServerException"}
_SCAN_LIMIT = "bytes scanned limit"
_RESOURCES = ("exhausted resources", "memory limit")
_SYSTEM = 1  # AthenaError.ErrorCategory: 1 system, 2 user, 3 other

Value = str | int | bool | float | Decimal | None
T = TypeVar("T")


class QueryError(Exception):
    """Failed query; the message has Athena's reason if there is one."""


class QueryTooLargeError(QueryError):
    """Query that Athena may accept with fewer plans."""


class QueryTooLongError(QueryTooLargeError):
    """Query whose text is longer than Athena accepts."""

    def __init__(self, size: int) -> None:
        super().__init__(f"the query has {size:,} bytes, but Athena accepts at most {MAX_QUERY_BYTES:,}")


class ResourcesError(QueryTooLargeError):
    """Query that needs more memory than Athena gives one."""


class ScanLimitError(QueryTooLargeError):
    """Query that exceeds the scan limit of the workgroup (parameter AthenaScanLimitBytes)."""

    def __init__(self, scanned: int) -> None:
        super().__init__(f"the query was ended by the workgroup's scan limit, after {scanned:,} bytes")
        self.scanned = scanned


class QueryCancelledError(QueryError):
    """Query that another client cancelled."""


class QueryDeadlineError(WarehouseUnavailableError):
    """Query that exceeded its time and was cancelled."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Answer:
    """Rows of a query, with values typed by their columns, and the bytes that it scanned."""

    rows: Sequence[tuple[Value, ...]]
    scanned: int


@dataclass(frozen=True, slots=True, kw_only=True)
class AthenaQueries:
    """Queries of one database in a workgroup, which defines the location of results and the scan limit.

    `seconds` limits one query. `pause` sleeps and `passed` reads the clock.
    """

    database: str
    workgroup: str
    random: Randomness
    seconds: float = 200.0
    pause: Callable[[float], None] = time.sleep
    passed: Callable[[], float] = field(default=time.monotonic)

    def ask(self, text: str) -> Answer:
        """Run a query and return all its rows.

        Raises QueryError with Athena's reason, QueryDeadlineError, and WarehouseUnavailableError while Athena is busy.
        """
        execution = self._succeeded(text)
        scanned = execution.get("Statistics", {}).get("DataScannedInBytes", 0)
        return Answer(rows=list(self._rows(execution["QueryExecutionId"])), scanned=scanned)

    def run(self, text: str) -> None:
        """Run a statement without results. Raises as `ask` does."""
        self._succeeded(text)

    def stream(self, text: str) -> Iterator[tuple[Value, ...]]:
        """Run a query and yield its rows by page. Raises as `ask` does, while iterated."""
        yield from self._rows(self._succeeded(text)["QueryExecutionId"])

    def _succeeded(self, text: str) -> "QueryExecutionTypeDef":
        check_length(text)
        until = self.passed() + self.seconds
        for start in range(STARTS):
            execution = self._ended(self._start(text, until), until)
            if execution["Status"]["State"] == "SUCCEEDED":
                return execution
            error = execution["Status"].get("AthenaError", {})
            is_retryable = error.get("Retryable", False) or error.get("ErrorCategory") == _SYSTEM
            if start == STARTS - 1 or not is_retryable:
                raise _failure(execution)
            self._wait(start, until)
        raise AssertionError("the last start returns or raises")

    def _start(self, text: str, until: float) -> str:
        # The same token for all attempts of this start: Athena starts the query of a token only once.
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
        """Return the execution once it has ended. An exception while waiting cancels the query."""
        polls = count()
        try:
            while True:
                answer = self._called(lambda: aws.athena().get_query_execution(QueryExecutionId=query_id), until)
                if answer["QueryExecution"]["Status"]["State"] not in ("QUEUED", "RUNNING"):
                    return answer["QueryExecution"]
                self._wait(next(polls), until)
        except BaseException:
            # Otherwise a query would run, and cost, that has no reader. If it cannot be stopped, the first error
            # counts.
            with suppress(BotoCoreError, ClientError):
                aws.athena().stop_query_execution(QueryExecutionId=query_id)
            raise

    def _rows(self, query_id: str) -> Iterator[tuple[Value, ...]]:
        request: dict[str, Any] = {"QueryExecutionId": query_id, "MaxResults": ROWS_A_PAGE}
        for number in count():
            page = self._called(
                lambda: aws.athena().get_query_results(**request),
                # The time starts again for each page, because the caller works between pages.
                self.passed() + self.seconds,
            )
            results = page["ResultSet"]
            columns = results["ResultSetMetadata"]["ColumnInfo"]
            # The first page of a SELECT begins with the columns' names.
            for row in results["Rows"][0 if number else 1 :]:
                # Athena returns every value as text, and omits null.
                yield tuple(
                    None if "VarCharValue" not in datum else _READERS[column["Type"]](datum["VarCharValue"])
                    for datum, column in zip(row["Data"], columns, strict=True)
                )
            if "NextToken" not in page:
                return
            request["NextToken"] = page["NextToken"]

    def _called(self, call: Callable[[], T], until: float) -> T:
        """Return the result of a call, which is repeated while Athena is busy."""
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
        """Sleep before the next attempt, longer each time. Raises QueryDeadlineError after the deadline."""
        # The exponent is limited, because a float overflows at 1.5 ** 1751; the longest pause is reached far earlier.
        seconds = FIRST_PAUSE_SECONDS * PAUSE_GROWTH ** min(number, 20)
        left = until - self.passed()
        if left <= 0:
            raise QueryDeadlineError(f"Athena did not answer within {self.seconds:g} s")
        self.pause(min(seconds, MOST_PAUSE_SECONDS, left))


def check_length(text: str) -> None:
    """Raise QueryTooLongError for a query that is longer than Athena accepts."""
    if (size := len(text.encode())) > MAX_QUERY_BYTES:
        raise QueryTooLongError(size)


def _failure(execution: "QueryExecutionTypeDef") -> QueryError:
    status = execution["Status"]
    reason = status.get("StateChangeReason") or status.get("AthenaError", {}).get("ErrorMessage") or "no reason given"
    if _SCAN_LIMIT in reason.lower():
        return ScanLimitError(execution.get("Statistics", {}).get("DataScannedInBytes", 0))
    if any(words in reason.lower() for words in _RESOURCES):
        return ResourcesError(reason)
    if status["State"] == "CANCELLED":
        return QueryCancelledError(f"the query was cancelled: {reason}")
    return QueryError(reason)


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
