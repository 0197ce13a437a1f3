"""A night's audit on the template's resources, with no more than each function's policy; and the recomputation."""

import gzip
import io
import json
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoCatalog, DynamoRollupStore
from abtest.adapters.s3 import S3Blobs
from abtest.domain.ledger.compacted_hours import CompactedHour
from abtest.domain.ledger.events import HOUR_MS
from abtest.domain.ledger.objects import compacted_key, hour_of, raw_key
from abtest.domain.ledger.shop_groups import division
from abtest.kit import canonical_json
from abtest.kit.clock import SystemClock, to_milliseconds
from abtest.kit.ids import SystemRandomness
from abtest.ports.catalog import Commit, Put
from abtest.services.context import World
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.recompute import Progress
from abtest.services.shop_records import puts_of
from abtest.wiring.settings import Settings
from tests.support.handlers import fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.support.queues import received
from tests.support.storefronts import shop
from tests.unit.ledger.rolled_up import EXPERIMENT, events, running
from tools.admin.__main__ import main
from tools.admin.recompute import Display

PAGE = "0192a3b4-0000-7000-8000-0000000000a1"


class Night:
    """A deployed ledger, and what works on it: the schedule, the queue, and the worker."""

    def __init__(self, stack: AwsStack) -> None:
        self.stack = stack
        self.ledger = S3Blobs(stack.name("LedgerBucket"))
        self.store = DynamoRollupStore(stack.name("RollupsTable"))
        catalog = DynamoCatalog(stack.name("CatalogTable"), S3Blobs(stack.name("BlobsBucket")))
        self.world = World(catalog=catalog, clock=SystemClock(), random=SystemRandomness())
        catalog.commit(Commit(puts=puts_of(shop())))
        catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(running(EXPERIMENT)), expected_version=0)]))
        self.now = to_milliseconds(SystemClock().now())
        # The operator's command reads the same tables and buckets as the worker.
        stack.enter("WorkerAudit")

    def arrive(self, name: str, lines: list[Any]) -> None:
        content = gzip.compress(b"\n".join(canonical_json.encode(line) for line in lines))
        self.ledger.put(raw_key([name], self.now), content, content_type="application/x-ndjson")

    def send(self) -> Any:
        """Return the result of the schedule."""
        return fresh_handler(self.stack, "CronAudit", "cron_audit")(sample("cron_audit__night"), Context())

    def work(self) -> Any:
        """Return the worker's answer to all messages that wait."""
        records = received(self.stack, "AuditQueue")
        return fresh_handler(self.stack, "WorkerAudit", "worker_audit")({"Records": records}, Context())

    def audit(self, caplog: pytest.LogCaptureFixture) -> Any:
        """Send the night's sample, carry out all of it, and return the outcome of the shop."""
        caplog.set_level("INFO", "abtest.services.audit")
        caplog.clear()
        self.send()
        assert self.work() == {"batchItemFailures": []}
        (outcome,) = [vars(record) for record in caplog.records if record.message == "audit.done"]
        return outcome


@pytest.fixture
def night(aws_stack: AwsStack) -> Night:
    found = Night(aws_stack)
    found.arrive("1", events((1, 2, 3), EXPERIMENT, found.now - 1000))
    return found


def _recompute(capsys: pytest.CaptureFixture[str], *arguments: str) -> Any:
    assert main(["ledger", "recompute", *arguments]) == 0
    return json.loads(capsys.readouterr().out)


def test_recompute__from_nothing_then_again__writes_once_and_is_equal(
    night: Night, capsys: pytest.CaptureFixture[str]
) -> None:
    first = _recompute(capsys)
    again = _recompute(capsys)

    assert (first["result"], first["experiments"]) == ("different", 1)
    assert (again["result"], again["written"], again["differing"]) == ("equal", 0, {})
    totals = night.store.totals(EXPERIMENT, 1)
    assert totals is not None
    assert sum(found["visitors"] for found in totals["variations"].values()) == 3


