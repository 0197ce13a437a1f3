"""Composition root of the settings family."""

from abtest.adapters.dynamo import DynamoSessions
from abtest.adapters.outbound_http import OutboundHttp
from abtest.ports.limits import Sessions
from abtest.services.jobs import Jobs
from abtest.services.keys import Keys
from abtest.services.last_seen import LastSeen
from abtest.services.settings.brand import BrandContexts
from abtest.services.settings.consent import Consents
from abtest.services.settings.environments import EnvironmentSettings
from abtest.services.settings.exposure_destinations import ExposureDestinationSettings
from abtest.services.settings.external_tracking import ExternalTrackingSettings
from abtest.services.settings.install_domains import InstallDomainSettings
from abtest.services.settings.installation import Installations, Pages
from abtest.services.settings.pixel import Pixels
from abtest.services.settings.publication import PublicationControl
from abtest.services.settings.store import SettingsStore
from abtest.services.shops import Shops
from abtest.services.signals.triggers import Triggers
from abtest.storefront import pixel
from abtest.wiring.api import Management, Uses
from abtest.wiring.egress import customer_rules


def settings_uses(base: Management, sessions: Sessions | None = None, pages: Pages | None = None) -> Uses:
    """Return the use cases of shops, keys and runtime settings; `sessions` and `pages` replace the deployment's."""
    rules = customer_rules(base.settings)
    store = SettingsStore(base.world, base.republication)
    return {
        Shops: Shops(base.world, base.publication),
        Keys: Keys(base.world, base.authentication),
        EnvironmentSettings: EnvironmentSettings(store),
        ExternalTrackingSettings: ExternalTrackingSettings(store),
        Consents: Consents(store),
        ExposureDestinationSettings: ExposureDestinationSettings(store),
        BrandContexts: BrandContexts(store, Jobs(base.world, "brand_excerpts", base.profile_queue), base.limiter),
        InstallDomainSettings: InstallDomainSettings(store),
        Installations: Installations(
            store,
            pages or Pages(sender=OutboundHttp(rules), rules=rules),
            LastSeen(sessions=sessions or DynamoSessions(base.settings.ephemeral_table)),
            base.settings.worker_base_url,
        ),
        Pixels: Pixels(store, lambda: base.roots(), pixel, base.settings.worker_base_url),
        PublicationControl: PublicationControl(store),
        Triggers: Triggers(base.world, base.storefronts),
    }
