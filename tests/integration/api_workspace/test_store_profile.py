"""Store profiles over HTTP: runs against stores of this machine, friendly and hostile, and the reviews of people."""

from __future__ import annotations

import gzip
import time
import zlib
from collections.abc import Callable, Iterator
from itertools import repeat
from typing import Any

import pytest

from abtest.adapters.outbound_http import Limits
from abtest.domain.profiles.choice import MAX_SITEMAP_FILES
from abtest.services.experiments.system import system_caller
from abtest.services.profiles.requests import StoreProfiles
from abtest.wiring.api_workspace import workspace_uses
from api_workspace.routes import ROUTERS
from tests.support.api import MemoryApi, Tenant
from tests.support.client import Client
from tests.support.profiling import Profiling, reachable
from tests.support.sites import Answer, Site, Victim, site, victim
from tests.support.stores import put_profile, saved

MIB = 1024 * 1024
PAGE = "<html lang=en><head><title>Lamps</title></head><body><h1>Lamps</h1>"


@pytest.fixture
def api() -> MemoryApi:
    """The whole family, under the policy of its function, where addresses of this machine are allowed."""
    api = MemoryApi([])
    reachable(api)
    api.serve("ApiWorkspace", ROUTERS, workspace_uses(api.management))
    return api


@pytest.fixture
def worker(api: MemoryApi) -> Profiling:
    """The worker of runs."""
    return Profiling(api)


@pytest.fixture
def store() -> Iterator[Site]:
    """A store of this machine."""
    with site() as shop:
        yield shop


def serve(store: Site, path: str, body: str | bytes | Iterator[bytes] = PAGE, **fields: Any) -> None:
    """Serve a page of the store."""
    content = body.encode() if isinstance(body, str) else body
    store.pages[path] = lambda: Answer(content, **fields)


def profiled(client: Client, worker: Profiling, store: Site) -> tuple[dict[str, Any], dict[str, Any]]:
    """Carry out a run of a store. Return the run, and the profile after it."""
    started = client.post("/store-profile/runs", {"url": store.url()})
    assert started.status == 202, started.body
    worker.work()
    run = client.get(f"/store-profile/runs/{started.json()['id']}").json()
    return run, client.get("/store-profile").json()


def profiles_of(api: MemoryApi) -> StoreProfiles:
    """Return the use cases, for threads of the store, in which the application cannot run."""
    uses = workspace_uses(api.management)[StoreProfiles]
    assert isinstance(uses, StoreProfiles)
    return uses


def kinds(profile: dict[str, Any]) -> set[str]:
    """Return the kinds of the open findings."""
    return {each["kind"] for each in profile["findings"] if each["status"] == "open"}


def test_profile__before_the_first_run__is_empty(client: Client, tenant: Tenant) -> None:
    profile = client.get("/store-profile").json()
    assert profile["schemaReady"] is True
    assert (profile["shopId"], profile["shop"]["id"]) == (tenant.shop.id, tenant.shop.id)
    assert [name for name, value in profile.items() if value not in (None, [], 0, "")] == [
        "schemaReady",
        "shopId",
        "shop",
    ]


