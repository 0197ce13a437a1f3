"""Experiments as files: read, planned, applied, and everything that is refused."""

from __future__ import annotations

import gzip
import json
import time
from collections.abc import Callable
from typing import Any

import pytest

from tests.support.api import MemoryApi, Tenant
from tests.support.client import Answer, Client

Create = Callable[..., dict[str, Any]]
Files = dict[str, str]

DESIGN: dict[str, Any] = {
    "name": "Banner",
    "traffic_allocation": 0.8,
    "experiment_css": "h1 { color: red }",
    "variations": [
        {"name": "Control", "weight": 0.5, "is_control": True},
        {
            "name": "Dated banner",
            "weight": 0.5,
            "mutations": [{"selector": "#banner", "action": "text", "text": "Until Sunday"}],
            "custom_js": "window.dated = true;\nreturn;",
            "url_blocks": [
                {
                    "id": "product pages",
                    "name": "Products",
                    "urlRules": [{"type": "simple", "pattern": "https://shop.example/p/*"}],
                    "mutations": [{"selector": "h1", "action": "remove"}],
                    "js": "window.block = 1;",
                }
            ],
        },
    ],
    "goals": [{"name": "Add to cart", "type": "custom", "event_name": "add_to_cart", "is_primary": True}],
}


class Tree:
    """Calls of one experiment's files."""

    def __init__(self, client: Client, experiment_id: str | None) -> None:
        self.client = client
        self.path = f"/experiments/{experiment_id}/filesystem" if experiment_id else "/experiments/filesystem"

    def read(self) -> Files:
        return {file["path"]: file["content"] for file in self.tree()["files"]}

    def tree(self) -> dict[str, Any]:
        answer = self.client.get(self.path)
        assert answer.status == 200, answer.body
        return dict(answer.json())

    def plan(self, files: Files, deletes: list[str] | None = None, **more: Any) -> dict[str, Any]:
        answer = self.ask("plan", files, deletes, **more)
        assert answer.status == 200, answer.body
        return dict(answer.json())

    def apply(self, files: Files, plan: dict[str, Any], deletes: list[str] | None = None, **more: Any) -> Answer:
        return self.ask("apply", files, deletes, plan_sha256=plan["planSha256"], **more)

    def ask(self, verb: str, files: Files, deletes: list[str] | None = None, **more: Any) -> Answer:
        body = {"files": [{"path": path, "content": text} for path, text in files.items()], **more}
        return self.client.post(f"{self.path}/{verb}", body | ({"deletes": deletes} if deletes else {}))


def test_read__an_experiment__is_its_design_as_files(client: Client, create: Create) -> None:
    made = create(**DESIGN)
    files = Tree(client, made["id"]).read()
    assert list(files) == [
        "README.md",
        "experiment.css",
        "experiment.json",
        "goals.json",
        "variations/control/variation.json",
        "variations/dated-banner/blocks/product-pages.js",
        "variations/dated-banner/blocks/product-pages.json",
        "variations/dated-banner/custom.js",
        "variations/dated-banner/mutations.json",
        "variations/dated-banner/variation.json",
    ]
    assert files["experiment.css"] == "h1 { color: red }\n"
    assert json.loads(files["experiment.json"])["variations"] == ["control", "dated-banner"]
    assert json.loads(files["goals.json"])[0]["key"] == "add-to-cart"
    assert made["id"] not in "".join(files.values())


def test_plan__files_as_read__has_no_operations(client: Client, create: Create) -> None:
    files = Tree(client, create(**DESIGN)["id"])
    plan = files.plan(files.read())
    assert (plan["ok"], plan["operations"], plan["errors"], plan["warnings"]) == (True, [], [], [])
    applied = files.apply(files.read(), plan).json()
    assert (applied["ok"], applied["applied"]) == (True, False)


