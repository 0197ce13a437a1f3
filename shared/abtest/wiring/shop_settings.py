"""Composition root of the settings family: its use cases from what all families share."""

from abtest.services.keys import Keys
from abtest.services.shops import Shops
from abtest.wiring.api import Management, Uses


def settings_uses(base: Management) -> Uses:
    """Use cases of shops, keys and runtime settings."""
    return {
        Shops: Shops(base.world, base.publication),
        Keys: Keys(base.world, base.authentication),
    }
