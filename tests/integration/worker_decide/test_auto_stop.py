"""The function on the template's resources, under its own policy: looks, pauses, publishes; once."""

from __future__ import annotations

from dataclasses import replace
from datetime import UTC, datetime, timedelta

import pytest

from abtest.adapters.dynamo import DynamoCatalog, DynamoLookStore, DynamoRollupStore
from abtest.adapters.s3 import S3Blobs
from abtest.domain.experiments.model import Experiment
from abtest.kit.clock import timestamp
from abtest.ports.catalog import Catalog, Commit, Put
from abtest.services.experiments.records import EXPERIMENTS, experiment_in
from abtest.services.shop_records import puts_of
from tests.support.any_json import any_json
from tests.support.autostopping import CONTROL, GOAL, GROUP_SEQUENTIAL, PLANNED, TREATMENT, plan, running, totals
from tests.support.deployed_deciders import DeployedDeciders
from tests.support.moto_stack import AwsStack
from tests.support.storefronts import SHOP_ID, shop

WON = {CONTROL: (2000, 200), TREATMENT: (2000, 300)}
EVEN = {CONTROL: (2000, 200), TREATMENT: (2000, 205)}


@pytest.fixture
def deciders(aws_stack: AwsStack) -> DeployedDeciders:
    return DeployedDeciders(aws_stack)


@pytest.fixture
def catalog(aws_stack: AwsStack) -> Catalog:
    return DynamoCatalog(aws_stack.name("CatalogTable"), S3Blobs(aws_stack.name("BlobsBucket")))


@pytest.fixture
def rollups(aws_stack: AwsStack) -> DynamoRollupStore:
    return DynamoRollupStore(aws_stack.name("RollupsTable"))


def test_function__a_winner_and_one_that_runs_on__pauses_once_and_publishes(
    deciders: DeployedDeciders, catalog: Catalog, rollups: DynamoRollupStore, aws_stack: AwsStack
) -> None:
    began = timestamp(datetime.now(UTC) - timedelta(days=1))
    first, second = running(1), replace(running(2), auto_stop_override=PLANNED, planned_test=plan())
    catalog.commit(Commit(puts=puts_of(shop())))
    for experiment in (first, second):
        begun = replace(experiment, started_at=began, measurement_started_at=began)
        catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(begun), expected_version=0)]))
    rollups.put(totals(first, 1, WON), {}, {})
    rollups.put(totals(second, 1, EVEN), {}, {})

    assert deciders.run("autostop") == {"paused": 1, "evaluated": 1}

    assert _stored(catalog, first.id).status == "paused"
    kept = _stored(catalog, second.id)
    assert (kept.status, any_json(kept.planned_test)["evaluation"]["outcome"]) == ("running", "continue_inconclusive")
    told = catalog.outbox("webhook", created_before="9999", limit=10)
    assert [row.payload["event"] for row in told] == ["experiment.significant", "variation.winning"]
    assert catalog.outbox("publish", created_before="9999", limit=10) == []
    assert list(S3Blobs(aws_stack.name("DeliveryBucket")).list(""))
    looks = DynamoLookStore(aws_stack.name("RollupsTable"))
    assert [look["generation"] for look in looks.looks(first.id, 1)] == [1]
    state = looks.state(first.id, 1)
    assert state is not None
    assert state["minima"][GOAL][TREATMENT] < 0.05

    assert deciders.run("autostop") == {"already_evaluated": 1}
    assert len(catalog.outbox("webhook", created_before="9999", limit=10)) == 2


def test_function__planned_looks__are_stored_as_read_and_pause_at_a_boundary(
    deciders: DeployedDeciders, catalog: Catalog, rollups: DynamoRollupStore, aws_stack: AwsStack
) -> None:
    began = timestamp(datetime.now(UTC) - timedelta(days=1))
    planned = plan(required_total_visitors=6000, spending={"family": "pocock", "gamma": None}, looks=5)
    experiment = replace(
        running(1),
        started_at=began,
        measurement_started_at=began,
        auto_stop_override=GROUP_SEQUENTIAL,
        planned_test=planned,
    )
    catalog.commit(Commit(puts=puts_of(shop())))
    catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(experiment), expected_version=0)]))
    looks = DynamoLookStore(aws_stack.name("RollupsTable"))

    rollups.put(totals(experiment, 1, {CONTROL: (800, 80), TREATMENT: (800, 84)}), {}, {})
    for _ in range(2):
        assert deciders.run("autostop") == {"no_winner": 1}
    first = looks.state(experiment.id, 1)
    assert first is not None
    assert [one["generation"] for one in first["planned_looks"]["counts"][TREATMENT]] == [1]

    assert rollups.put(totals(experiment, 2, WON), {}, {})
    assert deciders.run("autostop") == {"paused": 1}
    second = looks.state(experiment.id, 1)
    assert second is not None
    documents = second["planned_looks"]["family"]["treatments"][TREATMENT]["looks"]
    assert documents[:1] == first["planned_looks"]["family"]["treatments"][TREATMENT]["looks"]
    assert len(documents) == 2
    evaluation = any_json(_stored(catalog, experiment.id).planned_test)["evaluation"]
    assert (evaluation["outcome"], evaluation["engine"], evaluation["ended_by"]) == (
        "significant_pause",
        "group_sequential",
        "winner",
    )
    events = catalog.outbox("webhook", created_before="9999", limit=10)
    assert [row.payload["event"] for row in events] == ["experiment.significant", "variation.winning"]


def test_function__planned_looks_at_adjusted_rates__pause_for_a_winner_that_plain_looks_do_not_see(
    deciders: DeployedDeciders, catalog: Catalog, rollups: DynamoRollupStore, aws_stack: AwsStack
) -> None:
    began = timestamp(datetime.now(UTC) - timedelta(days=1))
    planned = plan(baseline_rate=0.2, required_total_visitors=12_000, covariate_adjustment="cuped")
    fields = {"started_at": began, "measurement_started_at": began, "auto_stop_override": GROUP_SEQUENTIAL}
    adjusted, plain = running(1, planned_test=planned, **fields), running(2, planned_test=planned, **fields)
    catalog.commit(Commit(puts=puts_of(shop())))
    for experiment in (adjusted, plain):
        catalog.commit(Commit(puts=[Put(record=EXPERIMENTS.record(experiment), expected_version=0)]))
    past = {"covariates": {GOAL: {CONTROL: [300, "300", "260"], TREATMENT: [300, "300", "265"]}}}
    counted = {CONTROL: (1500, 300), TREATMENT: (1500, 345)}
    rollups.put(totals(adjusted, 1, counted, **past), {}, {})
    rollups.put(totals(plain, 1, counted), {}, {})

    assert deciders.run("autostop") == {"paused": 1, "no_winner": 1}

    looks = DynamoLookStore(aws_stack.name("RollupsTable"))
    states = [looks.state(experiment.id, 1) for experiment in (adjusted, plain)]
    assert [state is not None and state["planned_looks"]["adjusted"] for state in states] == [True, False]
    evaluation = any_json(_stored(catalog, adjusted.id).planned_test)["evaluation"]
    assert (evaluation["outcome"], evaluation["ended_by"]) == ("significant_pause", "winner")
    (row,), _ = catalog.audit(SHOP_ID, entity_id=adjusted.id, limit=10)
    assert row.diff["estimate"] == [None, "cuped"]


def _stored(catalog: Catalog, experiment_id: str) -> Experiment:
    record = catalog.get(SHOP_ID, "EXP", experiment_id)
    assert record is not None
    return experiment_in(record)
