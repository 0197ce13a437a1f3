"""Variations over HTTP."""

from collections.abc import Callable
from typing import Any

import pytest

from abtest.kit.clock import timestamp
from tests.support.api import MemoryApi
from tests.support.client import Answer, Client

Create = Callable[..., dict[str, Any]]


@pytest.fixture
def made(create: Create) -> dict[str, Any]:
    return create()


@pytest.fixture
def path(made: dict[str, Any]) -> str:
    return f"/experiments/{made['id']}/variations"


def consent(made: dict[str, Any]) -> dict[str, Any]:
    return {"confirm_live_impact": True, "confirmed_consumer_ids": [made["id"]]}


def test_create__third__has_no_weight_until_it_gets_one(client: Client, path: str) -> None:
    answer = client.post(path, {"name": "C", "custom_js": "1"})
    assert (answer.status, answer.json()["weight"], answer.json()["custom_js"]) == (201, 0, "1")
    assert answer.headers["etag"] == 'W/"2"'
    assert [arm["name"] for arm in client.get(path).json()["data"]] == ["Control", "Variant", "C"]


def test_create__eleventh__reaches_the_limit(client: Client, path: str) -> None:
    for number in range(8):
        assert client.post(path, {"name": str(number)}).status == 201
    answer = client.post(path, {"name": "eleventh"})
    assert (answer.status, answer.code) == (422, "limit_reached")


BLOCK = {"id": "b", "name": "B", "urlRules": [{"type": "simple", "pattern": "/b"}], "mutations": []}
BROKEN = "let a = 1;\na = ;"
UNSAFE = "x = '</script>'; y = 1 </script/.z;\n" * 400


def test_script__that_is_broken__is_refused_with_its_place_wherever_it_is_written(
    client: Client, made: dict[str, Any], path: str
) -> None:
    arm = f"{path}/{made['variations'][1]['id']}"
    blocks = [BLOCK, {**BLOCK, "id": "c", "js": BROKEN}]
    answers = [
        client.post(path, {"name": "C", "custom_js": BROKEN}),
        client.patch(arm, {"custom_js": BROKEN}),
        client.patch(arm, {"url_blocks": blocks}),
        client.patch(
            f"/experiments/{made['id']}", {"variations": [{"name": "A"}, {"name": "B", "url_blocks": blocks}]}
        ),
    ]
    assert {(answer.status, answer.code) for answer in answers} == {(400, "invalid_script")}
    assert [answer.paths for answer in answers] == [
        ["custom_js"],
        ["custom_js"],
        ["url_blocks[1].js"],
        ["variations[1].url_blocks[1].js"],
    ]
    for answer in answers:
        (field,) = answer.json()["error"]["fields"]
        assert field["message"].startswith("line 2, column 5: ")
    assert client.get(f"/experiments/{made['id']}").json()["variations"] == made["variations"]


def test_script__that_no_page_could_hold__is_refused(client: Client, path: str) -> None:
    answer = client.post(path, {"name": "C", "custom_js": UNSAFE})
    assert (answer.status, answer.code, answer.paths) == (400, "invalid_script", ["custom_js"])


def test_script__that_is_cleared_or_whole__is_taken(client: Client, made: dict[str, Any], path: str) -> None:
    arm = f"{path}/{made['variations'][1]['id']}"
    assert client.patch(arm, {"custom_js": "return '</script>'", "url_blocks": [{**BLOCK, "js": "f()"}]}).status == 200
    assert client.patch(arm, {"custom_js": None, "url_blocks": None}).status == 200


def test_create__second_control__is_refused(client: Client, path: str) -> None:
    assert client.post(path, {"name": "C", "is_control": True}).paths == ["is_control"]


def test_read_and_write__by_every_address__is_the_same_variation(
    client: Client, made: dict[str, Any], path: str
) -> None:
    arm = made["variations"][1]
    addresses = [
        f"{path}/{arm['id']}",
        f"{path}/{arm['public_id']}",
        f"/variations/{arm['id']}",
        f"/variations/{arm['public_id']}",
    ]
    for number, address in enumerate(addresses):
        assert client.patch(address, {"name": str(number)}).json()["name"] == str(number)
        assert client.get(address).json()["id"] == arm["id"]


