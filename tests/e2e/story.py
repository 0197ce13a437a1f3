"""A thin HTTP vocabulary for stories: what a developer would type."""

import re
from collections.abc import Iterator, Mapping
from time import monotonic, sleep
from typing import Any

import requests

from abtest.edge.cached_reads import KEPT
from tools.local.testing import settle

PATIENCE_SECONDS = 30
MOST_VISITORS = 40


class Story:
    """Calls the management API of a running stack; every call states the status that it expects."""

    def __init__(self, dev: dict[str, Any]) -> None:
        self.dev = dev
        self._session = requests.Session()
        self._session.headers["Authorization"] = f"Bearer {dev['api_key']}"

    def call(self, method: str, path: str, expected: int = 200, **body: Any) -> Any:
        """The JSON answer of a management route."""
        sends_json = method in {"POST", "PUT", "PATCH"}
        answer = self._session.request(
            method, f"{self.dev['base_url']}{path}", json=body if sends_json else None, timeout=30
        )
        assert answer.status_code == expected, f"{method} {path}: {answer.status_code} {answer.text[:2000]}"
        return answer.json() if answer.content else None

    def claim_domain(self) -> None:
        """Claim the shop's own domain, unless it or another is claimed already."""
        domains = self.call("GET", "/settings/install-domains")
        if domains["revision"] == "initial":
            self.call("PATCH", "/settings/install-domains", domain=domains["domain"])

    def finish_running(self) -> None:
        """Complete whatever earlier stories left running, so that each story owns the store page."""
        for experiment in self.call("GET", "/experiments?status=running&limit=100")["data"]:
            self.call("POST", f"/experiments/{experiment['id']}/complete")

    def await_delivery(self) -> None:
        """Wait until every edge route serves what is published: each keeps a pointer for a second."""
        edge, shop_id, asked = self.dev["worker_base_url"], self.dev["shop_id"], monotonic()
        for _ in range(100):
            # Read each time: a worker may publish once more meanwhile.
            published = requests.get(f"{edge}/api/exp", params={"shopId": shop_id, "debug": "1"}, timeout=30).json()
            revision = re.compile(rf'\brevision"?:{published["delivery"]["revision"]}}}')
            served = revision.search(requests.get(f"{edge}/s/{shop_id}.js", timeout=30).text)
            if served and monotonic() - asked > KEPT.total_seconds():
                return
            sleep(0.1)
        raise AssertionError("the edge never served what is published")

    def results(self, experiment_id: str, *, visitors: int, conversions: int) -> Any:
        """Return the results once beacons of closed tabs have arrived, or whatever is counted after a while."""
        for results in self._settled(f"/experiments/{experiment_id}/results"):
            rows = results["goals"][0]["rows"]
            if has_counted(rows, "visitors", visitors) and has_counted(rows, "conversions", conversions):
                break
        return results

    def personalization_results(self, personalization_id: str, *, visitors: int) -> Any:
        """Return the results of a personalization with one experience, as `results` does."""
        for results in self._settled(f"/personalizations/{personalization_id}/results"):
            if has_counted(results["experiences"][0]["results"]["goals"][0]["rows"], "visitors", visitors):
                break
        return results

    def _settled(self, path: str) -> Iterator[Any]:
        until = monotonic() + PATIENCE_SECONDS
        while True:
            settle(self.dev["directory"])
            yield self.call("GET", path)
            if monotonic() > until:
                return


def has_counted(rows: list[dict[str, Any]], name: str, expected: int) -> bool:
    """Return True when the rows of all variations add up to at least the expected count."""
    return bool(sum(row[name] for row in rows) >= expected)


def until_both_met(met: Mapping[Any, int], at_least: int) -> Iterator[int]:
    """Numbers of visitors: at least so many, and on until both variations were met, which chance may delay."""
    for number in range(MOST_VISITORS):
        if number >= at_least and len(met) == 2:
            return
        yield number


def new_shop(story: Story, domain: str) -> Story:
    """The same for a shop of its own, made in this story."""
    dev = story.dev
    made = requests.post(
        f"{dev['base_url']}/shops",
        json={"name": domain, "domain": domain, "currency": "EUR"},
        headers={"Authorization": f"Bearer {dev['user_key']}"},
        timeout=30,
    ).json()
    return Story({**dev, "shop_id": made["id"], "api_key": made["api_key"]["secret"]})