def test_run__of_a_store__learns_from_its_pages(client: Client, worker: Profiling, store: Site) -> None:
    serve(store, "/", saved("shopify").body.replace(b"https://lamps.example", store.url("").encode()))
    serve(store, "/robots.txt", f"User-agent: *\nDisallow: /cart\nSitemap: {store.url('/map.xml')}\n")
    locations = "".join(f"<url><loc>{store.url(path)}</loc></url>" for path in ("/products/a", "/cart", "/pages/gone"))
    serve(store, "/map.xml", f"<urlset>{locations}</urlset>", content_type="application/xml")
    serve(
        store, "/products/a", '<script type="application/ld+json">{"@type":"Product","offers":{"price":"1"}}</script>'
    )
    serve(store, "/products/arc-lamp")
    run, profile = profiled(client, worker, store)
    assert (run["status"], run["error"]) == ("completed", None)
    assert run["progress"] == {"done": len(run["pages"]), "of": len(run["pages"]), "url": None}
    pages = {
        page["url"].removeprefix(store.url("")): (page["kind"], page["status"], page["problem"])
        for page in run["pages"]
    }
    assert pages["/"] == ("home", 200, None)
    assert pages["/products/a"] == ("product", 200, None)
    assert pages["/cart"] == ("cart", None, "the robots.txt of 127.0.0.1 forbids it")
    assert pages["/pages/gone"] == ("content", 404, None)
    assert "/cart" not in store.paths
    assert "/account/login" not in store.paths
    assert profile["latestRun"] == run
    assert profile["technicalProfile"]["platform"]["name"] == "Shopify"
    assert profile["brandProfile"]["name"] == "Lamps & Light"
    assert {"snippet_missing", "pages_fail", "product_data_incomplete"} <= kinds(profile)
    assert profile["latestLearningRun"]["lessons"] == []


def test_run__of_a_home_page_that_leads_to_collections__reads_their_products(
    client: Client, worker: Profiling, store: Site
) -> None:
    serve(store, "/", f"{PAGE}<a href=/collections/lamps>Lamps</a>")
    serve(store, "/collections/lamps", f"{PAGE}<a href=/products/arc>Arc</a><a href=/>Lamps</a>")
    serve(store, "/products/arc")
    run, _ = profiled(client, worker, store)
    assert [(page["kind"], page["status"]) for page in run["pages"]] == [
        ("home", 200),
        ("collection", 200),
        ("product", 200),
    ]
    assert run["progress"] == {"done": 3, "of": 3, "url": None}


def test_style_sheets__of_other_hosts__take_no_place_of_the_stores_own(
    client: Client, worker: Profiling, store: Site
) -> None:
    addresses = [f"https://cdn.example/{number}.css" for number in range(5)] + [f"/{number}.css" for number in range(5)]
    serve(store, "/", "".join(f"<link rel=stylesheet href={address}>" for address in addresses))
    for number in range(5):
        serve(store, f"/{number}.css", f"body{{color:#11111{number}}}", content_type="text/css")
    _, profile = profiled(client, worker, store)
    assert [path for path in store.paths if path.endswith(".css")] == ["/0.css", "/1.css", "/2.css"]
    (colour,) = profile["brandProfile"]["look"]["roles"]
    assert colour == {"role": "text", "value": "#111112", "declared": "body { color: #111112 }"}


def test_counts__equal_the_lists(
    client: Client, worker: Profiling, store: Site, tenant: Tenant, api: MemoryApi
) -> None:
    serve(store, "/", saved("shopify").body)
    _, profile = profiled(client, worker, store)
    facts, findings = profile["facts"], profile["findings"]
    client.patch(f"/store-profile/facts/{facts[0]['id']}", {"status": "confirmed"})
    client.patch(f"/store-profile/facts/{facts[1]['id']}", {"status": "rejected"})
    client.patch(f"/store-profile/findings/{findings[0]['id']}", {"status": "dismissed"})
    profile = client.get("/store-profile").json()
    of_status = [fact["status"] for fact in profile["facts"]]
    is_open = [finding["status"] for finding in profile["findings"]].count("open")
    assert profile["suggestedFactsCount"] == of_status.count("suggested") == len(facts) - 2
    assert (profile["confirmedFactsCount"], profile["rejectedFactsCount"]) == (1, 1)
    assert profile["openReviewCount"] == is_open == len(findings) - 1
    assert profile["unreviewedCount"] == profile["suggestedFactsCount"] + profile["openReviewCount"]
    ids = {each["id"] for each in profile["evidence"]}
    assert all(set(each["evidence_ids"]) <= ids for each in (*profile["facts"], *profile["findings"]))
    assert profile["storeProfileContext"] == {facts[0]["key"]: [facts[0]["value"]]}
    actions = [row.action for row in api.world.catalog.audit(tenant.shop.id, entity_id=None, limit=10)[0]]
    assert {"store_profile.start_run", "store_profile.review_fact", "store_profile.review_finding"} <= set(actions)


