"""Tables of Athena in the template: their columns are the ledger's, and their partitions lie where objects are put."""

import re
from typing import Any

import pytest

from abtest.domain.ledger.columns import COLUMNS
from abtest.domain.ledger.objects import EventsFile, hour_of, raw_key
from tests.support.template import TEMPLATE
from tools.local.template.document import load

RESOURCES: dict[str, dict[str, Any]] = dict(load(TEMPLATE).resources)
GLUE_TYPES = {"text": "string", "integer": "bigint", "flag": "boolean"}
LEDGER = [(name, GLUE_TYPES[kind]) for name, kind in COLUMNS.items()]
MOMENT = 1_772_445_600_000  # 2 March 2026, 10:00 UTC


def _of_type(name: str) -> list[dict[str, Any]]:
    return [found["Properties"] for found in RESOURCES.values() if found["Type"] == name]


TABLES = {table["TableInput"]["Name"]: table["TableInput"] for table in _of_type("AWS::Glue::Table")}


def _columns(table: str) -> list[tuple[str, str]]:
    return [(column["Name"], column["Type"]) for column in TABLES[table]["StorageDescriptor"]["Columns"]]


def _place(table: str) -> str:
    """Where a partition's objects are, beneath the bucket; names of its keys stand in `${…}`."""
    template: str = TABLES[table]["Parameters"]["storage.location.template"]["Fn::Sub"]
    return template.removeprefix("s3://${LedgerBucket}/").replace("${!", "${")


def test_columns__are_those_of_the_ledger() -> None:
    assert _columns("raw") == LEDGER
    assert _columns("events") == [*LEDGER, ("bucket", "bigint")]


@pytest.mark.parametrize("name", TABLES)
def test_partitions__are_projected_each_and_part_of_the_place(name: str) -> None:
    keys, told = [key["Name"] for key in TABLES[name]["PartitionKeys"]], TABLES[name]["Parameters"]
    assert told["projection.enabled"] == "true"
    assert sorted(keys) == sorted({key.split(".")[1] for key in told if key.endswith(".type")})
    assert re.findall(r"\$\{(\w+)\}", _place(name)) == keys


@pytest.mark.parametrize(
    ("table", "key"),
    [
        ("raw", raw_key(["m"], MOMENT)),
        ("events", EventsFile(shop_id="S", hour=hour_of(MOMENT), first=0, last=15, digest="0" * 24).key),
    ],
)
def test_object__lies_in_the_partition_of_its_day(table: str, key: str) -> None:
    partition = {"dt": "2026-03-02", "hh": "10", "shop": "S"}
    place = re.sub(r"\$\{(\w+)\}", lambda name: partition[name[1]], _place(table))
    assert key.startswith(place)
    assert "/" not in key.removeprefix(place)


def test_workgroup__ends_queries_that_read_too_much_whoever_asks() -> None:
    (workgroup,) = (found["WorkGroupConfiguration"] for found in _of_type("AWS::Athena::WorkGroup"))
    assert workgroup["BytesScannedCutoffPerQuery"] == {"Ref": "AthenaScanLimitBytes"}
    assert workgroup["EnforceWorkGroupConfiguration"] is True


def test_engine__is_one_parameter() -> None:
    engine = load(TEMPLATE).parameters["WarehouseEngine"]
    assert (engine["Default"], engine["AllowedValues"]) == ("duckdb", ["duckdb", "athena"])
    asking = [name for name, found in RESOURCES.items() if "WAREHOUSE_ENGINE" in str(found)]
    assert {str(RESOURCES[name]["Properties"]["Environment"]["Variables"]["WAREHOUSE_ENGINE"]) for name in asking} == {
        "{'Ref': 'WarehouseEngine'}"
    }
