"""A reader over HTTP, the dispatcher and its worker as deployed: few new rows are counted once someone reads."""

from __future__ import annotations

import time
from typing import Any

from abtest.adapters.s3 import S3Blobs
from abtest.kit.clock import SystemClock, to_milliseconds
from tests.support.deployed import DeployedFamily
from tests.support.handlers import fresh_handler
from tests.support.moto_stack import AwsStack
from tests.support.queues import received
from tests.support.rolled_shops import put_events
from tests.unit.ledger.streams import row


def test_results__of_a_shop_with_few_new_rows__are_fresh_a_turn_of_the_dispatcher_after_they_are_read(
    aws_stack: AwsStack,
) -> None:
    author = DeployedFamily.started(aws_stack, "ApiExperiments", "api_experiments")
    made = author.client.post("/experiments", {"name": "Headline"}).json()
    launched = author.client.post(f"/experiments/{made['id']}/launch", {"override_checklist_warnings": True})
    assert launched.status == 200, launched.body

    def visit(visitor: str) -> None:
        now = to_milliseconds(SystemClock().now())
        seen = row(
            event_id=visitor,
            shop_id=author.tenant.shop.id,
            visitor_id=visitor,
            experiment_id=made["id"],
            variation_id=made["variations"][0]["id"],
            assignment_epoch=1,
            ts=now,
            received_at=now,
        )
        put_events(S3Blobs(aws_stack.name("LedgerBucket")), visitor, [seen], at=now)

    def turn() -> int:
        result = fresh_handler(aws_stack, "CronRollup", "cron_rollup")({}, None)
        fresh_handler(aws_stack, "WorkerRollup", "worker_rollup")({"Records": received(aws_stack, "RollupQueue")}, None)
        sent: int = result["sent"]
        return sent

    def later_turn() -> int:
        # Rows wait for a share of the plans' age; turns are a minute apart, and here only as long as they take.
        for _ in range(20):
            time.sleep(0.1)
            if sent := turn():
                return sent
        return 0

    def results() -> Any:
        analyst = author.calling("ApiAnalytics", "api_analytics")
        return analyst.get(f"/experiments/{made['id']}/results").json()

    assert turn() == 1, "a shop that was never counted"
    visit("first")
    assert turn() == 0, "no one reads, and one visitor proves nothing"
    before = results()
    assert later_turn() == 1
    after = results()
    assert after["computed_at"] > before["computed_at"], "the reader sees how far results reach"
    assert after["generation"] == before["generation"] + 1
    visit("second")
    assert later_turn() == 1, "the shop is still being read"
    assert results()["generation"] > after["generation"]
