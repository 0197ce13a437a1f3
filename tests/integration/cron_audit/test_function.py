"""The audit and the operator's recomputation on the template's resources, with no more than the function's policy."""

import gzip
import io
import json
from dataclasses import replace
from hashlib import sha256
from typing import Any

import pytest

from abtest.adapters.dynamo import DynamoCatalog, DynamoRollupStore
from abtest.adapters.s3 import S3Blobs
from abtest.domain.ledger.objects import raw_key
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
from tests.support.storefronts import shop
from tests.unit.ledger.rolled_up import EXPERIMENT, events, running
from tools.admin.__main__ import main
from tools.admin.recompute import Display

PAGE = "0192a3b4-0000-7000-8000-0000000000a1"


class Night:
    """A deployed ledger, and what works on it."""

    def __init__(self, stack: AwsStack) -> None:
        self.ledger = S3Blobs(stack.name("LedgerBucket"))
        self.store = DynamoRollupStore(stack.name("RollupsTable"))
        catalog = DynamoCatalog(stack.name("CatalogTable"), S3Blobs(stack.name("BlobsBucket")))
        self.world = World(catalog=catalog, clock=SystemClock(), random=SystemRandomness())
        catalog.commit(Commit(puts=puts_of(shop())))
        catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(running(EXPERIMENT)), expected_version=0)]))
        self.now = to_milliseconds(SystemClock().now())
        self.handler = fresh_handler(stack, "CronAudit", "cron_audit")

    def arrive(self, name: str, lines: list[Any]) -> None:
        content = gzip.compress(b"\n".join(canonical_json.encode(line) for line in lines))
        self.ledger.put(raw_key([name], self.now), content, content_type="application/x-ndjson")

    def audit(self) -> Any:
        return self.handler(sample("cron_audit__night"), Context())


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


def test_audit__of_what_was_recomputed__is_equal(night: Night, capsys: pytest.CaptureFixture[str]) -> None:
    _recompute(capsys)

    answer = night.audit()

    assert (answer["equal"], answer["different"], answer["failed"]) == ([EXPERIMENT], [], [])


def test_audit__of_a_goal_on_a_page_and_a_roll_up_in_parts__has_the_rights_for_both(
    night: Night, capsys: pytest.CaptureFixture[str]
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

    answer = night.audit()

    assert (answer["equal"], answer["failed"]) == ([EXPERIMENT], [])


def test_audit__damaged_roll_up__raises_the_metric_and_recompute_mends_it(
    night: Night, capsys: pytest.CaptureFixture[str]
) -> None:
    _recompute(capsys)
    totals = night.store.totals(EXPERIMENT, 1)
    assert totals is not None
    spoilt = {**totals, "generation": totals["generation"] + 1, "multiple_exposure": 9}
    assert night.store.put(spoilt, {}, {})

    assert night.audit()["different"] == [EXPERIMENT]
    (line,) = [json.loads(line) for line in capsys.readouterr().out.splitlines() if '"_aws"' in line]
    assert line["RollupDifference"] == 1
    told = _recompute(capsys, "--dry-run", "--experiment", EXPERIMENT)
    assert {"where": "multiple_exposure", "standing": 9, "counted": 0} in told["differing"][EXPERIMENT]
    assert _recompute(capsys, "--shop", shop().id)["result"] == "different"
    assert _recompute(capsys)["result"] == "equal"
    assert night.audit()["equal"] == [EXPERIMENT]


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