def test_apply__edited_files__reads_back_what_was_written_in_one_audit_row(
    api: MemoryApi, client: Client, create: Create
) -> None:
    made = create(**DESIGN)
    files = Tree(client, made["id"])
    edited = files.read()
    edited["variations/dated-banner/custom.js"] = "window.dated = 2;\n"
    edited["variations/dated-banner/variation.json"] = edited["variations/dated-banner/variation.json"].replace(
        "Dated banner", "Dated"
    )
    edited["variations/third/variation.json"] = (
        '{\n  "name": "Third",\n  "weight": 0,\n  "is_control": false,\n'
        '  "redirect_url": null,\n  "url_blocks": null\n}\n'
    )
    edited["experiment.json"] = edited["experiment.json"].replace('"dated-banner"', '"dated-banner",\n    "third"')
    plan = files.plan(edited)
    assert plan["ok"], plan["errors"]
    assert [(each["op"], each["path"]) for each in plan["operations"]] == [
        ("update", "experiment.json"),
        ("update", "variations/dated-banner/custom.js"),
        ("update", "variations/dated-banner/variation.json"),
        ("create", "variations/third/variation.json"),
    ]
    assert plan["operations"][1]["diff"].splitlines()[2:] == [
        "@@ -1,2 +1 @@",
        "-window.dated = true;",
        "-return;",
        "+window.dated = 2;",
    ]
    before = len(client.get(f"/experiments/{made['id']}/history").json()["data"])
    api.clock.advance(seconds=1)
    applied = files.apply(edited, plan).json()
    assert applied["applied"] is True
    assert [arm["name"] for arm in applied["experiment"]["variations"]] == ["Control", "Dated", "Third"]
    assert applied["experiment"]["variations"][1]["id"] == made["variations"][1]["id"]
    assert files.read() == edited
    rows = client.get(f"/experiments/{made['id']}/history").json()["data"]
    assert len(rows) == before + 1
    assert (rows[0]["action"], rows[0]["diff"]["plan"]) == ("experiment.apply", [None, plan["planSha256"]])


def test_apply__twice__changes_nothing_the_second_time_even_when_reverted(client: Client, create: Create) -> None:
    made = create(**DESIGN)
    files = Tree(client, made["id"])
    edit = {"experiment.css": "h1 { color: blue }\n"}
    plan = files.plan(edit)
    assert files.apply(edit, plan).json()["applied"] is True
    second = files.apply(edit, plan)
    assert (second.status, second.json()["applied"]) == (200, False)
    client.patch(f"/experiments/{made['id']}", {"experiment_css": DESIGN["experiment_css"]})
    reverted = files.apply(edit, plan).json()
    assert (reverted["applied"], reverted["experiment"]["experiment_css"]) == (False, DESIGN["experiment_css"])


def test_apply__after_a_foreign_change__is_a_conflict_that_names_the_paths(client: Client, create: Create) -> None:
    made = create(**DESIGN)
    files = Tree(client, made["id"])
    edit = {"experiment.js": "window.a = 1;\n"}
    plan = files.plan(edit)
    client.patch(f"/experiments/{made['id']}", {"experiment_css": "b {}", "traffic_allocation": 0.5})
    answer = files.apply(edit, plan)
    assert (answer.status, answer.code) == (409, "tree_conflict")
    assert answer.json()["paths"] == ["experiment.css", "experiment.json"]
    stale = files.ask("plan", edit, base_tree_sha256=plan["baseTreeSha256"])
    assert (stale.status, stale.code) == (409, "tree_conflict")
    assert files.read()["experiment.css"] == "b {}\n"


def test_apply__plan_that_is_too_old_or_of_another_experiment_or_other_files__is_a_conflict(
    api: MemoryApi, client: Client, create: Create
) -> None:
    one, other = (Tree(client, create(**DESIGN)["id"]) for _ in range(2))
    edit = {"experiment.js": "window.a = 1;\n"}
    plan = one.plan(edit)
    assert other.apply(edit, plan).code == "conflict"
    assert one.apply({"experiment.js": "window.a = 2;\n"}, plan).code == "conflict"
    assert Tree(client, None).apply(edit, plan).code == "conflict"
    stranger = api.client(api.tenant().admin)
    assert Tree(stranger, one.path.split("/")[2]).apply(edit, plan).status == 404
    base = "0" * 64
    assert one.apply(edit, plan, base_tree_sha256=base).code == "tree_conflict"
    api.clock.advance(minutes=15)
    assert one.apply(edit, plan).code == "conflict"
    assert "experiment.js" not in one.read()


