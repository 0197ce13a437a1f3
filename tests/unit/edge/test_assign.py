"""The assignment routes on memory: keys, methods, limits, what is decided, cohorts, identities, failures."""

import json
from datetime import timedelta
from typing import Any

import pytest

from abtest.domain.credentials.api_keys import compose
from abtest.domain.credentials.signing import RootKeys
from abtest.edge import assign as routes
from abtest.edge.assign_request import MAX_BODY_BYTES
from abtest.edge.ingest_auth import CACHE_SIZE
from abtest.kit.clock import timestamp, to_milliseconds
from abtest.ports.blobs import BlobsUnavailableError
from abtest.ports.catalog import Commit
from abtest.services.shop_records import puts_of, read_shop
from tests.support.assigning import EVERYBODY, ON_CART, TEXT, URL, Server, ask, stored_key
from tests.support.storefronts import SHOP_ID, experiment, experiment_id, goal, variation

OTHER_SHOP = "0192a3b4-0000-7000-8000-00000000000b"
ON_PHONES = {
    "segmentRules": [
        {
            "id": "0192a3b4-0000-7000-8000-000000000301",
            "rules": {
                "operator": "and",
                "conditions": [{"attribute": "device", "operator": "equals", "value": "mobile"}],
            },
        }
    ]
}


@pytest.fixture
def server() -> Server:
    return Server().publish(experiment(variations=EVERYBODY))


# ------------------------------------------------------------------ the answer


@pytest.mark.parametrize("path", ["/assign", "/_svc/assign"])
@pytest.mark.parametrize("method", ["GET", "POST"])
def test_visitor__by_either_method_and_path__gets_what_the_storefront_would_show(
    server: Server, method: str, path: str
) -> None:
    answer = ask(server.routes.assign, method, server.key, {"user_id": "visitor", "url": URL}, path)
    assert answer.json["user_id"] == "visitor"
    assert answer.json["commerce_authorization"] is None
    assert answer.json.keys() == {"user_id", "assignments", "sticky", "commerce_authorization"}
    (told,) = answer.assignments
    assert (told["experiment_id"], told["variation_index"], told["mutations"]) == (experiment_id(1), 1, [TEXT])


def test_answer__is_kept_by_nobody_and_read_by_no_other_origin(server: Server) -> None:
    for answer in (server.get(user_id="v"), server.get()):
        assert answer.headers["Cache-Control"] == "no-store"
        assert answer.headers["X-Content-Type-Options"] == "nosniff"
        assert not [name for name in answer.headers if name.lower().startswith("access-control")]


@pytest.mark.parametrize(
    ("accepted", "text", "is_compressed"),
    [
        ("gzip, deflate, br", "x" * 2000, True),
        ("*", "x" * 2000, True),
        (None, "x" * 2000, False),
        ("br", "x" * 2000, False),
        ("gzip;q=0", "x" * 2000, False),
        ("gzip", "x", False),
    ],
)
def test_answer__of_a_kilobyte_or_more__is_compressed_where_that_is_accepted(
    accepted: str | None, text: str, is_compressed: bool
) -> None:
    server = Server().publish(
        experiment(variations=(variation(0, weight=0.0), variation(1, weight=1.0, custom_js=text)))
    )
    fields = {"user_id": "visitor", "url": URL}
    answer = ask(server.routes.assign, "POST", server.key, fields, accept_encoding=accepted)
    assert text in str(answer.assignments)
    assert answer.headers["Vary"] == "Accept-Encoding"
    assert (answer.headers.get("Content-Encoding") == "gzip") == is_compressed


def test_answer__with_a_secret__is_never_compressed(server: Server) -> None:
    server.publish(experiment(2, variations=(variation(0, weight=0.0), variation(1, weight=1.0, custom_js="x" * 2000))))
    fields = {"user_id": "visitor", "url": URL, "cart_id": "cart", "request_handoff": True}
    answer = ask(server.routes.assign, "POST", server.key, fields, accept_encoding="gzip")
    assert answer.json["commerce_authorization"] is not None
    assert len(str(answer.json)) > 2000
    assert "Content-Encoding" not in answer.headers


def test_visitor__with_an_id_that_events_set_aside__is_refused(server: Server) -> None:
    assert server.post(user_id="é\x01").json["user_id"] == "é\x01"
    for flaw in ("\ud800", "\x00", "\uffff"):
        answer = server.post(user_id=f"é{flaw}")
        assert answer.error == (400, "invalid_request")
        assert answer.json["message"] == "user_id: must not have NUL, lone surrogates, U+FFFE or U+FFFF"


