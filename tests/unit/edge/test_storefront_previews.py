"""Previews on the shop's own pages, as pages load them: the draft, or why there is none; nothing for anyone else."""

from __future__ import annotations

import json
from collections.abc import Mapping
from dataclasses import replace
from datetime import datetime
from threading import Event
from typing import Any

import pytest
import quickjs

from abtest.domain.credentials.preview import make_token, read_token
from abtest.domain.delivery.chunks import INLINE_BYTES
from abtest.domain.delivery.drafts import Draft, read_draft, write_draft
from abtest.domain.preview.session import draft_key
from abtest.edge.storefront_previews import MESSAGES
from abtest.ports import waits
from abtest.ports.blobs import Blob, BlobsUnavailableError
from abtest.services.preview_sessions import OpenPreview
from abtest.storefront import live_editor
from tests.support.delivered import experience, flag, item_id, keep, personalization
from tests.support.invocations import http
from tests.support.memory import MemoryBlobs, MemorySessions
from tests.support.preview_links import BAR, PAGE, Linking, caller, text_of
from tests.support.storefronts import ROOTS, SHOP_ID, experiment, experiment_id, variation

CONFIG, SNIPPET, CHUNK = "edge_config__public", "edge_snippet__first_load", "edge_snippet__chunk"
OTHER_SHOP = "0192a3b4-0000-7000-8000-0000000000ee"
NAMED = "//# sourceURL=svc-tool.js\n"
"""Name of the script in errors, in the place of its address, which has the token."""

UNCACHED = ("Cache-Control", "CDN-Cache-Control", "Platform-CDN-Cache-Control")
Answer = dict[str, Any]


@pytest.fixture
def shop() -> Linking:
    """A shop that publishes one experiment, a flag and a personalization."""
    made = Linking()
    made.storefront.keep(experiment())
    keep(made.storefront.catalog, flag())
    keep(made.storefront.catalog, personalization())
    made.storefront.publication.publish(SHOP_ID)
    return made


def snippet(shop: Linking, shop_id: str = SHOP_ID, **query: str) -> Answer:
    return shop.delivery.snippet(http(SNIPPET, path={"file": f"{shop_id}.js"}, query=query))


def config(shop: Linking, token: str, shop_id: str = SHOP_ID, **query: str) -> Answer:
    return shop.delivery.config(http(CONFIG, query={"shopId": shop_id, "pst": token, **query}))


def called(answer: Answer) -> tuple[dict[str, Any], list[str]]:
    """Return the arguments of the call of the tool: the outcome, and the text of each function."""
    assert answer["statusCode"] == 200
    assert answer["headers"]["Content-Type"].startswith("application/javascript")
    assert [answer["headers"][name] for name in UNCACHED] == ["no-store"] * 3
    assert "ETag" not in answer["headers"]
    script = text_of(answer).removesuffix(NAMED).rstrip(";\n")
    seen = quickjs.Context().eval(f"(function(){{var c={script};return JSON.stringify([c[0],c[1].map(String)])}})()")
    outcome, functions = json.loads(seen)
    return outcome, functions


def state(answer: Answer) -> str:
    outcome, functions = called(answer)
    assert set(outcome) == {"preview"}
    assert functions == []
    assert outcome["preview"]["message"] == MESSAGES[outcome["preview"]["state"]]
    return str(outcome["preview"]["state"])


def refused(answer: Answer) -> tuple[int, str]:
    assert answer["headers"]["Cache-Control"] == "no-store"
    return answer["statusCode"], json.loads(answer["body"])["error"]


# ------------------------------------------------------------------ what is shown


def test_script__of_a_draft__calls_the_tool_with_it_and_its_functions(shop: Linking) -> None:
    opened = shop.draft()
    outcome, functions = called(snippet(shop, svc_preview=opened.token))
    control, treatment = variation(0), variation(1)
    assert outcome["preview"] == {
        "state": "shown",
        "kind": "experiment",
        "id": experiment_id(7),
        "name": "Draft",
        "variationId": treatment.id,
        "variations": [{"id": control.id, "name": "V0"}, {"id": treatment.id, "name": "V1"}],
        "version": 1,
        "status": "draft",
        "environment": None,
        "expiresAt": "2026-01-01T01:00:00.000Z",
        "hosts": ["shop.example"],
        "token": opened.token,
    }
    (drafted,) = outcome["draft"]["experiments"]
    assert drafted["id"] == experiment_id(7)
    assert [each["range"] for each in drafted["variations"]] == [[0, 5000], [5000, 10000]]
    assert drafted["variations"][1]["js"] == 0
    assert functions == ["function(){\nreturn '\\x3c/script>'\n}"]
    assert outcome["names"][experiment_id(7)] == "Draft"
    assert outcome["names"][experiment_id(1)] == "Experiment 1"


