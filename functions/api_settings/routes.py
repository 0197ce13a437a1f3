"""Routes of the family, one module per resource."""

from api_settings.endpoints.brand import router as brand
from api_settings.endpoints.consent import router as consent
from api_settings.endpoints.data_layer_triggers import router as data_layer_triggers
from api_settings.endpoints.environments import router as environments
from api_settings.endpoints.exposure_destinations import router as exposure_destinations
from api_settings.endpoints.external_tracking import router as external_tracking
from api_settings.endpoints.install import router as install
from api_settings.endpoints.install_domains import router as install_domains
from api_settings.endpoints.keys import router as keys
from api_settings.endpoints.meta import router as meta
from api_settings.endpoints.publication import router as publication
from api_settings.endpoints.shops import router as shops

ROUTERS = (
    meta,
    shops,
    keys,
    environments,
    external_tracking,
    consent,
    install_domains,
    install,
    publication,
    exposure_destinations,
    data_layer_triggers,
    brand,
)
