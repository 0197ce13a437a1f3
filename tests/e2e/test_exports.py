"""Exports over HTTP: events sent by a shop's page come out of a file, each once, in every format and dataset."""

from __future__ import annotations

import csv
import io
import json
import time
from collections import defaultdict
from collections.abc import Mapping
from datetime import UTC, datetime, timedelta
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import duckdb
import pytest
import requests

from tests.e2e.story import Story, new_shop
from tools.local.testing import settle

pytestmark = pytest.mark.stack

VISITORS = 12
FORMATS = ("csv", "ndjson", "parquet")
Rows = list[dict[str, Any]]


@pytest.fixture(scope="module")
def shop(stack: dict[str, Any]) -> Story:
    """A shop of its own."""
    return new_shop(Story(stack), "exports.example")


@pytest.fixture(scope="module")
def experiment(shop: Story) -> dict[str, Any]:
    """Runs, was seen by twelve visitors, half of whom ordered; everything was sent twice, and counted."""
    goals = [{"name": "Revenue", "type": "revenue"}]
    made = shop.call("POST", "/experiments", 201, name="Exported", goals=goals)
    launched = shop.call("POST", f"/experiments/{made['id']}/launch", override_checklist_warnings=True)
    edge, shop_id = shop.dev["worker_base_url"], shop.dev["shop_id"]
    config = requests.get(f"{edge}/api/exp", params={"shopId": shop_id}, timeout=30).json()
    now = int(time.time() * 1000)
    events = [event for visitor in range(VISITORS) for event in _visit(launched, visitor, now)]
    for _ in range(2):
        answer = requests.post(
            f"{edge}/events",
            json={"events": events, "_shopId": shop_id, "_signature": config["runtime"]["events_signature"]},
            timeout=30,
        )
        assert (answer.status_code, answer.json()["quarantined"]) == (202, 0)
    settle(shop.dev["directory"])
    return {**launched, "sent": {event["eventId"]: event for event in events}}


def _visit(experiment: Mapping[str, Any], visitor: int, now: int) -> Rows:
    common = {"visitorId": f"visitor-{visitor}", "ts": now}
    seen = {
        "type": "experiment_viewed",
        "eventId": f"seen-{visitor}",
        "experimentId": experiment["id"],
        "variationId": experiment["variations"][visitor % 3 == 0]["id"],
        "assignment_epoch": 1,
        "data": {"device": "mobile"},
    }
    bought = {
        "type": "order",
        "eventId": f"bought-{visitor}",
        "data": {"orderId": f"=order-{visitor}", "revenue": f"{10 + visitor}.50", "currency": "EUR"},
    }
    return [common | seen, common | bought] if visitor % 2 else [common | seen]


def _export(shop: Story, dataset: str, file_format: str, **more: Any) -> dict[str, Any]:
    """Ordered, and asked for until it is complete."""
    now = datetime.now(UTC)
    since, until = (f"{(now + timedelta(days=days)).date()}T00:00:00Z" for days in (-1, 2))
    wish = {"dataset": dataset, "format": file_format, "from": since, "to": until, **more}
    export: dict[str, Any] = shop.call("POST", "/exports", 202, **wish)
    deadline = time.monotonic() + 60
    while export["status"] in ("queued", "running") and time.monotonic() < deadline:
        settle(shop.dev["directory"])
        export = shop.call("GET", f"/exports/{export['id']}")
    assert (export["status"], export["progress"], export["error"]) == ("completed", 100, None)
    return export


def _rows(export: dict[str, Any]) -> Rows:
    """The file's rows, downloaded by whoever has its address, without a key."""
    answer = requests.get(export["url"], timeout=30)
    assert answer.status_code == 200, answer.text[:1000]
    assert answer.headers["Content-Disposition"].endswith(f'.{export["format"]}"')
    rows = _READERS[export["format"]](answer.content)
    assert len(rows) == export["rows"]
    return rows


def _csv(content: bytes) -> Rows:
    """Null is nothing between the commas."""
    return [dict(row) for row in csv.DictReader(io.StringIO(content.decode(), newline=""))]