def test_apply__again_after_its_plan_expired__changes_nothing(api: MemoryApi, client: Client, create: Create) -> None:
    files, new = Tree(client, create(**DESIGN)["id"]), Tree(client, None)
    edit, design = {"experiment.js": "window.a = 1;\n"}, files.read()
    plan, first = files.plan(edit), new.plan(design)
    assert (files.apply(edit, plan).status, new.apply(design, first).status) == (200, 201)
    api.clock.advance(hours=20)
    for tree, content, applied in ((files, edit, plan), (new, design, first)):
        second = tree.apply(content, applied)
        assert (second.status < 300, second.json()["applied"]) == (True, False)


def test_new__of_a_key_that_may_not_launch__is_planned_and_made(
    api: MemoryApi, tenant: Tenant, client: Client, create: Create
) -> None:
    design = Tree(client, create(**DESIGN)["id"]).read()
    editor = Tree(api.client(api.key(["experiments:write"], shop_id=tenant.shop.id).text), None)
    plan = editor.plan(design)
    assert (plan["ok"], plan["errors"]) == (True, [])
    made = editor.apply(design, plan)
    assert (made.status, made.json()["experiment"]["linked_idea"]) == (201, None)
    scheduled = {
        "experiment.json": design["experiment.json"].replace(
            '"scheduled_start_at": null', '"scheduled_start_at": "2030-01-01T00:00:00.000Z"'
        )
    }
    (error,) = editor.plan({**design, **scheduled})["errors"]
    assert error["message"] == "needs a key with the scope experiments:launch"
    author = api.client(api.key(["experiments:write"], shop_id=tenant.shop.id).text)
    assert author.post("/experiments", {"name": "x", "scheduled_start_at": None}).status == 201


def test_apply__to_a_running_experiment__needs_the_acknowledgement(client: Client, create: Create) -> None:
    made = create(**DESIGN)
    client.post(f"/experiments/{made['id']}/launch")
    files = Tree(client, made["id"])
    edit = {"experiment.css": "h1 { color: blue }\n"}
    plan = files.plan(edit)
    assert plan["live_impact"] == [{"id": made["id"], "name": "Banner", "consumer": "experiment"}]
    refused = files.apply(edit, plan)
    assert (refused.status, refused.code) == (409, "page_live_impact")
    assert refused.json()["live_experiments"] == plan["live_impact"]
    consent: dict[str, Any] = {"confirm_live_impact": True, "confirmed_consumer_ids": [made["id"]]}
    assert files.apply(edit, plan, **consent).json()["applied"] is True


def test_apply__key_without_the_scope_of_the_plan__is_refused(api: MemoryApi, tenant: Tenant, create: Create) -> None:
    made = create(**DESIGN)
    scopes = ["experiments:write", "experiments:read"]
    writer = Tree(api.client(api.key(scopes, shop_id=tenant.shop.id).text), made["id"])
    admin = Tree(api.client(tenant.admin), made["id"])
    text = admin.read()["experiment.json"]
    edit = {
        "experiment.json": text.replace(
            '"scheduled_start_at": null', '"scheduled_start_at": "2030-01-01T00:00:00.000Z"'
        )
    }
    plan = admin.plan(edit)
    assert plan["ok"], plan["errors"]
    answer = writer.apply(edit, plan)
    assert (answer.status, answer.code) == (403, "insufficient_scope")
    (error,) = writer.plan(edit)["errors"]
    assert (error["path"], error["message"]) == (
        "experiment.json",
        "needs a key with the scope experiments:launch",
    )
    reader = Tree(api.client(api.key(["experiments:read"], shop_id=tenant.shop.id).text), made["id"])
    assert reader.ask("plan", edit).status == 403
    assert reader.read()["experiment.json"] == text


