"""Variants of landing pages: who gets which, and what caches and browsers are allowed."""

from __future__ import annotations

import json
import re
import subprocess
from base64 import b64decode
from pathlib import Path
from random import Random
from typing import Any
from urllib.parse import urlencode

import pytest

from abtest.domain.assignment.decide import prepare
from abtest.domain.assignment.hash import fold
from abtest.domain.assignment.visit_cookie import base36, code_of, read_visit, sticky_variations
from abtest.domain.experiments.model import Experiment
from abtest.domain.pages.model import experiment_name
from abtest.domain.pages.routes import html_key
from abtest.domain.settings import consent
from abtest.domain.settings.runtime import CONSENT, INSTALL_DOMAINS
from abtest.edge.assign_configs import PreparedConfigs
from abtest.edge.landing_variants import CRAWLER, forced
from abtest.edge.publications import Publications
from abtest.kit.clock import to_milliseconds
from abtest.kit.documents import encode
from abtest.ports.catalog import Claim, Commit
from abtest.services.assignment import Assignments, PublishedConfig
from abtest.services.assignment_handoff import Handoffs
from abtest.services.assignment_request import AssignmentRequest
from tests.support.delivered import keep_document
from tests.support.landing_edge import Answer, LandingEdge, body_of
from tests.support.memory import MemorySessions
from tests.support.routes import flip, html_of, publish_id, put_document
from tests.support.storefronts import ROOTS, SHOP_ID, Storefront, experiment, experiment_id, variation
from tests.support.waits import never_in_a_hurry
from tools.golden.answers import in_node

EXPERIMENT = experiment_id(1)
CONTROL, TREATMENT = variation(0).id, variation(1).id
NUMBERS = {"base": 1, CONTROL: 2, TREATMENT: 3}
ALWAYS_TREATED = (variation(0, weight=0.0), variation(1, weight=1.0))
VISITOR = "0123456789abcdef0123456789abcdef"
COOKIE = re.compile(r"svc_v=([0-9a-f]{32}); Path=/; Max-Age=34560000; SameSite=Lax; Secure")


@pytest.fixture(autouse=True)
def _patient(monkeypatch: pytest.MonkeyPatch) -> None:
    never_in_a_hurry(monkeypatch)


class Shop:
    """A shop with a page whose variants an experiment decides."""

    def __init__(self, *experiments: Experiment) -> None:
        self.storefront = Storefront()
        self.blobs, self.clock = self.storefront.blobs, self.storefront.clock
        self.publish(*experiments or (experiment(),))
        documents = {
            each: put_document(self.blobs, html_of(NUMBERS[each], f"{EXPERIMENT}:{each}"), NUMBERS[each])
            for each in (CONTROL, TREATMENT)
        }
        self.route = flip(self.blobs, experiment_id=EXPERIMENT, variants=documents)
        self.edge = LandingEdge(self.blobs, self.clock)
        self.configs = PreparedConfigs(Publications(self.blobs, self.clock), PublishedConfig.of)

    def publish(self, *experiments: Experiment) -> None:
        """Store the experiments and publish the shop."""
        for each in experiments:
            self.storefront.keep(each)
        assert self.storefront.publication.publish(SHOP_ID).ok
        self.clock.advance(seconds=1)

    def assigned(self, visitor_id: str) -> str:
        """Return the variation that `/assign` returns for a visitor, or base."""
        handoffs = Handoffs(MemorySessions(), lambda: ROOTS, self.clock)
        request = AssignmentRequest(environment="", user_id=visitor_id, url="https://shop.example/lamp")
        answer = Assignments(self.configs.read, handoffs, self.clock).answer(SHOP_ID, request)
        return variation_in(answer["assignments"])

    def variation_of(self, **request: Any) -> str:
        """Return the variation that a visitor sees, or base, after all parts of the answer agree on it."""
        return shown(self.edge.ask(**request))