def test_second_run__while_one_has_not_ended__is_409_with_the_first(
    client: Client, worker: Profiling, store: Site
) -> None:
    serve(store, "/")
    first = client.post("/store-profile/runs", {"url": store.url()}).json()
    second = client.post("/store-profile/runs", {"url": store.url()})
    assert (second.status, second.json()["error"]["code"]) == (409, "conflict")
    assert (second.json()["run_id"], second.json()["run_status"]) == (first["id"], "queued")
    worker.work()
    assert client.post("/store-profile/runs", {"url": store.url()}).status == 202


def test_profile__with_what_others_change__is_never_304(client: Client, store: Site) -> None:
    run = client.post("/store-profile/runs", {"url": store.url()}).json()
    held = {"If-None-Match": client.get("/store-profile").headers["etag"]}
    client.post(f"/store-profile/runs/{run['id']}/cancel")
    assert client.get("/store-profile", headers=held).json()["latestRun"]["status"] == "cancelled"


def test_runs__are_ten_a_day(api: MemoryApi, client: Client, worker: Profiling, store: Site) -> None:
    for _ in range(10):
        run = client.post("/store-profile/runs", {"url": store.url()}).json()
        client.post(f"/store-profile/runs/{run['id']}/cancel")
    refused = client.post("/store-profile/runs", {"url": store.url()})
    assert (refused.status, refused.json()["error"]["code"]) == (429, "rate_limited")
    assert "at most 10 in 24 hours; try again in 864" in refused.json()["error"]["message"]
    api.clock.advance(hours=23)
    assert client.post("/store-profile/runs", {"url": store.url()}).headers["retry-after"] == "3600"
    api.clock.advance(hours=1)
    assert client.post("/store-profile/runs", {"url": store.url()}).status == 202
    worker.work()


def test_run__that_is_repeated_with_its_key__is_one_run(client: Client, worker: Profiling, store: Site) -> None:
    headers = {"Idempotency-Key": "once"}
    runs = [client.post("/store-profile/runs", {"url": store.url()}, headers=headers).json()["id"] for _ in range(2)]
    assert runs[0] == runs[1]
    assert len(worker.queue.sent) == 1


def test_message__that_comes_twice__changes_nothing(client: Client, worker: Profiling, store: Site) -> None:
    serve(store, "/", saved("shopify").body)
    client.post("/store-profile/runs", {"url": store.url()})
    message = worker.queue.sent[0].body
    worker.work()
    profile, requested = client.get("/store-profile").json(), len(store.paths)
    worker.queue.send(message)
    worker.work()
    assert client.get("/store-profile").json() == profile
    assert len(store.paths) == requested


def test_cancelled_run__stops_and_leaves_the_profile(
    api: MemoryApi, client: Client, worker: Profiling, store: Site, tenant: Tenant
) -> None:
    links = "".join(f"<a href=/products/{number}>L</a>" for number in range(20))
    serve(store, "/", f"{PAGE}{links}")
    run_id = client.post("/store-profile/runs", {"url": store.url()}).json()["id"]

    def cancelling() -> Answer:
        profiles_of(api).cancel(system_caller(tenant.shop.id, "test"), run_id)
        return Answer(PAGE.encode())

    def unhurried() -> Answer:
        time.sleep(0.05)
        return Answer(PAGE.encode())

    store.pages |= dict.fromkeys((f"/products/{number}" for number in range(1, 20)), unhurried)
    store.pages["/products/0"] = cancelling
    worker.work()
    run = client.get(f"/store-profile/runs/{run_id}").json()
    assert run["status"] == "cancelled"
    assert len([path for path in store.paths if path.startswith("/products")]) < 15
    assert client.get("/store-profile").json()["facts"] == []


