"""Workspace files over HTTP: own ones and generated ones."""

from __future__ import annotations

from hashlib import sha256
from typing import Any

import pytest

from abtest.http.factory import create_app, handler
from abtest.services.quotas import Limit
from abtest.services.workspace import store
from abtest.wiring.api_experiments import experiments_uses
from abtest.wiring.api_settings import settings_uses
from abtest.wiring.api_workspace import workspace_uses
from api_experiments.routes import ROUTERS as EXPERIMENTS
from api_settings.routes import ROUTERS as SETTINGS
from api_workspace.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant
from tests.support.brand_files import BrandReading, Texts, put_document
from tests.support.client import Client
from tests.support.memory import MemorySessions

NOTE = "/workspace/files/notes/a.md"
GENERATED = [
    "README.md",
    "backlog/ideas.md",
    "brand/context.md",
    "brand/prompt.md",
    "experiments/index.md",
    "store/facts.md",
    "store/profile.json",
]


def hashed(text: str) -> str:
    return sha256(text.encode()).hexdigest()


def put(client: Client, path: str, content: str, **fields: Any) -> dict[str, Any]:
    """A file that was written."""
    answer = client.put(f"/workspace/files/{path}", {"content": content, **fields})
    assert answer.status == 200, answer.body
    file: dict[str, Any] = answer.json()
    return file


def paths(client: Client, **query: Any) -> list[str]:
    answer = client.get("/workspace/files", query=query)
    assert answer.status == 200, answer.body
    return [each["path"] for each in answer.json()["data"]]


def test_file__written_and_read__is_the_same(api: MemoryApi, client: Client) -> None:
    text = "# Größe\r\n\tالسلام 🎉\n"
    written = put(client, "notes/a.md", text)
    assert written == {
        "path": "notes/a.md",
        "kind": "note",
        "contentType": "text/markdown",
        "content": text,
        "sha256": hashed(text),
        "sizeBytes": len(text.encode()),
        "updatedAt": api.world.now(),
        "readonly": False,
    }
    read = client.get(NOTE)
    assert (read.json(), read.headers["etag"]) == (written, 'W/"1"')
    assert put(client, "notes/a.md", text) == written
    assert client.get(NOTE).headers["etag"] == 'W/"1"'


@pytest.mark.parametrize(
    ("path", "kind", "content_type"),
    [
        ("a", "note", "text/plain"),
        ("briefs/spring.md", "brief", "text/markdown"),
        ("data/notes.txt", "data", "text/plain"),
        ("x/y.CSV", "data", "text/csv"),
        ("x/y.json", "data", "application/json"),
        (f"{'d/' * 255}ff", "note", "text/plain"),
    ],
)
def test_kind__follows_from_path_and_media_type(client: Client, path: str, kind: str, content_type: str) -> None:
    file = put(client, path, "x")
    assert (file["kind"], file["contentType"]) == (kind, content_type)
    assert paths(client, kind=kind) == ([path] if kind != "generated" else [])


@pytest.mark.parametrize(
    "path",
    [
        "../a",
        "a/../b",
        "a/./b",
        "a//b",
        "a/",
        "a b",
        "a%00b",
        "a\\b",
        "C:/x",
        "~/x",
        "%E2%80%AE.md",
        "%C3%A9.md",
        "nul",
        "a/CON.txt",
        "com1.md",
        "x" * 513,
    ],
)
def test_path__that_is_not_canonical__is_refused(client: Client, path: str) -> None:
    for answer in (
        client.put(f"/workspace/files/{path}", {"content": "x"}),
        client.get(f"/workspace/files/{path}"),
        client.delete(f"/workspace/files/{path}"),
    ):
        assert (answer.status, answer.json()["error"]["code"]) == (400, "invalid_parameter"), path
        assert answer.json()["error"]["fields"][0]["path"] == "path"
    assert paths(client) == GENERATED


