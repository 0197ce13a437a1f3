"""Addresses that a rendered page uses: its own, the snippet's, and the hosts of the shop."""

from dataclasses import dataclass

from ada_url import URL

from abtest.domain.install.tags import origin_of, snippet_url
from abtest.domain.pages.addresses import page_address
from abtest.domain.pages.model import LandingPage
from abtest.domain.pages.site import Site
from abtest.ports.catalog import Catalog
from abtest.services.pages.live_hosts import install_hosts
from abtest.services.shop_records import read_shop

_CLOUD = (".amazonaws.com", ".cloudfront.net")
"""Names that AWS gives to APIs and distributions, those of this service among them."""

_LOCAL = "127.0.0.1"
"""Host of everything in the local stack, where the demo shop has it as its domain."""


@dataclass(frozen=True, slots=True, kw_only=True)
class Sites:
    """Sites of the pages of all shops. The addresses are those of the edge and of public files."""

    catalog: Catalog
    worker_base_url: str
    assets_base_url: str

    def is_own(self, host: str) -> bool:
        """Return whether a host is one of the service itself, whose origin no shop's page may have."""
        own = {URL(address).hostname for address in (self.worker_base_url, self.assets_base_url)}
        return host in own - {_LOCAL} or host.endswith(_CLOUD)

    def of(self, page: LandingPage) -> Site:
        """Return the site of a page at the address that it is going to have; without a path, at its slug."""
        shop = read_shop(self.catalog, page.shop_id)
        return Site(
            shop_id=shop.id,
            shop_name=shop.name,
            domain=shop.domain,
            edge_origin=origin_of(self.worker_base_url),
            assets_origin=origin_of(self.assets_base_url),
            snippet_address=snippet_url(self.worker_base_url, shop.id),
            canonical_address=page_address(page.publish_host, page.publish_path or f"/{page.slug}"),
            form_hosts=tuple(dict.fromkeys(install_hosts(self.catalog, shop))),
        )
