"""Ideas of the backlog and the experiments that test them, over HTTP."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pytest

from abtest.http.factory import create_app, handler
from abtest.ports.catalog import Commit, StaleVersionError
from abtest.services.backlog.records import read_backlog
from abtest.services.experiments.due import ScheduledActions
from abtest.services.experiments.store import ExperimentStore
from abtest.services.planning import Planner
from abtest.wiring.api_experiments import experiments_uses
from abtest.wiring.api_workspace import workspace_uses
from api_experiments.routes import ROUTERS as EXPERIMENTS
from api_workspace.routes import ROUTERS as WORKSPACE
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.memory import MemorySessions
from tests.support.races import aside

UNKNOWN = "0192e4a0-ffff-7000-8000-000000000000"


@pytest.fixture
def api() -> MemoryApi:
    """Both families in one application."""
    api = MemoryApi([])
    base = api.management
    uses = {**experiments_uses(base, MemorySessions()), **workspace_uses(base)}
    api.handler = handler(create_app([*EXPERIMENTS, *WORKSPACE], base.services(uses)))
    return api


def idea_of(client: Client, **fields: Any) -> dict[str, Any]:
    """A new idea."""
    answer = client.post("/backlog/ideas", {"title": "Free shipping", **fields})
    assert answer.status == 201, answer.body
    idea: dict[str, Any] = answer.json()
    return idea


def stage(client: Client, idea: dict[str, Any]) -> str:
    return str(client.get(f"/backlog/ideas/{idea['id']}").json()["stage"])


def titles(client: Client, **query: Any) -> list[str]:
    answer = client.get("/backlog/ideas", query=query)
    assert answer.status == 200, answer.body
    return [each["title"] for each in answer.json()["data"]]


@pytest.fixture
def idea(client: Client) -> dict[str, Any]:
    return idea_of(client)


@pytest.fixture
def experiment(client: Client, idea: dict[str, Any]) -> dict[str, Any]:
    """A draft that tests the idea."""
    answer = client.post(f"/backlog/ideas/{idea['id']}/experiment")
    assert answer.status == 201, answer.body
    made: dict[str, Any] = answer.json()
    return made


def test_idea__from_title_to_score__is_shown_as_written(client: Client, tenant: Tenant) -> None:
    idea = idea_of(client, impact=8, confidence=6, tags=["a", "b"])
    assert idea | {"id": "", "created_at": "", "updated_at": ""} == {
        "id": "",
        "shop_id": tenant.shop.id,
        "key": "IDEA-1",
        "title": "Free shipping",
        "hypothesis": None,
        "stage": "new",
        "impact": 8,
        "confidence": 6,
        "ease": None,
        "score": None,
        "tags": ["a", "b"],
        "evidence": None,
        "links": [],
        "created_by": tenant.user_id,
        "created_at": "",
        "updated_at": "",
        "archived_at": None,
    }
    changed = client.patch(f"/backlog/ideas/{idea['id']}", {"ease": 9, "stage": "rejected", "tags": []}).json()
    assert (changed["score"], changed["stage"], changed["tags"]) == (43.2, "rejected", [])
    cleared = client.patch(f"/backlog/ideas/{idea['id']}", {"impact": None})
    assert (cleared.json()["score"], cleared.headers["etag"]) == (None, 'W/"3"')


@pytest.mark.parametrize(
    ("fields", "path"),
    [
        ({"impact": 0}, "impact"),
        ({"ease": 11}, "ease"),
        ({"confidence": 5.5}, "confidence"),
        ({"stage": "someday"}, "stage"),
        ({"tags": ["a", "a"]}, "tags"),
        ({"tags": ["x"] * 21}, "tags"),
        ({"tags": [""]}, "tags[0]"),
        ({"hypothesis": "x" * 10_001}, "hypothesis"),
        ({"title": "\u202e"}, "title"),
        ({"key": "IDEA-9"}, "key"),
    ],
)
def test_idea__with_what_it_cannot_have__is_refused(client: Client, fields: dict[str, Any], path: str) -> None:
    answer = client.post("/backlog/ideas", {"title": "x", **fields})
    assert (answer.status, answer.json()["error"]["fields"][0]["path"]) == (400, path)


def test_keys__are_never_used_again(client: Client) -> None:
    first, second = idea_of(client), idea_of(client)
    assert client.delete(f"/backlog/ideas/{second['id']}").status == 204
    assert client.get(f"/backlog/ideas/{second['id']}").status == 404
    third = idea_of(client)
    assert [each["key"] for each in (first, second, third)] == ["IDEA-1", "IDEA-2", "IDEA-3"]


def test_key__that_another_writer_took_meanwhile__is_the_next_one(
    api: MemoryApi, tenant: Tenant, client: Client, monkeypatch: pytest.MonkeyPatch
) -> None:
    commit = api.management.catalog.commit
    lost: list[Commit] = []

    def late(change: Commit) -> None:
        if not lost and any(put.record.head.kind == "IDEA" for put in change.puts):
            lost.append(change)
            taken = read_backlog(api.management.catalog, tenant.shop.id).numbered(1)
            commit(Commit(puts=[taken.put(api.world.now())]))
        commit(change)

    monkeypatch.setattr(api.management.catalog, "commit", late)
    assert idea_of(client)["key"] == "IDEA-2"


def test_idea__of_a_repeated_request__takes_one_number(client: Client) -> None:
    options = {"headers": {"Idempotency-Key": "k"}}
    answers = [client.post("/backlog/ideas", {"title": "x"}, **options).json() for _ in range(2)]
    assert answers[0] == answers[1]
    assert idea_of(client)["key"] == "IDEA-2"


class TestOrder:
    @pytest.fixture
    def ids(self, client: Client) -> list[str]:
        return [str(idea_of(client, title=title)["id"]) for title in "abcd"]

    def test_new_ideas__come_last(self, client: Client, ids: list[str]) -> None:
        assert titles(client) == ["a", "b", "c", "d"]

    def test_order__puts_some_first_and_leaves_the_rest(self, client: Client, ids: list[str]) -> None:
        answer = client.put("/backlog/ideas/order", {"ids": [ids[2], ids[0]]})
        assert [each["title"] for each in answer.json()["data"]] == ["c", "a"]
        assert titles(client) == ["c", "a", "b", "d"]
        client.put("/backlog/ideas/order", {"ids": [ids[3]]})
        assert (titles(client), titles(client, sort="-rank")) == (["d", "c", "a", "b"], ["b", "a", "c", "d"])
        idea_of(client, title="e")
        assert titles(client, limit=3) == ["d", "c", "a"]
        cursor = client.get("/backlog/ideas", query={"limit": 3}).json()["pagination"]["next_cursor"]
        assert titles(client, limit=3, cursor=cursor) == ["b", "e"]

    def test_order__of_five_hundred__is_one_commit(
        self, api: MemoryApi, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        api.clock.advance(seconds=1)
        ids = []
        for number in range(501):
            if number % 100 == 0:
                api.clock.advance(seconds=60)
            ids.append(idea_of(client, title=str(number))["id"])
        api.clock.advance(seconds=60)
        commits: list[Commit] = []
        commit = api.management.catalog.commit

        def counted(change: Commit) -> None:
            commits.append(change)
            commit(change)

        monkeypatch.setattr(api.management.catalog, "commit", counted)
        assert client.put("/backlog/ideas/order", {"ids": ids[:0:-1]}).status == 200
        assert len([change for change in commits if change.audit]) == 1
        assert titles(client, limit=2) == ["500", "499"]
        assert client.put("/backlog/ideas/order", {"ids": ids}).status == 400

    def test_order__with_a_foreign_a_repeated_or_an_archived_id__changes_nothing(
        self, api: MemoryApi, client: Client, ids: list[str]
    ) -> None:
        foreign = idea_of(api.client(api.tenant("Other").admin))["id"]
        client.post(f"/backlog/ideas/{ids[3]}/archive")
        for wrong, status, path in (
            ([ids[1], foreign], 422, "ids[1]"),
            ([ids[1], ids[3]], 422, "ids[1]"),
            ([ids[1], ids[1]], 400, "ids"),
            ([], 400, "ids"),
            (["x"], 400, "ids[0]"),
        ):
            answer = client.put("/backlog/ideas/order", {"ids": wrong})
            assert (answer.status, answer.json()["error"]["fields"][0]["path"]) == (status, path)
        assert titles(client) == ["a", "b", "c"]

    def test_filters__by_stage_tag_and_words__and_other_orders(self, client: Client, ids: list[str]) -> None:
        client.patch(f"/backlog/ideas/{ids[1]}", {"stage": "triaged", "tags": ["x"], **dict.fromkeys(ICE, 3)})
        client.patch(f"/backlog/ideas/{ids[2]}", {"tags": ["x", "y"], **dict.fromkeys(ICE, 10)})
        assert titles(client, stage="triaged") == ["b"]
        assert titles(client, tag="x") == ["b", "c"]
        assert titles(client, tag="x", stage="new") == ["c"]
        assert titles(client, q="idea-4") == ["d"]
        assert titles(client, sort="-score")[:2] == ["c", "b"]
        assert titles(client, sort="score")[2:] == ["b", "c"]

    def test_archived__is_hidden_and_keeps_its_place(self, client: Client, ids: list[str]) -> None:
        client.put("/backlog/ideas/order", {"ids": [ids[2]]})
        assert client.post(f"/backlog/ideas/{ids[2]}/archive").json()["archived_at"]
        assert (titles(client), titles(client, archived="true")) == (["a", "b", "d"], ["c"])
        client.post(f"/backlog/ideas/{ids[2]}/unarchive")
        assert titles(client) == ["c", "a", "b", "d"]


ICE = ("impact", "confidence", "ease")


class TestLinks:
    def test_experiment__made_of_an_idea__is_its_primary_one(
        self, client: Client, idea: dict[str, Any], experiment: dict[str, Any]
    ) -> None:
        linked = {"key": "IDEA-1", "title": "Free shipping", "stage": "planned"}
        assert (experiment["name"], experiment["status"], experiment["linked_idea"]) == (
            "Free shipping",
            "draft",
            linked,
        )
        assert client.get(f"/experiments/{experiment['id']}").json()["linked_idea"] == linked
        shown = client.get(f"/backlog/ideas/{idea['id']}").json()
        (link,) = shown["links"]
        assert (link["link_type"], link["experiment_name"], link["experiment_status"], link["outcome"]) == (
            "primary",
            "Free shipping",
            "draft",
            None,
        )
        (plain,) = client.get(f"/backlog/ideas/{idea['id']}/links").json()["data"]
        assert plain.items() <= link.items()
        assert "links" not in client.get("/backlog/ideas").json()["data"][0]

    def test_stage__follows_the_experiment_from_launch_to_completion(
        self, client: Client, idea: dict[str, Any], experiment: dict[str, Any]
    ) -> None:
        path = f"/experiments/{experiment['id']}"
        assert client.post(f"{path}/launch").status == 200
        assert stage(client, idea) == "in_test"
        client.patch(f"/backlog/ideas/{idea['id']}", {"stage": "triaged"})
        client.post(f"{path}/pause")
        client.post(f"{path}/resume")
        assert stage(client, idea) == "triaged"
        client.post(f"{path}/complete", {"outcome": "won", "learning": "They did fear it."})
        shown = client.get(f"/backlog/ideas/{idea['id']}").json()
        assert shown["stage"] == "done"
        assert (shown["links"][0]["outcome"], shown["links"][0]["learning"]) == ("won", "They did fear it.")
        client.post(f"{path}/restart")
        assert stage(client, idea) == "in_test"

    def test_stage__follows_a_scheduled_launch_and_end(
        self, api: MemoryApi, client: Client, idea: dict[str, Any], experiment: dict[str, Any]
    ) -> None:
        base = api.management
        store = ExperimentStore(base.world, base.storefronts, base.budget)
        schedule = ScheduledActions(store, Planner(base.world, base.rollups))
        start, end = "2026-03-03T00:00:00.000Z", "2026-03-04T00:00:00.000Z"
        path = f"/experiments/{experiment['id']}/schedule"
        assert client.put(path, {"start_at": start, "end_at": end}).status == 200
        for expected in ("in_test", "done"):
            api.clock.advance(seconds=86_400)
            until = api.clock.now().replace(year=2027)
            with base.catalog.under("CronLaunch"):
                schedule.run(until=until)
            assert stage(client, idea) == expected

    def test_launch__that_loses_a_race_about_its_idea__is_repeated(
        self,
        api: MemoryApi,
        client: Client,
        idea: dict[str, Any],
        experiment: dict[str, Any],
        monkeypatch: pytest.MonkeyPatch,
    ) -> None:
        commit = api.management.catalog.commit
        lost: list[Commit] = []

        def late(change: Commit) -> None:
            if not lost and any(put.record.head.kind == "IDEA" for put in change.puts):
                lost.append(change)
                raise StaleVersionError("another writer was faster")
            commit(change)

        monkeypatch.setattr(api.management.catalog, "commit", late)
        assert client.post(f"/experiments/{experiment['id']}/launch").status == 200
        assert (len(lost), stage(client, idea)) == (1, "in_test")

    def test_second_experiment__of_an_idea__is_a_follow_up(
        self, client: Client, idea: dict[str, Any], experiment: dict[str, Any]
    ) -> None:
        other = client.post("/experiments", {"name": "Other", "idea_id": idea["id"]}).json()
        assert other["linked_idea"]["key"] == "IDEA-1"
        links = client.get(f"/backlog/ideas/{idea['id']}/links").json()["data"]
        assert [link["link_type"] for link in links] == ["primary", "follow_up"]
        client.post(f"/experiments/{other['id']}/launch")
        assert stage(client, idea) == "planned"

    def test_primary__exists__is_409(self, client: Client, idea: dict[str, Any], experiment: dict[str, Any]) -> None:
        other = client.post("/experiments", {"name": "Other"}).json()
        another = idea_of(client, title="Another")
        for path, target, link_type, code in (
            (idea, other, "primary", "primary_link_exists"),  # the idea has one
            (another, experiment, "primary", "primary_link_exists"),  # the experiment has one
            (idea, experiment, "follow_up", "conflict"),  # they are linked already
        ):
            link_body = {"experiment_id": target["id"], "link_type": link_type}
            answer = client.post(f"/backlog/ideas/{path['id']}/links", link_body)
            assert (answer.status, answer.json()["error"]["code"]) == (409, code)
        link_body = {"experiment_id": experiment["id"], "link_type": "follow_up"}
        link = client.post(f"/backlog/ideas/{another['id']}/links", link_body)
        assert (link.status, link.json()["link"]["backlog_item_id"]) == (201, another["id"])
        # The primary idea comes first, whichever was linked first.
        assert client.get(f"/experiments/{experiment['id']}").json()["linked_idea"]["key"] == "IDEA-1"

    def test_link__to_what_runs__moves_the_idea_there(self, client: Client, idea: dict[str, Any]) -> None:
        running = client.post("/experiments", {"name": "Running"}).json()["id"]
        client.post(f"/experiments/{running}/launch")
        client.post(f"/backlog/ideas/{idea['id']}/links", {"experiment_id": running, "link_type": "primary"})
        assert stage(client, idea) == "in_test"

    def test_detached__idea_is_triaged_again(
        self, client: Client, idea: dict[str, Any], experiment: dict[str, Any]
    ) -> None:
        path = f"/backlog/ideas/{idea['id']}/links/{experiment['id']}"
        answer = client.delete(path)
        assert (answer.status, answer.json()) == (200, {"detached": True, "backlog_item_id": idea["id"]})
        assert client.delete(path).status == 404
        assert stage(client, idea) == "triaged"
        assert client.get(f"/experiments/{experiment['id']}").json()["linked_idea"] is None
        # The name of the primary link is free again.
        other = idea_of(client)
        link_body = {"experiment_id": experiment["id"], "link_type": "primary"}
        assert client.post(f"/backlog/ideas/{other['id']}/links", link_body).status == 201

    def test_deletion__of_either__takes_the_links_along(
        self, client: Client, idea: dict[str, Any], experiment: dict[str, Any]
    ) -> None:
        other = idea_of(client, title="Other")
        link_body = {"experiment_id": experiment["id"], "link_type": "follow_up"}
        client.post(f"/backlog/ideas/{other['id']}/links", link_body)
        assert client.delete(f"/backlog/ideas/{other['id']}").status == 204
        assert client.delete(f"/experiments/{experiment['id']}").status == 204
        shown = client.get(f"/backlog/ideas/{idea['id']}").json()
        assert (shown["links"], shown["stage"]) == ([], "triaged")

    def test_foreign_things__do_not_exist(self, api: MemoryApi, client: Client, idea: dict[str, Any]) -> None:
        other = api.client(api.tenant("Other").admin)
        foreign = other.post("/experiments", {"name": "Foreign"}).json()["id"]
        for experiment_id in (foreign, UNKNOWN):
            link_body = {"experiment_id": experiment_id, "link_type": "primary"}
            answer = client.post(f"/backlog/ideas/{idea['id']}/links", link_body)
            assert (answer.status, answer.json()["error"]["fields"][0]["path"]) == (422, "experiment_id")
        assert other.post(f"/backlog/ideas/{idea['id']}/experiment").status == 404
        answer = other.post("/experiments", {"name": "x", "idea_id": idea["id"]})
        assert (answer.status, answer.json()["error"]["fields"][0]["path"]) == (422, "idea_id")
        assert len(other.get("/experiments").json()["data"]) == 1

    def test_experiment__of_a_key_that_may_not_write_ideas__is_refused(
        self, api: MemoryApi, tenant: Tenant, idea: dict[str, Any]
    ) -> None:
        author = api.client(api.key(["experiments:write"], shop_id=tenant.shop.id).text)
        for answer in (
            author.post("/experiments", {"name": "x", "idea_id": idea["id"]}),
            author.post(f"/backlog/ideas/{idea['id']}/experiment"),
        ):
            assert (answer.status, answer.json()["error"]["required_scope"]) == (403, "backlog:write")

    def test_experiment__of_a_repeated_request__is_linked_once(self, client: Client, idea: dict[str, Any]) -> None:
        path = f"/backlog/ideas/{idea['id']}/experiment"
        answers = [client.post(path, headers={"Idempotency-Key": "k"}).json() for _ in range(2)]
        assert answers[0] == answers[1]
        assert len(client.get(f"/backlog/ideas/{idea['id']}/links").json()["data"]) == 1

    def test_more_than_forty__are_refused_and_forty_can_be_deleted(self, client: Client, idea: dict[str, Any]) -> None:
        path = f"/backlog/ideas/{idea['id']}"
        made = [client.post(f"{path}/experiment") for _ in range(40)]
        assert {answer.status for answer in made} == {201}
        answer = client.post(f"{path}/experiment")
        assert (answer.status, answer.code) == (422, "limit_reached")
        assert client.delete(path).status == 204
        assert client.get(f"/experiments/{made[7].json()['id']}").json()["linked_idea"] is None

    def test_experiment__of_five_ideas__takes_no_more_and_can_be_deleted(
        self, client: Client, experiment: dict[str, Any]
    ) -> None:
        names = [{"name": f"Arm {number}", "weight": 0.1, "is_control": number == 0} for number in range(10)]
        path = f"/experiments/{experiment['id']}"
        assert client.patch(path, {"variations": names, "slug": "largest"}).status == 200
        body = {"experiment_id": experiment["id"], "link_type": "follow_up"}
        others = [idea_of(client, title=f"Other {number}")["id"] for number in range(5)]
        answers = [client.post(f"/backlog/ideas/{each}/links", body) for each in others]
        assert [answer.status for answer in answers] == [201] * 4 + [422]
        assert (answers[-1].code, answers[-1].paths) == ("limit_reached", ["experiment_id"])
        assert client.get(path).json()["linked_idea"]["title"] == "Free shipping"
        assert client.delete(path).status == 204
        assert {tuple(client.get(f"/backlog/ideas/{each}").json()["links"]) for each in others} == {()}

    def test_link__by_public_id_and_version__is_removed(
        self, client: Client, idea: dict[str, Any], experiment: dict[str, Any]
    ) -> None:
        path = f"/backlog/ideas/{idea['id']}/links/{experiment['public_id']}"
        assert client.delete(path, headers={"If-Match": 'W/"99"'}).status == 412
        assert client.delete(f"/backlog/ideas/{idea['id']}/links/1234567890").status == 404
        tag = client.get(f"/backlog/ideas/{idea['id']}").headers["etag"]
        assert client.delete(path, headers={"If-Match": tag}).status == 200


def _launch(client: Client, path: str) -> None:
    assert client.post(f"{path}/launch").status == 200


def _delete(client: Client, path: str) -> None:
    assert client.delete(path).status == 204


class TestRaces:
    """Requests of two clients at one moment: the second one runs between the reads and the commit of the first."""

    @pytest.fixture
    def draft(self, client: Client) -> str:
        return str(client.post("/experiments", {"name": "Draft"}).json()["id"])

    @pytest.fixture
    def meanwhile(self, api: MemoryApi, monkeypatch: pytest.MonkeyPatch) -> Callable[[Callable[[], Any]], None]:
        """Return a function that takes what happens before the next commit."""

        def before_the_next_commit(happens: Callable[[], Any]) -> None:
            commit = api.management.catalog.commit

            def late(change: Commit) -> None:
                if not change.audit:  # the last use of a key
                    return commit(change)
                monkeypatch.setattr(api.management.catalog, "commit", commit)
                aside(happens)
                return commit(change)

            monkeypatch.setattr(api.management.catalog, "commit", late)

        return before_the_next_commit

    def test_link__while_the_experiment_is_launched__is_in_test(
        self, client: Client, idea: dict[str, Any], draft: str, meanwhile: Callable[[Callable[[], Any]], None]
    ) -> None:
        body = {"experiment_id": draft, "link_type": "primary"}
        meanwhile(lambda: _launch(client, f"/experiments/{draft}"))
        assert client.post(f"/backlog/ideas/{idea['id']}/links", body).status == 201
        assert stage(client, idea) == "in_test"

    def test_launch__while_the_experiment_is_linked__moves_the_idea(
        self, client: Client, idea: dict[str, Any], draft: str, meanwhile: Callable[[Callable[[], Any]], None]
    ) -> None:
        body = {"experiment_id": draft, "link_type": "primary"}
        meanwhile(lambda: client.post(f"/backlog/ideas/{idea['id']}/links", body))
        _launch(client, f"/experiments/{draft}")
        assert stage(client, idea) == "in_test"

    def test_link__while_the_experiment_is_deleted__is_refused(
        self, client: Client, idea: dict[str, Any], draft: str, meanwhile: Callable[[Callable[[], Any]], None]
    ) -> None:
        body = {"experiment_id": draft, "link_type": "primary"}
        meanwhile(lambda: _delete(client, f"/experiments/{draft}"))
        answer = client.post(f"/backlog/ideas/{idea['id']}/links", body)
        assert (answer.status, answer.paths) == (422, ["experiment_id"])
        assert client.get(f"/backlog/ideas/{idea['id']}/links").json()["data"] == []

    def test_deletion__while_the_experiment_is_linked__takes_the_link_along(
        self, client: Client, idea: dict[str, Any], draft: str, meanwhile: Callable[[Callable[[], Any]], None]
    ) -> None:
        body = {"experiment_id": draft, "link_type": "primary"}
        meanwhile(lambda: client.post(f"/backlog/ideas/{idea['id']}/links", body))
        _delete(client, f"/experiments/{draft}")
        assert client.get(f"/backlog/ideas/{idea['id']}/links").json()["data"] == []

    def test_ideas__made_at_once__all_get_a_key(
        self, client: Client, meanwhile: Callable[[Callable[[], Any]], None], api: MemoryApi
    ) -> None:
        def race(left: int) -> None:
            meanwhile(lambda: race(left - 1) if left else None)
            assert client.post("/backlog/ideas", {"title": f"Idea {left}"}).status == 201

        race(9)
        keys = [each["key"] for each in client.get("/backlog/ideas").json()["data"]]
        assert sorted(keys) == sorted(f"IDEA-{number}" for number in range(1, 11))

    def test_page__of_ideas_that_are_put_in_order_meanwhile__goes_on_where_it_was(self, client: Client) -> None:
        ids = [idea_of(client, title=title)["id"] for title in "abcdef"]
        first = client.get("/backlog/ideas", query={"limit": 3}).json()
        client.put("/backlog/ideas/order", {"ids": [ids[5]]})
        rest = client.get("/backlog/ideas", query={"cursor": first["pagination"]["next_cursor"]}).json()["data"]
        assert [each["title"] for each in (*first["data"], *rest)] == ["a", "b", "c", "d", "e"]


def test_reads__with_what_others_change__are_never_304(client: Client, experiment: dict[str, Any]) -> None:
    path = f"/experiments/{experiment['id']}"
    idea_path = f"/backlog/ideas/{client.get('/backlog/ideas').json()['data'][0]['id']}"
    held = {each: {"If-None-Match": client.get(each).headers["etag"]} for each in (path, idea_path)}
    client.patch(idea_path, {"title": "Another title"})
    assert client.get(path, headers=held[path]).json()["linked_idea"]["title"] == "Another title"
    client.patch(path, {"name": "Another name"})
    held[idea_path] = {"If-None-Match": client.get(idea_path).headers["etag"]}
    client.patch(path, {"name": "Yet another name"})
    shown = client.get(idea_path, headers=held[idea_path])
    assert (shown.status, shown.json()["links"][0]["experiment_name"]) == (200, "Yet another name")
    client.delete(f"{idea_path}/links/{experiment['id']}")
    held[path] = {"If-None-Match": client.get(path).headers["etag"]}
    assert client.get(path, headers=held[path]).status == 200