def test_review__during_a_run__is_kept(
    api: MemoryApi, client: Client, worker: Profiling, store: Site, tenant: Tenant
) -> None:
    serve(store, "/", saved("shopify").body)
    _, profile = profiled(client, worker, store)
    fact = next(each for each in profile["facts"] if each["key"] == "platform")

    def reviewing() -> Answer:
        caller = system_caller(tenant.shop.id, "test")
        profiles_of(api).review_fact(caller, fact["id"], "rejected", expected_version=None)
        return Answer(saved("shopify").body)

    store.pages["/"] = reviewing
    _, profile = profiled(client, worker, store)
    assert [each["status"] for each in profile["facts"] if each["key"] == "platform"] == ["rejected"]


@pytest.mark.parametrize(
    ("url", "code"),
    [
        ("https://other.example/", "url_not_allowed"),
        ("https://shop.example.evil.example/", "url_not_allowed"),
        ("http://shop.example/", "url_not_allowed"),
        ("https://10.0.0.1/", "url_not_allowed"),
        ("https://169.254.169.254/latest/meta-data/", "url_not_allowed"),
    ],
)
def test_run__of_an_address_that_is_not_the_shops__is_refused(client: Client, url: str, code: str) -> None:
    refused = client.post("/store-profile/runs", {"url": url})
    assert (refused.status, refused.json()["error"]["code"]) == (422, code)
    assert refused.json()["error"]["fields"][0]["path"] == "url"


def test_run__without_an_address__begins_with_the_shops_domain(client: Client) -> None:
    assert client.post("/store-profile/runs", {}).json()["url"] == "https://shop.example/"


@pytest.mark.parametrize(
    ("pages", "reason"),
    [
        ({"/": {"status": 503}}, "answers 503"),
        ({"/": {"body": "%PDF", "content_type": "application/pdf"}}, "is not HTML: application/pdf"),
        ({"/": {}, "/robots.txt": {"status": 503}}, "cannot be read, so nothing may be requested"),
        ({"/": {}, "/robots.txt": {"body": "User-agent: *\nDisallow: /\n"}}, "forbids it"),
        ({"/": {"status": 302, "headers": {"Location": "http://10.0.0.1/admin"}}}, "was not read"),
        (
            {"/": {"status": 302, "headers": {"Location": "https://10.0.0.1/admin"}}},
            "10.0.0.1 cannot be called: 10.0.0.1 is not a public address",
        ),
        (
            {"/": {"status": 302, "headers": {"Location": "https://other.example/"}}},
            "other.example, which is not one of",
        ),
        ({"/": {"status": 302, "headers": {"Location": "/"}}}, "redirects more than 5 times"),
        ({"/": {"status": 302, "headers": {"Location": "ftp://[::"}}}, "was not read"),
    ],
)
def test_home_page__that_cannot_be_read__fails_the_run_with_the_reason(
    client: Client, worker: Profiling, store: Site, pages: dict[str, dict[str, Any]], reason: str
) -> None:
    for path, fields in pages.items():
        serve(store, path, **fields)
    run, profile = profiled(client, worker, store)
    assert run["status"] == "failed"
    assert reason in run["error"]
    assert profile["technicalProfile"] is None


@pytest.fixture
def neighbour() -> Iterator[Victim]:
    """Another server of this machine, which no run may reach."""
    with victim("neighbour") as listener:
        yield listener