def test_script__of_a_draft__ends_no_element_and_sets_no_prototype(shop: Linking) -> None:
    keep(
        shop.storefront.catalog, made := flag(2, status="draft", on_value={"__proto__": {"a": 1}, "x": "</script><!--"})
    )
    opened = shop.links.of_flag(caller(), made, url=PAGE)
    text = text_of(snippet(shop, svc_preview=opened.token))
    assert "</script" not in text
    assert "<!--" not in text
    outcome, _ = called(snippet(shop, svc_preview=opened.token))
    assert outcome["draft"]["flags"][0]["on"] == {"__proto__": {"a": 1}, "x": "</script><!--"}


def test_script__of_a_personalization__names_the_experience(shop: Linking) -> None:
    made = personalization(2, status="paused", experiences=(experience(), experience(1, custom_js="return 1")))
    keep(shop.storefront.catalog, made)
    opened = shop.links.of_personalization(caller(), made, url=PAGE, experience="experience-1")
    outcome, functions = called(snippet(shop, svc_preview=opened.token))
    shown = outcome["preview"]
    assert (shown["kind"], shown["experience"], shown["status"]) == ("personalization", "experience-1", "paused")
    assert shown["environment"] == "production"
    assert [each["key"] for each in shown["variations"]] == ["default", "experience-1"]
    assert outcome["draft"]["personalizations"][0]["key"] == "personalization-2"
    assert functions == ["function(){\nreturn 1\n}"]


def test_script__of_a_flag__has_the_value_that_it_shows(shop: Linking) -> None:
    made = flag(1, status="archived", off_value="plain")
    opened = shop.links.of_flag(caller(), made, url=PAGE, value="off")
    shown = called(snippet(shop, svc_preview=opened.token))[0]
    assert (shown["preview"]["value"], shown["draft"]["flags"][0]["off"]) == ("off", "plain")
    assert "paused" not in shown["draft"]["flags"][0]


def test_script__when_nothing_is_published__has_the_names_of_the_draft(shop: Linking) -> None:
    unpublished = Linking()
    outcome, _ = called(snippet(unpublished, svc_preview=unpublished.draft().token))
    assert set(outcome["names"]) == {experiment_id(7), variation(0).id, variation(1).id}


def test_script__of_a_broken_script__lacks_it(shop: Linking) -> None:
    opened = shop.draft(variations=(variation(0), variation(1, custom_js="if (", custom_css="p{}")))
    outcome, functions = called(snippet(shop, svc_preview=opened.token))
    assert outcome["draft"]["experiments"][0]["variations"][1]["css"] == "p{}"
    assert functions == []


@pytest.mark.parametrize("method", ["HEAD", "GET"])
def test_script__in_any_way_of_asking__is_never_304(shop: Linking, method: str) -> None:
    event = http(SNIPPET, method=method, query={"svc_preview": shop.draft().token}, headers={"if-none-match": "*"})
    assert shop.delivery.snippet(event)["statusCode"] == 200


def test_config__of_a_draft__is_the_published_one_with_it(shop: Linking) -> None:
    opened = shop.draft()
    answer = config(shop, opened.token)
    assert answer["statusCode"] == 200
    assert [answer["headers"][name] for name in UNCACHED] == ["no-store"] * 3
    assert "ETag" not in answer["headers"]
    assert answer["headers"]["Access-Control-Allow-Origin"] == "*"
    merged = json.loads(text_of(answer))
    assert [each["name"] for each in merged["experiments"]] == ["Experiment 1", "Draft"]
    assert [each["key"] for each in merged["flags"]] == ["flag-1"]
    assert merged["preview"] == {
        "kind": "experiment",
        "id": experiment_id(7),
        "variation_id": variation(1).id,
        "version": 1,
        "expires_at": "2026-01-01T01:00:00.000Z",
    }
    ordinary = json.loads(text_of(shop.delivery.config(http(CONFIG, headers={"accept-encoding": None}))))
    assert "preview" not in ordinary
    assert ordinary["experiments"] == merged["experiments"][:1]


def test_config__of_something_published__has_the_draft_in_its_place(shop: Linking) -> None:
    changed = experiment(name="Experiment 1, changed", traffic_allocation=0.5)
    shop.storefront.keep(experiment(2))
    shop.storefront.publication.publish(SHOP_ID)
    shop.storefront.keep(changed)
    opened = shop.links.of_variation(caller(), changed.id, changed.variations[1].id, url=PAGE)
    merged = json.loads(text_of(config(shop, opened.token)))
    assert [each["name"] for each in merged["experiments"]] == ["Experiment 1, changed", "Experiment 2"]


