"""Variants of landing pages: the same decision on the published config that the storefront makes.

Only pages with variants need this module, so it is loaded for the first of them.
"""

import logging
import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, field
from functools import lru_cache
from typing import Any

from abtest.domain.assignment.decide import Prepared, Visitor, decide, prepare_served
from abtest.domain.assignment.shapes import Decided
from abtest.domain.assignment.visit_cookie import Visit, read_visit, sticky_variations
from abtest.domain.delivery.manifest import ACTIVE
from abtest.domain.pages.addresses import page_address
from abtest.domain.pages.routes import RouteManifest
from abtest.edge.landing_pages import BASE, Choice, PageRequest
from abtest.edge.visitor_cookie import cookie_values, set_cookie
from abtest.kit.clock import Clock, to_milliseconds
from abtest.kit.errors import NotFoundError
from abtest.kit.ids import Randomness
from abtest.ports.blobs import BlobsUnavailableError

CRAWLER = re.compile(
    "(^|[^u])bot|crawl|spider|slurp|headless|lighthouse|pagespeed|facebookexternalhit|preview|pingdom", re.IGNORECASE
)
"""User agents that are neither assigned nor counted; the same expression as in `storefront/src/bots.js`."""

_log = logging.getLogger(__name__)


@dataclass(frozen=True, slots=True)
class PageConfig:
    """Parts of a published config that decide about variants."""

    decided: Decided
    needs_consent: bool
    domains: tuple[str, ...]
    """Domains whose hosts share the visitor's cookie."""

    _prepared: dict[str, Prepared] = field(default_factory=dict)

    @classmethod
    def of(cls, config: Any) -> "PageConfig":
        """Prepare a config for any number of requests."""
        runtime = config["runtime"]
        decided: Any = {name: config[name] for name in ("experiments", "holdout", "zones") if name in config}
        return cls(decided, "consent" in runtime, tuple(runtime.get("domains", ())))

    def experiment(self, experiment_id: str) -> Prepared:
        """Return the experiment of a page, alone: the server of the page decides it, browsers only read its mark."""
        if experiment_id not in self._prepared:
            self._prepared[experiment_id] = prepare_served(self.decided, experiment_id)
        return self._prepared[experiment_id]


@dataclass(frozen=True, slots=True)
class Variants:
    """Chooser of variants. `configs` reads the config of a shop's environment, and raises as publications do."""

    configs: Callable[[str, str], PageConfig]
    clock: Clock
    random: Randomness

    def choose(self, route: RouteManifest, requested: PageRequest) -> Choice:
        """Return the visitor's variation: the base where the experiment decides nothing. Never raises."""
        try:
            return self._choice(route, requested)
        except (NotFoundError, BlobsUnavailableError):
            return BASE
        except Exception:
            _log.exception("landing_page.undecided", extra={"experiment_id": route.experiment_id})
            return BASE

    def _choice(self, route: RouteManifest, requested: PageRequest) -> Choice:
        config = self.configs(route.shop_id, ACTIVE)
        prepared = config.experiment(str(route.experiment_id))
        if not prepared.experiments.members:
            return BASE  # paused, completed, archived
        is_flagged, force = forced(requested.request.query)
        if not is_flagged and is_crawler(requested.request.headers.get("user-agent", "")):
            return BASE
        visit, is_new = read_visit(cookie_values(requested.event)), False
        if visit is None and not config.needs_consent:
            visit, is_new = Visit(f"{self.random.bits(128):032x}"), True
        if visit is None and not force:
            return BASE
        variation_id = self._decided(prepared, requested, visit, force)
        # Also for the base: another id would be drawn on the next view.
        cookies = (first_cookie(visit, requested, config.domains),) if visit and is_new else ()
        return Choice(variation_id, cookies)

    def _decided(
        self,
        prepared: Prepared,
        requested: PageRequest,
        visit: Visit | None,
        force: Mapping[str, str],
    ) -> str | None:
        sticky = sticky_variations(visit.sticky, prepared.experiments) if visit and visit.sticky else {}
        visitor = Visitor(id=visit.visitor_id if visit else None, sticky=sticky)
        # Without the query, which the CDN does not pass on: the page is the same for all of them.
        url = page_address(requested.host, requested.path)
        decision = decide(prepared, visitor, url, to_milliseconds(self.clock.now()), force)
        return next((each.variation["id"] for each in decision.assignments if each.active), None)


# The search takes as long as the decision, and most visitors share their user agent with others.
@lru_cache(maxsize=512)
def is_crawler(user_agent: str) -> bool:
    """Return whether a user agent is a crawler's."""
    return CRAWLER.search(user_agent) is not None


def forced(query: Mapping[str, str]) -> tuple[bool, dict[str, str]]:
    """Return whether the visit is flagged as QA, and its forced variations, as `storefront/src/force.js` reads them."""
    text, is_flagged = query.get("svc_force", ""), query.get("svc_qa") == "1"
    if is_flagged:
        text += f",{query.get('svc_experiment_id', '')}:{query.get('svc_variation_id', '')}"
    named = (pair.split(":")[:2] for pair in text.split(","))
    force = {pair[0]: pair[1] for pair in named if len(pair) == 2 and all(pair)}
    return is_flagged or bool(force), force


def first_cookie(visit: Visit, requested: PageRequest, domains: Iterable[str]) -> str:
    """Return the Set-Cookie of a new visitor, whom the storefront's script takes over."""
    domain = next((each for each in domains if f".{requested.host}".endswith(f".{each}")), "")
    is_secure = requested.request.headers.get("x-forwarded-proto", "https") != "http"
    return set_cookie(visit.visitor_id, domain=domain, is_secure=is_secure)
