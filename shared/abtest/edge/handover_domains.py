"""Handover domains of a shop in its published config; each content is parsed once."""

from base64 import b64decode
from collections import OrderedDict
from collections.abc import Mapping
from dataclasses import dataclass
from threading import Lock
from typing import Any

from abtest.domain.delivery.manifest import DEFAULT_ENVIRONMENT
from abtest.edge.publications import Publications
from abtest.kit import canonical_json
from abtest.kit.errors import NotFoundError

KEPT = 1000
SHORTEST_SECONDS, LONGEST_SECONDS = 30, 600


@dataclass(frozen=True, slots=True)
class HandoverRule:
    """Domains with their subdomains, and the seconds for which a token is valid."""

    domains: tuple[str, ...]
    seconds: int

    def allows(self, host: str) -> bool:
        """Return whether visitors may be handed over to this host."""
        return any(host == domain or host.endswith(f".{domain}") for domain in self.domains)


NOWHERE = HandoverRule((), SHORTEST_SECONDS)


class HandoverDomains:
    """Cache of rules by the hash of the config that they are in."""

    def __init__(self, publications: Publications) -> None:
        self._publications = publications
        self._kept: OrderedDict[str, HandoverRule] = OrderedDict()
        self._lock = Lock()

    def rule(self, shop_id: str) -> HandoverRule:
        """Return the shop's rule; NOWHERE for a shop that was never published. Raises BlobsUnavailableError."""
        try:
            body, _ = self._publications.read("config", shop_id, DEFAULT_ENVIRONMENT, "identity")
        except NotFoundError:
            return NOWHERE
        with self._lock:
            rule = self._kept.get(body.sha256)
            if rule is None:
                rule = self._kept[body.sha256] = rule_of(canonical_json.loads(b64decode(body.base64)))
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            return rule


def rule_of(config: Mapping[str, Any]) -> HandoverRule:
    """Return the rule of a published config, its seconds within the limits."""
    handover = config["runtime"].get("handover")
    if handover is None:
        return NOWHERE
    seconds = min(max(handover["ttl"], SHORTEST_SECONDS), LONGEST_SECONDS)
    return HandoverRule(tuple(domain.lower() for domain in handover["domains"]), seconds)