def shown(answer: Answer) -> str:
    """Return what an answer shows, after its body, its headers and its key agree on it."""
    assert answer["statusCode"] == 200
    headers = answer["headers"]
    name = headers["x-svc-landing-page-cache-key"].rpartition(";")[2]
    number = NUMBERS[name]
    assert headers["x-svc-landing-page-cache-key"] == f"shop.example/lamp;{publish_id(1)};{name}"
    assert headers["x-svc-landing-page-version"] == str(number)
    assert body_of(answer) == html_of(number, "" if name == "base" else f"{EXPERIMENT}:{name}")
    assert headers["Cache-Control"] == "private, no-cache"
    assert headers["Vary"] == "Accept-Encoding, Cookie"
    return str(name)


def cookie(visitor_id: str = VISITOR, sticky: str = "") -> list[str]:
    """Return the cookies of a visitor as the gateway passes them on."""
    return ["a=b", f"svc_v={visitor_id}.00ff00ff00ff00ff...{sticky}.direct.t3k0a0.t3k0a0..1.2"]


@pytest.fixture
def shop() -> Shop:
    return Shop()


# ------------------------------------------------------------------ the decision


def test_ten_thousand_visitors__get_what_the_storefront_and_servers_decide() -> None:
    shop = Shop(experiment(traffic_allocation=0.9), experiment(2))
    ids = [f"{Random(number).getrandbits(128):032x}" for number in range(10_000)]
    body, _ = Publications(shop.blobs, shop.clock).read("config", SHOP_ID, "production", "identity")
    config, now = json.loads(b64decode(body.base64)), to_milliseconds(shop.clock.now())
    lines = [
        json.dumps({"id": 0, "inputs": {"config": config, "visitor": {"id": each}, "url": "/lamp", "now": now}})
        for each in ids
    ]
    storefront = [variation_in(answer["result"]["assignments"]) for answer in in_node("decide", lines)]
    served = [shop.variation_of(cookies=cookie(each)) for each in ids]
    assert served == storefront
    assert 900 < served.count("base") < 1100
    assert all(4300 < served.count(name) < 4700 for name in (CONTROL, TREATMENT))
    assert [shop.assigned(each) for each in ids[:1000]] == served[:1000]


def test_experiment__that_its_page_has_claimed__is_decided_for_the_page_alone(shop: Shop) -> None:
    ids = [f"visitor-{number:024d}" for number in range(40)]
    drawn = [shop.variation_of(cookies=cookie(each)) for each in ids]
    assert set(drawn) == {CONTROL, TREATMENT}
    claim = Claim(scope=SHOP_ID, name=experiment_name(EXPERIMENT), target_id=experiment_id(70), target_shop_id=SHOP_ID)
    shop.storefront.catalog.commit(Commit(claims=[claim]))
    shop.publish()
    assert [shop.variation_of(cookies=cookie(each)) for each in ids] == drawn
    assert {shop.assigned(each) for each in ids} == {"base"}


def variation_in(assignments: list[dict[str, Any]]) -> str:
    return next((each["variation_id"] for each in assignments if each["experiment_id"] == EXPERIMENT), "base")


def test_sticky_variation__outlives_a_change_of_weights(shop: Shop) -> None:
    drawn = {each: shop.variation_of(cookies=cookie(each)) for each in (f"visitor-{n:024d}" for n in range(40))}
    assert set(drawn.values()) == {CONTROL, TREATMENT}
    state = base36(fold(EXPERIMENT))
    shop.publish(experiment(variations=ALWAYS_TREATED))
    assert {shop.variation_of(cookies=cookie(each)) for each in drawn} == {TREATMENT}
    kept = {
        each: shop.variation_of(cookies=cookie(each, f"~zzz-zzz~{state}-{code_of(name)}"))
        for each, name in drawn.items()
    }
    assert kept == drawn


@pytest.mark.parametrize("status", ["paused", "completed", "archived"])
def test_experiment__that_does_not_run__leaves_the_base_and_sets_no_cookie(shop: Shop, status: str) -> None:
    assert shop.variation_of(cookies=cookie()) != "base"
    shop.publish(experiment(status=status))
    assert shop.variation_of(cookies=cookie()) == "base"
    assert "cookies" not in shop.edge.ask()
    shop.publish(experiment())
    assert shop.variation_of(cookies=cookie()) != "base"