def test_hostile_pages__are_findings_and_hold_no_run_up(
    client: Client, worker: Profiling, store: Site, neighbour: Victim
) -> None:
    worker.limits = Limits(seconds=1, body_bytes=3 * MIB)
    cut_or_read = ["endless", "large", "bomb", "deflated", "broken", "noise", "deep", "attribute"]
    paths = [*cut_or_read, "away", "inside", "mapped", "port", "loop", "brotli", "pdf"]
    serve(store, "/", PAGE + "".join(f"<a href=/pages/{path}>L</a>" for path in paths))
    serve(store, "/robots.txt", b"User-agent: *\n" + b"Disallow: /x*y*z$\n" * 600_000)
    packed, deflated = gzip.compress(b"<p>" * 20_000_000), zlib.compress(b"<p>" * 20_000_000)
    serve(store, "/pages/large", b"<p>" * (50 * MIB // 3))
    serve(store, "/pages/deflated", deflated, headers={"Content-Encoding": "deflate"})
    serve(store, "/pages/mapped", status=301, headers={"Location": "https://[::ffff:169.254.169.254]/latest/"})
    serve(store, "/pages/port", status=301, headers={"Location": f"http://127.0.0.1:{neighbour.port}/admin"})
    serve(store, "/pages/deep", "<div><p><b>" * 100_000)
    serve(store, "/pages/attribute", f'<p class="{"x" * 3_000_000}">')
    store.pages["/pages/endless"] = lambda: Answer(repeat(b"<p>" * 100_000))
    serve(store, "/pages/bomb", packed, headers={"Content-Encoding": "gzip"})
    serve(store, "/pages/away", status=301, headers={"Location": "https://other.example/"})
    serve(store, "/pages/inside", status=301, headers={"Location": "http://169.254.169.254/latest/"})
    serve(store, "/pages/loop", status=301, headers={"Location": "/pages/loop"})
    serve(store, "/pages/broken", b"\x00<\xff" * 100_000)
    serve(store, "/pages/brotli", b"?", headers={"Content-Encoding": "br"})
    serve(store, "/pages/pdf", b"%PDF", content_type="application/pdf")
    serve(store, "/pages/noise", bytes(range(256)) * 1000)
    started = time.perf_counter()
    run, profile = profiled(client, worker, store)
    assert time.perf_counter() - started < 20
    assert run["status"] == "completed"
    problems = {page["url"].rpartition("/")[2]: page["problem"] for page in run["pages"]}
    assert neighbour.reached == set()
    assert [name for name in paths if problems[name] is None] == cut_or_read
    assert "::ffff:a9fe:a9fe is not a public address" in problems["mapped"]
    assert f"127.0.0.1:{neighbour.port}, which is not the store" in problems["port"]
    assert "other.example, which is not one of" in problems["away"]
    assert problems["inside"]
    assert "redirects more than 5 times" in problems["loop"]
    assert "content coding" in problems["brotli"]
    assert problems["pdf"] == "gives application/pdf"
    assert {"pages_too_large", "pages_lead_away", "pages_unreachable", "pages_not_html"} <= kinds(profile)


def test_slow_page__is_a_finding(client: Client, worker: Profiling, store: Site) -> None:
    worker.limits = Limits(seconds=0.3, body_bytes=MIB)

    def trickle() -> Iterator[bytes]:
        while True:
            time.sleep(0.05)
            yield b"<p>"

    serve(store, "/", f"{PAGE}<a href=/pages/slow>S</a>")
    store.pages["/pages/slow"] = lambda: Answer(trickle())
    run, profile = profiled(client, worker, store)
    assert [page["problem"] for page in run["pages"]] == [None, "no complete response within 0.3 s"]
    assert "pages_unreachable" in kinds(profile)


@pytest.mark.parametrize(
    ("body", "note"),
    [
        (
            lambda url: f"<sitemapindex><sitemap><loc>{url('/sitemap.xml')}</loc></sitemap></sitemapindex>",
            "names itself",
        ),
        (lambda _: b"<urlset>" + b"<url><loc>http://127.0.0.1/p</loc></url>" * 1_000_000, "too large"),
        (lambda _: gzip.compress(b"<loc>http://127.0.0.1/p</loc>" * 1_000_000), "too large"),
        (lambda _: b"\x1f\x8bnot gzip", None),
        (lambda _: "<html>", None),
    ],
)
def test_sitemap__that_is_hostile__is_a_finding_at_most(
    client: Client, worker: Profiling, store: Site, body: Callable[[Any], str | bytes], note: str | None
) -> None:
    serve(store, "/", f"{PAGE}<a href=/products/a>A</a>")
    serve(store, "/products/a")
    serve(store, "/sitemap.xml", body(store.url), content_type="application/xml")
    run, profile = profiled(client, worker, store)
    assert [page["status"] for page in run["pages"]] == [200, 200]
    messages = [each["message"] for each in profile["findings"] if each["kind"] == "sitemap_unusable"]
    assert len(messages) == (1 if note else 0)
    assert all(note in message for message in messages if note)
    assert store.paths.count("/sitemap.xml") == 1


def test_sitemaps__that_name_each_other__are_read_once_each(client: Client, worker: Profiling, store: Site) -> None:
    def index(*names: str) -> str:
        return f"<sitemapindex>{''.join(f'<loc>{store.url(name)}</loc>' for name in names)}</sitemapindex>"

    serve(store, "/")
    serve(store, "/robots.txt", f"Sitemap: {store.url('/a.xml')}\n", content_type="text/plain")
    serve(store, "/a.xml", index("/b.xml"), content_type="application/xml")
    serve(store, "/b.xml", index("/a.xml", "/b.xml", *(f"/{n}.xml" for n in range(1000))), content_type="text/xml")
    run, profile = profiled(client, worker, store)
    assert run["status"] == "completed"
    assert "sitemap_unusable" in kinds(profile)
    requested = [path for path in store.paths if path.endswith(".xml")]
    assert len(requested) == len(set(requested)) == MAX_SITEMAP_FILES


def test_requests__name_us_and_are_two_at_once_at_most(client: Client, worker: Profiling, store: Site) -> None:
    running, most = [0], [0]

    def counted() -> Answer:
        running[0] += 1
        most[0] = max(most[0], running[0])
        time.sleep(0.02)
        running[0] -= 1
        return Answer(PAGE.encode())

    serve(store, "/", PAGE + "".join(f"<a href=/products/{number}>L</a>" for number in range(20)))
    for number in range(20):
        store.pages[f"/products/{number}"] = counted
    run, _ = profiled(client, worker, store)
    assert len(run["pages"]) == 21
    assert most == [2]
    assert set(store.agents) == {
        "Mozilla/5.0 (compatible; abtest-store-profile/1.0; +https://api.test/api/v1/docs?api=store-profile)"
    }


def test_profile__of_another_shop__does_not_exist(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    run_id = client.post("/store-profile/runs", {}).json()["id"]
    profile = put_profile(api.world, tenant.shop.id, run_id)
    stranger = api.client(api.tenant("Other", domain="other.example").admin)
    assert stranger.get("/store-profile").json()["facts"] == []
    assert stranger.get(f"/store-profile/runs/{run_id}").status == 404
    assert stranger.post(f"/store-profile/runs/{run_id}/cancel").status == 404
    assert stranger.patch(f"/store-profile/facts/{profile.facts[0].id}", {"status": "confirmed"}).status == 404
    assert stranger.patch(f"/store-profile/findings/{profile.findings[0].id}", {"status": "resolved"}).status == 404


def test_review__of_an_outdated_profile__is_412(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    run_id = client.post("/store-profile/runs", {}).json()["id"]
    profile = put_profile(api.world, tenant.shop.id, run_id)
    path = f"/store-profile/facts/{profile.facts[0].id}"
    tag = client.get("/store-profile").headers["etag"]
    assert client.patch(path, {"status": "confirmed"}, headers={"If-Match": tag}).status == 200
    stale = client.patch(path, {"status": "rejected"}, headers={"If-Match": tag})
    assert (stale.status, stale.json()["error"]["code"]) == (412, "version_conflict")


def test_keys__need_the_scopes_of_the_brand(api: MemoryApi, client: Client, tenant: Tenant) -> None:
    reader = api.client(api.key(["brand:read"], shop_id=tenant.shop.id).text)
    assert reader.get("/store-profile").status == 200
    assert reader.post("/store-profile/runs", {}).status == 403
    other = api.client(api.key(["inbox:read"], shop_id=tenant.shop.id).text)
    assert other.get("/store-profile").status == 403
