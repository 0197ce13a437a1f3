"""The schedules of Guardian and auto-stop on the template's table and queue, each under its own policy."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from abtest.kit import canonical_json
from abtest.kit.clock import timestamp
from abtest.ports.catalog import Commit, Put
from abtest.services.decisions.messages import TASKS
from abtest.services.experiments.records import EXPERIMENTS
from abtest.services.shop_records import puts_of
from tests.integration.worker_decide.test_messages import Deployed
from tests.support.autostopping import running
from tests.support.moto_stack import AwsStack
from tests.support.storefronts import SHOP_ID, shop


@pytest.fixture
def deployed(aws_stack: AwsStack) -> Deployed:
    return Deployed(aws_stack)


def test_schedules__of_several_shops__send_each_in_its_group(deployed: Deployed) -> None:
    deployed.prepared(1)
    other = shop(id="0192a3b4-0000-7000-8000-00000000000b")
    deployed.catalog.commit(Commit(puts=puts_of(other)))
    began = timestamp(datetime.now(UTC) - timedelta(days=1))
    theirs = replace(running(2), shop_id=other.id, started_at=began, measurement_started_at=began)
    deployed.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(theirs), expected_version=0)]))
    for task in TASKS:
        assert deployed.dispatch(task) == {"shops": 2, "experiments": 2, "messages": 2}
        messages = deployed.received()
        assert {message["Attributes"]["MessageGroupId"] for message in messages} == {SHOP_ID, other.id}
        assert {canonical_json.loads(message["Body"])["tasks"][0] for message in messages} == {task}


def test_schedules__with_nothing_that_runs__send_nothing(deployed: Deployed) -> None:
    for task in TASKS:
        assert deployed.dispatch(task) == {"shops": 0, "experiments": 0, "messages": 0}
    assert deployed.received() == []