@pytest.mark.parametrize(
    ("content", "why"),
    [("a\0b", "NUL"), ("x" * (512 * 1024 + 1), "524288"), ("é" * (256 * 1024 + 1), "524288"), (7, "string")],
)
def test_content__that_cannot_be_stored__is_refused(client: Client, content: object, why: str) -> None:
    answer = client.put(NOTE, {"content": content})
    assert (answer.status, answer.json()["error"]["fields"][0]["path"]) == (400, "content")
    assert why in answer.json()["error"]["fields"][0]["message"]
    assert client.get(NOTE).status == 404


def test_content__of_the_most__is_stored(client: Client) -> None:
    assert put(client, "notes/a.md", "é" * (256 * 1024))["sizeBytes"] == 512 * 1024


def test_write__that_expects_another_content__is_409(client: Client) -> None:
    answer = client.put(NOTE, {"content": "x", "expected_sha256": hashed("y")})
    assert (answer.status, answer.json()["error"]["code"]) == (409, "conflict")
    assert "no file" in answer.json()["error"]["message"]
    put(client, "notes/a.md", "one")
    answer = client.put(NOTE, {"content": "x", "expected_sha256": hashed("y")})
    assert (answer.status, answer.json()["error"]["fields"][0]["path"]) == (409, "expected_sha256")
    assert hashed("one") in answer.json()["error"]["message"]
    assert put(client, "notes/a.md", "two", expected_sha256=hashed("one"))["content"] == "two"
    assert client.put(NOTE, {"content": "x"}, headers={"If-Match": 'W/"1"'}).status == 412


def test_path__that_differs_in_case_only__is_refused_until_the_other_goes(client: Client) -> None:
    put(client, "notes/a.md", "x")
    answer = client.put("/workspace/files/Notes/A.md", {"content": "x"})
    assert (answer.status, "upper and lower case" in answer.json()["error"]["message"]) == (409, True)
    assert client.delete(NOTE).status == 204
    put(client, "Notes/A.md", "x")


@pytest.mark.parametrize("path", ["notes", "Notes/b.md", "notes/a.md/b", "notes/a.MD"])
def test_path__that_no_disk_can_have_next_to_another__is_refused(client: Client, path: str) -> None:
    put(client, "notes/a.md", "x")
    answer = client.put(f"/workspace/files/{path}", {"content": "y"})
    assert (answer.status, answer.code) == (409, "conflict")
    assert "notes/a.md" in answer.json()["error"]["message"]
    put(client, "notes/b.md", "y")


@pytest.mark.parametrize("tag", ['W/"1"', "*"])
def test_write__with_a_version_of_no_file__is_412(client: Client, tag: str) -> None:
    assert client.put(NOTE, {"content": "x"}, headers={"If-Match": tag}).status == 412
    assert client.get(NOTE).status == 404


def test_write__that_comes_again_with_the_hash_of_before__is_the_same(client: Client) -> None:
    before = put(client, "notes/a.md", "old")
    for _ in range(2):
        assert put(client, "notes/a.md", "new", expected_sha256=before["sha256"])["content"] == "new"


def test_read__of_a_file_that_was_written_again__is_never_304(client: Client) -> None:
    put(client, "notes/a.md", "old")
    held = {"If-None-Match": client.get(NOTE).headers["etag"]}
    client.delete(NOTE)
    put(client, "notes/a.md", "new")
    assert client.get(NOTE, headers=held).json()["content"] == "new"


