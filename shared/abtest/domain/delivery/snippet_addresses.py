"""Where snippets are served: the addresses that a cache may keep them at until a publication invalidates them."""

from collections.abc import Iterable

from abtest.domain.delivery.manifest import ACTIVE


def address_of(shop_id: str, environment: str) -> tuple[str, dict[str, str]]:
    """The file and the query of an environment's snippet, as our install tags and sub-snippets write them.

    The same snippet is served at other spellings too, which nobody lists and no cache may keep for long.
    """
    return f"{shop_id}.js", {} if environment == ACTIVE else {"env": environment}


def snippet_paths(shop_id: str, environments: Iterable[str]) -> list[str]:
    """The paths of all snippets of a shop with these environments."""
    addresses = (address_of(shop_id, environment) for environment in (ACTIVE, *environments))
    return [f"/s/{file}" + "".join(f"?{name}={value}" for name, value in query.items()) for file, query in addresses]