@pytest.mark.parametrize(
    ("fields", "status", "path_named"),
    [
        ({"name": ""}, 400, "name"),
        ({"weight": -0.1}, 400, "weight"),
        ({"mutations": [{"selector": "a", "action": "explode"}]}, 400, "mutations[0].action"),
        ({"mutations": [{"selector": "", "action": "remove"}]}, 400, "mutations[0].selector"),
        ({"mutations": [{"selector": "a", "action": "html"}]}, 422, "variations[1].mutations[0].html"),
        (
            {"mutations": [{"selector": "a", "action": "attribute", "attribute": {"name": "x"}}]},
            400,
            "mutations[0].attribute.value",
        ),
        ({"redirect_url": "/relative"}, 400, "redirect_url"),
        ({"redirect_url": "https://user:pw@x.example/"}, 400, "redirect_url"),
        ({"custom_css": "x" * 200_001}, 400, "custom_css"),
        ({"url_blocks": [{"id": "a", "name": "b", "urlRules": [], "mutations": []}]}, 400, "url_blocks[0].urlRules"),
        (
            {
                "url_blocks": [
                    {"id": "a", "name": "b", "urlRules": [{"type": "simple", "pattern": "p" * 501}], "mutations": []}
                ]
            },
            400,
            "url_blocks[0].urlRules[0].pattern",
        ),
        (
            {
                "url_blocks": [
                    {
                        "id": "a",
                        "name": "b",
                        "urlRules": [{"type": "simple", "pattern": "p"}],
                        "mutations": [],
                        "html": "",
                    }
                ]
            },
            400,
            "url_blocks[0].html",
        ),
        ({"experiment_id": "x"}, 400, "experiment_id"),
    ],
)
def test_update__bad_field__is_named(
    client: Client, made: dict[str, Any], path: str, fields: dict[str, Any], status: int, path_named: str
) -> None:
    answer = client.patch(f"{path}/{made['variations'][1]['id']}", fields)
    assert (answer.status, answer.paths) == (status, [path_named])


def block(number: int, mutations: int = 0) -> dict[str, Any]:
    return {
        "id": str(number),
        "name": "b",
        "urlRules": [{"type": "simple", "pattern": f"/{number}"}],
        "mutations": [{"selector": "a", "action": "remove"}] * mutations,
    }


@pytest.mark.parametrize(
    ("blocks", "status"),
    [
        ([block(n) for n in range(50)], 200),
        ([block(n) for n in range(51)], 400),
        ([block(0, 200)], 200),
        ([block(0, 201)], 400),
        ([], 200),
        (None, 200),
    ],
)
def test_url_blocks__at_the_border__are_told_apart(
    client: Client, made: dict[str, Any], path: str, blocks: Any, status: int
) -> None:
    answer = client.patch(f"{path}/{made['variations'][1]['id']}", {"url_blocks": blocks})
    assert answer.status == status


def test_weights__sum_to_one__are_set_and_open_a_measurement_while_running(
    api: MemoryApi, client: Client, made: dict[str, Any], path: str
) -> None:
    control, variant = (arm["id"] for arm in made["variations"])
    weights = {"weights": {control: 0.3, variant: 0.7}}
    assert [arm["weight"] for arm in client.put(f"{path}/weights", weights).json()["data"]] == [0.3, 0.7]
    client.post(f"/experiments/{made['id']}/launch")
    other = {"weights": {control: 0.4, variant: 0.6}}
    assert client.put(f"{path}/weights", other).code == "page_live_impact"
    same = client.put(f"{path}/weights", weights).json()
    assert (same["measurement_epoch"], same["measurement_began_at"]) == (
        1,
        client.get(f"/experiments/{made['id']}").json()["started_at"],
    )
    anew = client.put(f"{path}/weights", {**other, **consent(made)}).json()
    assert anew["measurement_epoch"] == 2
    assert anew["measurement_began_at"] >= same["measurement_began_at"]
    rows = client.get(f"/experiments/{made['id']}/history").json()["data"]
    assert [1, 2] in [row["diff"].get("measurement_epoch") for row in rows]


