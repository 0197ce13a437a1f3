"""The schedule on the template's tables, with a real event and no more rights than the function's policy gives."""

from __future__ import annotations

import json
from dataclasses import replace

import pytest

from abtest.adapters.dynamo import DynamoCatalog, DynamoRollupStore
from abtest.adapters.s3 import S3Blobs
from abtest.domain.ledger.cells import QUARTER_MS
from abtest.kit.clock import SystemClock, from_milliseconds, timestamp, to_milliseconds
from abtest.ports.catalog import Commit, Put
from abtest.services.experiments.records import EXPERIMENTS, experiment_in
from abtest.services.guardian_memory import remembered
from abtest.services.shop_records import puts_of
from tests.support.deployed_deciders import DeployedDeciders
from tests.support.moto_stack import AwsStack
from tests.support.storefronts import SHOP_ID, experiment, goal, shop, variation

MINUTE = 60_000
BUY = goal(is_primary=True, role="primary")


class Deployed:
    """A shop with an experiment that runs since an hour, whose treatment loses conversions."""

    def __init__(self, stack: AwsStack) -> None:
        self.catalog = DynamoCatalog(stack.name("CatalogTable"), S3Blobs(stack.name("BlobsBucket")))
        self.store = DynamoRollupStore(stack.name("RollupsTable"))
        self.now = to_milliseconds(SystemClock().now())
        began = timestamp(from_milliseconds(self.now - 60 * MINUTE))
        self.experiment = experiment(started_at=began, measurement_started_at=began, goals=(BUY,))
        self.catalog.commit(Commit(puts=puts_of(shop())))
        self.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(self.experiment), expected_version=0)]))
        self.deciders = DeployedDeciders(stack)

    def counted(self, treatment: int, *, twice: int = 0, generation: int = 1) -> None:
        at, arms = from_milliseconds(self.now), (variation(0).id, variation(1).id)
        identity = {"experiment_id": self.experiment.id, "measurement_epoch": 1, "generation": generation}
        stamp = {**identity, "computed_at": timestamp(at)}
        buys = {
            arm: {"converters": n, "count": n, "sum_minor": n, "sum_squares_minor": str(n), "excluded": 0}
            for arm, n in zip(arms, (500, treatment), strict=True)
        }
        date = f"{at:%Y-%m-%d}"
        totals = {
            **stamp,
            "through": timestamp(at),
            "currency": "EUR",
            "variations": {arm: {"visitors": 5000} for arm in arms},
            "goals": {BUY.id: buys},
            "multiple_exposure": twice,
            "digests": {f"DAY#{date}": f"{generation:024d}"},
        }
        cells = [[arm, "quarter", self.now // QUARTER_MS, "", 5000] for arm in arms]
        day = {**stamp, "date": date, "cells": cells, "goals": {}, "money": {}}
        assert self.store.put(totals, {date: day}, {})

    def run(self) -> dict[str, int]:
        return self.deciders.run("guardian")

    def status(self) -> str:
        record = self.catalog.get(SHOP_ID, "EXP", self.experiment.id)
        assert record is not None
        return experiment_in(record).status

    def webhooks(self) -> list[str]:
        rows = self.catalog.outbox("webhook", created_before="9999", limit=99)
        return [row.payload["event"] for row in rows]


@pytest.fixture
def deployed(aws_stack: AwsStack) -> Deployed:
    return Deployed(aws_stack)


def test_run__harmful_treatment__is_paused_published_and_told(
    deployed: Deployed, aws_stack: AwsStack, capsys: pytest.CaptureFixture[str]
) -> None:
    deployed.counted(300)

    assert deployed.run() == {"paused": 1}

    assert deployed.status() == "paused"
    assert deployed.webhooks() == ["experiment.guardian_paused"]
    (message,), _ = deployed.catalog.inbox(SHOP_ID, limit=9)
    assert "The experiment was paused." in message.body
    assert deployed.catalog.outbox("publish", created_before="9999", limit=9) == []
    assert list(S3Blobs(aws_stack.name("DeliveryBucket")).list("")), "storefronts have the new configuration"
    (line,) = [json.loads(text) for text in capsys.readouterr().out.splitlines() if '"_aws"' in text]
    assert (line["ExperimentsPaused"], line["ExperimentsLeft"]) == (1, 0)
    assert deployed.run() == {}


def test_run__twice__remembers_what_it_told(deployed: Deployed) -> None:
    deployed.counted(490, twice=400)

    assert deployed.run() == {"notified": 1}
    assert deployed.run() == {"quiet": 1}

    assert deployed.webhooks() == ["experiment.guardian_triggered"]
    state = remembered(deployed.catalog, SHOP_ID, deployed.experiment.id).state
    assert state is not None
    assert [case.kind for case in state.open] == ["multiple_exposure"]
    assert deployed.status() == "running"


def test_run__code_too_large_for_an_item__has_the_rights_for_it(deployed: Deployed) -> None:
    """The body of such an experiment is in the bucket, and is written there again by the pause."""
    noise = "".join(f"{number * 7919 % 1_000_003:x}" for number in range(160_000))
    parts = [f"var a{n} = '{noise[n * 190_000 : (n + 1) * 190_000]}'" for n in range(4)]
    large = replace(
        deployed.experiment,
        version=2,
        variations=tuple(
            replace(each, custom_js=parts[2 * n], custom_css=parts[2 * n + 1])
            for n, each in enumerate(deployed.experiment.variations)
        ),
    )
    deployed.catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(large), expected_version=1)]))
    deployed.counted(300)

    assert deployed.run() in ({"paused": 1}, {"unpublished": 1})

    assert deployed.status() == "paused"
