"""`make demo`: two experiments with simulated shoppers, driven through the edge routes of the running stack.

One changes the store, for 2,000 shoppers. The other one shows two versions of a landing page, on which others land.
Shoppers do what browsers do: read the config once, hash themselves into a variation, and send batches of events with
the store's public signature. Those of the store take part in every other experiment of its home page, too. They differ
in what is true: 20 % of shoppers buy, and 7 % more for each change that they see.
"""

from __future__ import annotations

import argparse
import random
import sys
import time
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import partial
from pathlib import Path
from typing import Any

import requests
from rich.console import Console
from rich.progress import Progress

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT / "shared"))

from abtest.domain.assignment import decide as assignment  # noqa: E402 - the path comes first
from abtest.domain.assignment.allocation import variation_index  # noqa: E402
from abtest.domain.assignment.hash import bucket  # noqa: E402
from tools.local.commands.client import CommandError, ControlClient  # noqa: E402
from tools.local.commands.settle import settle  # noqa: E402
from tools.local.demo_tables import goal_table  # noqa: E402
from tools.local.files import StateDirectory, read_json  # noqa: E402
from tools.local.landing import land, publish_variants  # noqa: E402
from tools.local.surroundings import state_directory  # noqa: E402

RATE, ADDED_RATE = 0.2, 0.07
"""Share of shoppers who buy, and what each change that a shopper sees adds to it."""

DEMO = "Demo: "
NAME = f"{DEMO}a warmer welcome"
PAGE_NAME = f"{DEMO}a landing page"
LANDING_SHARE = 5
"""One shopper lands on the page for so many in the store."""

_HOME_RULE = {"includeRules": [{"type": "simple", "pattern": "/"}], "excludeRules": []}
HOME_PAGE = {"pageRules": [{"id": "0199d5a0-0000-7000-8000-000000000001", **_HOME_RULE}]}
CART_EVENT = "add_to_cart"
BATCH = 100
SETTLE_SECONDS = 120.0

Event = dict[str, Any]
Visits = Callable[[Mapping[str, Any], str, int], Iterator[Sequence[Event]]]
"""Experiment of the config, currency and number of visits; the events of each."""
Others = Callable[[str], Sequence[assignment.Assignment]]
"""Visitor; the other experiments in which that visitor takes part."""


@dataclass(frozen=True)
class Shop:
    """The demo shop of the running stack, spoken to over HTTP."""

    dev: Mapping[str, Any]
    http: requests.Session

    def api(self, method: str, path: str, body: Any = None) -> Any:
        """A management route. Raises CommandError with the API's response."""
        headers = {"Authorization": f"Bearer {self.dev['api_key']}"}
        answer = self.http.request(method, f"{self.dev['base_url']}{path}", json=body, headers=headers, timeout=60)
        return _content(answer)

    def config(self) -> Any:
        """Config that storefronts receive, past every cache."""
        query = {"shopId": self.dev["shop_id"], "svc_config_refresh": "1"}
        return _content(self.http.get(f"{self.dev['worker_base_url']}/api/exp", params=query, timeout=30))

    def send(self, config: Mapping[str, Any], events: Sequence[Event]) -> int:
        """One batch as the browser sends it; how many events were taken in."""
        envelope = {
            "events": events,
            "_shopId": self.dev["shop_id"],
            "_signature": config["runtime"]["events_signature"],
            "sentAt": _now(),
        }
        taken = _content(self.http.post(config["runtime"]["events_url"], json=envelope, timeout=30))
        return int(taken["ingested"])


def _content(answer: requests.Response) -> Any:
    if not answer.ok:
        raise CommandError(f"{answer.request.method} {answer.url} said {answer.status_code}: {answer.text[:500]}")
    return answer.json()


def _now() -> int:
    return int(time.time() * 1000)


def launch(shop: Shop) -> Mapping[str, Any]:
    """A running experiment; demos that still run are completed, so that the store page shows this one."""
    for earlier in shop.api("GET", "/experiments?status=running&limit=100")["data"]:
        if earlier["name"].startswith(DEMO):
            shop.api("POST", f"/experiments/{earlier['id']}/complete", {"outcome": "inconclusive"})
    # Not the headline: that is what people change first, and two experiments on one element would disturb each other.
    treatment = [{"selector": ".hero p", "action": "text", "text": "Made by hand, for slow mornings."}]
    return _running(shop, _created(shop, NAME, {"mutations": treatment}, targeting=HOME_PAGE))