def _ndjson(content: bytes) -> Rows:
    return [json.loads(line) for line in content.splitlines()]


def _parquet(content: bytes) -> Rows:
    with TemporaryDirectory() as folder, duckdb.connect() as database:
        path = Path(folder) / "export.parquet"
        path.write_bytes(content)
        table = database.read_parquet(str(path))
        return [dict(zip(table.columns, row, strict=True)) for row in table.fetchall()]


_READERS = {"csv": _csv, "ndjson": _ndjson, "parquet": _parquet}


@pytest.mark.parametrize("file_format", FORMATS)
def test_events__that_were_sent_twice__are_in_the_file_once(
    shop: Story, experiment: dict[str, Any], file_format: str
) -> None:
    rows = {row["event_id"]: row for row in _rows(_export(shop, "events", file_format))}
    sent = experiment["sent"]
    assert rows.keys() == sent.keys()
    for event_id, row in rows.items():
        event = sent[event_id]
        assert (row["type"], row["visitor_id"], int(row["ts"])) == (event["type"], event["visitorId"], event["ts"])
        assert (row["variation_id"] or None) == event.get("variationId")
        assert json.loads(row["data"]) == event["data"]
        if event["type"] == "order":
            minor = round(float(event["data"]["revenue"]) * 100)
            assert (int(row["revenue_minor"]), row["currency"]) == (minor, "EUR")
            no_formula = "'" if file_format == "csv" else ""
            assert row["order_id"] == no_formula + event["data"]["orderId"]


@pytest.mark.parametrize("file_format", FORMATS)
def test_exposures__are_a_row_for_each_visitor(shop: Story, experiment: dict[str, Any], file_format: str) -> None:
    rows = _rows(_export(shop, "exposures", file_format, experiment_id=experiment["id"]))
    seen = [event for event in experiment["sent"].values() if event["type"] == "experiment_viewed"]
    assert {(row["visitor_id"], row["variation_id"]) for row in rows} == {
        (event["visitorId"], event["variationId"]) for event in seen
    }
    assert len(rows) == VISITORS
    assert {row["device"] for row in rows} == {"mobile"}


@pytest.mark.parametrize("file_format", FORMATS)
def test_results__are_the_numbers_of_the_results_route(
    shop: Story, experiment: dict[str, Any], file_format: str
) -> None:
    rows = _rows(_export(shop, "results", file_format, experiment_id=experiment["public_id"]))
    found: defaultdict[tuple[str, str], list[int]] = defaultdict(lambda: [0, 0, 0])
    for row in rows:
        numbers = found[row["goal_id"], row["variation_id"]]
        for index, name in enumerate(("visitors", "converters", "sum")):
            numbers[index] += int(row[name])
    results = shop.call("GET", f"/experiments/{experiment['id']}/results")
    shown = {
        (goal["goal_id"], row["variation_id"]): [row["visitors"], row["conversions"], round(row["revenue"] * 100)]
        for goal in results["goals"]
        for row in goal["rows"]
    }
    assert found == shown
    assert sum(numbers[0] for numbers in found.values()) == VISITORS


def test_export__of_another_shop__is_unknown(shop: Story, experiment: dict[str, Any], story: Story) -> None:
    export = _export(shop, "events", "ndjson", experiment_id=experiment["id"])
    story.call("GET", f"/exports/{export['id']}", 404)
    story.call("POST", f"/exports/{export['id']}/cancel", 404)
    order = {"dataset": "results", "format": "csv", "from": export["from"], "to": export["to"]}
    story.call("POST", "/exports", 422, **order, experiment_id=experiment["id"])


def test_address__of_which_a_letter_was_changed__gives_nothing(shop: Story, experiment: dict[str, Any]) -> None:
    export = _export(shop, "events", "ndjson")
    path, query = export["url"].split("?", 1)
    assert requests.get(f"{path.replace(export['id'], experiment['id'])}?{query}", timeout=30).status_code in (403, 404)
