"""Where a shop hands its visitors over to, as its published config says; each content is read once."""

from base64 import b64decode
from collections import OrderedDict
from dataclasses import dataclass
from threading import Lock
from typing import Any

from abtest.domain.delivery.manifest import DEFAULT_ENVIRONMENT
from abtest.edge.publications import Body, Publications
from abtest.kit import canonical_json
from abtest.kit.errors import NotFoundError

KEPT = 1000
SHORTEST_SECONDS, LONGEST_SECONDS = 30, 600


@dataclass(frozen=True, slots=True)
class HandoverRule:
    """The hosts, with all below them, and for how many seconds a token holds."""

    domains: tuple[str, ...]
    seconds: int

    def allows(self, host: str) -> bool:
        """Whether visitors may be handed over to this host."""
        return any(host == domain or host.endswith(f".{domain}") for domain in self.domains)


NOWHERE = HandoverRule((), SHORTEST_SECONDS)


class HandoverDomains:
    """Reads the rule of a shop, and remembers it by the hash of the content that it stands in."""

    def __init__(self, publications: Publications) -> None:
        self._publications = publications
        self._kept: OrderedDict[str, HandoverRule] = OrderedDict()
        self._lock = Lock()

    def rule(self, shop_id: str) -> HandoverRule:
        """The shop's rule; nowhere for a shop that was never published. Raises BlobsUnavailableError."""
        try:
            body, _ = self._publications.read("config", shop_id, DEFAULT_ENVIRONMENT, "identity")
        except NotFoundError:
            return NOWHERE
        with self._lock:
            found = self._kept.get(body.sha256)
            if found is None:
                found = self._kept[body.sha256] = _rule(body)
                if len(self._kept) > KEPT:
                    self._kept.popitem(last=False)
            return found


def _rule(body: Body) -> HandoverRule:
    config: dict[str, Any] = canonical_json.loads(b64decode(body.base64))
    said = config["runtime"].get("handover")
    if said is None:
        return NOWHERE
    seconds = min(max(said["ttl"], SHORTEST_SECONDS), LONGEST_SECONDS)
    return HandoverRule(tuple(domain.lower() for domain in said["domains"]), seconds)
