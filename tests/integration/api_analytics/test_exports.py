"""Exports over the API: ordered, polled, called off; refused where they contradict themselves; never another shop's."""

from __future__ import annotations

import csv
import json
from dataclasses import dataclass
from typing import Any

import pytest

from abtest.adapters.warehouse.duckdb_exports import DuckDbExports
from abtest.domain.ledger.objects import raw_key
from abtest.http.factory import create_app, handler
from abtest.kit.clock import to_milliseconds
from abtest.services.exports.exporter import Exporter
from abtest.services.exports.requests import Exports
from abtest.services.jobs import Jobs, Workbench
from abtest.services.ledger_files import LedgerFiles
from abtest.services.results import Readership
from abtest.wiring.api_experiments import experiments_uses
from api_analytics.endpoints.exports import router as exports
from api_experiments.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Answer, Client
from tests.support.memory import MemoryBlobs, MemoryQueue, MemoryRollupStore, MemorySessions
from tests.support.memory.exports import MemoryExportStore
from tests.unit.ledger.streams import exposure, ledger_object, row

FROM, TO = "2026-03-02T00:00:00.000Z", "2026-03-03T00:00:00.000Z"
ORDER = {"dataset": "events", "format": "ndjson", "from": FROM, "to": TO}
MISSING = "01920000-0000-7000-8000-00000000ffff"


@dataclass
class Desk:
    """The API of a shop, and its worker."""

    api: MemoryApi
    tenant: Tenant
    queue: MemoryQueue
    ledger: MemoryBlobs
    exporter: Exporter

    @property
    def client(self) -> Client:
        return self.api.client(self.tenant.admin)

    def order(self, **changes: Any) -> Answer:
        """An order; a change to `...` leaves the field out."""
        wish = {name: value for name, value in (ORDER | changes).items() if value is not ...}
        return self.client.post("/exports", wish)

    def ordered(self, **changes: Any) -> dict[str, Any]:
        answer = self.order(**changes)
        assert answer.status == 202, answer.body
        found: dict[str, Any] = answer.json()
        return found

    def work(self) -> None:
        """What the queue holds, once more from the beginning: it delivers twice."""
        for body in self.queue.bodies:
            self.exporter.carry_out(body)

    def get(self, export: dict[str, Any]) -> dict[str, Any]:
        found: dict[str, Any] = self.client.get(f"/exports/{export['id']}").json()
        return found

    def written(self, *rows: Any) -> None:
        key = raw_key(["m"], to_milliseconds(self.api.clock.now()))
        mine = [{**one, "shop_id": self.tenant.shop.id} for one in rows]
        self.ledger.put(key, ledger_object(mine), content_type="application/x-ndjson")  # type: ignore[arg-type]

    def experiment(self) -> dict[str, Any]:
        made: dict[str, Any] = self.client.post("/experiments", {"name": "Headline"}).json()
        return made


@pytest.fixture
def desk() -> Desk:
    api = MemoryApi([])
    queue, ledger = MemoryQueue(), api.management.blobs
    store, rollups = MemoryExportStore(ledger), MemoryRollupStore()
    exporter = Exporter(
        world=api.world,
        bench=Workbench(api.world),
        files=LedgerFiles(ledger),
        workshop=DuckDbExports(ledger),
        store=store,
        rollups=rollups,
        audit=api.management.audit,
    )
    uses = {
        **experiments_uses(api.management, MemorySessions()),
        Exports: Exports(api.world, Jobs(api.world, "export", queue), store),
        Readership: Readership(rollups, api.clock),
    }
    api.handler = handler(create_app([*ROUTERS, exports], api.management.services(uses)))
    return Desk(api, api.tenant(), queue, ledger, exporter)


def happened(desk: Desk, **fields: Any) -> Any:
    now = to_milliseconds(desk.api.clock.now())
    return row(ts=now, received_at=now, **fields)


def test_export__from_order_to_file__says_what_becomes_of_it(desk: Desk) -> None:
    desk.written(happened(desk, event_id="a"), happened(desk, event_id="b"), happened(desk, event_id="b"))
    queued = desk.ordered()
    created_at = queued.pop("created_at")
    assert queued == {
        "id": queued["id"],
        "status": "queued",
        "progress": 0,
        "rows": None,
        "url": None,
        "url_expires_at": None,
        "dataset": "events",
        "format": "ndjson",
        "from": FROM,
        "to": TO,
        "experiment_id": None,
        "completed_at": None,
        "error": None,
    }
    desk.work()
    made = desk.get(queued)
    assert (made["status"], made["progress"], made["rows"]) == ("completed", 100, 2)
    assert (made["created_at"], made["completed_at"]) == (created_at, created_at)
    assert f"exports/{desk.tenant.shop.id}/{made['id']}.ndjson" in made["url"]
    assert made["url_expires_at"] == "2026-03-02T10:00:00.000Z"