def launch_page(shop: Shop) -> tuple[Mapping[str, Any], str]:
    """A running experiment of the shop's landing page, and the page's address."""
    experiment = _created(shop, PAGE_NAME, {})
    address = publish_variants(shop.api, shop.dev, experiment)
    return _running(shop, experiment), address


def _created(shop: Shop, name: str, treatment: Mapping[str, Any], **settings: Any) -> Mapping[str, Any]:
    experiment: Mapping[str, Any] = shop.api(
        "POST",
        "/experiments",
        {
            "name": name,
            "store_url": shop.dev["store_url"],
            **settings,
            "variations": [
                {"name": "Control", "weight": 0.5, "is_control": True},
                {"name": "Warm", "weight": 0.5, "is_control": False, **treatment},
            ],
            "goals": [
                {"name": "Added to cart", "type": "custom", "event_name": CART_EVENT, "is_primary": True},
                {"name": "Revenue", "type": "revenue"},
            ],
        },
    )
    return experiment


def _running(shop: Shop, experiment: Mapping[str, Any]) -> Mapping[str, Any]:
    running: Mapping[str, Any] = shop.api(
        "POST", f"/experiments/{experiment['id']}/launch", {"override_checklist_warnings": True}
    )
    return running


def others_of(shop: Shop, experiment_id: str) -> Others:
    """Every other experiment of the store's home page: shoppers of one take part in all, as browsers do."""
    prepared = assignment.prepare(shop.config())

    def others(visitor: str) -> Sequence[assignment.Assignment]:
        someone = assignment.Visitor(id=visitor)
        decided = assignment.decide(prepared, someone, f"{shop.dev['store_url']}/", _now()).assignments
        return [each for each in decided if each.active and each.experiment["id"] != experiment_id]

    return others


def _no_others(_visitor: str) -> Sequence[assignment.Assignment]:
    return ()


def shoppers(
    experiment: Mapping[str, Any], currency: str, count: int, chance: random.Random, others: Others = _no_others
) -> Iterator[Sequence[Event]]:
    """Events of each shopper; `experiment` is the config's."""
    ranges = [tuple(variation["range"]) for variation in experiment["variations"]]
    for number in range(count):
        visitor = f"demo-{experiment['id']}-{number}"
        index = variation_index(bucket(visitor, experiment["state"]), ranges)
        yield visit(experiment, index, visitor, currency, chance, others(visitor))


def landings(
    experiment: Mapping[str, Any], currency: str, count: int, chance: random.Random, address: str
) -> Iterator[Sequence[Event]]:
    """Events of shoppers who open the landing page: its mark names the variation, its cookie the visitor."""
    indices = {variation["id"]: index for index, variation in enumerate(experiment["variations"])}
    with requests.Session() as browser:
        for _ in range(count):
            visitor, variation_id = land(browser, address)
            yield visit(experiment, indices.get(variation_id or ""), visitor, currency, chance)


def visit(
    experiment: Mapping[str, Any],
    index: int | None,
    visitor: str,
    currency: str,
    chance: random.Random,
    others: Sequence[assignment.Assignment] = (),
) -> Sequence[Event]:
    """One shopper's visit: a page, the variations that the shopper sees, perhaps a purchase."""
    start = {"visitorId": visitor, "sessionId": f"{visitor}-1", "ts": _now()}
    own = () if index is None else ((experiment, experiment["variations"][index]),)
    seen: Sequence[tuple[Any, Any]] = (*own, *((each.experiment, each.variation) for each in others))
    events: list[Event] = [{**start, "type": "pageview", "data": {}}]
    for shown, variation in seen:
        exposure = {
            "experimentId": shown["id"],
            "variationId": variation["id"],
            "assignment_epoch": shown["epoch"],
        }
        events.append({**start, "type": "experiment_viewed", **exposure, "data": {}})
    changes = sum(not variation.get("control") for _, variation in seen)
    if seen and chance.random() < RATE + ADDED_RATE * changes:
        order = {"orderId": f"order-{visitor}", "revenue": f"{chance.lognormvariate(3.7, 0.5):.2f}"}
        events.append({**start, "type": "custom", "data": {"event_name": CART_EVENT}})
        events.append({**start, "type": "order", "data": {**order, "currency": currency}})
    return _numbered(visitor, events)