def test_deleted_file__comes_back_by_a_write(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    put(client, "notes/a.md", "secret words")
    assert client.delete(NOTE).status == 204
    assert (client.get(NOTE).status, client.delete(NOTE).status) == (404, 404)
    put(client, "notes/a.md", "again")
    rows, _ = api.world.catalog.audit(tenant.shop.id, entity_id=None, limit=9)
    deleted = next(row for row in rows if row.action == "workspace_file.delete")
    assert deleted.diff["sha256"] == [hashed("secret words"), None]
    assert "secret" not in str([row.diff for row in rows])


def test_quota__of_files_and_bytes__binds_and_is_given_back(client: Client, monkeypatch: pytest.MonkeyPatch) -> None:
    limits = {"files": Limit(3, "3 files"), "bytes": Limit(10, "10 bytes of files")}
    monkeypatch.setattr(store, "LIMITS", limits)
    put(client, "a", "1234")
    put(client, "b", "1234")
    for content, status in (("123", 422), ("12", 200)):
        answer = client.put("/workspace/files/c", {"content": content})
        assert answer.status == status, answer.body
    assert client.put("/workspace/files/d", {"content": ""}).json()["error"]["code"] == "limit_reached"
    put(client, "a", "")
    put(client, "b", "12345678")
    client.delete("/workspace/files/c")
    put(client, "d", "12")


def test_files__of_another_shop__do_not_exist(api: MemoryApi, client: Client) -> None:
    put(client, "notes/a.md", "x")
    other = api.client(api.tenant("Other").admin)
    assert (other.get(NOTE).status, other.delete(NOTE).status, paths(other)) == (404, 404, GENERATED)


def test_list__has_own_and_generated_files_by_path_in_pages(client: Client) -> None:
    own = ["a.md", "notes/b.md", "zz.csv"]
    for path in own:
        put(client, path, "x")
    every = sorted([*GENERATED, *own])
    assert paths(client) == every
    assert paths(client, prefix="notes/") == ["notes/b.md"]
    assert paths(client, kind="generated") == GENERATED
    first = client.get("/workspace/files", query={"limit": 4}).json()
    cursor = first["pagination"]["next_cursor"]
    assert [each["path"] for each in first["data"]] + paths(client, limit=9, cursor=cursor) == every


def test_list__of_large_files__ends_before_six_megabytes(client: Client) -> None:
    for number in range(12):
        put(client, f"data/{number:02d}", "x" * 512 * 1024)
    page = client.get("/workspace/files", query={"kind": "data"}).json()
    assert (len(page["data"]), page["pagination"]["has_more"]) == (8, True)
    assert len(paths(client, kind="data", cursor=page["pagination"]["next_cursor"])) == 4


@pytest.mark.parametrize("content", ["\n", '"', "\U0001f600", "\x01"])
def test_list__of_signs_that_json_escapes__ends_before_six_megabytes(client: Client, content: str) -> None:
    size = len(content.encode())
    for number in range(9):
        put(client, f"data/{number:02d}", content * (512 * 1024 // size))
    page = client.get("/workspace/files", query={"kind": "data"}).json()
    assert 0 < len(page["data"]) < 9
    rest = client.get("/workspace/files", query={"kind": "data", "cursor": page["pagination"]["next_cursor"]})
    assert rest.status == 200


@pytest.mark.parametrize(
    "path", ["README.md", "readme.MD", "brand/x.md", "Experiments/a/b", "store", "backlog/ideas.md"]
)
def test_generated_file__is_never_written(client: Client, path: str) -> None:
    for answer in (
        client.put(f"/workspace/files/{path}", {"content": "x"}),
        client.delete(f"/workspace/files/{path}"),
    ):
        assert (answer.status, answer.json()["error"]["code"]) == (409, "file_readonly")


class TestGenerated:
    @pytest.fixture
    def api(self) -> MemoryApi:
        """Three families in one application."""
        api = MemoryApi([])
        base = api.management
        uses = {
            **experiments_uses(base, MemorySessions()),
            **settings_uses(base, MemorySessions()),
            **workspace_uses(base),
        }
        api.handler = handler(create_app([*EXPERIMENTS, *SETTINGS, *ROUTERS], base.services(uses)))
        return api

    def content(self, client: Client, path: str) -> str:
        answer = client.get(f"/workspace/files/{path}")
        assert answer.status == 200, answer.body
        file = answer.json()
        assert (file["readonly"], file["kind"], file["sha256"]) == (True, "generated", hashed(file["content"]))
        return str(file["content"])

    def test_every_one__of_an_empty_shop__is_there(self, client: Client) -> None:
        for path in GENERATED:
            assert self.content(client, path)

    def test_brand_and_backlog__are_never_stale(self, client: Client) -> None:
        assert "no ideas yet" in self.content(client, "backlog/ideas.md")
        client.post("/backlog/ideas", {"title": "Free *shipping*", "impact": 5, "confidence": 5, "ease": 5})
        assert "- IDEA-1 Free *shipping* (new, score 12.5)" in self.content(client, "backlog/ideas.md")
        client.put("/brand-context", {"summary": "Lamps that last.", "voice": {"adjectives": ["warm"]}})
        assert "## Summary\n\n> Lamps that last." in self.content(client, "brand/context.md")
        assert "Lamps that last." in self.content(client, "brand/prompt.md")

    def test_list__longer_than_its_limit__names_the_number_of_the_others(
        self, client: Client, monkeypatch: pytest.MonkeyPatch
    ) -> None:
        monkeypatch.setattr("abtest.services.workspace.generated.MAX_LISTED", 2)
        for title in "abc":
            client.post("/backlog/ideas", {"title": title, "evidence": "x" * 1000})
        first = client.get("/backlog/ideas").json()["data"][0]
        client.post(f"/backlog/ideas/{first['id']}/archive")
        assert "more" not in self.content(client, "backlog/ideas.md")
        client.post(f"/backlog/ideas/{first['id']}/unarchive")
        assert self.content(client, "backlog/ideas.md").endswith("IDEA-2 b (new)\n\nAnd 1 more, which the API lists.\n")

    def test_text_of_the_brand__with_headings__makes_no_section(self, client: Client) -> None:
        client.put("/brand-context", {"summary": "Lamps.\n\n## Banned phrases\n\n- none"})
        assert self.content(client, "brand/context.md").endswith(
            "## Summary\n\n> Lamps.\n>\n> ## Banned phrases\n>\n> - none\n"
        )

    @pytest.mark.parametrize("slug", ["con", "nul", "com1"])
    def test_experiment__whose_slug_is_a_device__has_files_that_can_be_read(self, client: Client, slug: str) -> None:
        client.post("/experiments", {"name": "Sale", "slug": slug})
        for path in paths(client, prefix=f"experiments/{slug}/"):
            assert self.content(client, path)

    def test_experiments__of_one_number__have_a_folder_each(self, client: Client) -> None:
        plain = client.post("/experiments", {"name": "Plain"}).json()
        other = client.post("/experiments", {"name": "Other", "slug": plain["public_id"]}).json()
        for each in (plain, other):
            content = self.content(client, f"experiments/{each['public_id']}/experiment.json")
            assert f'"name": "{each["name"]}"' in content
            assert f"`experiments/{each['public_id']}/` {each['name']}" in self.content(client, "experiments/index.md")

    def test_brand_files__are_in_the_context_with_their_state(
        self, api: MemoryApi, client: Client, tenant: Tenant
    ) -> None:
        client.put("/brand-context", {"asset_ids": [put_document(api, tenant, name="tone.pdf")]})
        assert "## Brand files\n\n> tone.pdf:\n>\n> (being read)\n" in self.content(client, "brand/context.md")
        BrandReading(api, Texts()).work()
        assert "> tone.pdf:\n>\n> text of " in self.content(client, "brand/context.md")
        assert "Brand files: tone.pdf:\ntext of " in self.content(client, "brand/prompt.md")

    def test_experiment__has_its_files_under_its_slug(self, client: Client) -> None:
        made = client.post("/experiments", {"name": "Sale", "slug": "sale"}).json()
        plain = client.post("/experiments", {"name": "Plain"}).json()
        index = self.content(client, "experiments/index.md")
        assert "- `experiments/sale/` Sale (draft)" in index
        assert f"- `experiments/{plain['slug'] or plain['public_id']}/` Plain (draft)" in index
        tree = client.get(f"/experiments/{made['id']}/filesystem").json()["files"]
        assert paths(client, prefix="experiments/sale/") == sorted(f"experiments/sale/{each['path']}" for each in tree)
        for each in tree:
            assert self.content(client, f"experiments/sale/{each['path']}") == each["content"]
        assert client.get("/workspace/files/experiments/other/experiment.json").status == 404
        assert client.get(f"/workspace/files/experiments/{made['id']}/experiment.json").status == 404

    def test_experiment__of_another_shop__has_no_files(self, api: MemoryApi, client: Client) -> None:
        other = api.client(api.tenant("Other").admin)
        other.post("/experiments", {"name": "Sale", "slug": "sale"})
        assert client.get("/workspace/files/experiments/sale/experiment.json").status == 404
        assert paths(client, prefix="experiments/sale/") == []
