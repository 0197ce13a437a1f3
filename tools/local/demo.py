"""`make demo`: two experiments with simulated shoppers, driven through the edge routes of the running stack.

One changes the store, for 2,000 shoppers. The other one shows two versions of a landing page, on which others land.
Shoppers do what browsers do: read the config once, hash themselves into a variation, and send batches of events with
the store's public signature. They differ in what is true: 5 % of the control's shoppers buy, and 7 % of the variant's.
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
from rich.box import SIMPLE
from rich.console import Console
from rich.progress import Progress
from rich.table import Table

PROJECT = Path(__file__).parents[2]
sys.path.insert(0, str(PROJECT / "shared"))

from abtest.domain.assignment.allocation import variation_index  # noqa: E402 - the path comes first
from abtest.domain.assignment.hash import bucket  # noqa: E402
from tools.local.commands.client import CommandError, ControlClient  # noqa: E402
from tools.local.commands.settle import settle  # noqa: E402
from tools.local.files import StateDirectory, read_json  # noqa: E402
from tools.local.landing import land, publish_variants  # noqa: E402
from tools.local.surroundings import state_directory  # noqa: E402

TRUE_RATES = (0.05, 0.07)
NAME = "Demo: a warmer headline"
PAGE_NAME = "Demo: a landing page"
LANDING_SHARE = 5
"""One shopper lands on the page for so many in the store."""

CART_EVENT = "add_to_cart"
BATCH = 100
SETTLE_SECONDS = 120.0

Event = dict[str, Any]
Visits = Callable[[Mapping[str, Any], str, int], Iterator[Sequence[Event]]]
"""Experiment of the config, currency and number of visits; the events of each."""


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
        if earlier["name"] in (NAME, PAGE_NAME):
            shop.api("POST", f"/experiments/{earlier['id']}/complete", {"outcome": "inconclusive"})
    treatment = [{"selector": ".hero h1", "action": "text", "text": "Good things for slow mornings"}]
    return _running(shop, _created(shop, NAME, {"mutations": treatment}))


def launch_page(shop: Shop) -> tuple[Mapping[str, Any], str]:
    """A running experiment of the shop's landing page, and the page's address."""
    experiment = _created(shop, PAGE_NAME, {})
    address = publish_variants(shop.api, shop.dev, experiment)
    return _running(shop, experiment), address


def _created(shop: Shop, name: str, treatment: Mapping[str, Any]) -> Mapping[str, Any]:
    experiment: Mapping[str, Any] = shop.api(
        "POST",
        "/experiments",
        {
            "name": name,
            "store_url": shop.dev["store_url"],
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


def shoppers(
    experiment: Mapping[str, Any], currency: str, count: int, chance: random.Random
) -> Iterator[Sequence[Event]]:
    """Events of each shopper; `experiment` is the config's."""
    ranges = [tuple(variation["range"]) for variation in experiment["variations"]]
    for number in range(count):
        visitor = f"demo-{experiment['id']}-{number}"
        index = variation_index(bucket(visitor, experiment["state"]), ranges)
        yield visit(experiment, index, visitor, currency, chance)


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
    experiment: Mapping[str, Any], index: int | None, visitor: str, currency: str, chance: random.Random
) -> Sequence[Event]:
    """One shopper's visit: a page, a variation where the shopper is in the experiment, perhaps a purchase."""
    start = {"visitorId": visitor, "sessionId": f"{visitor}-1", "ts": _now()}
    events: list[Event] = [{**start, "type": "pageview", "data": {}}]
    if index is None:
        return _numbered(visitor, events)
    variation_id = experiment["variations"][index]["id"]
    exposure = {"experimentId": experiment["id"], "variationId": variation_id, "assignment_epoch": experiment["epoch"]}
    events.append({**start, "type": "experiment_viewed", **exposure, "data": {}})
    if chance.random() < TRUE_RATES[index]:
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


def goal_table(goal: Mapping[str, Any]) -> Table:
    """One goal: a line for each variation, narrow enough for eighty columns."""
    table = Table(title=goal["name"], title_justify="left", box=SIMPLE, pad_edge=False, collapse_padding=True)
    table.add_column("variation", no_wrap=True)
    counts_money = any(row["revenue"] is not None for row in goal["rows"])
    amount = "revenue" if counts_money else "rate"
    for heading in ("visitors", "converted", amount, "lift", "95 % interval", "p"):
        table.add_column(heading, justify="right", no_wrap=True)
    for row in goal["rows"]:
        table.add_row(row["variation_name"], *_cells(row, counts_money))
    return table


def _cells(row: Mapping[str, Any], counts_money: bool) -> Sequence[str]:
    interval, p_value = row["ci"], row["adjusted_p_value"]
    amount = f"{row['revenue'] or 0:,.0f} {row['currency']}" if counts_money else f"{row['rate'] or 0:.2%}"
    return [
        f"{row['visitors']:,}",
        f"{row['conversions']:,}",
        amount,
        f"{row['lift']:+.1%}" if row["lift"] is not None else "",
        f"{interval['lower']:+.0%} to {interval['upper']:+.0%}" if interval else "",
        f"{p_value:.4f}{' *' if row['is_significant'] else ''}" if p_value is not None else "",
    ]


def run(count: int, seed: int, console: Console) -> None:
    """The whole demo. Raises CommandError when no stack runs or a route refuses."""
    state = StateDirectory(state_directory())
    control = ControlClient(state)
    shop = Shop(read_json(state.dev), requests.Session())
    chance = random.Random(seed)  # noqa: S311 - a simulation
    running = launch(shop)
    console.print(f"{NAME}: launched as {running['public_id']}")
    started = time.monotonic()
    taken = drive(shop, running["id"], partial(shoppers, chance=chance), count, console)
    console.print(f"{taken:,} events taken in, {taken / (time.monotonic() - started):,.0f} a second")
    on_page, address = launch_page(shop)
    console.print(f"{PAGE_NAME}: launched as {on_page['public_id']}, published at {address}")
    landed = partial(landings, chance=chance, address=address)
    drive(shop, on_page["id"], landed, count // LANDING_SHARE, console)
    settle(control, SETTLE_SECONDS, lambda line: console.print(f"[dim]{line}[/dim]"))
    for experiment in (on_page, running):
        report(shop, experiment, console)
    console.print(f"see it: {shop.dev['store_url']} and {address}")


def report(shop: Shop, experiment: Mapping[str, Any], console: Console) -> None:
    """Print the results of an experiment."""
    results = shop.api("GET", f"/experiments/{experiment['id']}/results")
    console.print(f"Results of {experiment['name']}, generation {results['generation']}")
    for goal in results["goals"]:
        console.print(goal_table(goal))
    console.print(
        f"split as planned: {results['srm']['status']}; true rates were {TRUE_RATES[0]:.0%} and {TRUE_RATES[1]:.0%}"
    )


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
