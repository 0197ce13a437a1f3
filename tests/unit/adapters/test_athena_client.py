"""How queries of Athena are started, waited for, repeated, cancelled and read."""

from collections.abc import Iterator
from dataclasses import dataclass, field
from decimal import Decimal
from typing import Any

import pytest

from abtest.adapters.warehouse.athena_client import (
    CALLS,
    MAX_QUERY_BYTES,
    STARTS,
    AthenaQueries,
    QueryCancelledError,
    QueryDeadlineError,
    QueryError,
    QueryTooLongError,
    ScanLimitError,
)
from abtest.kit.ids import SystemRandomness
from abtest.ports.warehouse import WarehouseUnavailableError
from tests.support.moto_stack import enter_moto, mocked
from tests.support.scripted_athena import ScriptedAthena, busy, ended, lost, page

SECONDS = 60.0
START, POLL, READ, STOP = "StartQueryExecution", "GetQueryExecution", "GetQueryResults", "StopQueryExecution"
RUNNING, QUEUED = ended("RUNNING"), ended("QUEUED")


@dataclass
class Waiting:
    """Time that passes by waiting alone."""

    now: float = 0.0
    pauses: list[float] = field(default_factory=list)

    def pause(self, seconds: float) -> None:
        self.pauses.append(seconds)
        self.now += seconds

    def passed(self) -> float:
        return self.now


@pytest.fixture
def athena(monkeypatch: pytest.MonkeyPatch) -> Iterator[ScriptedAthena]:
    enter_moto(monkeypatch)
    with mocked() as clients:
        from abtest.adapters import aws

        aws.reset()
        clients.s3.create_bucket(Bucket="ledger")
        clients.athena.create_work_group(
            Name="queries", Configuration={"ResultConfiguration": {"OutputLocation": "s3://ledger/athena/"}}
        )
        yield ScriptedAthena()
        aws.reset()


@pytest.fixture
def waiting() -> Waiting:
    return Waiting()


@pytest.fixture
def queries(waiting: Waiting) -> AthenaQueries:
    return AthenaQueries(
        database="ledger",
        workgroup="queries",
        random=SystemRandomness(),
        seconds=SECONDS,
        pause=waiting.pause,
        passed=waiting.passed,
    )


def test_ask__query_runs_for_a_while__answers_when_it_is_done(
    athena: ScriptedAthena, queries: AthenaQueries, waiting: Waiting
) -> None:
    athena.results(("n", "bigint"), rows=[["7"]])
    athena.play(POLL, QUEUED, RUNNING, RUNNING)
    assert queries.ask("SELECT 7 AS n").rows == [(7,)]
    assert waiting.pauses == sorted(waiting.pauses)
    assert len(waiting.pauses) == 3