def _numbered(visitor: str, events: Sequence[Event]) -> Sequence[Event]:
    return [{**event, "eventId": f"{visitor}-{number}"} for number, event in enumerate(events)]


def drive(shop: Shop, experiment_id: str, visits: Visits, count: int, console: Console) -> int:
    """Send the events of every visit in batches, with a progress bar; how many events were taken in."""
    config = shop.config()
    experiment = next((item for item in config["experiments"] if item["id"] == experiment_id), None)
    if experiment is None:
        raise CommandError("the experiment is not in the published config")
    waiting: list[Event] = []
    taken = 0
    with Progress(console=console) as progress:
        bar = progress.add_task(f"{count:,} shoppers", total=count)
        for events in visits(experiment, config["runtime"]["currency"], count):
            waiting += events
            if len(waiting) >= BATCH:
                taken += shop.send(config, waiting)
                waiting = []
            progress.advance(bar)
        if waiting:
            taken += shop.send(config, waiting)
    return taken


def run(count: int, seed: int, console: Console) -> None:
    """The whole demo. Raises CommandError when no stack runs or a route refuses."""
    state = StateDirectory(state_directory())
    control = ControlClient(state)
    shop = Shop(read_json(state.dev), requests.Session())
    chance = random.Random(seed)  # noqa: S311 - a simulation
    running = launch(shop)
    console.print(f"{NAME}: launched")
    others = others_of(shop, running["id"])
    started = time.monotonic()
    taken = drive(shop, running["id"], partial(shoppers, chance=chance, others=others), count, console)
    console.print(f"{taken:,} events taken in, {taken / (time.monotonic() - started):,.0f} a second")
    on_page, address = launch_page(shop)
    console.print(f"{PAGE_NAME}: launched, published at {address}")
    landed = partial(landings, chance=chance, address=address)
    drive(shop, on_page["id"], landed, count // LANDING_SHARE, console)
    console.print("counting, which takes some seconds")
    settle(control, SETTLE_SECONDS, lambda line: console.print(f"[dim]{line}[/dim]"))
    for experiment in (on_page, running):
        report(shop, experiment, console)
    console.print(f"Of all shoppers {RATE:.0%} buy, and {ADDED_RATE:.0%} more for each change that they see.")
    joined = {each.experiment["id"]: each.experiment["name"] for number in range(20) for each in others(str(number))}
    console.print(f"see it: {shop.dev['store_url']} and {address}")
    for experiment_id, name in {running["id"]: NAME, on_page["id"]: PAGE_NAME, **joined}.items():
        console.print(f"results of {name}: {results_address(shop, experiment_id)}", soft_wrap=True)
    console.print("not signed in to the console? make console-entry prints an address")


def results_address(shop: Shop, experiment_id: str) -> str:
    """Where the console shows the results of an experiment."""
    entry = str(shop.dev["console_url"]).partition("#")[0]
    return f"{entry}/{shop.dev['shop_id']}/experiments/{experiment_id}/results"


def report(shop: Shop, experiment: Mapping[str, Any], console: Console) -> None:
    """Print the results of an experiment."""
    results = shop.api("GET", f"/experiments/{experiment['id']}/results")
    console.print(f"Results of {experiment['name']}")
    for goal in results["goals"]:
        console.print(goal_table(goal))
    console.print(f"split as planned: {results['srm']['status']}")


def main() -> int:
    """The command line; its exit status."""
    options = argparse.ArgumentParser(prog="python -m tools.local.demo", description=__doc__.partition("\n")[0])
    options.add_argument("--shoppers", type=int, default=2000, metavar="N")
    options.add_argument("--seed", type=int, default=7)
    given = options.parse_args()
    try:
        run(given.shoppers, given.seed, Console())
    except (CommandError, requests.RequestException) as problem:
        print(f"error: {problem}", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    sys.exit(main())