def test_draft__after_a_change_of_the_design_and_its_deletion__is_shown_as_it_was(shop: Linking) -> None:
    opened = shop.draft()
    before = snippet(shop, svc_preview=opened.token)
    catalog = shop.storefront.catalog
    shop.storefront.keep(experiment(7, name="Draft, changed", variations=(variation(0),)))
    assert snippet(shop, svc_preview=opened.token) == before
    assert catalog.get(SHOP_ID, "EXP", experiment_id(7)) is not None


# ------------------------------------------------------------------ what is not


def tampered(token: str) -> list[str]:
    head, _, signature = token.rpartition(".")
    version, kid, claims = head.split(".")
    return [
        f"{head}.{signature[:-1]}",
        f"{head}.{'A' * len(signature)}",
        f"{version}.{kid}.{claims[:-2]}AA.{signature}",
        token[:20],
        f"{token},{token}",
        "x",
        "",
        "\u00e9" * 40,
        "\ud800",
        "a" * 10_240,
        token + "a" * 10_240,
    ]


@pytest.mark.parametrize("case", range(11))
def test_token__that_is_none_of_ours__shows_the_original(shop: Linking, case: int) -> None:
    token = tampered(shop.draft().token)[case]
    assert state(snippet(shop, svc_preview=token)) == "invalid"
    expected = "preview_token_missing" if token == "" else "preview_token_invalid"
    assert refused(config(shop, token)) == (401, expected)


def test_token__of_another_shop__shows_the_original(shop: Linking) -> None:
    token = shop.draft().token
    assert state(snippet(shop, OTHER_SHOP, svc_preview=token)) == "invalid"
    assert refused(config(shop, token, OTHER_SHOP)) == (401, "preview_token_invalid")


def test_token__of_the_proxy__is_none_of_a_storefront(shop: Linking) -> None:
    grant = read_token(ROOTS, shop.draft().token, 0, audience="storefront")
    token = make_token(ROOTS, replace(grant, audience="preview"))
    assert state(snippet(shop, svc_preview=token)) == "invalid"
    assert refused(config(shop, token)) == (401, "preview_token_invalid")


def test_token__expired_by_a_second__shows_the_original(shop: Linking) -> None:
    opened = shop.draft()
    shop.storefront.clock.advance(seconds=3599)
    assert called(snippet(shop, svc_preview=opened.token))[0]["preview"]["state"] == "shown"
    shop.storefront.clock.advance(seconds=1)
    assert state(snippet(shop, svc_preview=opened.token)) == "expired"
    assert refused(config(shop, opened.token)) == (401, "preview_token_expired")


def test_session__that_was_revoked__is_over_at_once(shop: Linking) -> None:
    opened = shop.draft()
    shop.links.sessions.revoke(SHOP_ID, opened.session.id)
    assert state(snippet(shop, svc_preview=opened.token)) == "ended"
    assert refused(config(shop, opened.token)) == (401, "preview_token_invalid")


def test_draft__that_is_gone_from_the_bucket__is_over(shop: Linking) -> None:
    opened = shop.draft()
    shop.files = MemoryBlobs()
    assert state(snippet(shop, svc_preview=opened.token)) == "ended"
    assert refused(config(shop, opened.token)) == (401, "preview_token_invalid")


class Hanging(MemorySessions):
    """Sessions that do not answer until they are let go."""

    def __init__(self) -> None:
        super().__init__()
        self.go = Event()

    def get(self, session_id: str, *, now: datetime) -> Mapping[str, Any] | None:
        self.go.wait(10)
        return None


class Failing(MemoryBlobs):
    """A bucket that fails."""

    def get(self, key: str) -> Blob | None:
        raise BlobsUnavailableError


