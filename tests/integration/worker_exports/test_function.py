"""The export worker on the template's table, bucket and queue; the file as its link gives it."""

from __future__ import annotations

import json
from dataclasses import dataclass
from pathlib import Path
from random import Random
from typing import Any

import pytest
import requests

from abtest.adapters.s3.exports import S3ExportStore
from abtest.domain.ledger.objects import raw_key
from abtest.kit.clock import SystemClock, to_milliseconds
from tests.support.client import Client
from tests.support.deployed import DeployedFamily
from tests.support.handlers import Handler, fresh_handler
from tests.support.invocations import Context, sample
from tests.support.moto_stack import AwsStack
from tests.unit.exports.office import moment
from tests.unit.ledger.streams import ledger_object, row

HOUR = 3_600_000


@dataclass
class Deployed:
    """A shop that makes experiments, and orders exports of the deployed functions."""

    stack: AwsStack
    author: DeployedFamily
    now: int

    def api(self) -> Client:
        return self.author.calling("ApiAnalytics", "api_analytics")

    def worker(self) -> Handler:
        return fresh_handler(self.stack, "WorkerExports", "worker_exports")

    def order(self, **changes: Any) -> dict[str, Any]:
        wish = {"dataset": "events", "format": "ndjson", "from": moment(self.now - HOUR), "to": moment(self.now + HOUR)}
        answer = self.api().post("/exports", wish | changes)
        assert answer.status == 202, answer.body
        found: dict[str, Any] = answer.json()
        return found

    def event(self) -> dict[str, Any]:
        """What the queue would hand to the worker."""
        answer: Any = self.stack.clients.sqs.receive_message(QueueUrl=self.stack.name("ExportQueue"))
        event = sample("worker_exports__unreadable")
        event["Records"][0]["body"] = answer["Messages"][0]["Body"]
        return event

    def written(self, *event_ids: str) -> None:
        shop_id, now = self.author.tenant.shop.id, self.now
        rows = [row(event_id=each, shop_id=shop_id, ts=now, received_at=now) for each in event_ids]
        self.stack.clients.s3.put_object(
            Bucket=self.stack.name("LedgerBucket"), Key=raw_key(["m"], self.now), Body=ledger_object(rows)
        )


@pytest.fixture
def deployed(aws_stack: AwsStack) -> Deployed:
    author = DeployedFamily.started(aws_stack, "ApiExperiments", "api_experiments")
    return Deployed(aws_stack, author, to_milliseconds(SystemClock().now()))


def test_export__of_deployed_functions__is_had_from_its_link(deployed: Deployed) -> None:
    deployed.written("a", "b", "b", "c")
    ordered = deployed.order()
    event = deployed.event()
    for _ in range(2):
        assert deployed.worker()(event, Context()) == {"batchItemFailures": []}
    made = deployed.api().get(f"/exports/{ordered['id']}").json()
    assert (made["status"], made["rows"]) == ("completed", 3)
    answer = requests.get(made["url"], timeout=10)
    assert [json.loads(line)["event_id"] for line in answer.content.splitlines()] == ["a", "b", "c"]
    assert 'filename="events-' in answer.headers["content-disposition"]
    assert answer.headers["content-type"] == "application/x-ndjson"
    assert "X-Amz-Expires=3600" in made["url"]
    assert "X-Amz-Signature" in made["url"]


@pytest.mark.parametrize("form", ["csv", "parquet"])
def test_export__in_another_format__is_a_file_of_it(deployed: Deployed, form: str) -> None:
    deployed.written("a")
    ordered = deployed.order(format=form)
    deployed.worker()(deployed.event(), Context())
    made = deployed.api().get(f"/exports/{ordered['id']}").json()
    content = requests.get(made["url"], timeout=10).content
    assert content.startswith({"csv": b"event_id,shop_id,", "parquet": b"PAR1"}[form])


def test_results__of_an_experiment__are_made_from_its_roll_ups(deployed: Deployed) -> None:
    experiment = deployed.author.client.post("/experiments", {"name": "Headline"}).json()
    ordered = deployed.order(dataset="results", format="csv", experiment_id=experiment["public_id"])
    assert deployed.worker()(deployed.event(), Context()) == {"batchItemFailures": []}
    made = deployed.api().get(f"/exports/{ordered['id']}").json()
    assert (made["status"], made["rows"]) == ("completed", 0)


def test_message__that_is_no_job__comes_again_alone(deployed: Deployed) -> None:
    event = sample("worker_exports__unreadable")
    answer = deployed.worker()(event, Context())
    assert answer == {"batchItemFailures": [{"itemIdentifier": event["Records"][0]["messageId"]}]}


def test_store__of_a_large_file__uploads_parts_and_nothing_before_the_last(aws_stack: AwsStack, tmp_path: Path) -> None:
    aws_stack.enter("WorkerExports")
    store = S3ExportStore(aws_stack.name("LedgerBucket"))
    content = Random(1).randbytes(40 * 1024 * 1024)
    file = tmp_path / "file"
    file.write_bytes(content)
    parts = store.store("exports/s/e.csv", file, content_type="text/csv")
    sizes = [(sent, store.size("exports/s/e.csv")) for sent in parts]
    assert sizes == [(16 << 20, None), (32 << 20, None), (40 << 20, None)]
    assert store.size("exports/s/e.csv") == len(content)
    assert requests.get(store.link("exports/s/e.csv", file_name="e.csv", seconds=60), timeout=10).content == content


def test_store__that_is_stopped_half_way__keeps_nothing(aws_stack: AwsStack, tmp_path: Path) -> None:
    aws_stack.enter("WorkerExports")
    bucket = aws_stack.name("LedgerBucket")
    file = tmp_path / "file"
    file.write_bytes(bytes(20 << 20))
    parts = S3ExportStore(bucket).store("exports/s/e.csv", file, content_type="text/csv")
    next(parts)
    parts.close()
    assert S3ExportStore(bucket).size("exports/s/e.csv") is None
    assert "Uploads" not in aws_stack.clients.s3.list_multipart_uploads(Bucket=bucket)