def test_visitor__with_even_variations__always_gets_the_same_and_others_get_others() -> None:
    server = Server().publish(experiment())
    found = {visitor: server.assigned(user_id=visitor)[0]["variation_index"] for visitor in map(str, range(40))}
    assert set(found.values()) == {0, 1}
    assert found == {visitor: server.assigned(user_id=visitor)[0]["variation_index"] for visitor in found}


def test_experiment__published_anew__is_decided_anew(server: Server) -> None:
    assert server.assigned()
    server.publish(experiment(status="paused"))
    assert server.assigned() == []


def test_experiment_ids__given__are_the_only_ones_told(server: Server) -> None:
    server.publish(experiment(2, variations=EVERYBODY))
    assert len(server.assigned()) == 2
    assert [each["experiment_id"] for each in server.assigned(experiment_ids=[experiment_id(2)])] == [experiment_id(2)]
    assert server.assigned(experiment_ids=[]) == []
    assert server.assigned(experiment_ids=[OTHER_SHOP]) == []


def test_page_rules__decide_by_the_address(server: Server) -> None:
    server.publish(experiment(variations=EVERYBODY, targeting=ON_CART))
    assert server.assigned(url="https://shop.example/cart?x=1")
    assert server.assigned() == []
    assert server.assigned(url=None) == []


def test_goal__that_counts_elsewhere_too__has_its_assignment_told_for_attribution(server: Server) -> None:
    server.publish(experiment(variations=EVERYBODY, targeting=ON_CART, goals=(goal(),)))
    (told,) = server.assigned()
    assert (told["attributable_only"], told["mutations"]) == (True, [])
    (shown,) = server.assigned(url="https://shop.example/cart")
    assert "attributable_only" not in shown


def test_audience__is_held_against_attributes(server: Server) -> None:
    server.publish(experiment(variations=EVERYBODY, targeting=ON_PHONES))
    assert server.assigned(attributes={"device": "mobile"})
    assert server.assigned(attributes={"device": "desktop"}) == []
    assert server.assigned() == []


def test_sticky__variation__stays_where_it_was_seen(server: Server) -> None:
    (told,) = server.assigned(sticky={experiment_id(1): variation(0).id})
    assert told["variation_id"] == variation(0).id


@pytest.mark.parametrize("forced", [variation(0).id, variation(0).id.upper(), "0", 0])
def test_force__by_id_or_index__holds_and_is_in_no_cohort(server: Server, forced: Any) -> None:
    hold_out(server, 10)
    answer = server.post(user_id="v", force={experiment_id(1): forced})
    assert [each["variation_index"] for each in answer.assignments] == [0]
    assert not {"cohort", "holdout_config_epoch"} & answer.json.keys()


# ------------------------------------------------------------------ holdout and identity


def hold_out(server: Server, pct: float) -> int:
    """Enable the holdout and publish; the epoch that it has now."""
    catalog = server.storefront.catalog
    now = timestamp(server.storefront.clock.now())
    changed = read_shop(catalog, SHOP_ID).changed({"holdout_v1_enabled": True, "holdout_pct": pct}, now)
    catalog.commit(Commit(puts=puts_of(changed)))
    server.publish()
    return changed.holdout_config_epoch


def test_holdout__enabled__tells_the_cohort_with_its_epoch(server: Server) -> None:
    epoch = hold_out(server, 10)
    assert epoch == to_milliseconds(server.storefront.clock.now() - timedelta(seconds=1))
    answers = [server.post(user_id=f"visitor-{number}").json for number in range(300)]
    assert {answer["holdout_config_epoch"] for answer in answers} == {epoch}
    held = [answer for answer in answers if answer["cohort"] == "holdout"]
    assert 10 < len(held) < 60
    assert all((answer["assignments"] == []) is (answer["cohort"] == "holdout") for answer in answers)


def test_holdout__raised__holds_out_nobody_less(server: Server) -> None:
    def held() -> set[str]:
        visitors = [f"visitor-{number}" for number in range(200)]
        return {visitor for visitor in visitors if server.post(user_id=visitor).json["cohort"] == "holdout"}

    hold_out(server, 3)
    few = held()
    hold_out(server, 10)
    assert few < held()


def test_holdout__of_nobody__still_tells_the_cohort(server: Server) -> None:
    hold_out(server, 0)
    assert server.post(user_id="v").json["cohort"] == "active"


def test_customer__alone__gets_experiments_for_customers_and_no_others(server: Server) -> None:
    server.publish(experiment(2, variations=EVERYBODY, targeting={"identity": "customer"}))
    answer = server.post(customer_id="c")
    assert answer.json["user_id"] is None
    assert [each["experiment_id"] for each in answer.assignments] == [experiment_id(2)]
    assert answer.json["identity_source"] == "platform_customer"