def test_store__that_hangs__costs_ordinary_visitors_nothing(shop: Linking, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(waits, "EDGE", replace(waits.EDGE, preview=0.05))
    opened = shop.draft()
    shop.held = hanging = Hanging()
    try:
        delivery = shop.delivery
        assert state(snippet(shop, svc_preview=opened.token)) == "unavailable"
        assert refused(config(shop, opened.token)) == (503, "service_unavailable")
        assert delivery.snippet(http(SNIPPET))["statusCode"] == 200
        assert delivery.config(http(CONFIG))["statusCode"] == 200
    finally:
        hanging.go.set()


def test_bucket__that_fails__is_unavailable(shop: Linking) -> None:
    opened = shop.draft()
    shop.files = Failing()
    assert state(snippet(shop, svc_preview=opened.token)) == "unavailable"
    assert refused(config(shop, opened.token)) == (503, "service_unavailable")


def test_draft__that_cannot_be_read__is_unavailable(shop: Linking) -> None:
    opened = shop.draft()
    shop.storefront.blobs.put(draft_key(opened.session.id), b"{}", content_type="application/json")
    assert state(snippet(shop, svc_preview=opened.token)) == "unavailable"


def test_requests__over_the_limit_of_an_address__are_refused_like_all(shop: Linking) -> None:
    token, delivery = shop.draft().token, shop.delivery
    event = http(SNIPPET, query={"svc_preview": token})
    statuses = [delivery.snippet(event)["statusCode"] for _ in range(302)]
    assert statuses[299:] == [200, 429, 429]


# ------------------------------------------------------------------ files, QA, the bar


def test_file__of_long_code__is_there_while_the_session_is(shop: Linking) -> None:
    opened = shop.draft(variations=(variation(0), variation(1, custom_js=f"return '{'1' * INLINE_BYTES}'")))
    outcome, _ = called_with_names(shop, opened)
    assert outcome["draft"]["runtime"] == {"assets_url": f"https://edge.example/s/{SHOP_ID}/"}
    name = draft_of(shop, opened).functions.strip('["]')
    path = {"shop_id": SHOP_ID, "file": f"{name}.js"}
    answer = shop.delivery.snippet(http(CHUNK, path=path))
    assert text_of(answer).startswith(f'svc.chunk("{name}",')
    assert answer["headers"]["Cache-Control"] == "no-store"
    assert shop.delivery.snippet(http(CHUNK, path={**path, "shop_id": OTHER_SHOP}))["statusCode"] == 404
    other = f"{item_id(1)}-{name.rpartition('-')[2]}.js"
    assert shop.delivery.snippet(http(CHUNK, path={**path, "file": other}))["statusCode"] == 404
    shop.links.sessions.revoke(SHOP_ID, opened.session.id)
    assert shop.delivery.snippet(http(CHUNK, path=path))["statusCode"] == 404


def draft_of(shop: Linking, opened: OpenPreview) -> Draft:
    blob = shop.storefront.blobs.get(draft_key(opened.session.id))
    assert blob is not None
    draft = read_draft(blob.content)
    assert write_draft(draft) == blob.content
    return draft


def called_with_names(shop: Linking, opened: OpenPreview) -> tuple[dict[str, Any], str]:
    """Return the outcome and the names of chunks that stand for functions."""
    script = text_of(snippet(shop, svc_preview=opened.token)).removesuffix(NAMED).rstrip(";\n")
    outcome, names = json.loads(quickjs.Context().eval(f"JSON.stringify({script})"))
    return outcome, names


def test_qa__calls_the_tool_with_the_names_of_what_is_published(shop: Linking) -> None:
    outcome, functions = called(snippet(shop, svc_qa="1"))
    assert outcome == {
        "names": {
            experiment_id(1): "Experiment 1",
            variation(0).id: "V0",
            variation(1).id: "V1",
            item_id(21): "Personalization 1",
            item_id(80): "Experience 0",
            item_id(1): "flag-1",
        }
    }
    assert functions == []


def test_qa__of_a_shop_without_a_publication__has_no_names(shop: Linking) -> None:
    assert called(snippet(shop, OTHER_SHOP, svc_qa="1"))[0] == {"names": {}}


@pytest.mark.parametrize("value", ["1", "", "x,y"])
def test_bar__with_any_value__is_a_file_for_a_minute(shop: Linking, value: str) -> None:
    answer = snippet(shop, svc_bar=value)
    assert (answer["statusCode"], text_of(answer)) == (200, BAR)
    assert answer["headers"]["Cache-Control"] == "public, max-age=60"
    held = http(SNIPPET, query={"svc_bar": value}, headers={"if-none-match": answer["headers"]["ETag"]})
    assert shop.delivery.snippet(held)["statusCode"] == 304


def test_editor__speaks_to_the_console_of_the_deployment__whatever_the_address_has(shop: Linking) -> None:
    answer = snippet(shop, svc_edit="https://evil.example")
    assert text_of(answer) == live_editor("https://console.example")
    assert text_of(answer).endswith(')(window.opener,"https://console.example");\n')
    assert answer["headers"]["Cache-Control"] == "public, max-age=60"


def test_editor__of_a_deployment_without_a_console__gives_the_page_back() -> None:
    assert live_editor("") == "document.currentScript.onerror();\n"


def test_address__without_a_shop__is_refused_with_any_parameter(shop: Linking) -> None:
    for parameter in ("svc_preview", "svc_qa", "svc_bar", "svc_edit"):
        assert snippet(shop, "x", **{parameter: "1"})["statusCode"] == 400


def test_preview__with_qa_as_well__is_a_preview(shop: Linking) -> None:
    both = {"svc_preview": shop.draft().token, "svc_qa": "1"}
    assert called(snippet(shop, **both))[0]["preview"]["state"] == "shown"