def test_new__files_of_another_experiment__become_an_experiment_once(client: Client, create: Create) -> None:
    files = Tree(client, create(**DESIGN)["id"]).read()
    new = Tree(client, None)
    plan = new.plan(files)
    assert plan["ok"], plan["errors"]
    first = new.apply(files, plan)
    assert first.status == 201
    assert first.json()["experimentId"] == plan["experimentId"]
    assert Tree(client, plan["experimentId"]).read() == files
    second = new.apply(files, plan).json()
    assert (second["applied"], second["experimentId"]) == (False, plan["experimentId"])
    client.delete(f"/experiments/{plan['experimentId']}")
    assert new.apply(files, plan).code == "conflict"


@pytest.mark.parametrize(
    ("path", "named"),
    [
        ("../experiment.json", "must not have . or .."),
        ("variations/../experiment.json", "must not have . or .."),
        ("/experiment.json", "must be relative"),
        ("C:/experiment.json", "must be relative"),
        ("experiment.json\0", "control characters"),
        ("experiment\u202ejson.js", "direction of writing"),
        ("Experiment.json", "must be in lower case: experiment.json"),
        ("readme.md", "only in upper and lower case"),
        ("variations/A/variation.json", "must be in lower case"),
        ("variations/nul/variation.json", "name of a device"),
        ("variations//variation.json", "empty folder name"),
        ("variations\\a\\variation.json", "must have / between folders"),
        ("variations/" + "a" * 600 + "/variation.json", "longer than 512 bytes"),
        ("variations/ä/variation.json", "ASCII"),
        ("variations/a/notes.txt", "is not a file of a variation"),
        (".git/config", "is not a file of an experiment"),
        ("", "is empty"),
        ("README.md", "is generated"),
    ],
)
def test_plan__path_outside_of_the_grammar__is_an_error_of_that_path(
    client: Client, create: Create, path: str, named: str
) -> None:
    plan = Tree(client, create(**DESIGN)["id"]).plan({path: "x"})
    assert (plan["ok"], plan["planSha256"], plan["expiresAt"]) == (False, None, None)
    (error,) = plan["errors"]
    assert error["path"] == (path if len(path) <= 512 else f"{path[:200]}…")
    assert named in error["message"]


@pytest.mark.parametrize(
    ("edit", "place", "named"),
    [
        (
            {"experiment.json": '{\n  "name": "A",\n  "traffic_allocation": 2\n}\n'},
            ("experiment.json", 3, 3),
            "at most 1",
        ),
        (
            {"experiment.json": '{\n  "name": "A",\n  "traffic_alocation": 1\n}'},
            ("experiment.json", 3, 3),
            "traffic_allocation",
        ),
        ({"experiment.json": '{"name": "A",}'}, ("experiment.json", 1, 14), "comma"),
        ({"experiment.json": '{"name": "A",\n "name": "B"}'}, ("experiment.json", 2, 2), "twice"),
        ({"experiment.json": "\ufeff{}"}, ("experiment.json", 1, 1), "byte order mark"),
        ({"experiment.json": "[" * 100_000}, ("experiment.json", 1, 1), "nested too deeply"),
        ({"experiment.json": "[]"}, ("experiment.json", 1, 1), "must be an object"),
        ({"experiment.js": "var a = 1;\nvar = 2;\n"}, ("experiment.js", 2, 5), ""),
        (
            {"variations/dated-banner/mutations.json": '[\n  {"selector": "a", "action": "text"}\n]'},
            ("variations/dated-banner/mutations.json", 2, 3),
            "is needed by the action text",
        ),
        (
            {"variations/dated-banner/mutations.json": '[\n  {"selector": "a",\n "action": "hide"}\n]'},
            ("variations/dated-banner/mutations.json", 3, 2),
            "must be",
        ),
        ({"variations/new/custom.css": "a{}"}, ("variations/new/variation.json", None, None), "is missing"),
        ({"goals.json": '[{"key": "A B", "name": "x", "type": "click"}]'}, ("goals.json", 1, 3), "lower-case"),
        ({"goals.json": '[{"name": "x", "type": "click", "page": "Nowhere"}]'}, ("goals.json", 1, 33), "goalPageRules"),
        ({"goals.json": '[{"shop_goal": "Nothing"}]'}, ("goals.json", 1, 3), "the shop has no goal of this name"),
    ],
)
def test_plan__wrong_contents__is_an_error_with_line_and_column(
    client: Client, create: Create, edit: Files, place: tuple[str, int | None, int | None], named: str
) -> None:
    plan = Tree(client, create(**DESIGN)["id"]).plan(edit)
    assert plan["ok"] is False
    errors = [(each["path"], each["line"], each["column"]) for each in plan["errors"] if named in each["message"]]
    assert place in errors, plan["errors"]


