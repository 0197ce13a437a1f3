"""Hosts of landing pages: whether the shop has them, and which pages are online there."""

from collections.abc import Collection, Iterator

from abtest.domain.settings.install_domains import InstallDomains, claim_name
from abtest.domain.settings.runtime import INSTALL_DOMAINS
from abtest.domain.settings.shop import Shop
from abtest.kit.errors import ConflictError, FieldError
from abtest.ports.catalog import Catalog, Head
from abtest.services.listing import every_head

MAX_NAMED = 5
"""Landing pages that a refusal names."""


def is_claimed(catalog: Catalog, shop_id: str, host: str) -> bool:
    """Return whether a host is one of the shop's install domains."""
    owner = catalog.resolve(None, claim_name(host))
    return owner is not None and owner[0] == shop_id


def install_hosts(catalog: Catalog, shop: Shop) -> tuple[str, ...]:
    """Return the install domains of a shop, its own domain first, which may not be claimed yet."""
    record = catalog.get(shop.id, "SET", INSTALL_DOMAINS)
    return InstallDomains(domain=shop.domain, additional=tuple(record.body["additional"]) if record else ()).hosts


def pages_at(catalog: Catalog, shop_id: str, hosts: Collection[str]) -> Iterator[Head]:
    """Yield the heads of the pages that are online at these hosts."""
    return (head for head in every_head(catalog, shop_id, "LP") if head.attributes.get("live_host") in hosts)


def refuse_hosts_with_pages(catalog: Catalog, shop_id: str, hosts: Collection[str], field: str) -> None:
    """Raise ConflictError, with the names of the first pages, while pages are online at hosts to give up."""
    if not hosts:
        return
    pages = [(head.name, head.attributes.get("live_host")) for head in pages_at(catalog, shop_id, hosts)]
    if pages:
        named = ", ".join(f"{name} ({host})" for name, host in pages[:MAX_NAMED])
        more = f" and {len(pages) - MAX_NAMED} more" if len(pages) > MAX_NAMED else ""
        message = f"landing pages are published there: {named}{more}; unpublish or move them first"
        raise ConflictError(f"{field}: {message}", fields=[FieldError(field, message)])
