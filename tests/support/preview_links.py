"""Preview links of the shop in memory, and the routes that the shop's own pages load from."""

from __future__ import annotations

import zlib
from base64 import b64decode
from collections.abc import Mapping
from dataclasses import dataclass, field
from typing import Any

from abtest.adapters.scripts import QuickJsChecker
from abtest.domain.egress.targets import PublicOnly
from abtest.domain.settings.install_domains import claim_name
from abtest.edge.delivery import Delivery
from abtest.edge.publications import Body, Publications
from abtest.edge.storefront_previews import StorefrontPreviews
from abtest.ports.blobs import Blobs
from abtest.ports.catalog import Claim, Commit
from abtest.ports.limits import RateLimiter, Sessions
from abtest.services.context import Caller
from abtest.services.preview_links import PreviewLinks
from abtest.services.preview_sessions import OpenPreview, PreviewSessions
from abtest.services.publication.drafts import Drafts
from abtest.storefront import live_editor
from tests.support.memory import MemoryRateLimiter, MemorySessions
from tests.support.storefronts import ROOTS, SHOP_ID, Storefront, experiment, variation

PAGE = "https://shop.example/lamps"
TOOL = "(function(outcome,functions){return [outcome,functions]})"
BAR = "void 'bar';\n"


@dataclass
class Linking:
    """The shop with its links, and the routes. `held` and `files` replace the stores that the routes read."""

    storefront: Storefront = field(default_factory=Storefront)
    sessions: MemorySessions = field(default_factory=MemorySessions)
    limiter: RateLimiter = field(default_factory=MemoryRateLimiter)
    held: Sessions | None = None
    files: Blobs | None = None

    def __post_init__(self) -> None:
        claim = Claim(scope=None, name=claim_name("shop.example"), target_id="x", target_shop_id=SHOP_ID)
        self.storefront.catalog.commit(Commit(claims=[claim]))

    @property
    def links(self) -> PreviewLinks:
        """The use case that makes links."""
        storefront = self.storefront
        sessions = PreviewSessions(
            world=storefront.world,
            store=self.sessions,
            roots=lambda: ROOTS,
            rules=PublicOnly(),
            base="https://preview.example",
        )
        drafts = Drafts(catalog=storefront.catalog, checker=QuickJsChecker(), worker_base_url="https://edge.example")
        return PreviewLinks(sessions=sessions, drafts=drafts, delivery=storefront.blobs)

    @property
    def delivery(self) -> Delivery:
        """The routes, as they are wired."""
        storefront = self.storefront
        publications = Publications(storefront.blobs, storefront.clock)
        previews = StorefrontPreviews(
            roots=lambda: ROOTS,
            sessions=self.held or self.sessions,
            files=self.files or storefront.blobs,
            publications=publications,
            clock=storefront.clock,
            tool=TOOL,
        )
        return Delivery(
            publications=publications,
            limiter=self.limiter,
            clock=storefront.clock,
            previews=lambda: previews,
            bar=lambda: Body.of(BAR.encode()),
            editor=lambda: Body.of(live_editor("https://console.example").encode()),
        )

    def draft(self, **fields: Any) -> OpenPreview:
        """Store a draft of an experiment, and return a link to its treatment that is valid for an hour."""
        made = experiment(
            **{
                "number": 7,
                "name": "Draft",
                "status": "draft",
                "started_at": None,
                "variations": (variation(0), variation(1, custom_js="return '</script>'")),
                **fields,
            }
        )
        self.storefront.keep(made)
        return self.links.of_variation(caller(), made.id, made.variations[1].id, url=PAGE)


def caller() -> Caller:
    """Return a caller of the shop's own."""
    user = "0192a3b4-0000-7000-8000-0000000000fe"
    return Caller(key_id="k", kind="shop", user_id=user, shop_id=SHOP_ID, scopes=frozenset(), request_id="r")


def delivering(storefront: Storefront) -> Delivery:
    """Return the routes of a shop without links."""
    return Linking(storefront).delivery


def text_of(answer: Mapping[str, Any]) -> str:
    """Return the text of an answer, plain or in gzip."""
    body = b64decode(answer["body"]) if answer.get("isBase64Encoded") else answer["body"].encode()
    is_compressed = answer["headers"].get("Content-Encoding") == "gzip"
    return (zlib.decompress(body, wbits=31) if is_compressed else body).decode()