def test_experiment__on_other_pages__leaves_the_base() -> None:
    rule = {"id": experiment_id(90), "includeRules": [{"type": "simple", "pattern": "/other"}], "excludeRules": []}
    shop = Shop(experiment(targeting={"pageRules": [rule]}))
    assert shop.variation_of(cookies=cookie()) == "base"


def test_variation__without_a_document__leaves_the_base(shop: Shop) -> None:
    flip(shop.blobs, experiment_id=EXPERIMENT, variants={CONTROL: shop.route.variants[CONTROL]})
    shop.clock.advance(seconds=1)
    seen = {shop.variation_of(cookies=cookie(f"visitor-{number:024d}")) for number in range(40)}
    assert seen == {"base", CONTROL}


def test_shop__that_published_no_config__leaves_the_base(shop: Shop) -> None:
    flip(shop.blobs, experiment_id=EXPERIMENT, variants=shop.route.variants, shop_id=experiment_id(77))
    shop.clock.advance(seconds=1)
    assert shop.variation_of(cookies=cookie()) == "base"


def test_stores_that_fail__leave_variants_where_they_were_read_and_the_base_elsewhere(shop: Shop) -> None:
    name = shop.variation_of(cookies=cookie())
    other = next(each for each in (f"visitor-{n:024d}" for n in range(40)) if shop.assigned(each) != name)
    shop.blobs.available = False
    shop.clock.advance(hours=1)
    assert shop.variation_of(cookies=cookie()) == name
    assert shop.variation_of(cookies=cookie(other)) == "base"
    shop.blobs.available = True
    assert shop.variation_of(cookies=cookie(other)) not in (name, "base")


def test_document_of_a_variant__that_is_missing__leaves_the_base(shop: Shop) -> None:
    for document in shop.route.variants.values():
        shop.blobs.delete(html_key(document.sha256))
    assert shop.variation_of(cookies=cookie()) == "base"


# ------------------------------------------------------------------ cookies


def test_new_visitor__gets_an_id_that_decides_and_stays(shop: Shop) -> None:
    seen = set()
    for _ in range(40):
        answer = shop.edge.ask()
        (line,) = answer["cookies"]
        matched = COOKIE.fullmatch(line)
        assert matched
        name = shown(answer)
        assert shop.variation_of(cookies=[f"svc_v={matched[1]}"]) == name
        seen.add(name)
    assert seen == {CONTROL, TREATMENT}


def test_known_visitor__gets_no_cookie(shop: Shop) -> None:
    assert "cookies" not in shop.edge.ask(cookies=cookie())
    assert "cookies" not in shop.edge.ask(headers={"cookie": "; ".join(cookie())})


def test_new_visitor_of_the_holdout_or_outside_of_the_traffic__gets_an_id_too(shop: Shop) -> None:
    shop.publish(experiment(traffic_allocation=0.0))
    answer = shop.edge.ask()
    assert shown(answer) == "base"
    assert COOKIE.fullmatch(answer["cookies"][0])


def test_cookie__of_a_shop_whose_hosts_share_visitors__is_for_their_domain(shop: Shop) -> None:
    keep_document(shop.storefront.catalog, "SET", INSTALL_DOMAINS, {"additional": ["other.example"]})
    shop.publish()
    (line,) = shop.edge.ask()["cookies"]
    assert line.endswith("; SameSite=Lax; Domain=shop.example; Secure")
    flip(shop.blobs, host="myshop.example", experiment_id=EXPERIMENT, variants=shop.route.variants)
    (line,) = shop.edge.ask(host="myshop.example")["cookies"]
    assert "Domain" not in line


def test_cookie__over_plain_http__is_not_secure(shop: Shop) -> None:
    (line,) = shop.edge.ask(headers={"x-forwarded-proto": "http"})["cookies"]
    assert line.endswith("; SameSite=Lax")


def test_shop__that_requires_consent__decides_with_the_cookie_only(shop: Shop) -> None:
    mode = consent.merged(consent.UNTOUCHED, {"enabled": True, "provider": "provider_b"})
    keep_document(shop.storefront.catalog, "SET", CONSENT, encode(mode))
    shop.publish()
    answer = shop.edge.ask()
    assert (shown(answer), "cookies" in answer) == ("base", False)
    assert shop.variation_of(cookies=cookie()) != "base"


