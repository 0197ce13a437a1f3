"""Serving of a page with every block: the warm handler next to one that only returns the bytes, and its cold import."""

import time
from functools import partial
from typing import Any

from abtest.contract.page_specs import spec_of
from abtest.domain.pages.render import render
from abtest.kit.clock import SystemClock
from benchmarks.bench_cold import starts
from benchmarks.bench_edge import Context, bare
from benchmarks.harness import compare, line, milliseconds
from benchmarks.world import gateway_event
from tests.support.landing import FOOTER, LIBRARY, SEO, SITE, page
from tests.support.landing_edge import LandingEdge
from tests.support.routes import flip, put_document
from tests.support.storefronts import SHOP_ID, Storefront, experiment, experiment_id, variation

WARM, WITH_VARIANTS, COLD = 1.5, 2.5, 1.1
"""Goals, as ratios."""

ROUNDS = 7
REPEAT = 500
EXPERIMENTS = 10
AGENT = "Mozilla/5.0 (iPhone; CPU iPhone OS 17_0 like Mac OS X) AppleWebKit/605.1.15 (KHTML, like Gecko) Mobile/15E148"
COOKIE = "svc_v=0123456789abcdef0123456789abcdef.00ff00ff00ff00ff...~1xxz5cf-y3qk87.direct.t3k0a0.t3k0a0..1.2"


def published() -> LandingEdge:
    """Return the edge with a page at `/lamp`, and the same page with two variants of a running experiment at `/new`."""
    storefront = Storefront()
    for number in range(1, EXPERIMENTS + 1):
        storefront.keep(experiment(number))
    assert storefront.publication.publish(SHOP_ID).ok
    html = render(spec_of(page(footer=FOOTER)), assets=LIBRARY, seo=SEO, site=SITE).html
    document = put_document(storefront.blobs, html)
    variants = {variation(number).id: document for number in (0, 1)}
    flip(storefront.blobs, base=document)
    flip(storefront.blobs, base=document, path="/new", experiment_id=experiment_id(1), variants=variants)
    return LandingEdge(storefront.blobs, SystemClock())


def warm(edge: LandingEdge, name: str, path: str, goal: float, **more: Any) -> None:
    """Print a row of the warm handler, with the same bytes from a bare one next to it."""
    headers = {"host": "shop.example", "accept": "text/html", "user-agent": AGENT}
    event = gateway_event("GET", path, headers=headers, **more)
    handler = partial(edge.handler, event, Context())
    answer = handler()
    assert answer["statusCode"] == 200, answer
    baseline = partial(bare(path, answer), event, Context())
    assert baseline()["statusCode"] == 200
    cost = compare(handler, baseline, repeat=REPEAT, clock=time.process_time)
    line(name, milliseconds(cost.ours), "bare Powertools, same bytes", milliseconds(cost.baseline), cost.ratio)
    print(f"    goal <= {goal}: {'met' if cost.ratio <= goal else 'missed'}")


def cold() -> None:
    """Print the cold import next to that of the snippet's function, the least of all rounds."""
    ours, snippet = ({each.name: each for each in starts()}[name].ours for name in ("EdgePages", "EdgeSnippet"))
    for _ in range(ROUNDS):
        ours.run()
        snippet.run()
    ratio = ours.seconds / snippet.seconds
    line("cold import, CPU", milliseconds(ours.seconds), "EdgeSnippet", milliseconds(snippet.seconds), ratio)
    print(f"    goal <= {COLD}: {'met' if ratio <= COLD else 'missed'}")


def report() -> None:
    """Print all rows."""
    print(f"Serving of every block, CPU of one request ({EXPERIMENTS} experiments run)")
    edge = published()
    warm(edge, "page without variants", "/lamp", WARM)
    warm(edge, "page with variants", "/new", WITH_VARIANTS, cookies=[COOKIE])
    cold()
