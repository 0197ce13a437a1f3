"""Where a page is published, and the origins that it may use."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True, kw_only=True)
class Site:
    """Shop and addresses of a page. Origins have a scheme and no path; `form_hosts` are claimed by the shop."""

    shop_id: str
    shop_name: str
    domain: str
    edge_origin: str
    assets_origin: str
    snippet_address: str
    canonical_address: str
    form_hosts: tuple[str, ...] = ()