@pytest.mark.parametrize("sign", ["x", '"', "\U0001f600"])
def test_plan__paths_of_any_length__are_errors_that_fit_into_a_response(
    client: Client, create: Create, sign: str
) -> None:
    files = Tree(client, create(**DESIGN)["id"])
    plan = files.plan({f"{sign * 40_000}{number}": "" for number in range(100 if sign == "x" else 8)})
    assert not plan["ok"]
    assert {len(each["path"]) for each in plan["errors"]} == {201}


def test_plan__more_than_2000_files_or_a_file_twice__is_refused(client: Client, create: Create) -> None:
    files = Tree(client, create(**DESIGN)["id"])
    many = files.ask("plan", {f"variations/v{n}/custom.css": "a{}" for n in range(2001)})
    assert (many.status, many.paths) == (400, ["files"])
    plan = files.plan({"experiment.css": "a{}"}, ["experiment.css"])
    assert [(each["path"], each["message"]) for each in plan["errors"]] == [
        ("experiment.css", "is in the request twice")
    ]


def test_plan__hostile_lists_and_objects__are_refused_in_a_moment(client: Client, create: Create) -> None:
    files = Tree(client, create(**DESIGN)["id"])
    experiment = json.loads(files.read()["experiment.json"])
    names = [f"v{number}" for number in range(50_000)]
    hostile = [
        {"experiment.json": json.dumps({**experiment, "variations": names})},
        {"experiment.json": json.dumps({**experiment, **dict.fromkeys(names)})},
        {"experiment.json": json.dumps({**experiment, "targeting": {"pageRules": [{"page": "x"}] * 30_000}})},
        {"goals.json": json.dumps([{"key": name, "shop_goal": "x"} for name in names[:20_000]])},
        {"goals.json": json.dumps([[]] * 100_000)},
        {f"variations/v{number}/variation.json": "{}" for number in range(1000)},
        {"variations/dated-banner/mutations.json": json.dumps([{"selector": "a", "action": "x"}] * 1001)},
        {"experiment.js": "/" * 1_000_000},
    ]
    started = time.process_time()
    for edit in hostile:
        plan = files.plan(edit)
        assert plan["ok"] is False
        assert 1 <= len(plan["errors"]) <= 100
    assert time.process_time() - started < 8


def test_read__files_that_no_plain_response_can_hold__need_compression(client: Client, create: Create) -> None:
    # Quotes are escaped twice: in the file, and in the response.
    mutations = [{"selector": "a", "action": "remove", "description": '"' * 2000}] * 480
    arms = [{"name": "a", "mutations": mutations} for _ in range(2)]
    path = f"/experiments/{create(variations=arms)['id']}/filesystem"
    refused = client.get(path)
    assert (refused.status, refused.code) == (422, "limit_reached")
    answer = client.request("GET", path, headers={"accept-encoding": "gzip"}, checked=False)
    assert answer.status == 200
    assert len(gzip.decompress(answer.body)) > 6_000_000


def test_plan__files_that_are_not_utf_8__is_refused_before_anything(client: Client, create: Create) -> None:
    path = f"/experiments/{create(**DESIGN)['id']}/filesystem/plan"
    for raw in (
        b'{"files": [{"path": "experiment.css", "content": "\xff\xfe"}]}',
        b'{"files": [{"path": "experiment.css", "content": "\\ud800"}]}',
    ):
        answer = client.request("POST", path, raw=raw)
        assert (answer.status, answer.code) == (400, "invalid_json")