def test_ask__names_database_and_workgroup(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.results(("n", "bigint"), rows=[])
    assert queries.ask("SELECT 1").rows == []
    asked = athena.asked[START][0]
    assert (asked["WorkGroup"], asked["QueryExecutionContext"]) == ("queries", {"Database": "ledger"})


def test_ask__values__have_the_types_of_their_columns(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    columns = [("a", "varchar"), ("b", "bigint"), ("c", "boolean"), ("d", "decimal"), ("e", "decimal"), ("f", "double")]
    large = str(2**90)
    athena.results(*columns, rows=[["", "-1", "false", large, "1.50", "0.5"], ["x", None, "true", None, None, None]])
    assert queries.ask("SELECT 1").rows == [
        ("", -1, False, 2**90, Decimal("1.5"), 0.5),
        ("x", None, True, None, None, None),
    ]


def test_ask__says_how_much_was_scanned(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.results(("n", "bigint"), rows=[])
    athena.play(POLL, ended("SUCCEEDED", scanned=12_345))
    assert queries.ask("SELECT 1").scanned == 12_345


def test_ask__answer_in_pages__only_the_first_has_the_names(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.results(("n", "varchar"), rows=[["n"], ["n"], ["last"]])
    athena.play(READ, page(0, 2, "more"), page(2, 3, "most"), page(3, 4, None))
    assert list(queries.stream("SELECT 1")) == [("n",), ("n",), ("last",)]
    assert [asked.get("NextToken") for asked in athena.asked[READ]] == [None, "more", "most"]


def test_ask__busy_at_every_step__asks_again(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.results(("n", "bigint"), rows=[["1"]])
    athena.play(START, busy("TooManyRequestsException"), busy("ThrottlingException"))
    athena.play(POLL, busy("InternalServerException"))
    athena.play(READ, busy("ThrottlingException"))
    assert queries.ask("SELECT 1").rows == [(1,)]
    assert len({asked["ClientRequestToken"] for asked in athena.asked[START]}) == 1


def test_ask__start_was_done_but_its_answer_lost__one_query_runs(
    athena: ScriptedAthena, queries: AthenaQueries
) -> None:
    athena.results(("n", "bigint"), rows=[["1"]])
    athena.play(START, lost)
    assert queries.ask("SELECT 1").rows == [(1,)]
    assert (len(athena.asked[START]), len(athena.started)) == (2, 1)


def test_ask__two_queries_of_the_same_text__are_two(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    for answer in ("1", "2"):
        athena.results(("n", "bigint"), rows=[[answer]])
    assert [queries.ask("SELECT 1").rows for _ in range(2)] == [[(1,)], [(2,)]]


@pytest.mark.parametrize("step", [START, POLL, READ])
def test_ask__busy_for_ever__gives_up(athena: ScriptedAthena, queries: AthenaQueries, step: str) -> None:
    athena.play(step, *[busy("TooManyRequestsException")] * CALLS)
    with pytest.raises(WarehouseUnavailableError, match="busy"):
        queries.ask("SELECT 1")
    assert len(athena.asked[step]) == CALLS


def test_ask__silent_for_ever__gives_up(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.play(START, *[lost] * CALLS)
    with pytest.raises(WarehouseUnavailableError, match="busy"):
        queries.ask("SELECT 1")
    assert len(athena.started) == 1


def test_ask__refused__is_told_at_once_in_athenas_words(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.play(START, busy("InvalidRequestException"))
    with pytest.raises(QueryError, match="InvalidRequestException: Rate exceeded"):
        queries.ask("SELEC 1")
    assert len(athena.asked[START]) == 1


def test_ask__query_fails__has_athenas_reason(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.play(POLL, ended("FAILED", "COLUMN_NOT_FOUND: line 1:8", ErrorCategory=2, Retryable=False))
    with pytest.raises(QueryError, match="COLUMN_NOT_FOUND: line 1:8"):
        queries.ask("SELECT x")
    assert len(athena.started) == 1


def test_ask__reason_only_in_the_error__is_told(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.play(POLL, ended("FAILED", ErrorCategory=2, ErrorMessage="no such thing"))
    with pytest.raises(QueryError, match="no such thing"):
        queries.ask("SELECT x")


@pytest.mark.parametrize("error", [{"ErrorCategory": 1}, {"ErrorCategory": 3, "Retryable": True}])
def test_ask__athena_breaks_the_query__starts_another(
    athena: ScriptedAthena, queries: AthenaQueries, error: dict[str, Any]
) -> None:
    for answer in ("1", "2"):
        athena.results(("n", "bigint"), rows=[[answer]])
    athena.play(POLL, ended("FAILED", "GENERIC_INTERNAL_ERROR", **error))
    assert queries.ask("SELECT 1").rows == [(2,)]
    assert len(athena.started) == 2


def test_ask__athena_breaks_every_query__tells_the_reason(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.play(POLL, *[ended("FAILED", "GENERIC_INTERNAL_ERROR", ErrorCategory=1)] * STARTS)
    with pytest.raises(QueryError, match="GENERIC_INTERNAL_ERROR"):
        queries.ask("SELECT 1")
    assert len(athena.started) == STARTS


def test_ask__scan_limit__is_told_as_such(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.play(POLL, ended("CANCELLED", "Query cancelled! : Bytes scanned limit was exceeded", scanned=10_000_000))
    with pytest.raises(ScanLimitError, match="10,000,000 bytes") as told:
        queries.ask("SELECT 1")
    assert told.value.scanned == 10_000_000


def test_ask__somebody_cancels__is_no_answer(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.play(POLL, RUNNING, ended("CANCELLED", "by a person"))
    with pytest.raises(QueryCancelledError, match="by a person"):
        queries.ask("SELECT 1")


def test_ask__not_done_in_time__is_cancelled(athena: ScriptedAthena, queries: AthenaQueries, waiting: Waiting) -> None:
    athena.play(POLL, *[RUNNING] * 100)
    with pytest.raises(QueryDeadlineError, match="60 s"):
        queries.ask("SELECT 1")
    assert waiting.now == pytest.approx(SECONDS)
    assert [asked["QueryExecutionId"] for asked in athena.asked[STOP]] == [
        started["QueryExecutionId"] for started in athena.started.values()
    ]


def test_ask__waiting_is_interrupted__is_cancelled(athena: ScriptedAthena, queries: AthenaQueries) -> None:
    athena.play(POLL, *[busy("ThrottlingException")] * CALLS)
    with pytest.raises(WarehouseUnavailableError):
        queries.ask("SELECT 1")
    assert len(athena.asked[STOP]) == 1


def test_ask__cannot_be_cancelled_either__tells_the_first_trouble(
    athena: ScriptedAthena, queries: AthenaQueries
) -> None:
    athena.play(POLL, *[RUNNING] * 100)
    athena.play(STOP, busy("InternalServerException"))
    with pytest.raises(QueryDeadlineError):
        queries.ask("SELECT 1")


@pytest.mark.parametrize(
    ("bytes_", "fits"), [(MAX_QUERY_BYTES - 1, True), (MAX_QUERY_BYTES, True), (MAX_QUERY_BYTES + 1, False)]
)
def test_ask__length_of_the_text__at_athenas_limit(
    athena: ScriptedAthena, queries: AthenaQueries, bytes_: int, fits: bool
) -> None:
    athena.results(("n", "bigint"), rows=[["1"]])
    text = "SELECT 'ä".ljust(bytes_ - 2) + "'"
    assert len(text.encode()) == bytes_
    if fits:
        assert queries.ask(text).rows == [(1,)]
    else:
        with pytest.raises(QueryTooLongError, match="262,145 bytes"):
            queries.ask(text)
        assert not athena.asked[START]