def test_url__is_made_at_each_reading_while_the_file_is_kept(desk: Desk) -> None:
    export = desk.ordered()
    desk.work()
    desk.api.clock.advance(days=6, hours=23)
    again = desk.get(export)
    assert again["url"] is not None
    assert again["url_expires_at"] == "2026-03-09T09:00:00.000Z"
    desk.api.clock.advance(seconds=1)
    gone = desk.get(export)
    assert (gone["status"], gone["url"], gone["url_expires_at"]) == ("completed", None, None)


def test_moments__in_another_offset__are_shown_in_utc(desk: Desk) -> None:
    export = desk.ordered(**{"from": "2026-03-02T01:00:00+01:00"})
    assert export["from"] == FROM


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"to": FROM}, "to"),
        ({"from": TO, "to": FROM}, "to"),
        ({"from": "2026-01-01T00:00:00Z", "to": "2026-04-03T00:00:00.001Z"}, "to"),
        ({"dataset": "results"}, "experiment_id"),
        ({"dataset": "results", "experiment_id": MISSING}, "experiment_id"),
        ({"experiment_id": MISSING}, "experiment_id"),
        ({"experiment_id": "1234567890"}, "experiment_id"),
    ],
)
def test_order__that_contradicts_itself__is_422_and_changes_nothing(
    desk: Desk, changes: dict[str, Any], field: str
) -> None:
    answer = desk.order(**changes)
    assert (answer.status, answer.json()["error"]["code"]) == (422, "validation_failed")
    assert [problem["path"] for problem in answer.json()["error"]["fields"]] == [field]
    assert desk.client.get("/exports").json()["data"] == []
    assert desk.queue.bodies == []


@pytest.mark.parametrize(
    ("changes", "field"),
    [
        ({"dataset": "visitors"}, "dataset"),
        ({"format": "xlsx"}, "format"),
        ({"format": ...}, "format"),
        ({"from": ...}, "from"),
        ({"to": "yesterday"}, "to"),
        ({"to": 5}, "to"),
        ({"from_": FROM}, "from_"),
        ({"columns": ["ts"]}, "columns"),
        ({"experiment_id": "x"}, "experiment_id"),
        ({"from": "1999-12-31T23:59:59Z", "to": "2000-01-01T00:00:00Z"}, "from"),
        ({"from": "0001-01-01T00:00:00Z"}, "from"),
        ({"from": "2199-12-31T00:00:00Z", "to": "2200-01-01T00:00:00Z"}, "to"),
    ],
)
def test_order__that_is_malformed__is_400_and_names_the_field(desk: Desk, changes: dict[str, Any], field: str) -> None:
    answer = desk.order(**changes)
    assert answer.status == 400
    assert [problem["path"] for problem in answer.json()["error"]["fields"]] == [field]


def test_order__of_92_days__is_taken(desk: Desk) -> None:
    assert desk.order(**{"from": "2026-01-01T00:00:00Z", "to": "2026-04-03T00:00:00Z"}).status == 202


def test_order__of_an_experiment_by_either_id__holds_its_rows_alone(desk: Desk) -> None:
    experiment = desk.experiment()
    now = to_milliseconds(desk.api.clock.now())
    desk.written(exposure("v-1", "blue", now, experiment_id=experiment["id"]), exposure("v-2", "blue", now))
    for reference in (experiment["id"], experiment["public_id"]):
        export = desk.ordered(dataset="exposures", format="csv", experiment_id=reference)
        assert export["experiment_id"] == experiment["id"]
        desk.work()
        assert desk.get(export)["rows"] == 1


def test_results__of_an_experiment_that_was_never_counted__have_no_rows(desk: Desk) -> None:
    export = desk.ordered(dataset="results", format="csv", experiment_id=desk.experiment()["id"])
    desk.work()
    assert (desk.get(export)["status"], desk.get(export)["rows"]) == ("completed", 0)


def test_list__is_newest_first_in_pages(desk: Desk) -> None:
    ids = []
    for _ in range(3):
        desk.api.clock.advance(seconds=1)
        ids.append(desk.ordered()["id"])
    first = desk.client.get("/exports", query={"limit": 2}).json()
    assert first["pagination"]["has_more"] is True
    rest = desk.client.get("/exports", query={"limit": 2, "cursor": first["pagination"]["next_cursor"]}).json()
    assert [export["id"] for export in first["data"] + rest["data"]] == ids[::-1]


def test_list__filters__are_status_and_time(desk: Desk) -> None:
    done = desk.ordered()["id"]
    desk.work()
    desk.api.clock.advance(seconds=1)
    since = desk.api.world.now()
    waiting = desk.ordered()["id"]

    def listed(**query: str) -> list[str]:
        return [export["id"] for export in desk.client.get("/exports", query=query).json()["data"]]

    assert (listed(status="completed"), listed(status="queued"), listed(status="failed")) == ([done], [waiting], [])
    assert listed(updated_since=since) == [waiting]
    assert listed(sort="created_at") == [done, waiting]
    refused = desk.client.get("/exports", query={"q": "x"})
    assert (refused.status, refused.paths) == (400, ["q"])


