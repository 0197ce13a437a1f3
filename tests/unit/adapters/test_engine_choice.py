"""The template's parameter chooses the engine, and gives the rights that it takes."""

from collections.abc import Iterator
from dataclasses import replace

import pytest

from abtest.adapters import aws
from abtest.adapters.s3 import S3Blobs
from abtest.adapters.warehouse.athena import AthenaWarehouse
from abtest.adapters.warehouse.athena_shop_counter import AthenaShopCounter
from abtest.adapters.warehouse.counts_sql import CANDIDATE
from abtest.adapters.warehouse.duckdb_ledger import DuckDbWarehouse
from abtest.domain.ledger.objects import ShopFiles
from abtest.kit.clock import SystemClock
from abtest.services.ledger_feed import LedgerFeed
from abtest.services.rollups import DividedCounter
from abtest.wiring.settings import MissingSettingError, Settings
from abtest.wiring.warehouses import counters_of, warehouse_of
from tests.support.ledgers import BEGIN, PLAN, SHOP
from tests.support.memory import MemoryQueue
from tests.support.moto_stack import AwsStack, moto_stack
from tests.support.scripted_athena import ScriptedAthena


@pytest.fixture(params=["duckdb", "athena"])
def stack(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[AwsStack]:
    aws.reset()
    with moto_stack(monkeypatch, {"WarehouseEngine": request.param}) as made:
        yield made
    aws.reset()


def found(stack: AwsStack) -> Settings:
    return Settings.of(stack.environment("WorkerRollup"))


def test_engine__is_what_the_template_says(stack: AwsStack) -> None:
    settings = found(stack)
    ledger, is_athena = S3Blobs(settings.ledger_bucket), settings.warehouse_engine == "athena"
    assert isinstance(warehouse_of(settings, ledger), AthenaWarehouse if is_athena else DuckDbWarehouse)
    clock = SystemClock()
    counters = counters_of(settings, ledger, LedgerFeed(ledger, clock), clock, MemoryQueue())
    assert isinstance(counters.shops, AthenaShopCounter if is_athena else DividedCounter)
    assert (counters.units is None) is is_athena


@pytest.mark.parametrize("stack", ["athena"], indirect=True)
def test_athena__asked_with_judged_goals__has_the_rights_for_all_of_it(stack: AwsStack) -> None:
    athena = ScriptedAthena()
    hit = dict.fromkeys(CANDIDATE) | {"plan_goal_id": "values", "event_id": "e-1", "type": "custom", "data": "{}"}
    athena.results(*((name, "varchar") for name in CANDIDATE), rows=[list(hit.values())])
    settings = found(stack)
    warehouse = warehouse_of(settings, S3Blobs(settings.ledger_bucket))
    with stack.guard("WorkerRollup").running(), warehouse.open(SHOP, ShopFiles(), since=BEGIN) as ledger:
        ledger.count(PLAN)
    assert len(athena.started) == 3  # the rows that are kept, the hits to judge, and the counting


@pytest.mark.parametrize("stack", ["duckdb"], indirect=True)
def test_duckdb__has_no_rights_for_athena(stack: AwsStack) -> None:
    settings = replace(found(stack), warehouse_engine="athena")
    warehouse = warehouse_of(settings, S3Blobs(settings.ledger_bucket))
    with (
        pytest.raises(AssertionError, match="athena:StartQueryExecution"),
        stack.guard("WorkerRollup").running(),
        warehouse.open(SHOP, ShopFiles(), since=BEGIN) as ledger,
    ):
        ledger.count(PLAN)


@pytest.mark.parametrize("settings", [Settings(warehouse_engine="oracle"), Settings(warehouse_engine="athena")])
def test_engine__unknown_or_without_its_settings__ends_the_start(settings: Settings) -> None:
    with pytest.raises(MissingSettingError):
        warehouse_of(settings, S3Blobs("ledger"))


def test_engine__not_named__is_the_templates_default() -> None:
    assert isinstance(warehouse_of(Settings(), S3Blobs("ledger")), DuckDbWarehouse)