def test_customer__of_an_experiment_for_customers__is_told_as_the_source_of_the_decision(server: Server) -> None:
    server.publish(experiment(variations=EVERYBODY, targeting={"identity": "customer"}))
    gated = server.post(user_id="v", logged_in_customer_id="c").json
    assert (gated["identity_source"], gated["decision_scope"]) == ("platform_customer", "aggregate_only")
    assert gated["user_id"] == "v"
    anonymous = server.post(user_id="v").json
    assert anonymous["assignments"]
    assert not {"identity_source", "decision_scope"} & anonymous.keys()


def test_customer__of_an_experiment_for_customers__gets_the_same_on_every_device() -> None:
    server = Server().publish(experiment(targeting={"identity": "customer"}))
    found = {server.assigned(user_id=f"v-{number}", customer_id="c")[0]["variation_id"] for number in range(30)}
    assert len(found) == 1


def test_customer__of_experiments_not_asked_for__is_no_source(server: Server) -> None:
    server.publish(experiment(2, variations=EVERYBODY, targeting={"identity": "customer"}))
    answer = server.post(user_id="v", customer_id="c", experiment_ids=[experiment_id(1)])
    assert "identity_source" not in answer.json


# ------------------------------------------------------------------ keys


def test_key__missing_wrong_or_of_another_kind__is_401_with_one_answer(server: Server) -> None:
    world = server.storefront.world
    live = stored_key(world)
    past = timestamp(server.storefront.clock.now())
    texts = [
        None,
        "",
        "nonsense",
        live[:-1] + ("x" if live[-1] != "x" else "y"),
        stored_key(world, kind="shop"),
        stored_key(world, kind="user"),
        stored_key(world, expires_at=past),
        stored_key(world, revoked_at=past),
    ]
    answers = [ask(server.routes.assign, "POST", text, {"user_id": "v"}) for text in texts]
    basic = ask(server.routes.assign, "POST", None, {"user_id": "v"}, authorization=f"Basic {live}")
    assert {json.dumps(answer.json) for answer in [*answers, basic]} == {
        '{"error": "assignment_unauthorized", "message": "a valid tracking source key is required"}'
    }
    assert {answer.status for answer in answers} == {401}


def test_shop_id__of_the_key__is_taken_and_every_other_is_401(server: Server) -> None:
    assert server.get(user_id="v", shopId=SHOP_ID.upper()).status == 200
    for other in (OTHER_SHOP, "nonsense"):
        assert server.get(user_id="v", shopId=other).error == (401, "assignment_unauthorized")
        assert server.post(user_id="v", shopId=other).error == (401, "assignment_unauthorized")


def test_key__of_another_shop__reaches_its_own_shop_only(server: Server) -> None:
    key = stored_key(server.storefront.world, OTHER_SHOP)
    answer = ask(server.routes.assign, "POST", key, {"user_id": "v"})
    assert answer.error == (404, "not_found")


def test_address__that_failed_too_often__is_429_but_live_keys_go_on(server: Server) -> None:
    def status(key: str) -> int:
        return ask(server.routes.assign, "GET", key, {"user_id": "v"}).status

    assert [status("wrong") for _ in range(31)] == [401] * 30 + [429]
    refused = ask(server.routes.assign, "GET", "wrong", {"user_id": "v"})
    assert (refused.error, refused.headers["Retry-After"]) == ((429, "rate_limited"), "2")
    assert refused.json["message"].startswith("too many failed authentications from this address")
    # Keys that this process has never seen: a live one passes, a revoked one has a count of its own.
    assert status(stored_key(server.storefront.world)) == 200
    assert status(stored_key(server.storefront.world, revoked_at=server.storefront.world.now())) == 401


def test_address__that_failed_too_often_with_a_key__does_not_lock_its_owner_out(server: Server) -> None:
    wrong = compose("tracking_source", server.key.split("_")[2], "B" * 32)
    statuses = [ask(server.routes.assign, "GET", wrong, {"user_id": "v"}).status for _ in range(31)]
    assert statuses == [401] * 30 + [429]
    assert server.get(user_id="v").status == 200