def test_export__of_another_shop__is_as_unknown_as_none(desk: Desk) -> None:
    export = desk.ordered()
    stranger = desk.api.client(desk.api.tenant("Other").admin)
    for method, path in (("GET", "/exports/{}"), ("POST", "/exports/{}/cancel")):
        answers = [
            stranger.request(method, path.format(each), {} if method == "POST" else None)
            for each in (export["id"], MISSING)
        ]
        bodies = [{**answer.json()["error"], "request_id": ""} for answer in answers]
        assert [answer.status for answer in answers] == [404, 404]
        assert bodies[0] == bodies[1]
    assert stranger.get("/exports").json()["data"] == []
    assert desk.get(export)["status"] == "queued"


def test_export__called_off__is_never_made(desk: Desk) -> None:
    export = desk.ordered()
    for _ in range(2):
        answer = desk.client.post(f"/exports/{export['id']}/cancel", {})
        assert (answer.status, answer.json()["status"]) == (200, "cancelled")
    desk.work()
    assert desk.get(export)["status"] == "cancelled"
    assert not list(desk.ledger.list("exports/"))


def test_export__that_has_ended__cannot_be_called_off(desk: Desk) -> None:
    export = desk.ordered()
    desk.work()
    answer = desk.client.post(f"/exports/{export['id']}/cancel", {})
    assert (answer.status, answer.json()["error"]["code"]) == (409, "invalid_state_transition")
    assert answer.json()["error"]["current_status"] == "completed"


def test_order__repeated_under_its_key__is_one_export(desk: Desk) -> None:
    client = desk.api.client(desk.tenant.admin, headers={"Idempotency-Key": "once"})
    first, again = client.post("/exports", ORDER), client.post("/exports", ORDER)
    assert (first.json(), again.headers["idempotent-replayed"]) == (again.json(), "true")
    assert len(desk.client.get("/exports").json()["data"]) == 1
    assert client.post("/exports", ORDER | {"format": "csv"}).json()["error"]["code"] == "idempotency_key_reused"


def test_orders__beyond_thirty_a_minute__are_429_and_reading_is_not(desk: Desk) -> None:
    assert [desk.order().status for _ in range(31)] == [202] * 30 + [429]
    assert desk.client.get("/exports").status == 200
    desk.api.clock.advance(seconds=2)
    assert desk.order().status == 202


def test_caller__without_the_scope__is_refused(desk: Desk) -> None:
    reader = desk.api.key(["experiments:read"], shop_id=desk.tenant.shop.id).text
    answer = desk.api.client(reader).post("/exports", ORDER)
    assert (answer.status, answer.json()["error"]["required_scope"]) == (403, "analytics:read")


AUDIT = {"dataset": "audit", "from": "2026-03-01T00:00:00Z", "to": "2026-03-03T00:00:00Z"}


@pytest.mark.parametrize("form", ["csv", "ndjson"])
def test_audit__as_a_file__has_every_change_oldest_first(desk: Desk, form: str) -> None:
    experiment = desk.experiment()
    desk.api.clock.advance(seconds=1)
    desk.client.patch(f"/experiments/{experiment['id']}", {"name": "=1+1"})
    desk.api.clock.advance(seconds=1)
    export = desk.ordered(**AUDIT, format=form)
    desk.work()
    done = desk.get(export)
    assert (done["status"], done["error"]) == ("completed", None)
    content = desk.ledger.get(f"exports/{desk.tenant.shop.id}/{export['id']}.{form}")
    assert content is not None
    lines = content.content.decode().splitlines()
    rows = [json.loads(line) for line in lines] if form == "ndjson" else list(csv.DictReader(lines))
    assert done["rows"] == len(rows)
    actions = [row["action"] for row in rows]
    assert "experiment.create" in actions[:-2]  # in one moment with the founding of the shop
    assert actions[-2:] == ["experiment.update", "export.create"]
    assert json.loads(rows[-2]["diff"]) == {"name": ["Headline", "=1+1"]}
    assert [row["created_at"] for row in rows] == sorted(row["created_at"] for row in rows)


def test_audit__for_a_key_without_its_scope__does_not_exist(desk: Desk) -> None:
    export = desk.ordered(**AUDIT)
    client = desk.api.client(desk.api.key(["analytics:read"], shop_id=desk.tenant.shop.id).text)
    refused = client.post("/exports", ORDER | AUDIT)
    assert (refused.status, refused.json()["error"]["required_scope"]) == (403, "audit:read")
    assert client.get(f"/exports/{export['id']}").status == 404
    assert client.post(f"/exports/{export['id']}/cancel", {}).status == 404
    assert client.get("/exports").json()["data"] == []
    assert desk.get(export)["status"] == "queued"


@pytest.mark.parametrize(
    ("changes", "path"),
    [({"format": "parquet"}, "format"), ({"experiment_id": "0192e4a0-ffff-7000-8000-000000000000"}, "experiment_id")],
)
def test_audit__with_what_it_cannot_have__is_refused(desk: Desk, changes: dict[str, str], path: str) -> None:
    answer = desk.order(**(AUDIT | {"format": "csv"} | changes))
    assert (answer.status, answer.json()["error"]["fields"][0]["path"]) == (422, path)