@pytest.mark.parametrize("value", ["", "short", "<script>" * 4, "é" * 20, "x" * 65, "a b" * 10])
def test_cookie__of_another_form__counts_as_none(shop: Shop, value: str) -> None:
    answer = shop.edge.ask(cookies=[f"svc_v={value}"])
    assert COOKIE.fullmatch(answer["cookies"][0])
    assert shown(answer) != "base"


def test_cookies__of_any_size__cost_nothing(shop: Shop) -> None:
    huge = [f"svc_v={VISITOR}.{'~' * 9000}", *(f"c{number}={'x' * 100}" for number in range(100))]
    assert shop.variation_of(cookies=huge) == shop.variation_of(cookies=cookie())
    assert shop.variation_of(cookies=cookie(sticky="~a-b" * 2500)) == shop.variation_of(cookies=cookie())


# ------------------------------------------------------------------ bots and QA


@pytest.mark.parametrize("agent", ["Googlebot/2.1", "facebookexternalhit/1.1", "HeadlessChrome/120", "Bingpreview"])
def test_bot__gets_the_base_and_no_cookie(shop: Shop, agent: str) -> None:
    answer = shop.edge.ask(headers={"user-agent": agent})
    assert (shown(answer), "cookies" in answer) == ("base", False)
    assert shop.variation_of(headers={"user-agent": agent}, cookies=cookie()) == "base"
    assert shop.variation_of(headers={"user-agent": "CUBOT_NOTE"}, cookies=cookie()) != "base"


@pytest.mark.parametrize("name", [CONTROL, TREATMENT])
@pytest.mark.parametrize("agent", ["Mozilla/5.0", "HeadlessChrome/120"])
def test_forced_variation__is_shown_to_everyone(shop: Shop, name: str, agent: str) -> None:
    index = "01"[NUMBERS[name] - 2]
    for query in (
        {"svc_force": f"{EXPERIMENT}:{name}"},
        {"svc_force": f"x:y,{EXPERIMENT}:{index}"},
        {"svc_qa": "1", "svc_experiment_id": EXPERIMENT, "svc_variation_id": name},
    ):
        assert shop.variation_of(query=query, cookies=cookie(), headers={"user-agent": agent}) == name
        assert shop.variation_of(query=query, headers={"user-agent": agent}) == name


def test_other_parameters__change_nothing(shop: Shop) -> None:
    name = shop.variation_of(cookies=cookie())
    for query in ({"svc_qa": "1"}, {"gclid": "x" * 100}, {"svc_force": f"{EXPERIMENT}:nonsense"}, {"svc_force": "::,"}):
        assert shop.variation_of(query=query, cookies=cookie()) == name


# ------------------------------------------------------------------ caches


def test_tag__of_a_variant__is_its_own(shop: Shop) -> None:
    answers = [shop.edge.ask(query={"svc_force": f"{EXPERIMENT}:{name}"}) for name in (CONTROL, TREATMENT)]
    tags = [answer["headers"]["ETag"] for answer in answers]
    assert len(set(tags)) == 2
    query = {"svc_force": f"{EXPERIMENT}:{CONTROL}"}
    statuses = [shop.edge.ask(query=query, headers={"if-none-match": tag})["statusCode"] for tag in tags]
    assert statuses == [304, 200]


def test_page__with_variants__is_not_kept_by_the_cdn_nor_read_twice_for_it(shop: Shop) -> None:
    assert shown(shop.edge.through_cdn()) != "base"
    assert shop.edge.through_cdn()["headers"]["Cache-Control"] == "private, no-cache"


# ------------------------------------------------------------------ the same reading as in the storefront

