"""Composition root of the settings family: its use cases from what all families share."""

from abtest.services.keys import Keys
from abtest.services.settings.consent import Consents
from abtest.services.settings.environments import EnvironmentSettings
from abtest.services.settings.external_tracking import ExternalTrackingSettings
from abtest.services.settings.install_domains import InstallDomainSettings
from abtest.services.settings.publication import PublicationControl
from abtest.services.settings.store import SettingsStore
from abtest.services.shops import Shops
from abtest.services.signals.triggers import Triggers
from abtest.services.storefronts import Storefronts
from abtest.wiring.api import Management, Uses


def settings_uses(base: Management) -> Uses:
    """Use cases of shops, keys and runtime settings."""
    storefronts = Storefronts(base.world.catalog, base.publication)
    store = SettingsStore(base.world, storefronts)
    return {
        Shops: Shops(base.world, base.publication),
        Keys: Keys(base.world, base.authentication),
        EnvironmentSettings: EnvironmentSettings(store),
        ExternalTrackingSettings: ExternalTrackingSettings(store),
        Consents: Consents(store),
        InstallDomainSettings: InstallDomainSettings(store),
        PublicationControl: PublicationControl(store),
        Triggers: Triggers(base.world, storefronts),
    }
