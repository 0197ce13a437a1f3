"""The life of an experiment over HTTP: approval, launch, failed publication, schedule, archive."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import timedelta
from typing import Any

import pytest

from abtest.kit.clock import timestamp
from abtest.ports.blobs import BlobsUnavailableError
from abtest.ports.catalog import Topic
from abtest.services.experiments.due import ScheduledActions
from abtest.services.experiments.store import ExperimentStore
from abtest.services.experiments.system import SYSTEM_USER_ID
from abtest.services.planning import Planner
from abtest.services.storefronts import Storefronts
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Answer, Client

Create = Callable[..., dict[str, Any]]


@contextmanager
def storefront_down(api: MemoryApi, monkeypatch: pytest.MonkeyPatch) -> Iterator[None]:
    """Publications fail because the bucket does."""

    def fail(*_args: Any, **_options: Any) -> str:
        raise BlobsUnavailableError

    with monkeypatch.context() as patch:
        patch.setattr(api.management.blobs, "put", fail)
        yield


def outbox(api: MemoryApi) -> list[tuple[str, Any]]:
    topics: tuple[Topic, ...] = ("webhook", "publish")
    rows = [row for topic in topics for row in api.world.catalog.outbox(topic, created_before="9999", limit=100)]
    return [(row.topic, row.payload) for row in rows]


def path_of(made: dict[str, Any]) -> str:
    return f"/experiments/{made['id']}"


def test_life__without_approval__every_step_is_there(api: MemoryApi, client: Client, create: Create) -> None:
    path = path_of(create())
    for action, status in [
        ("start-qa", "qa"),
        ("mark-ready", "ready_to_launch"),
        ("launch", "running"),
        ("pause", "paused"),
        ("resume", "running"),
        ("complete", "completed"),
        ("restart", "running"),
        ("pause", "paused"),
        ("archive", "paused"),
        ("unarchive", "paused"),
    ]:
        api.clock.advance(seconds=1)
        answer = client.post(f"{path}/{action}")
        assert (answer.status, answer.json()["status"]) == (200, status), action
    events = [payload["event"] for topic, payload in outbox(api) if topic == "webhook"]
    assert events == ["experiment.started", "experiment.completed"]
    assert [row["action"] for row in client.get(f"{path}/history").json()["data"]][:2] == [
        "experiment.unarchive",
        "experiment.archive",
    ]


def test_unarchive__of_what_is_not_archived__changes_nothing_even_of_a_running_one(
    client: Client, create: Create
) -> None:
    path = path_of(create())
    for action, status in (("start-qa", "qa"), ("mark-ready", "ready_to_launch"), ("launch", "running")):
        before = client.post(f"{path}/{action}")
        answer = client.post(f"{path}/unarchive")
        assert (answer.status, answer.json()["status"], answer.headers["etag"]) == (200, status, before.headers["etag"])


def test_launch__by_its_alias__is_the_same(client: Client, create: Create) -> None:
    assert client.post(f"{path_of(create())}/start").json()["status"] == "running"


def test_launch__again__changes_nothing_and_queues_nothing(api: MemoryApi, client: Client, create: Create) -> None:
    path = path_of(create())
    first = client.post(f"{path}/launch")
    before = outbox(api)
    again = client.post(f"{path}/launch")
    assert (again.status, again.json(), again.headers["etag"]) == (200, first.json(), first.headers["etag"])
    assert outbox(api) == before


def test_launch__published__leaves_only_the_webhook_to_do(api: MemoryApi, client: Client, create: Create) -> None:
    made = create()
    client.post(f"{path_of(made)}/launch")
    facts = {"event": "experiment.started", "experiment_id": made["id"], "experiment_name": "Headline"}
    assert outbox(api) == [("webhook", facts)]


def test_transition__not_allowed__says_status_and_what_is(client: Client, create: Create) -> None:
    answer = client.post(f"{path_of(create())}/pause")
    assert (answer.status, answer.code) == (409, "invalid_state_transition")
    for place in (answer.json(), answer.json()["error"]):
        assert place["current_status"] == "draft"
        assert place["allowed_actions"] == ["request-approval", "start-qa", "launch", "archive"]


@pytest.mark.parametrize(
    ("before", "action", "status"),
    [
        ([], "launch", "running"),
        (["launch"], "pause", "paused"),
        (["launch", "pause"], "resume", "running"),
        (["launch"], "complete", "completed"),
        (["launch", "complete"], "restart", "running"),
    ],
)
def test_publication_fails__lifecycle__is_committed_and_502(
    api: MemoryApi,
    client: Client,
    create: Create,
    monkeypatch: pytest.MonkeyPatch,
    before: list[str],
    action: str,
    status: str,
) -> None:
    path = path_of(create())
    for step in before:
        assert client.post(f"{path}/{step}").status == 200
    with storefront_down(api, monkeypatch):
        answer = client.post(f"{path}/{action}")
        assert (answer.status, answer.code) == (502, "commerce_plane_post_commit_publish_failed")
        body = answer.json()
        assert (body["persisted"], body["retriable"]) == (True, True)
        assert body["committed"] | {"linked_idea": None} == client.get(path).json()
        assert body["committed"]["status"] == status
        assert set(body["refresh"]) == {"id", "label", "status", "summary", "details", "retriable"}
        assert body["reasons"]
        assert ("publish", {}) in outbox(api)
        assert client.post(f"{path}/{action}").status == 502, "the same action tries to publish again"
        assert client.post(f"{path}/retry-publication").status == 502
    assert client.post(f"{path}/{action}").status == 200
    assert client.post(f"{path}/retry-publication").json()["status"] == status


def test_publication_fails__lesser_write__answers_with_a_warning(
    api: MemoryApi, client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = create()
    client.post(f"{path_of(made)}/launch")
    consent = {"confirm_live_impact": True, "confirmed_consumer_ids": [made["id"]]}
    with storefront_down(api, monkeypatch):
        answer = client.patch(path_of(made), {"experiment_css": "a{}", **consent})
        assert answer.status == 200
        assert answer.json()["publication_warning"]["code"] == "storefront_publication_incomplete"
        variant = made["variations"][1]
        answer = client.patch(f"/variations/{variant['public_id']}", {"custom_css": "b{}", **consent})
        assert answer.json()["publication_warning"]["code"] == "storefront_publication_incomplete"
        weights = {arm["id"]: weight for arm, weight in zip(made["variations"], (0.4, 0.6), strict=True)}
        arms = client.put(f"{path_of(made)}/variations/weights", {"weights": weights, **consent}).json()["data"]
        assert {arm["publication_warning"]["code"] for arm in arms} == {"storefront_publication_incomplete"}
    assert "publication_warning" not in client.get(path_of(made)).json()


def test_live_edit__unacknowledged__names_the_experiment(client: Client, create: Create) -> None:
    made = create()
    client.post(f"{path_of(made)}/launch")
    answer = client.patch(path_of(made), {"traffic_allocation": 0.5})
    assert (answer.status, answer.code) == (409, "page_live_impact")
    [consumer] = answer.json()["live_experiments"]
    assert consumer == {"id": made["id"], "name": "Headline", "consumer": "experiment"}
    consent = {"confirm_live_impact": True, "confirmed_consumer_ids": [consumer["id"]]}
    assert client.patch(path_of(made), {"traffic_allocation": 0.5, **consent}).json()["traffic_allocation"] == 0.5
    alone = {"confirm_live_impact": True}
    assert client.patch(path_of(made), {"traffic_allocation": 0.6, **alone}).json()["traffic_allocation"] == 0.6


def test_approval__service_managed_shop__is_the_way_to_launch(api: MemoryApi) -> None:
    client = api.client(api.tenant(tier="service_managed").admin)
    path = path_of(client.post("/experiments", {"name": "x"}).json())
    assert client.post(f"{path}/launch").code == "approval_required"
    assert client.post(f"{path}/start-qa").code == "approval_required"
    assert client.get(f"{path}/checklist").json()["ready"] is False
    asked = client.post(f"{path}/request-approval", {"message": "Look", "reviewer_user_ids": []}).json()
    assert (asked["status"], asked["approval_state"]["status"]) == ("awaiting_client_approval", "pending")
    assert client.post(f"{path}/approve").json()["approval_state"]["status"] == "approved"
    edited = client.patch(path, {"experiment_css": "a{}"}).json()
    assert (edited["status"], edited["approval_state"]["status"]) == ("draft", "revoked")
    client.post(f"{path}/request-approval")
    client.patch(path, {"experiment_css": "b{}"})
    assert client.post(f"{path}/approve").code == "approval_stale"
    client.post(f"{path}/withdraw-approval", {"reason": "again"})
    client.post(f"{path}/request-approval")
    events = client.get(f"{path}/approvals").json()["data"]
    assert [event["status"] for event in events] == ["pending", "revoked", "pending", "revoked", "approved", "pending"]
    assert client.post(f"{path}/approve", {"design_hash": events[0]["design_hash"]}).status == 200
    assert client.post(f"{path}/launch").json()["status"] == "running"


def test_approval__each_step__is_in_the_inbox_once_with_its_message(api: MemoryApi) -> None:
    tenant = api.tenant(tier="service_managed")
    client = api.client(tenant.admin)
    path = path_of(client.post("/experiments", {"name": "Free shipping"}).json())
    headers = {"Idempotency-Key": "once"}
    for _ in range(2):
        client.post(f"{path}/request-approval", {"message": "Look at phones"}, headers=headers)
    for step in ("request-changes", "request-approval", "approve", "withdraw-approval", "archive"):
        api.clock.advance(seconds=1)
        assert (
            client.post(f"{path}/{step}", {"message": "Too loud"} if step == "request-changes" else None).status == 200
        )
    rows, _ = api.world.catalog.inbox(tenant.shop.id, limit=9)
    texts = [row.body.removeprefix("“Free shipping” ").split(".")[0] for row in reversed(rows)]
    assert [text.split(" ")[0] for text in texts] == ["waits", "needs", "waits", "is", "does"]
    assert rows[-1].body.endswith("\n\nLook at phones")
    assert rows[-2].body.endswith("\n\nToo loud")
    assert {(row.role, row.sender_id) for row in rows} == {("system", None)}


def test_resume__after_the_approval_was_withdrawn__is_refused(client: Client, create: Create) -> None:
    path = path_of(create())
    for action in ("request-approval", "approve", "withdraw-approval", "launch", "pause"):
        assert client.post(f"{path}/{action}").status == 200
    allowed = ["complete", "restart", "archive", "ship"]
    assert _refused(client.post(f"{path}/resume")) == ("approval_required", "paused", allowed)
    assert client.post(f"{path}/restart").json()["status"] == "running"


def test_return_to_draft__after_an_approval__takes_it_back(client: Client, create: Create) -> None:
    path = path_of(create())
    for action in ("request-approval", "approve", "start-qa"):
        client.post(f"{path}/{action}")
    draft = client.post(f"{path}/return-to-draft", {"reason": "one more idea"}).json()
    assert (draft["status"], draft["approval_state"]["status"]) == ("draft", "revoked")
    [last, *_] = client.get(f"{path}/approvals").json()["data"]
    assert (last["action"], last["status"], last["message"]) == ("return-to-draft", "revoked", "one more idea")


def test_conflicts__of_the_lifecycle__all_name_the_allowed_actions(api: MemoryApi) -> None:
    client = api.client(api.tenant(tier="service_managed").admin)
    made = client.post(
        "/experiments", {"name": "x", "goals": [{"name": "Click", "type": "click", "selector": "a"}]}
    ).json()
    path = path_of(made)
    in_draft = ["request-approval", "archive"]
    assert _refused(client.post(f"{path}/launch")) == ("approval_required", "draft", in_draft)
    assert _refused(client.post(f"{path}/pause")) == ("invalid_state_transition", "draft", in_draft)
    client.post(f"{path}/request-approval")
    client.patch(path, {"experiment_css": "b{}"})
    reviewed = ["approve", "request-changes", "withdraw-approval", "archive"]
    assert _refused(client.post(f"{path}/approve")) == ("approval_stale", "awaiting_client_approval", reviewed)
    assert _refused(client.delete(path)) == ("not_deletable", "awaiting_client_approval", reviewed)
    client.post(f"{path}/archive")
    archived = ("invalid_state_transition", "awaiting_client_approval", ["unarchive"])
    soon = "2099-01-01T00:00:00Z"
    assert _refused(client.put(f"{path}/schedule", {"end_at": soon})) == archived
    assert _refused(client.patch(path, {"scheduled_start_at": soon})) == archived
    assert _refused(client.post(f"{path}/ship", {"variation_id": made["variations"][1]["id"]})) == archived
    plan = {"goal_id": made["goals"][0]["id"], "baseline_rate": 0.1, "mde": 0.1}
    assert _refused(client.put(f"{path}/plan", plan)) == archived


def _refused(answer: Answer) -> tuple[str, str, list[str]]:
    """The code of a 409, and the status and the actions that it names, inside and next to the error."""
    body = answer.json()
    assert answer.status == 409, body
    facts = {name: body[name] for name in ("current_status", "allowed_actions")}
    assert facts == {name: body["error"][name] for name in facts}
    return answer.code, facts["current_status"], facts["allowed_actions"]


def test_request_changes__without_message__is_refused(client: Client, create: Create) -> None:
    path = path_of(create())
    client.post(f"{path}/request-approval")
    assert client.post(f"{path}/request-changes", {}).paths == ["message"]
    assert client.post(f"{path}/request-changes", {"message": "Bluer"}).json()["status"] == "changes_requested"


def test_checklist__ready_draft__says_what_may_be_done(client: Client, create: Create) -> None:
    answer = client.get(f"{path_of(create())}/checklist").json()
    assert answer["ready"] is True
    assert {item["key"]: item["status"] for item in answer["items"]}["goals"] == "warn"
    assert "launch" in answer["allowed_actions"]


def test_launch__weights_off__is_refused_with_its_own_code(client: Client, create: Create) -> None:
    path = path_of(create(variations=[{"name": "A", "weight": 0.5}, {"name": "B", "weight": 0.4}]))
    assert client.post(f"{path}/launch").code == "weights_sum"


def test_launch__redirect_without_destination__fails_the_checklist(client: Client, create: Create) -> None:
    answer = client.post(f"{path_of(create(delivery_type='redirect'))}/launch")
    assert (answer.code, answer.paths) == ("checklist_failed", ["treatments"])


def run_schedule(api: MemoryApi) -> dict[Any, int]:
    world = api.world
    store = ExperimentStore(world, Storefronts(world.catalog, api.management.publication), api.management.budget)
    return ScheduledActions(store, Planner(world, api.management.rollups)).run(
        until=world.clock.now() + timedelta(seconds=40)
    )


def at(api: MemoryApi, **later: float) -> str:
    return timestamp(api.clock.now() + timedelta(**later))


def test_schedule__start_and_end__happen_when_due_and_once(api: MemoryApi, client: Client, create: Create) -> None:
    path = path_of(create())
    answer = client.put(f"{path}/schedule", {"start_at": at(api, hours=1), "end_at": at(api, hours=2)})
    assert answer.json()["scheduled_start_at"] == at(api, hours=1)
    assert run_schedule(api) == {}
    api.clock.advance(hours=1)
    assert run_schedule(api) == {"done": 1}
    assert run_schedule(api) == {}
    assert client.get(path).json()["status"] == "running"
    api.clock.advance(hours=1)
    assert run_schedule(api) == {"done": 1}
    assert client.get(path).json()["status"] == "completed"
    events = [payload["event"] for topic, payload in outbox(api) if topic == "webhook"]
    assert events == ["experiment.started", "experiment.completed"]
    assert client.get(f"{path}/history").json()["data"][0]["user_id"] == SYSTEM_USER_ID


def test_schedule__launch_that_the_rules_refuse__is_taken_off_with_the_reason(
    api: MemoryApi, tenant: Tenant, client: Client, create: Create
) -> None:
    bad, good = path_of(create(delivery_type="redirect")), path_of(create())
    for path in (bad, good):
        client.put(f"{path}/schedule", {"start_at": at(api, minutes=1)})
    api.clock.advance(minutes=2)
    assert run_schedule(api) == {"unscheduled": 1, "done": 1}
    assert run_schedule(api) == {}
    assert client.get(good).json()["status"] == "running"
    refused = client.get(bad).json()
    assert (refused["status"], refused["scheduled_start_at"]) == ("draft", None)
    row = client.get(f"{bad}/history").json()["data"][0]
    assert row["action"] == "experiment.unschedule"
    assert row["diff"]["reason"][1].startswith("checklist_failed")
    (message,), _ = api.world.catalog.inbox(tenant.shop.id, limit=9)
    assert message.body.startswith(f"“{refused['name']}” could not launch as scheduled for")


def test_schedule__storefront_down__experiment_runs_and_the_outbox_remembers(
    api: MemoryApi, client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    path = path_of(create())
    client.put(f"{path}/schedule", {"start_at": at(api, minutes=1)})
    api.clock.advance(minutes=2)
    with storefront_down(api, monkeypatch):
        assert run_schedule(api) == {"unpublished": 1}
    assert client.get(path).json()["status"] == "running"
    assert ("publish", {}) in outbox(api)


def test_schedule__one_that_cannot_be_read__does_not_keep_the_others(
    api: MemoryApi, client: Client, create: Create, monkeypatch: pytest.MonkeyPatch
) -> None:
    made = [create(), create()]
    for item in made:
        client.put(f"{path_of(item)}/schedule", {"start_at": at(api, minutes=1)})
    api.clock.advance(minutes=2)
    read = api.management.catalog.get

    def get(shop_id: str, kind: Any, record_id: str, parent_id: str | None = None) -> Any:
        if record_id == made[0]["id"]:
            raise RuntimeError("lost")
        return read(shop_id, kind, record_id, parent_id=parent_id)

    with monkeypatch.context() as patch:
        patch.setattr(api.management.catalog, "get", get)
        assert run_schedule(api) == {"failed": 1, "done": 1}
    assert client.get(path_of(made[1])).json()["status"] == "running"
    assert run_schedule(api) == {"done": 1}


def test_schedule__cleared_archived_or_refused__does_not_start(api: MemoryApi, client: Client, create: Create) -> None:
    cleared, archived = path_of(create()), path_of(create())
    for path in (cleared, archived):
        client.put(f"{path}/schedule", {"start_at": at(api, minutes=1)})
    assert client.delete(f"{cleared}/schedule").json()["scheduled_start_at"] is None
    client.post(f"{archived}/archive")
    api.clock.advance(minutes=2)
    assert run_schedule(api) == {}


@pytest.mark.parametrize("body", [{}, {"start_at": None}, {"end_at": "2020-01-01T00:00:00Z"}])
def test_schedule__nothing_or_the_past__is_refused(client: Client, create: Create, body: dict[str, Any]) -> None:
    assert client.put(f"{path_of(create())}/schedule", body).code == "validation_failed"


def test_schedule__start_of_a_running_one__is_refused(api: MemoryApi, client: Client, create: Create) -> None:
    path = path_of(create())
    client.post(f"{path}/launch")
    assert client.put(f"{path}/schedule", {"start_at": at(api, hours=1)}).code == "invalid_state_transition"
    assert client.put(f"{path}/schedule", {"end_at": at(api, hours=1)}).status == 200


@pytest.mark.parametrize(
    ("scope", "action"),
    [
        ("experiments:launch", "launch"),
        ("experiments:launch", "retry-publication"),
        ("approvals:write", "approve"),
        ("experiments:write", "start-qa"),
    ],
)
def test_action__without_its_scope__is_refused(
    api: MemoryApi, tenant: Tenant, create: Create, scope: str, action: str
) -> None:
    key = api.key(["experiments:read"], shop_id=tenant.shop.id)
    answer = api.client(key.text).post(f"{path_of(create())}/{action}")
    assert (answer.status, answer.json()["required_scope"]) == (403, scope)


@pytest.mark.parametrize(
    "action",
    [
        "request-approval",
        "withdraw-approval",
        "approve",
        "request-changes",
        "mark-ready",
        "return-to-draft",
        "launch",
        "start",
        "pause",
        "complete",
        "duplicate",
    ],
)
@pytest.mark.parametrize("body", [{"status": "running"}, {"shop_id": "x"}, {"approval_state": None}, [], "x", 1])
def test_action__body_with_anything_else__is_refused(client: Client, create: Create, action: str, body: Any) -> None:
    path = path_of(create())
    assert client.post(f"{path}/{action}", body).status == 400
    assert client.get(path).json()["status"] == "draft"


def test_unarchive__of_what_is_not_archived__changes_nothing_in_any_status(client: Client, create: Create) -> None:
    path = path_of(create())
    for action in ("launch", "pause", "complete"):
        before = client.post(f"{path}/{action}")
        after = client.post(f"{path}/unarchive")
        assert (after.status, after.body, after.headers["etag"]) == (200, before.body, before.headers["etag"])