NODE = """
import { readFileSync } from 'node:fs';
import * as visit from './shared/abtest/storefront/src/visit.js';
import { readForce } from './shared/abtest/storefront/src/force.js';
globalThis.location = { hostname: 'shop.example', protocol: 'https:', search: '' };
const { cookies, searches, experiments } = JSON.parse(readFileSync(0, 'utf8'));
const read = cookies.map((cookie) => {
  visit.openVisit({ cookie, referrer: '' });
  const [id] = visit.readCookie();
  visit.resume(0);
  return id ? { id, sticky: { ...visit.sticky(experiments) } } : null;
});
const forced = searches.map((search) => {
  const { _isFlagged, _variations } = readForce(search);
  return [_isFlagged, { ..._variations }];
});
console.log(JSON.stringify({ read, forced }));
"""


def random_cookies(random: Random, entries: list[str]) -> str:
    """Return a cookie header with none, one or several cookies of the visitor, some of another form."""
    values = []
    for _ in range(random.choice([0, 1, 1, 1, 2, 3])):
        visitor = random.choice([VISITOR, "b" * 16, "c" * 64, "short", "x_-y" * 5])
        sticky = "".join(random.choice(entries) for _ in range(random.randrange(4)))
        fields = ["00ff", "", "~1a", sticky, "direct", random.choice(["t3k0a0", "t3k0b0", "s", ""]), "1", "", "2", "3"]
        rest = random.choice([fields, fields, fields, fields[:5], [], ["", *fields[1:]], [*fields, "more"]])
        values.append(".".join([visitor, *rest]))
    others = ["a=b", "xsvc_v=" + "d" * 20, "svc_v2=" + "e" * 20]
    pairs = [*(f"svc_v={value}" for value in values), *random.sample(others, random.randrange(3))]
    random.shuffle(pairs)
    return "; ".join(pairs)


def test_cookies_and_forced_variations__are_read_as_in_the_storefront() -> None:
    random = Random(7)
    variations = [{"id": each, "range": [0, 5000]} for each in (CONTROL, TREATMENT, "third")]
    experiments: list[dict[str, Any]] = [
        {"id": experiment_id(n), "name": "", "type": "", "epoch": n, "state": 0, "variations": variations, "goals": []}
        for n in (1, 2)
    ]
    for each in experiments:
        each["state"] = fold(each["id"] if each["epoch"] == 1 else f"{each['id']}:{each['epoch']}")
    states = [
        *(base36(each["state"]) for each in experiments),
        "0",
        "zzz",
        "1_0",
        "ZZ",
        "00" + base36(experiments[0]["state"]),
    ]
    codes = [*(code_of(each["id"]) for each in variations), "x", "", "A-b"]
    entries = [f"~{state}-{code}" for state in states for code in codes] + ["~", "~~", "~x", "-", "~-"]
    cookies = [random_cookies(random, entries) for _ in range(2000)]
    parts = ["svc_force", "svc_qa", "svc_experiment_id", "svc_variation_id", "other"]
    values = ["1", "0", "", "a:b", "a:b,c:d", "a:b:c", ":", "a:", ":b", "é:ü", "a:b,,x", "a", "constructor:1"]
    queries = [{name: random.choice(values) for name in random.sample(parts, 3)} for _ in range(500)]
    inputs = {"cookies": cookies, "searches": ["?" + urlencode(each) for each in queries], "experiments": experiments}
    done = subprocess.run(
        ["node", "--input-type=module", "-e", NODE],
        input=json.dumps(inputs),
        capture_output=True,
        text=True,
        check=True,
        cwd=Path(__file__).parents[3],
    )
    theirs = json.loads(done.stdout)
    roster = prepare({"experiments": experiments}).experiments  # type: ignore[typeddict-item]  # parts of a config
    visits = [
        read_visit(pair[len("svc_v=") :] for pair in each.split("; ") if pair.startswith("svc_v=")) for each in cookies
    ]
    ours = [each and {"id": each.visitor_id, "sticky": sticky_variations(each.sticky, roster)} for each in visits]
    assert ours == theirs["read"]
    assert [list(forced(each)) for each in queries] == theirs["forced"]
    assert len([each for each in visits if each and sticky_variations(each.sticky, roster)]) > 100


def test_crawlers__are_those_of_the_storefront() -> None:
    source = Path("shared/abtest/storefront/src/bots.js").read_text()
    assert f"/{CRAWLER.pattern}/i" in source
