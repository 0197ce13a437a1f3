"""Keys put into a catalog directly, as another process would have stored them."""

from collections.abc import Sequence

from abtest.domain.credentials.api_keys import ApiKey
from abtest.kit.clock import Timestamp
from abtest.ports.catalog import Catalog, Commit
from abtest.services.key_records import KEYS, ledger_put
from abtest.services.names import Renaming


def stored_keys(catalog: Catalog, keys: Sequence[ApiKey], now: Timestamp) -> Commit:
    """The commit that stores these keys of one shop, without audit rows."""
    claims = [
        claim
        for key in keys
        for claim in Renaming(shop_id=KEYS.shop_id(key), record_id=key.id, after=KEYS.names(key)).claims()
    ]
    ledger = [ledger_put(catalog, keys, now)] if keys[0].shop_id else []
    return Commit(puts=[*map(KEYS.put, keys), *ledger], claims=claims)
