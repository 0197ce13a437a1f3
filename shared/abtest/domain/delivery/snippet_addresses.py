"""Addresses of snippets at which a cache may keep them until a publication invalidates them."""

from collections.abc import Iterable

from abtest.domain.delivery.manifest import ACTIVE


def address_of(shop_id: str, environment: str) -> tuple[str, dict[str, str]]:
    """Return file and query of an environment's snippet, as our install tags and sub-snippets write them.

    Other spellings of the address serve the same snippet; they are not listed, and no cache may keep them for long.
    """
    return f"{shop_id}.js", {} if environment == ACTIVE else {"env": environment}


def snippet_paths(shop_id: str, environments: Iterable[str]) -> list[str]:
    """Return the paths of all snippets of a shop with these environments."""
    addresses = (address_of(shop_id, environment) for environment in (ACTIVE, *environments))
    return [f"/s/{file}" + "".join(f"?{name}={value}" for name, value in query.items()) for file, query in addresses]