def test_keys__that_were_invented__displace_no_key_in_use(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert server.get(user_id="v").status == 200
    for number in range(CACHE_SIZE + 1):
        ask(server.routes.assign, "GET", compose("tracking_source", f"{number:012}", "B" * 32), {"user_id": "v"})
    monkeypatch.setattr(server.storefront.world.catalog, "claim_attributes", None)  # a read would fail
    assert server.get(user_id="v").status == 200


def test_address__that_sends_no_key__is_not_counted(server: Server) -> None:
    assert {ask(server.routes.assign, "GET", None, {"user_id": "v"}).status for _ in range(40)} == {401}
    assert server.get(user_id="v").status == 200


# ------------------------------------------------------------------ requests


@pytest.mark.parametrize("method", ["PUT", "PATCH", "DELETE", "OPTIONS"])
def test_method__other_than_get_and_post__is_405_even_without_a_key(server: Server, method: str) -> None:
    answer = ask(server.routes.assign, method, None, {}, origin="https://shop.example")
    assert (answer.error, answer.headers["Allow"]) == ((405, "method_not_allowed"), "GET, HEAD, POST")


@pytest.mark.parametrize("media_type", [None, "text/plain", "application/x-www-form-urlencoded", "application/xml"])
def test_body__of_another_media_type__is_415(server: Server, media_type: str | None) -> None:
    answer = ask(server.routes.assign, "POST", server.key, {"user_id": "v"}, content_type=media_type)
    assert answer.error == (415, "unsupported_media_type")


def test_body__compressed__is_415_and_with_a_charset_is_taken(server: Server) -> None:
    compressed = ask(server.routes.assign, "POST", server.key, {"user_id": "v"}, content_encoding="gzip")
    assert compressed.status == 415
    charset = "application/json; charset=utf-8"
    assert ask(server.routes.assign, "POST", server.key, {"user_id": "v"}, content_type=charset).status == 200


def test_body__at_and_past_its_size__is_taken_or_413(server: Server) -> None:
    body = json.dumps({"user_id": "v"})
    longest = body + " " * (MAX_BODY_BYTES - len(body))
    assert ask(server.routes.assign, "POST", server.key, longest).status == 200
    assert ask(server.routes.assign, "POST", server.key, longest + " ").error == (413, "payload_too_large")


def test_body__malformed__is_400(server: Server) -> None:
    for body in ("", "{", "[]"):
        assert ask(server.routes.assign, "POST", server.key, body).error == (400, "invalid_json")
    answer = server.post(user_id="v", user="x")
    assert (answer.error, answer.json["message"]) == ((400, "invalid_request"), "user: is not a field of this request")


def test_customer_id__by_get__needs_a_post(server: Server) -> None:
    for name in ("logged_in_customer_id", "customer_id", "customerId"):
        assert server.get(user_id="v", **{name: "c"}).error == (400, "customer_id_requires_post")


def test_environment__never_published__is_not_found(server: Server) -> None:
    for name in ("env", "environment"):
        assert server.get(user_id="v", **{name: "staging"}).error == (404, "not_found")
        assert server.get(user_id="v", **{name: "../x"}).error == (404, "not_found")
        assert server.get(user_id="v", **{name: "production"}).status == 200


def test_shop__that_asks_more_than_its_share__is_429_and_others_go_on(
    server: Server, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(routes, "REQUESTS_PER_WINDOW", 3)
    assert [server.get(user_id="v").status for _ in range(4)] == [200, 200, 200, 429]
    limited = server.post(user_id="v")
    assert (limited.error, limited.headers["Retry-After"]) == ((429, "rate_limited"), "20")
    other = stored_key(server.storefront.world, OTHER_SHOP)
    assert ask(server.routes.assign, "GET", other, {"user_id": "v"}).status == 404
    server.storefront.clock.advance(seconds=20)
    assert server.get(user_id="v").status == 200


# ------------------------------------------------------------------ failures


def test_store__that_fails__is_served_from_memory_or_503(server: Server, monkeypatch: pytest.MonkeyPatch) -> None:
    assert server.assigned()

    def fail(*_: object) -> None:
        raise BlobsUnavailableError

    monkeypatch.setattr(server.storefront.blobs, "get", fail)
    server.storefront.clock.advance(seconds=5)
    assert server.assigned()
    assert server.get(user_id="v", env="staging").error == (503, "service_unavailable")


def test_failure__that_nobody_expected__is_500_and_tells_nothing(
    server: Server, monkeypatch: pytest.MonkeyPatch, caplog: pytest.LogCaptureFixture
) -> None:
    def fail(*_: object, **__: object) -> None:
        raise RuntimeError("secret")

    monkeypatch.setattr(server.limiter, "take", fail)
    answer = server.get(user_id="v")
    assert answer.error == (500, "internal_error")
    assert "secret" not in json.dumps(answer.json)
    assert "assignment.failed" in caplog.text


def test_roots__rotated__change_no_assignment(server: Server) -> None:
    before = server.assigned()
    server.roots = lambda: RootKeys(active="k2", keys={"k2": b"another"})
    assert server.assigned() == before