def test_measurement__opened_by_any_write_to_a_variation_while_running__is_told_in_its_answer(
    api: MemoryApi, client: Client, made: dict[str, Any], path: str
) -> None:
    experiment = f"/experiments/{made['id']}"
    client.post(f"{experiment}/launch")
    began = client.get(experiment).json()["started_at"]
    arms = [arm["id"] for arm in made["variations"]]

    def told(answer: Answer) -> tuple[int, str]:
        assert answer.status in (200, 201), answer.body
        return answer.json()["measurement_epoch"], answer.json()["measurement_began_at"]

    def later() -> str:
        api.clock.advance(minutes=1)
        return timestamp(api.clock.now())

    assert told(client.patch(f"{path}/{arms[0]}", {"name": "Still the same weights"})) == (1, began)
    now = later()
    added = client.post(path, {"name": "C", **consent(made)})
    assert told(added) == (2, now)
    third = f"{path}/{added.json()['id']}"
    now = later()
    assert told(client.post(f"{third}/archive", consent(made))) == (3, now)
    assert told(client.patch(f"/variations/{arms[0]}", {"name": "Not a new one"})) == (3, now)
    now = later()
    assert told(client.post(f"{third}/unarchive", consent(made))) == (4, now)
    now = later()
    weights = [{"id": arm, "weight": weight} for arm, weight in zip(arms, (0.3, 0.7), strict=True)]
    assert told(client.patch(experiment, {"variations": weights, **consent(made)})) == (5, now)
    assert told(client.patch(experiment, {"description": "x"})) == (5, now)


def test_weights__of_a_draft__belong_to_a_measurement_that_has_not_begun(
    client: Client, made: dict[str, Any], path: str
) -> None:
    weights = {arm["id"]: 0.5 for arm in made["variations"]}
    answer = client.put(f"{path}/weights", {"weights": weights}).json()
    assert (answer["measurement_epoch"], answer["measurement_began_at"]) == (1, None)


@pytest.mark.parametrize("weights", [(0.3, 0.6), (0.5, 0.500002), (1, 1)])
def test_weights__do_not_sum_to_one__are_refused(
    client: Client, made: dict[str, Any], path: str, weights: tuple[float, float]
) -> None:
    named = {arm["id"]: weight for arm, weight in zip(made["variations"], weights, strict=True)}
    answer = client.put(f"{path}/weights", {"weights": named})
    assert (answer.status, answer.code) == (422, "weights_sum")


def test_delete__draft_with_three__is_gone(client: Client, path: str) -> None:
    third = client.post(path, {"name": "C"}).json()
    assert client.delete(f"{path}/{third['id']}").status == 204
    assert client.get(f"/variations/{third['id']}").status == 404


def test_delete__started__is_refused(client: Client, made: dict[str, Any], path: str) -> None:
    third = client.post(path, {"name": "C"}).json()
    client.post(f"/experiments/{made['id']}/launch")
    assert client.delete(f"/variations/{third['id']}").code == "not_deletable"


def test_archive__while_running__needs_its_weight_elsewhere_and_consent(
    client: Client, made: dict[str, Any], path: str
) -> None:
    control, variant = (arm["id"] for arm in made["variations"])
    third = client.post(path, {"name": "C"}).json()["id"]
    client.put(f"{path}/weights", {"weights": {control: 0.4, variant: 0.3, third: 0.3}})
    client.post(f"/experiments/{made['id']}/launch")
    assert client.post(f"{path}/{third}/archive", consent(made)).code == "weights_sum"
    client.put(f"{path}/weights", {"weights": {control: 0.5, variant: 0.5, third: 0}, **consent(made)})
    assert client.post(f"{path}/{third}/archive").code == "page_live_impact"
    archived = client.post(f"{path}/{third}/archive", consent(made)).json()
    assert archived["archived_at"] is not None
    assert [arm["id"] for arm in client.get(path).json()["data"]] == [control, variant]
    assert [arm["id"] for arm in client.get(path, query={"archived": "true"}).json()["data"]] == [third]
    assert client.post(f"{path}/{third}/unarchive", consent(made)).json()["archived_at"] is None


def test_redirect__to_a_source_page__is_refused_from_both_sides(client: Client, create: Create) -> None:
    rules = [
        {
            "id": "019c0000-0000-7000-8000-000000000000",
            "includeRules": [{"type": "simple", "pattern": "/products/*"}],
            "excludeRules": [],
        }
    ]
    made = create(delivery_type="redirect", targeting={"pageRules": rules})
    variant = f"/variations/{made['variations'][1]['id']}"
    answer = client.patch(variant, {"redirect_url": "https://shop.example/products/new"})
    assert (answer.status, answer.code, answer.paths) == (
        422,
        "redirect_matches_source",
        ["variations[1].redirect_url"],
    )
    assert client.patch(variant, {"redirect_url": "https://shop.example/new"}).status == 200
    rules[0]["includeRules"] = [{"type": "simple", "pattern": "/new"}]
    answer = client.patch(f"/experiments/{made['id']}", {"targeting": {"pageRules": rules}})
    assert answer.code == "redirect_matches_source"
    assert client.patch(variant, {"redirect_url": None}).json()["redirect_url"] is None