def test_dispatch__of_a_night__sends_the_hours_and_the_records_of_the_shop(
    night: Night, capsys: pytest.CaptureFixture[str]
) -> None:
    hour = hour_of(night.now) - 3 * HOUR_MS
    for group in division(2):
        document = CompactedHour(raw=frozenset(), events=(), rows=0).encoded()
        night.ledger.put(compacted_key(hour, group), document, content_type="application/json")

    result = night.send()

    messages = [json.loads(record["body"]) for record in received(night.stack, "AuditQueue")]
    seed = result["seed"]
    assert result == {"seed": seed, "records": 2, "hours": 1, "messages": 3}
    assert [part for part in messages if "hour" in part] == [
        {"seed": seed, "hour": hour, "group": number, "groups": 2, "share": number, "shares": 2} for number in range(2)
    ]
    (part,) = [part for part in messages if "records" in part]
    assert (part["seed"], part["shop_id"]) == (seed, shop().id)
    assert sorted(part["records"]) == [["EXP", EXPERIMENT], ["SHOP", "SHOP"]]
    (line,) = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line]
    assert line["AuditPartsSent"] == 3


def test_audit__of_what_was_recomputed__is_equal(
    night: Night, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    _recompute(capsys)

    answer = night.audit(caplog)

    assert (answer["equal"], answer["different"], answer["failed"]) == ([EXPERIMENT], [], [])


def test_audit__of_a_goal_on_a_page_and_a_roll_up_in_parts__has_the_rights_for_both(
    night: Night, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    experiment = running(EXPERIMENT)
    scoped = replace(
        experiment,
        goals=(replace(experiment.goals[0], page_id="rule"),),
        goal_page_rules=({"id": "rule", "pageId": PAGE},),
        version=2,
    )
    night.world.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(scoped), expected_version=1)]))
    _recompute(capsys)
    totals = night.store.totals(EXPERIMENT, 1)
    assert totals is not None
    noise = "".join(sha256(bytes([number % 256, number // 256])).hexdigest() for number in range(12_000))
    assert night.store.put({**totals, "generation": totals["generation"] + 1, "noise": noise}, {}, {})

    answer = night.audit(caplog)

    assert (answer["equal"], answer["failed"]) == ([EXPERIMENT], [])


def test_audit__damaged_roll_up__raises_the_metric_and_recompute_mends_it(
    night: Night, capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    _recompute(capsys)
    totals = night.store.totals(EXPERIMENT, 1)
    assert totals is not None
    spoilt = {**totals, "generation": totals["generation"] + 1, "multiple_exposure": 9}
    assert night.store.put(spoilt, {}, {})

    assert night.audit(caplog)["different"] == [EXPERIMENT]
    (line,) = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"RollupDifference"' in line]
    assert line["RollupDifference"] == 1
    told = _recompute(capsys, "--dry-run", "--experiment", EXPERIMENT)
    assert {"where": "multiple_exposure", "standing": 9, "counted": 0} in told["differing"][EXPERIMENT]
    assert _recompute(capsys, "--shop", shop().id)["result"] == "different"
    assert _recompute(capsys)["result"] == "equal"
    assert night.audit(caplog)["equal"] == [EXPERIMENT]


def test_recompute__of_a_ledger_that_cannot_be_read__is_refused_with_a_sentence(
    night: Night, capsys: pytest.CaptureFixture[str]
) -> None:
    (entry,) = night.ledger.list("raw/")
    night.ledger.put(entry.key, b"?", content_type="application/x-ndjson")

    assert main(["ledger", "recompute"]) == 1
    assert "could not be counted" in capsys.readouterr().err


class Terminal(io.StringIO):
    """A terminal that somebody watches."""

    def isatty(self) -> bool:
        return True


def test_display__on_a_terminal__one_line_with_what_is_left() -> None:
    moments = iter([0.0, 1.0, 10.0])
    out = Terminal()
    display = Display(out, lambda: next(moments))

    for done in (0, 2):
        display.show(Progress(shop_id="s", done=done, total=4, objects=7))

    first, second = out.getvalue().split("\r")[1:]
    assert first.endswith("0 of 4 experiments, shop s, 7 raw objects")
    assert second.endswith("2 of 4 experiments, shop s, 7 raw objects, about 10 s left")


def test_display__elsewhere__nothing() -> None:
    out = io.StringIO()
    Display(out).show(Progress(shop_id="s", done=0, total=1, objects=1))

    assert out.getvalue() == ""


def test_recompute__without_a_deployment__says_what_lacks(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    for name in Settings.__dataclass_fields__:
        monkeypatch.delenv(name.upper(), raising=False)

    assert main(["ledger", "recompute"]) == 1
    assert "LEDGER_BUCKET" in capsys.readouterr().err
